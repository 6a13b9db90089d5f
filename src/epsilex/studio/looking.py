"""What the page shows of one formula: its errors, curve, residuals, parts, constants, and what is proven of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from epsilex.data.groups import known_codes
from epsilex.data.losses import loss_function
from epsilex.data.rows import Rows
from epsilex.dimensions.carried import carried
from epsilex.forms.filling import spans
from epsilex.models.dependence import ROWS, most_important, partial_dependence, places_along
from epsilex.models.formed import program_of
from epsilex.models.front import BOXES, Scorer
from epsilex.models.grouped.program import Grouped
from epsilex.models.grouped.spread import spread
from epsilex.models.grouped.tuning import Cells
from epsilex.models.model import Model
from epsilex.models.polish import with_constants
from epsilex.models.uncertainty import Uncertainty, band, with_uncertainty
from epsilex.programs.export.mathml import mathml
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places
from epsilex.programs.intervals import Interval
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE
from epsilex.programs.poles import finiteness
from epsilex.report import some_rows
from epsilex.studio.notation import Notation
from epsilex.studio.parts import telling_parts
from epsilex.studio.preparing import Prepared

GRID, ROOM = 160, 0.02  # places of a curve, and how far it goes beyond the data
SHOWN = 600  # rows drawn
FEATURES = 8  # partial dependences drawn, of the features that matter most
REMEMBERED = 4000  # formulas of a front
LEVEL = 0.95
PROVEN = {
    "finite": "Proven finite everywhere within the range of the training rows, by interval arithmetic.",
    "pole": "It has a pole, or is undefined, at some place within the range of the training rows.",
    "unknown": "Nothing is proven: it may be undefined at places where there are no rows.",
}


class Looker:
    """Looks at formulas over the rows of one run.

    code   (rows,) the group of each row, zeros without groups
    units  of the features, and of the target, as text; None if they are not known
    """

    def __init__(self, data: Prepared, notation: Notation, noise: str, units: tuple[list[str], str] | None = None):
        self.data, self.notation, self.names, self.units = data, notation, data.names, units
        self.code = np.zeros(len(data.y), np.int64)
        if data.labels is not None:
            self.code = known_codes(data.labels, notation.labels)
        seen, held = np.flatnonzero(~data.held_back), np.flatnonzero(data.held_back)
        self.seen, self.away = seen[np.argsort(self.code[seen], kind="stable")], held
        self.train, self.held = data.rows(self.seen), data.rows(held)
        kind = "given" if data.sigma is not None else noise
        scorer = Scorer(self.names, loss_function("mae"), self.train, noise=kind)
        self.noise, self.box = scorer.noises[0], scorer.box
        self.middle = np.median(self.train.X, axis=0)
        shown = some_rows(len(data.y), data.X.shape[1])
        self.shown = shown[np.unique(np.linspace(0, len(shown) - 1, min(len(shown), SHOWN)).astype(int))]
        self._briefs: dict[tuple[str, bool], dict[str, Any] | None] = {}

    def front(self, formulas: Sequence[str], final: bool) -> list[dict[str, Any]]:
        """The best formula of each length, simplified; the final front is shown as it is."""
        briefs = [brief for brief in (self._brief(formula, final) for formula in formulas) if brief is not None]
        if final:
            return briefs
        best: list[dict[str, Any]] = []
        for brief in sorted(briefs, key=lambda brief: (brief["length"], brief["train"])):
            if not best or brief["train"] < best[-1]["train"]:
                best.append(brief)
        return best

    def _brief(self, written: str, final: bool) -> dict[str, Any] | None:
        key = (written, final)
        if key not in self._briefs:
            if len(self._briefs) > REMEMBERED:
                self._briefs.clear()
            m = self.notation.published(written)
            self._briefs[key] = self.told(m if final else self.notation.simplified(m))
        return self._briefs[key]

    def told(self, m: Model) -> dict[str, Any] | None:
        """None if the formula is not finite on every training row."""
        scores = self.scores(m)
        return None if scores["train"] is None else self._named(m) | scores

    def _named(self, m: Model) -> dict[str, Any]:
        return {
            "exact": self.notation.written(m), "formula": m.formula, "length": m.length,
            "math": mathml(m.nodes, m.column_names), "definitions": m.definitions,
        }  # fmt: skip

    def wide(self, m: Model, which: np.ndarray) -> np.ndarray:
        """Some rows of the columns that a model's nodes refer to: the features, and its constants of each row's
        group."""
        X = self.data.X[which]
        return X if m.own is None else np.column_stack([X, m.own.values[:, self.code[which]].T])

    @np.errstate(all="ignore")
    def scores(self, m: Model) -> dict[str, float | None]:
        """Mean absolute error and R2 on the training rows and on the rows held back."""
        found: dict[str, float | None] = {}
        for name, rows, which in (("train", self.train, self.seen), ("held", self.held, self.away)):
            found[name], found[f"{name}_r2"] = None, None
            if not len(rows.y):
                continue
            out = evaluate64(m.nodes, self.wide(m, which))
            if np.isfinite(out).all():
                found[name], found[f"{name}_r2"] = _errors(rows, out)
        return found

    def known(self, m: Model) -> Model:
        """The model with the uncertainty of its constants, and their units."""
        if self.units is not None:
            m = replace(m, units=carried(m.nodes, *self.units))
        if m.own is None:
            return with_uncertainty(m, self.train, [self.noise], self.noise.kind)
        program = Grouped(m.nodes, m.own.values, len(self.names))
        shared, each = spread(program, Cells.of(self.train.X, self.code[self.seen]), self.noise)
        return replace(m, uncertainty=shared, own=replace(m.own, known=each))

    @np.errstate(all="ignore")  # a formula may be undefined anywhere
    def look(
        self, written: object, constants: object = None, feature: object = None, light: bool = False
    ) -> dict[str, Any]:
        """A formula with other constants if given, over one feature; with `light` only what a slider changes."""
        m = self.notation.read(written)
        places = self.places(m)
        if constants is not None:
            m = self.notation.remade(m, with_constants(program_of(m), places, _numbers(constants, len(places))))
        m = m if light else self.known(m)
        j = self._feature(feature, m)
        told = self._named(m) | self.scores(m) | {"curve": self._curve(m, j), "points": self._points(m, j)}
        if light:
            return told
        return told | {
            "constants": self._constants(m, places),
            "own": self._own(m),
            "partial": self._partial(m),
            "parts": self._parts(m),
            "proven": PROVEN[finiteness(m.nodes, self._box(m), self.wide(m, self.seen), BOXES)],
            "latex": m.latex(),
            "python": m.python(),
        }

    def places(self, m: Model) -> list[int]:
        """Constants that may be moved, by node of the model's program: all but the coefficients of bare features."""
        nodes = program_of(m)
        return [k for k in constant_places(nodes) if not (nodes[k][0] == FEATURE and nodes[k][2] == 1.0)]

    def model(self, written: object) -> Model:
        """A formula as a model with its uncertainty and errors, to save."""
        m = self.notation.read(written)
        scores = {name: value for name, value in self.scores(m).items() if value is not None}
        metrics = {"train": "mae", "train_r2": "r2", "held": "test_mae", "held_r2": "test_r2"}
        return replace(self.known(m), metrics={metrics[name]: value for name, value in scores.items()})

    def _feature(self, feature: object, m: Model) -> int:
        """The column asked for, or the one that the formula depends on most."""
        if feature is not None:
            if feature not in self.names:
                raise ValueError(f"feature: expected one of this run's; got {feature!r:.60}")
            return self.names.index(str(feature))
        importance = flat(m).importance(self.wide(m, self.seen[:ROWS]), n_repeats=1)
        return self.names.index(max(self.names, key=lambda name: importance[name]))

    def _curve(self, m: Model, j: int) -> dict[str, Any]:
        """The formula over one feature, the others at their medians, with its prediction band; a line per group."""
        x = places_along(self.data.X[:, j], GRID, ROOM)
        rows = np.tile(self.middle, (GRID, 1))
        rows[:, j] = x
        groups = [("", m)] if m.own is None else [(label, m.group(label)) for label in m.own.labels]
        lines = []
        for label, one in groups:
            line: dict[str, Any] = {"group": label, "y": _plains(evaluate64(one.nodes, rows))}
            if one.uncertainty is not None and one.uncertainty.freedom > 0:
                low, high = band(one.nodes, rows, one.uncertainty, LEVEL)
                line |= {"low": _plains(low), "high": _plains(high)}
            lines.append(line)
        others = [k for k in sorted({f for c, f, _ in m.nodes if c == FEATURE}) if k != j and k < len(self.names)]
        held = [{"name": self.names[k], "value": _plain(self.middle[k])} for k in others][:12]
        return {"feature": self.names[j], "x": _plains(x), "lines": lines, "held": held}

    def _points(self, m: Model, j: int) -> dict[str, Any]:
        X, y = self.data.X[self.shown], self.data.y[self.shown]
        held = self.data.held_back[self.shown].astype(int).tolist()
        predicted = evaluate64(m.nodes, self.wide(m, self.shown))
        return {"x": _plains(X[:, j]), "y": _plains(y), "predicted": _plains(predicted), "held": held,
                "group": self.code[self.shown].tolist()}  # fmt: skip

    def _constants(self, m: Model, places: Sequence[int]) -> list[dict]:
        nodes = program_of(m)
        found: list[dict] = []
        for k in places:
            value = nodes[k][2]
            of, name = self._place(m, nodes, k)
            unit = m.units.get(k, "1")  # a form has none
            told: dict[str, Any] = {"value": value, "of": of, "name": name or f"c{len(found)}", "unit": unit}
            error = _error(m, k, value)
            if error is not None and m.uncertainty is not None:
                half = m.uncertainty.quantile(LEVEL) * error
                told |= {"error": _plain(error), "low": _plain(value - half), "high": _plain(value + half)}
            reach = max(abs(value), 6.0 * (told.get("error") or 0.0)) or 1.0
            found.append(told | {"from": value - reach, "to": value + reach})
        return found

    def _place(self, m: Model, nodes: Sequence[Node], k: int) -> tuple[str | None, str]:
        """What a constant is a factor of, or the function of the form that it is in; and its name in the form, if it
        has one."""
        outline = self.notation.outline
        if m.form is None or outline is None:
            return (self.names[nodes[k][1]] if nodes[k][0] == FEATURE else None), ""
        within = [first <= k <= last for first, last in spans(nodes, outline)].index(True)
        n = len(outline.functions)
        return (outline.functions[within].name, "") if within < n else (None, outline.constants[within - n])

    def _own(self, m: Model) -> list[dict[str, Any]]:
        """Constants per group, with intervals where they are known."""
        if m.own is None:
            return []
        found = []
        for name, row in zip(m.own.names, m.own.values, strict=True):
            for label, value in zip(m.own.labels, row.tolist(), strict=True):
                one = m.group(label)
                place = next(k for k, known in one.labels.items() if known == name)
                error = _error(one, place, value)
                told: dict[str, Any] = {"name": name, "group": label, "value": _plain(value)}
                if error is not None and one.uncertainty is not None:
                    half = one.uncertainty.quantile(LEVEL) * error
                    told |= {"low": _plain(value - half), "high": _plain(value + half)}
                found.append(told)
        return found

    def _box(self, m: Model) -> list[Interval]:
        own = [] if m.own is None else [Interval(float(row.min()), float(row.max())) for row in m.own.values]
        return [*self.box, *own]

    def _partial(self, m: Model) -> list[dict[str, Any]]:
        """Mean prediction over some rows as one feature moves."""
        X, whole = self.wide(m, self.seen), flat(m)
        found = []
        for j, importance in most_important(whole, X, FEATURES):
            if j >= len(self.names):
                continue
            x = places_along(X[:, j], 40)
            y = partial_dependence(whole, X, j, x)
            found.append({"name": self.names[j], "importance": _plain(importance), "x": _plains(x), "y": _plains(y)})
        return found

    def _parts(self, m: Model) -> list[dict[str, Any]]:
        """The terms of a sum, or the factors of a product, and the error if each were held at its median."""
        found = []
        for sign, first, last in telling_parts(m.nodes, len(self.names)):
            part = m.nodes[first:last]
            middle = float(np.median(evaluate64(part, self.wide(m, self.seen))))
            if not np.isfinite(middle):
                continue
            rest = replace(m, nodes=(*m.nodes[:first], (CONSTANT, 0, middle), *m.nodes[last:]), form=None)
            math = mathml(part, m.column_names)
            found.append({"sign": sign, "math": math, "without": self.scores(rest)["train"]})
        return found


