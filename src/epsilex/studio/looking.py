"""What the page shows of one formula: its errors, curve, residuals, parts, constants, and what is proven of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epsilex.data.losses import loss_function
from epsilex.models.dependence import ROWS, most_important, partial_dependence, places_along
from epsilex.models.front import BOXES, Scorer
from epsilex.models.model import Model, model
from epsilex.models.polish import with_constants
from epsilex.models.uncertainty import Uncertainty, band, estimate
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.export.mathml import mathml
from epsilex.programs.fold import Node
from epsilex.programs.formula import text
from epsilex.programs.gradient import constant_places
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, lookup
from epsilex.programs.parser import parse
from epsilex.programs.poles import finiteness
from epsilex.report import some_rows
from epsilex.studio.acts import formula
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
    """Looks at formulas over the rows of one run."""

    def __init__(self, data: Prepared, noise: str):
        self.data, self.names = data, data.names
        self.train, self.held = data.rows(~data.held_back), data.rows(data.held_back)
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
            nodes = parse(written, self.names)  # published by the run itself, so of any length
            self._briefs[key] = self.told(nodes if final else simplify(nodes))
        return self._briefs[key]

    def told(self, nodes: Sequence[Node]) -> dict[str, Any] | None:
        """None if the formula is not finite on every training row."""
        scores = self.scores(nodes)
        if scores["train"] is None:
            return None
        m = model(nodes, self.names)
        return {"exact": text(nodes, self.names), "formula": m.formula, "length": m.length, **scores,
                "math": mathml(nodes, self.names)}  # fmt: skip

    @np.errstate(all="ignore")
    def scores(self, nodes: Sequence[Node]) -> dict[str, float | None]:
        """Mean absolute error and R2 on the training rows and on the rows held back."""
        found: dict[str, float | None] = {}
        for name, rows in (("train", self.train), ("held", self.held)):
            found[name], found[f"{name}_r2"] = None, None
            if not len(rows.y):
                continue
            out = evaluate64(nodes, rows.X)
            if not np.isfinite(out).all():
                continue
            error = np.average(np.abs(rows.y - out), weights=rows.weight)
            spread = np.average((rows.y - np.average(rows.y, weights=rows.weight)) ** 2, weights=rows.weight)
            r2 = 1.0 - np.average((rows.y - out) ** 2, weights=rows.weight) / spread
            found[name], found[f"{name}_r2"] = _plain(error), _plain(r2)
        return found

    @np.errstate(all="ignore")  # a formula may be undefined anywhere
    def look(
        self, written: object, constants: object = None, feature: object = None, light: bool = False
    ) -> dict[str, Any]:
        """A formula with other constants if given, over one feature; with `light` only what a slider changes."""
        nodes = formula(written, self.names)
        places = self.places(nodes)
        if constants is not None:
            nodes = with_constants(nodes, places, _numbers(constants, len(places)))
        m = model(nodes, self.names)
        j = self._feature(feature, nodes)
        known = estimate(nodes, self.train.X, self.noise) if not light else None
        told: dict[str, Any] = {
            "exact": text(nodes, self.names),
            "formula": m.formula,
            "math": mathml(nodes, self.names),
            "length": m.length,
            **self.scores(nodes),
            "curve": self._curve(nodes, j, known),
            "points": self._points(nodes, j),
        }
        if light:
            return told
        return told | {
            "constants": self._constants(nodes, places, known),
            "partial": self._partial(m),
            "parts": self._parts(nodes),
            "proven": PROVEN[finiteness(nodes, self.box, self.train.X, BOXES)],
            "latex": m.latex(),
            "python": m.python(),
        }

    def places(self, nodes: Sequence[Node]) -> list[int]:
        """Constants that may be moved: all but the coefficients of bare features."""
        return [k for k in constant_places(nodes) if not (nodes[k][0] == FEATURE and nodes[k][2] == 1.0)]

    def model(self, written: object) -> Model:
        """A formula as a model with its uncertainty and errors, to save."""
        m = model(formula(written, self.names), self.names)
        scores = {name: value for name, value in self.scores(m.nodes).items() if value is not None}
        metrics = {"train": "mae", "train_r2": "r2", "held": "test_mae", "held_r2": "test_r2"}
        return Model(
            m.nodes, m.feature_names, {metrics[name]: value for name, value in scores.items()},
            estimate(m.nodes, self.train.X, self.noise),
        )  # fmt: skip

    def _feature(self, feature: object, nodes: Sequence[Node]) -> int:
        """The column asked for, or the one that the formula depends on most."""
        if feature is not None:
            if feature not in self.names:
                raise ValueError(f"feature: expected one of this run's; got {feature!r:.60}")
            return self.names.index(str(feature))
        importance = model(nodes, self.names).importance(self.train.X[:ROWS], n_repeats=1)
        return self.names.index(max(importance, key=lambda name: importance[name]))

    def _curve(self, nodes: Sequence[Node], j: int, known: Uncertainty | None) -> dict[str, Any]:
        """The formula over one feature, the others at their medians, with its prediction band."""
        x = places_along(self.data.X[:, j], GRID, ROOM)
        rows = np.tile(self.middle, (GRID, 1))
        rows[:, j] = x
        told: dict[str, Any] = {"feature": self.names[j], "x": _plains(x), "y": _plains(evaluate64(nodes, rows))}
        others = [k for k in sorted({f for c, f, _ in nodes if c == FEATURE}) if k != j]
        told["held"] = [{"name": self.names[k], "value": _plain(self.middle[k])} for k in others][:12]
        if known is not None and known.freedom > 0:
            low, high = band(nodes, rows, known, LEVEL)
            told |= {"low": _plains(low), "high": _plains(high)}
        return told

    def _points(self, nodes: Sequence[Node], j: int) -> dict[str, Any]:
        X, y = self.data.X[self.shown], self.data.y[self.shown]
        held = self.data.held_back[self.shown].astype(int).tolist()
        return {"x": _plains(X[:, j]), "y": _plains(y), "predicted": _plains(evaluate64(nodes, X)), "held": held}

    def _constants(self, nodes: Sequence[Node], places: Sequence[int], known: Uncertainty | None) -> list[dict]:
        found = []
        for k in places:
            value = nodes[k][2]
            told: dict[str, Any] = {"value": value, "of": self.names[nodes[k][1]] if nodes[k][0] == FEATURE else None}
            if known is not None and k in known.places and known.freedom > 0:
                error = float(known.errors[known.places.index(k)])
                half = known.quantile(LEVEL) * error
                told |= {"error": _plain(error), "low": _plain(value - half), "high": _plain(value + half)}
            reach = max(abs(value), 6.0 * (told.get("error") or 0.0)) or 1.0
            found.append(told | {"from": value - reach, "to": value + reach})
        return found

    def _partial(self, m: Model) -> list[dict[str, Any]]:
        """Mean prediction over some rows as one feature moves."""
        X = self.train.X
        found = []
        for j, importance in most_important(m, X, FEATURES):
            x = places_along(X[:, j], 40)
            y = partial_dependence(m, X, j, x)
            found.append({"name": self.names[j], "importance": _plain(importance), "x": _plains(x), "y": _plains(y)})
        return found

    def _parts(self, nodes: Sequence[Node]) -> list[dict[str, Any]]:
        """The terms of a sum, or the factors of a product, and the error if each were held at its median."""
        found = []
        for sign, first, last in telling_parts(nodes):
            part = list(nodes[first:last])
            middle = float(np.median(evaluate64(part, self.train.X)))
            if not np.isfinite(middle):
                continue
            rest = [*nodes[:first], (CONSTANT, 0, middle), *nodes[last:]]
            found.append({"sign": sign, "math": mathml(part, self.names), "without": self.scores(rest)["train"]})
        return found


def telling_parts(nodes: Sequence[Node]) -> list[tuple[str, int, int]]:
    """The outermost parts that depend on features, below constant factors and offsets and single functions."""
    first, last = 0, len(nodes)
    while True:
        within = [(sign, first + a, first + b) for sign, a, b in parts(nodes[first:last])]
        telling = [p for p in within if any(code == FEATURE for code, _, _ in nodes[p[1] : p[2]])]
        if len(telling) != 1:
            return telling
        _, a, b = telling[0]
        if (a, b) == (first, last):
            if nodes[b - 1][0] <= FEATURE or lookup(nodes[b - 1][0]).arity != 1:
                return telling
            b -= 1
        first, last = a, b


def parts(nodes: Sequence[Node]) -> list[tuple[str, int, int]]:
    """Sign, first and last place of the terms of a sum; of a product or quotient, of its factors."""
    root = lookup(nodes[-1][0]).name if nodes[-1][0] > FEATURE else ""
    signs = {"add": ("+", "+"), "sub": ("+", "−")} if root in ("add", "sub") else {"mul": ("×", "×"), "div": ("×", "÷")}
    turned = {"+": "−", "−": "+", "×": "÷", "÷": "×"}
    found: list[tuple[str, int, int]] = []
    waiting = [(next(iter(signs.values()))[0], 0, len(nodes))]
    while waiting:
        sign, first, last = waiting.pop()
        code = nodes[last - 1][0]
        name = lookup(code).name if code > FEATURE else ""
        if name not in signs:
            found.append((sign, first, last))
            continue
        middle = _start(nodes, last - 1)
        left, right = signs[name]
        plain = sign in ("+", "×")
        waiting.append((right if plain else turned[right], middle, last - 1))
        waiting.append((left if plain else turned[left], first, middle))
    return found


def _start(nodes: Sequence[Node], end: int) -> int:
    """Where the subtree that ends before `end` starts."""
    needed, k = 1, end
    while needed:
        k -= 1
        code = nodes[k][0]
        needed += (lookup(code).arity if code > FEATURE else 0) - 1
    return k


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
