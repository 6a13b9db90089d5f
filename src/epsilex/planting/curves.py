"""Curves: starting programs with the classic shape of one feature, a sigmoid, a bell or a wave.

    exp(v)          growth and decay to an offset; of log x a power; of 1/x Arrhenius' law
    1/(1 + exp(v))  logistic growth; of log x Hill's equation
    exp(-exp(v))    Gompertz' curve; of log x Weibull's
    exp(-v^2)       a bell; of log x a log-normal one
    1/(1 + v^2)     a resonance
    exp(-d x) sin(v)  a wave, damped or not

with v = a u + b and u = x, log x or 1/x. Far from the right slope and position these curves are flat, so no local
search finds them; a grid does, followed by a pattern search. Scale and offset are left to linear scaling. The curve
may also be that of y times or over another feature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from epsilex.planting.planter import Limits
from epsilex.planting.sums import by_description, possible
from epsilex.planting.terms import SPIKE, Term, apply, constant, correlated, feature
from epsilex.planting.transforms import MIN_ROWS
from epsilex.programs.fold import Node

FEATURES, ROWS, KEPT = 5, 128, 10  # considered: features, those most correlated with the target, and rows; and kept
WIDTHS = np.geomspace(0.02, 2.0, 12)  # of a curve, relative to the feature's range
PLACES = np.linspace(-0.5, 1.5, 21)  # of its middle, from the feature's least value to its greatest
DAMPINGS = (0.0, 1.0, 2.0, 4.0)  # of a wave over the feature's range, in nats
ROWS_PER_WAVE, WAVES = 6, 24  # fewer rows per wave are no evidence; and waves over the feature's range, at most
REFINED, STEPS, NARROWER = 12, 30, 0.75  # curves refined, steps of the pattern search, and the factor per step


@dataclass(frozen=True, slots=True)
class Shape:
    """A curve of v = a u + b.

    functions  u as functions of the feature
    signs      of a; one where the other gives the same curve after linear scaling
    placed     whether b matters after linear scaling
    program    from (program of a u, b)
    """

    functions: tuple[str, ...]
    signs: tuple[float, ...]
    placed: bool
    values: Callable[[np.ndarray], np.ndarray]
    program: Callable[[Term, float], Term]


def _bell(slope: Term, b: float) -> Term:
    return apply("div", constant(1.0), apply("exp", apply("square", apply("add", slope, constant(b)))))


def _resonance(slope: Term, b: float) -> Term:
    square = apply("square", apply("add", slope, constant(b)))
    return apply("div", constant(1.0), apply("add", constant(1.0), square))


def _logistic(slope: Term, b: float) -> Term:
    """1/(exp(-b) + exp(slope)), which linear scaling makes the same."""
    return apply("div", constant(1.0), apply("add", constant(np.exp(-b)), apply("exp", slope)))


SHAPES = (
    Shape(("x", "log", "inverse"), (1.0, -1.0), False, np.exp, lambda slope, b: apply("exp", slope)),
    Shape(("x", "log"), (-1.0,), True, lambda v: 1.0 / (1.0 + np.exp(v)), _logistic),
    Shape(
        ("x", "log"), (1.0, -1.0), True, lambda v: np.exp(-np.exp(v)),
        lambda slope, b: apply("exp", apply("mul", constant(-np.exp(b)), apply("exp", slope))),
    ),
    Shape(("x", "log"), (1.0,), True, lambda v: np.exp(-(v**2)), _bell),
    Shape(("x",), (1.0,), True, lambda v: 1.0 / (1.0 + v**2), _resonance),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Curve:
    """A shape of feature `column`, for y times `other` to the power -`power`; r2 is its share of the squares."""

    shape: Shape
    function: str
    column: int
    a: float
    b: float
    other: int = -1
    power: int = 0
    r2: float = 0.0

    @property
    def kind(self) -> tuple[int, Shape, str]:
        return self.column, self.shape, self.function

    def of(self, X: np.ndarray) -> np.ndarray:
        """(rows,) values of the curve, without the other feature."""
        u = argument(self.function, X[:, self.column])
        assert u is not None  # it was on the grid
        with np.errstate(all="ignore"):
            return self.shape.values(self.a * u + self.b)

    def program(self) -> Term:
        slope = {
            "x": lambda: feature(self.column, self.a),
            "log": lambda: apply("mul", constant(self.a), apply("log", feature(self.column))),
            "inverse": lambda: apply("div", constant(self.a), feature(self.column)),
        }[self.function]()
        return multiplied_by(self.shape.program(slope, self.b), self.other, self.power)


def curves(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    X, y = X[:ROWS], y[:ROWS]
    names = set(limits.operators)
    if not possible(y, limits, MIN_ROWS):
        return []
    features = correlated(X, y, FEATURES)
    found: list[Curve] = []
    if {"exp", "log", "square"} <= names:
        found = [curve for j in features for curve in _on_grid(X, y, features, j)]
        found = sorted(found, key=lambda curve: -round(curve.r2, 9))[:REFINED]
        found = [_refined(curve, X, y) for curve in found]
    programs = [list(curve.program()) for curve in found]
    if {"exp", "sin"} <= names:
        programs += [list(program) for j in features for program in _waves(X, y, features, j)]
    held = [p for p in programs if len(p) <= limits.max_length and all(abs(value) < 1e30 for _, _, value in p)]
    return by_description(held, X, y)[:KEPT]


def factored_targets(
    X: np.ndarray, y: np.ndarray, features: Sequence[int], j: int
) -> list[tuple[int, int, np.ndarray]]:
    """y, and y times and over each other feature that has one sign: (feature, its power in y, values)."""
    others = [i for i in features if i != j and ((X[:, i] > 0.0).all() or (X[:, i] < 0.0).all())]
    return [(-1, 0, y)] + [(i, p, y * X[:, i] ** -p) for i in others for p in (1, -1)]


def unit_norm(values: np.ndarray, centred: bool, spike: float = SPIKE) -> np.ndarray:
    """Values (..., rows) of unit norm; zero where they are not finite, do not vary, or have more than the share `spike`
    of their norm in a single row."""
    with np.errstate(all="ignore"):
        away = values - values.mean(axis=-1, keepdims=True)
        size = np.sqrt((away**2).sum(axis=-1, keepdims=True))
        good = np.isfinite(size) & (np.abs(away).max(axis=-1, keepdims=True) < spike * size)
        unit = away / size if centred else values / np.sqrt((values**2).sum(axis=-1, keepdims=True))
    return np.where(good, unit, 0.0)


def argument(function: str, x: np.ndarray) -> np.ndarray | None:
    """u on all rows, or None where it is not defined."""
    if np.ptp(x) == 0.0:
        return None
    if function == "log":
        return np.log(x) if (x > 0.0).all() else None
    if function == "inverse":
        return 1.0 / x if (x > 0.0).all() or (x < 0.0).all() else None
    return x


def _on_grid(X: np.ndarray, y: np.ndarray, features: Sequence[int], j: int) -> Iterator[Curve]:
    """The best curve of feature `j` of each shape and for each target."""
    targets = factored_targets(X, y, features, j)
    for shape in SHAPES:
        for function in shape.functions:
            u = argument(function, X[:, j])
            if u is None:
                continue
            a, b, values = grid(shape, u)
            unit = {centred: unit_norm(values, centred) for centred in {other < 0 for other, _, _ in targets}}
            for other, power, target in targets:
                r2 = (unit[other < 0] @ unit_norm(target, other < 0)) ** 2
                k = int(np.argmax(np.round(r2, 9)))
                yield Curve(shape, function, j, float(a[k]), float(b[k]), other, power, float(r2[k]))


def grid(shape: Shape, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Slopes, positions and values (curves, rows) of a shape of u (rows,)."""
    places = PLACES if shape.placed else (0.5,)
    found = [(sign / (width * np.ptp(u)), place) for sign in shape.signs for width in WIDTHS for place in places]
    a = np.array([slope for slope, _ in found])
    b = -a * np.array([u.min() + place * np.ptp(u) for _, place in found])
    with np.errstate(all="ignore"):
        return a, b, shape.values(a[:, None] * u + b[:, None])


