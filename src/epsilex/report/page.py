"""`report.html`: one file that loads nothing; its security policy allows only its own script, style and font."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from epsilex import __version__
from epsilex.models import Model
from epsilex.models.dependence import features_used
from epsilex.models.marks import knee, shown_range
from epsilex.models.persistence import to_document
from epsilex.programs.export.mathml import left_side
from epsilex.report.drawn import columns, drawn, plain, plains
from epsilex.report.fit import Fit

CHARTS = (
    ("error", "Error over generations", ("best_mae", "median_mae"), ("best", "median of the population")),
    ("cases", "Share of the cases a selection used", ("cases_used", "cases_used_mean"), ("median", "mean")),
    ("diversity", "Diversity: share of distinct outputs", ("diversity",), ("diversity",)),
    ("length", "Mean length of the programs", ("mean_length",), ("length",)),
)
PREVIEW, DIGITS = 80, 3  # characters of a formula in the table, and digits of its numbers
LAST_PLACE = 6  # behind or before the point, of numbers that are written without an exponent
LARGE, MEDIUM = 12, 26  # lengths up to which a formula is set large, and middling


def render(fit: Fit) -> str:
    """The page as text."""
    import jinja2

    # Everything inserted is escaped; the template itself decides what is markup.
    loader = jinja2.PackageLoader("epsilex.report", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    style, script = (loader.get_source(environment, name)[0] for name in ("page.css", "page.js"))
    style = font_face() + style
    bend = _knee(fit)
    return environment.get_template("page.html").render(
        fit=fit,
        left_side=left_side(fit.target),
        knee=bend,
        rows=[_row(m, bool(fit.held_back.any())) for m in fit.models],
        models=[_shown(m, fit) for m in fit.models],
        charts=[chart for chart in CHARTS if chart[2][0] in fit.history],
        data=_json(_data(fit, bend)),
        style=Markup(style),
        script=Markup(script),
        style_hash=_sha256(style),
        script_hash=_sha256(script),
        figure=figure,
        words=words(fit.command),
        version=__version__,
    )


def font_face() -> str:
    """The style rule that holds the font of formulas, "epsilex math"."""
    font = base64.b64encode(files("epsilex.report").joinpath("fonts", "math.woff2").read_bytes()).decode()
    return f'@font-face {{ font-family: "epsilex math"; src: url("data:font/woff2;base64,{font}") format("woff2"); }}\n'


def figure(value: float | None, digits: int = 4) -> str:
    """A number in readable form."""
    if value is None or math.isnan(value):
        return ""
    return f"{value:#.{digits}g}".rstrip(".").replace("inf", "∞")


def preview(m: Model) -> str:
    """The formula in short: few digits, and cut if it is long."""
    text = m.unicode(DIGITS)
    return text if len(text) <= PREVIEW else text[: PREVIEW - 1].rstrip() + "…"


def words(command: str) -> list[str]:
    """A command word by word, so that a line breaks between them only."""
    return re.split(r"(?<= )", command)


def breakable(text: str) -> Markup:
    """Text that may break after a sign of multiplication or division."""
    return Markup("<wbr>").join(re.split(r"(?<=[·/])", text))


def _knee(fit: Fit) -> int | None:
    """The knee of the front by training errors, as far down as its axis shows them: where formulas pass through every
    row, the error falls without a meaning. None if a record lacks them."""
    errors = [m.metrics.get("mae", math.nan) for m in fit.models]
    shown = _shown_errors(fit)
    if shown is None or any(map(math.isnan, errors)):
        return None
    return knee([m.length for m in fit.models], [max(error, shown[0]) for error in errors])


def _shown_errors(fit: Fit) -> tuple[float, float] | None:
    train, test = ([m.metrics.get(name) for m in fit.models] for name in ("mae", "test_mae"))
    return shown_range(train, test, fit.chosen)


def _row(m: Model, tested: bool) -> dict[str, Any]:
    """A row of the table of models. Records omit non-finite values, so a missing test error is shown as infinite."""
    r2 = m.metrics.get("test_r2")
    return {
        "length": m.length,
        "formula": m.formula,
        "preview": breakable(preview(m)),
        "mae": m.metrics.get("mae"),
        "r2": m.metrics.get("r2"),
        "test_mae": m.metrics.get("test_mae", math.inf) if tested else None,
        "test_r2": r2 if r2 is not None and math.isfinite(r2) else None,
    }


def _shown(m: Model, fit: Fit) -> dict[str, Any]:
    """What the page shows of a model besides its plots."""
    importance = sorted(m.importance(fit.rows_for(m)).items(), key=lambda item: -item[1])
    constants, used = _constants(m), set(features_used(m))
    return {
        "math": Markup(m.mathml()),
        "size": "large" if m.length <= LARGE else "medium" if m.length <= MEDIUM else "small",
        "latex": m.latex(),
        "python": m.python(),
        "json": json.dumps(to_document(m), indent=1),
        "proven": bool(m.metrics.get("proven")),
        "constants": [row for row in constants if not row["group"]],
        "by_group": _by_group(constants),
        "definitions": m.definitions,
        "importance": [(name, value) for name, value in importance if value > 0.0][:12],
        "unused": [name for j, name in enumerate(m.feature_names) if j not in used],
    }


def _constants(m: Model) -> list[dict[str, str]]:
    """Name if a person gave one, value, standard error, ends of the interval, unit and group of each, as text."""
    if m.uncertainty is None or m.uncertainty.freedom < 1:
        return []
    labels = set(m.labels.values())
    found = []
    for row in m.constants.to_dict("records"):
        value, low, high = measured(row["standard_error"], row["value"], row["low"], row["high"])
        found.append({
            "name": row["name"] if row["name"] in labels or row.get("group") else "",
            "value": value, "error": figure(row["standard_error"], 2), "low": low, "high": high,
            "unit": "" if row.get("unit", "1") == "1" else row["unit"], "group": row.get("group", ""),
        })  # fmt: skip
    return found


def measured(error: float, *values: float) -> list[str]:
    """Numbers to the second digit of their standard error, which is all that it warrants."""
    if not (math.isfinite(error) and error > 0.0):
        return [figure(value, 5) for value in values]
    place = math.floor(math.log10(error)) - 1
    if place < -LAST_PLACE or max(map(abs, values)) >= 10.0**LAST_PLACE:
        return [figure(value, 5) for value in values]
    return [f"{round(value, -place) + 0.0:.{max(0, -place)}f}" for value in values]


def _by_group(constants: list[dict[str, str]]) -> dict[str, Any] | None:
    """The constants per group as a table: the names, and per label the value of each; None without groups."""
    own = [row for row in constants if row["group"]]
    if not own:
        return None
    names = list(dict.fromkeys(row["name"] for row in own))
    labels = list(dict.fromkeys(row["group"] for row in own))
    cell = {(row["group"], row["name"]): row for row in own}
    return {"names": names, "rows": [(label, [cell[label, name] for name in names]) for label in labels]}


def _data(fit: Fit, bend: int | None) -> dict[str, Any]:
    """The script's data, as JSON values."""
    shapes = [drawn(m, fit) for m in fit.models]
    return {
        "target": fit.target,
        "features": list(fit.models[0].feature_names),
        "chosen": fit.chosen,
        "knee": bend,
        "errors": _shown_errors(fit),
        "models": [
            {"length": m.length, "error": plain(m.metrics.get("mae")), "test": plain(m.metrics.get("test_mae"))}
            | {"prediction": plains(m.predict(fit.rows_for(m))), "preview": preview(m), **shape}
            for m, shape in zip(fit.models, shapes, strict=True)
        ],
        "X": columns(shapes, fit.X),
        "y": plains(fit.y),
        "groups": None if fit.groups is None else {"column": fit.groups[0], "of": fit.groups[1]},
        "heldBack": [int(flag) for flag in fit.held_back],
        "history": {name: [plain(v) for v in values] for name, values in fit.history.items()},
        "charts": [{"id": id, "columns": shown, "names": names} for id, _, shown, names in CHARTS],
    }


def _json(data: dict) -> Markup:
    """JSON that cannot end its script element: `<`, `>` and `&` are written as JSON escapes."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))  # ASCII only, so U+2028 is escaped too
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