def flat(m: Model) -> Model:
    """The model over all columns that its nodes refer to, own constants among them."""
    return replace(m, feature_names=m.column_names, own=None)


def _errors(rows: Rows, out: np.ndarray) -> tuple[float | None, float | None]:
    """Mean absolute error, and R2."""
    error = np.average(np.abs(rows.y - out), weights=rows.weight)
    spread = np.average((rows.y - np.average(rows.y, weights=rows.weight)) ** 2, weights=rows.weight)
    return _plain(error), _plain(1.0 - np.average((rows.y - out) ** 2, weights=rows.weight) / spread)


def _error(m: Model, place: int, value: float) -> float | None:
    """The standard error of the constant at a node of the model's program; None if it is not known."""
    known: Uncertainty | None = m.uncertainty
    if known is None or known.freedom < 1:
        return None
    for error, resolution, k in zip(known.errors, known.resolution, known.places, strict=True):
        source = k if m.form is None else m.form.sources[k]
        if source == place and m.nodes[k][2] != 0.0 and not _unknown(error, resolution):
            return float(error) * abs(value / m.nodes[k][2])  # of a form, it may have a factor there
    return None


def _unknown(error: float, resolution: float) -> bool:
    """Whether the data does not tell a constant from others: else its error would be at least its resolution."""
    return bool(error < 0.5 * resolution)


def _numbers(values: object, n: int) -> np.ndarray:
    if not isinstance(values, list) or len(values) != n:
        got = len(values) if isinstance(values, list) else type(values).__name__
        raise ValueError(f"constants: expected {n} numbers; got {got}")
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) and np.isfinite(v) for v in values):
        raise ValueError("constants: expected finite numbers")
    return np.array(values, np.float64)


def _plain(value: float) -> float | None:
    return float(f"{float(value):.8g}") if np.isfinite(value) else None


def _plains(values: Sequence[float] | np.ndarray) -> list[float | None]:
    return [_plain(v) for v in values]