def _refined(curve: Curve, X: np.ndarray, y: np.ndarray) -> Curve:
    centred = curve.other < 0
    target = unit_norm(y if centred else y * X[:, curve.other] ** -curve.power, centred)
    return refined(curve, X, lambda values: (unit_norm(values, centred) @ target) ** 2)


def refined(curve: Curve, X: np.ndarray, closeness: Callable[[np.ndarray], np.ndarray]) -> Curve:
    """The curve after a pattern search over slope and position; `closeness` is from values (curves, rows) to R2."""
    u = argument(curve.function, X[:, curve.column])
    assert u is not None  # it was on the grid
    middle, wide, far = -curve.b / curve.a, 1.25, 0.5
    for _ in range(STEPS):
        slopes = curve.a * np.array([wide, 1.0, 1.0 / wide]).repeat(3)
        places = middle + far / abs(curve.a) * np.tile([-1.0, 0.0, 1.0], 3)
        with np.errstate(all="ignore"):
            r2 = closeness(curve.shape.values(slopes[:, None] * (u - places[:, None])))
        k = int(np.argmax(r2))
        if r2[k] > curve.r2:
            middle = float(places[k])
            curve = replace(curve, a=float(slopes[k]), b=float(-slopes[k] * middle), r2=float(r2[k]))
        else:
            wide, far = wide**NARROWER, far * NARROWER
    return curve


def _waves(X: np.ndarray, y: np.ndarray, features: Sequence[int], j: int) -> Iterator[Term]:
    """The best wave of feature `j` for each target: frequency and damping by a grid, the phase by least squares."""
    x = X[:, j]
    length = np.ptp(x)
    waves = np.arange(0.5, min(len(y) / ROWS_PER_WAVE, WAVES) + 0.25, 0.25)
    if length == 0.0 or not len(waves):
        return
    w, d = (grid.ravel() / length for grid in np.meshgrid(2.0 * np.pi * waves, DAMPINGS))
    fading = np.exp(-d[:, None] * (x - x.min()))
    sines, cosines = fading * np.sin(w[:, None] * x), fading * np.cos(w[:, None] * x)
    for other, power, target in factored_targets(X, y, features, j):
        s, c, t = ((v - v.mean(axis=-1, keepdims=True)) if other < 0 else v for v in (sines, cosines, target))
        ss, cc, sc = ((p * q).sum(axis=1) for p, q in ((s, s), (c, c), (s, c)))
        st, ct = s @ t, c @ t
        determinant = ss * cc - sc**2 + 1e-9 * (ss + cc) ** 2
        p, q = (cc * st - sc * ct) / determinant, (ss * ct - sc * st) / determinant  # t = p s + q c
        k = int(np.argmax(np.round((p * st + q * ct) / (t**2).sum(), 9)))
        phase = float(np.arctan2(q[k], p[k]))
        wave = apply("sin", apply("add", feature(j, float(w[k])), constant(phase)))
        if d[k] > 0.0:
            wave = apply("mul", apply("exp", feature(j, -float(d[k]))), wave)
        yield multiplied_by(wave, other, power)


def multiplied_by(program: Term, other: int, power: int) -> Term:
    """The program times a feature to the power 1 or -1; as it is for power 0."""
    if power == 0:
        return program
    return apply("mul" if power > 0 else "div", program, feature(other))
