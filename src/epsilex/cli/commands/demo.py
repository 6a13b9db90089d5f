"""`epsilex demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epsilex.cli.fit_options import JSON, OVERWRITE, SEARCH, time_option
from epsilex.cli.options import option, parameters, with_options, words

DEMO = (
    time_option("20"),
    *SEARCH,
    option("out", Path, "Folder for the files.", Path("demo"), metavar="FOLDER"),
    OVERWRITE,
    JSON,
)


def demo(**asked: Any) -> None:
    """Find a formula for an example, without a file."""
    from epsilex.cli import demonstration, fitting, results

    out = asked["out"]
    est = fitting.estimator("default", parameters(DEMO, asked), seconds=20.0)
    data = demonstration.data()
    command = ["epsilex", "demo", *words(DEMO, asked)]
    fit = fitting.fit(data, est, out, command, [demonstration.DESCRIPTION], overwrite=asked["overwrite"])
    demonstration.write(data, out / data.name)
    results.tell(fit, out, out / data.name, asked["json"])


with_options(demo, (), DEMO)
