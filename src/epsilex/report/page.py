"""`report.html`: one file that loads nothing; its content-security policy allows only its own script and style."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from typing import Any

import numpy as np
from markupsafe import Markup

from epsilex import __version__
from epsilex.models import Model
from epsilex.models.persistence import to_document
from epsilex.programs.export.mathml import mathml
from epsilex.report.fit import Fit

CHARTS = (
    ("error", "Error over generations", ("best_mae", "median_mae"), ("best", "median of the population")),
    ("cases", "Share of the cases a selection used", ("cases_used", "cases_used_mean"), ("median", "mean")),
    ("diversity", "Diversity: share of distinct outputs", ("diversity",), ("diversity",)),
    ("length", "Mean length of the programs", ("mean_length",), ("length",)),
)


def render(fit: Fit) -> str:
    """The page as text."""
    import jinja2

    # Everything inserted is escaped; the template itself decides what is markup.
    loader = jinja2.PackageLoader("epsilex.report", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    style, script = (loader.get_source(environment, name)[0] for name in ("page.css", "page.js"))
    return environment.get_template("page.html").render(
        fit=fit,
        rows=[_row(m, bool(fit.held_back.any())) for m in fit.models],
        models=[_shown(m, fit) for m in fit.models],
        charts=[chart for chart in CHARTS if chart[2][0] in fit.history],
        data=_json(_data(fit)),
        style=Markup(style),
        script=Markup(script),
        style_hash=_sha256(style),
        script_hash=_sha256(script),
        figure=figure,
        version=__version__,
    )


def figure(value: float | None, digits: int = 4) -> str:
    """A number in readable form."""
    if value is None or math.isnan(value):
        return ""
    return f"{value:#.{digits}g}".rstrip(".").replace("inf", "∞")


def _row(m: Model, tested: bool) -> dict[str, Any]:
    """A row of the table of models. Records omit non-finite values, so a missing test error is shown as infinite."""
    r2 = m.metrics.get("test_r2")
    return {
        "length": m.length,
        "formula": m.formula,
        "mae": m.metrics.get("mae"),
        "test_mae": m.metrics.get("test_mae", math.inf) if tested else None,
        "test_r2": r2 if r2 is not None and math.isfinite(r2) else None,
    }


def _shown(m: Model, fit: Fit) -> dict[str, Any]:
    """What the page shows of a model besides its plots."""
    importance = sorted(m.importance(fit.rows_for(m)).items(), key=lambda item: -item[1])
    return {
        "math": mathml(m.nodes, m.column_names, named=m.named),
        "latex": m.latex(),
        "python": m.python(),
        "json": json.dumps(to_document(m), indent=1),
        "proven": bool(m.metrics.get("proven")),
        "constants": _constants(m),
        "importance": [(name, value) for name, value in importance if value > 0.0][:12],
    }


def _constants(m: Model) -> list[tuple[str, ...]]:
    """Name, value, standard error and ends of the interval of each constant, as text; its group is part of the name."""
    if m.uncertainty is None or m.uncertainty.freedom < 1:
        return []
    return [
        (_name(row), figure(row.value, 5), figure(row.standard_error, 2), figure(row.low, 5), figure(row.high, 5))
        for row in m.constants.itertuples()
    ]


def _name(row: Any) -> str:
    group = getattr(row, "group", "")
    return f"{row.name}, {group}" if group else str(row.name)


def _data(fit: Fit) -> dict[str, Any]:
    """The script's data, as JSON values."""
    return {
        "target": fit.target,
        "chosen": fit.chosen,
        "models": [
            {"length": m.length, "error": _plain(m.metrics.get("mae")), "test": _plain(m.metrics.get("test_mae"))}
            | {"prediction": [_plain(v) for v in m.predict(fit.rows_for(m))]}
            for m in fit.models
        ],
        "y": [_plain(v) for v in fit.y],
        "heldBack": [int(flag) for flag in fit.held_back],
        "history": {name: [_plain(v) for v in values] for name, values in fit.history.items()},
        "charts": [{"id": name, "columns": columns, "names": names} for name, _, columns, names in CHARTS],
    }


def _plain(value: float | None) -> float | None:
    """Rounded to the precision of a plot; None if there is nothing to show."""
    return float(f"{value:.6g}") if value is not None and np.isfinite(value) else None


def _json(data: dict) -> Markup:
    """JSON that cannot end its script element: `<`, `>` and `&` are written as JSON escapes."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))  # ASCII only, so U+2028 is escaped too
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
