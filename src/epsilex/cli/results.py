"""Results of a fit, as text and as JSON."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from epsilex.cli.fitting import FILES
from epsilex.evolution.observers.progress import printable
from epsilex.report import Fit
from epsilex.report.page import figure
from epsilex.tables.splitting import FEW


def tell(fit: Fit, out: Path, data: Path, as_document: bool) -> None:
    """Results to standard output."""
    files = [str(out / name) for name in FILES]
    if as_document:
        print(as_json(fit, files))
    else:
        show(fit, files, shlex.join(["epsilex", "predict", str(out / "model.json"), str(data)]))


def show(fit: Fit, files: Iterable[str], then: str) -> None:
    """The front with the chosen row marked, the formula, its error, and what to do next."""
    out = Console(highlight=False, markup=False, emoji=False)  # column names may contain markup
    for line in _front(fit, out.width):
        out.print(line)
    out.print()
    out.print(Text(printable(f"{fit.target} = {fit.model.formula}"), style="bold"), soft_wrap=True)
    for definition in fit.model.definitions:
        out.print(Text(printable(f"  {definition}")), soft_wrap=True)
    out.print()
    if fit.choice.get("text"):
        out.print(printable(str(fit.choice["text"])))
        out.print()
    lines = {
        **_groups(fit),
        **_with_units(fit),
        "test error": _test_error(fit),
        "search": fit.facts["search"],
        "files": "  ".join(files),
        "predict": then,
    }
    for name, value in lines.items():
        out.print(Text.assemble((f"{name:<12}", "dim"), printable(value)), soft_wrap=True)


def as_json(fit: Fit, files: Iterable[str]) -> str:
    """The same as JSON; non-finite values are null."""
    front = [
        {"length": m.length, **{name: _finite(value) for name, value in m.metrics.items()}, "formula": m.formula}
        for m in fit.models
    ]
    told = {"target": fit.target, "formula": fit.model.formula, "chosen": fit.chosen, "front": front}
    told |= {"functions": fit.model.functions} if fit.model.functions else {}
    told |= {"choice": dict(fit.choice), "stopped_by": fit.stopped_by}
    told |= {"facts": dict(fit.facts), "notes": list(fit.notes), "files": list(files), "repeat": fit.command}
    return json.dumps(told, indent=1, allow_nan=False)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _front(fit: Fit, width: int) -> Iterator[Text]:
    """Lines of a table, formulas cut to the width."""
    tested = "test_mae" in fit.model.metrics
    errors, r2 = (("mae", "test_mae"), "test_r2") if tested else (("mae",), "r2")
    rows = [["", "length", "error", *(("test error", "test R²") if tested else ("R²",))]]
    for place, m in enumerate(fit.models):
        mark = "→" if place == fit.chosen else ""
        cells = [figure(m.metrics[name]) for name in errors] + [f"{m.metrics[r2]:.3f}".replace("inf", "∞")]
        rows.append([mark, str(m.length), *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row, formula in zip(rows, ["formula", *(m.formula for m in fit.models)], strict=True):
        line = "  ".join(cell.rjust(cell_width) for cell, cell_width in zip(row, widths, strict=True))
        style = "dim" if row is rows[0] else "bold green" if row[0] else ""
        text = Text(f"{line}  {printable(formula)}", style=style)
        text.truncate(width, overflow="ellipsis")
        yield text


def _groups(fit: Fit) -> dict[str, str]:
    """The constants of each group, by name."""
    own = fit.model.own
    if own is None:
        return {}
    return {
        name: ", ".join(f"{label} {figure(value)}" for label, value in zip(own.labels, values, strict=True))
        for name, values in zip(own.shown, own.values, strict=True)
    }


def _with_units(fit: Fit) -> dict[str, str]:
    """The constants that carry units, with their standard errors."""
    if not any(unit != "1" for unit in fit.model.units.values()):
        return {}
    rows = fit.model.constants.query("unit != '1'").itertuples()
    told = [f"{figure(row.value)} ± {row.standard_error:.2g} {row.unit.replace('**', '^')}" for row in rows]
    return {"constants": ", ".join(told)}


def _test_error(fit: Fit) -> str:
    metrics = fit.model.metrics
    if "test_mae" not in metrics:
        few = f", because there are fewer than {FEW}" if len(fit.y) < FEW else ""
        return f"unknown, no rows were held back{few}"
    told = f"{figure(metrics['test_mae'])} mean absolute, R² {figure(metrics['test_r2'])}, on {fit.facts['held back']}"
    return told if math.isfinite(metrics["test_mae"]) else f"{told}; the formula is not defined on all of them"
