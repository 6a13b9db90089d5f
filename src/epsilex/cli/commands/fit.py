"""`epsilex fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epsilex.cli.fit_options import FIT
from epsilex.cli.options import argument, parameters, with_options, words

ARGUMENTS = (argument("data", Path, "CSV, TSV, Excel or Parquet file; text also gzipped."),)


def fit(data: Path, **asked: Any) -> None:
    """Find a formula for a column of a table."""
    from epsilex.cli import fitting, preparing, results

    est = fitting.estimator(asked["preset"], parameters(FIT, asked))
    found = preparing.prepared(data, asked)
    if found.sigma is None:
        est.set_params(noise=asked["noise"])
    est.set_params(**preparing.units_of(asked["units"], asked["target_unit"], found))
    out = asked["out"] = asked["out"] or Path(f"{data.name.partition('.')[0]}-fit")
    table = found.table
    sizes = (
        f"{data}: {len(table.y)} rows, {found.held_back.sum()} of them held back; {found.features.shape[1]} features"
    )
    command = ["epsilex", "fit", str(data), *words(FIT, asked)]
    news = [sizes, *table.notes]
    fit = fitting.fit(found, est, out, command, news, resume=asked["resume"], overwrite=asked["overwrite"])
    results.tell(fit, out, data, asked["json"])


with_options(fit, ARGUMENTS, FIT)
