"""Systematic: starting programs T(y / F) = a + b M g(c m), all of them, for simple monomials F, M, m and functions g.

    T   y itself, its square, root, inverse, inverse square or logarithm
    g   functions with one constant inside, from exp(v) to 1 / sqrt(1 + v), with v = c m; and m^c

A law of nature with few constants is nearly always of this kind: `v^2 sin(2 w) / g`, `P (1 + r)^t`, `a x^n / (k^n +
x^n)`, `sqrt(k / m + k / n)`, which is `sqrt(k / m) sqrt(1 + m / n)`. On few rows all of them can be tried, some
hundred thousand, because their correlations with all transforms of the target are three matrix products. The constant
c lies on a grid and is refined for the best, and these are ranked by a description length, under additive and under
relative noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from epsilex.planting.atoms import NOTHING, Atom, inverse
from epsilex.planting.atoms import atoms as atoms_of
from epsilex.planting.expressing import expressed
from epsilex.planting.golden import highest
from epsilex.planting.monomials import Group, longer_monomials, monomials
from epsilex.planting.planter import Limits
from epsilex.planting.sums import possible
from epsilex.planting.terms import Term, apply, constant, correlated, outputs, unit_length
from epsilex.planting.transforms import centred_exponent, combined, least_squares, with_ones
from epsilex.programs.fold import Node
from epsilex.programs.operators import FEATURE

FEATURES, ROWS, LEAST_ROWS = 4, 96, 6
BLOCK = 512  # atoms at a time, which the cache holds
CANDIDATES, CANDIDATES_EACH = 300_000, 300  # M g(c m), at most, and per individual; the longest M are left out
LEAST = 1e-3  # of the largest |y|: rows below say nothing of its logarithm or inverse
MOST_BELOW, FAR_BELOW = 0.25, 0.1  # share of such rows, and how far below 0, at most
NODE = float(np.log(14.0))  # nats: one symbol out of about as many
CONSTANT = 2.0  # nats of a constant, beside half the logarithm of the rows
EACH, REFINED, STEPS, KEPT = 12, 160, 22, 24  # per factor M; refined, in how many steps; and planted
SAME, CLOSEST = 1e-10, 1e-9  # relative variance of a constant; share of the squares that counts as none
FLOOR = 1e-14  # of a mean square, relative to the largest: float32

EXPONENTS = ((1.0, -1.0), (2.0, 0.5, -2.0, -0.5))  # of one feature in M, the simpler first
STEEP = (3.0, -3.0, 4.0, -4.0, 5.0, -5.0)  # tried last, for `1 / (l^5 (exp(c / (l T)) - 1))`


@dataclass(frozen=True, slots=True)
class _Target:
    """T(y / F) (rows,), the rows' weights under one kind of noise, and the way back to y."""

    values: np.ndarray
    weights: np.ndarray
    nats: float  # of the densities' scale and of the nodes of T and F
    back: Callable[[Term], Term]
    free: str  # what linear scaling supplies, as in `Transform`


@np.errstate(all="ignore")  # what is undefined is left out
def systematic(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    X, y, names = X[:ROWS], y[:ROWS], set(limits.operators)
    if not possible(y, limits, LEAST_ROWS):
        return []
    features = [j for j in correlated(X, y, FEATURES) if np.ptp(X[:, j]) > 0.0]
    if not features:
        return []
    y = -y if (y < 0.0).all() else y  # linear scaling has the sign
    y = y / np.abs(y).max()
    targets = list(_targets(X, y, features, names))
    atoms, values = atoms_of(X, features, names)
    candidates = min(CANDIDATES, CANDIDATES_EACH * limits.population_size)
    found = _screened(X, features, names, atoms, values, targets, max(1, candidates // len(atoms)))
    refined = [_refined(atoms[k], factor, by, targets[t]) for k, factor, by, t in found]
    said = [expressed(p, limits.operators) for p in refined if p is not None]
    programs = [p for p in said if p is not None and len(p) <= limits.max_length]
    return _ranked(programs, X, y)[:KEPT]


def _targets(X: np.ndarray, y: np.ndarray, features: Sequence[int], names: set[str]) -> Iterator[_Target]:
    """Transforms of y over a factor, under additive and relative noise.

    An error of T counts as the error of y, or of log y, that it stands for.
    """
    whole = bool((y > 0.0).all())
    tiny = (y <= LEAST) & (not whole)
    positive = tiny.mean() <= MOST_BELOW and y.min() > -FAR_BELOW
    used = np.where(tiny, 1.0, y)
    none = Group()
    singles = [g for g in monomials(X, features, (1.0, -1.0), False) if len(g.powers) == 1]
    for group in (none, *singles):
        F = group.values(X)
        u, extra = used / F, 2.0 * NODE * len(group.powers)
        kinds: list[tuple[np.ndarray, np.ndarray, int, Callable[[Term], Term], str]]
        kinds = [(y / F, 1.0 / F, 0, _same, "both" if group == none else "factor")]
        if positive:
            kinds.append((1.0 / u, F / used**2, 2, inverse, "factor"))
            if "exp" in names:
                kinds.append((np.log(u), 1.0 / used, 1, partial(apply, "exp"), "constant"))
            if "sqrt" in names:
                kinds.append((u**2, 2.0 * u / F, 1, partial(apply, "sqrt"), "size"))
                kinds.append((u**-2.0, 2.0 * u**-3.0 / F, 3, _over_root, "size"))
            if "square" in names:
                kinds.append((np.sqrt(u), 0.5 / np.sqrt(u) / F, 1, partial(apply, "square"), "factor"))
        for values, slope, nodes, back, free in kinds:
            weights = np.where(tiny & (nodes > 0), 0.0, slope**-2.0)
            wayback, nats = partial(_times, group, back), extra + NODE * nodes
            yield _Target(values, weights, nats, wayback, free)
            if whole:
                yield _Target(values, (y * slope) ** -2.0, nats + float(np.log(y).sum()), wayback, free)


def _same(s: Term) -> Term:
    return s


def _over_root(s: Term) -> Term:
    return inverse(apply("sqrt", s))


def _times(group: Group, back: Callable[[Term], Term], s: Term) -> Term:
    return group.program(back(s))


@dataclass(frozen=True, slots=True)
class _Sides:
    """All usable targets, for matrix products with the values of formulas.

    index    their places in the list of targets
    share    (rows, targets) weights of sum 1
    along    (rows, targets) weights times centred values of norm 1
    nats     (targets,) descriptions that explain nothing
    """

    index: list[int]
    share: np.ndarray
    along: np.ndarray
    nats: np.ndarray

    @classmethod
    def of(cls, targets: Sequence[_Target]) -> _Sides:
        weights, t = np.array([t.weights for t in targets]), np.array([t.values for t in targets])
        usable = np.isfinite(weights).all(axis=1) & (weights > 0.0).any(axis=1) & np.isfinite(t).all(axis=1)
        index = np.flatnonzero(usable).tolist()
        weights, t = weights[index], t[index]
        total = weights.sum(axis=1)
        t = t - ((weights * t).sum(axis=1) / total)[:, None]
        spread, n = (weights * t**2).sum(axis=1), t.shape[1]
        nats = 0.5 * n * np.log(spread / n) + np.array([targets[k].nats for k in index])
        return cls(index, (weights / total[:, None]).T, (weights * t / np.sqrt(total * spread)[:, None]).T, nats)

    def best(self, scaled: np.ndarray, by: np.ndarray, price: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each target the atom, of values `scaled` (atoms, rows), that times `by` (rows,) leaves the least share
        of the squares times its price (atoms,); and this least."""
        which, left = np.zeros(len(self.index), np.int64), np.full(len(self.index), np.inf)
        for first in range(0, len(scaled), BLOCK):
            V = scaled[first : first + BLOCK] * by
            mean, square, toward = V @ self.share, (V * V) @ self.share, V @ self.along
            mean *= mean
            square -= mean
            mean *= SAME
            toward *= toward
            toward /= np.maximum(square, mean, out=square)
            lost = np.maximum(1.0 - toward, CLOSEST, out=toward)
            lost *= price[first : first + BLOCK, None]
            k = lost.argmin(axis=0)
            least = lost[k, np.arange(len(k))]
            which, left = np.where(least < left, first + k, which), np.fmin(left, least)
        return which, left


def _screened(
    X: np.ndarray, features: Sequence[int], names: set[str], atoms: Sequence[Atom], values: np.ndarray,
    targets: Sequence[_Target], most: int,
) -> list[tuple[int, Group, np.ndarray, int]]:  # fmt: skip
    """Atom, factor M, one of at most so many, its values, and target of the shortest descriptions."""
    n, sides = len(X), _Sides.of(targets)
    constants = CONSTANT + 0.5 * np.log(n)
    cost = np.array([NODE * (a.bend.nodes + a.m.nodes) + constants * (a.bend is not NOTHING) for a in atoms])
    price = np.exp(2.0 * cost / n)  # the least n/2 log(left) + cost without logarithms
    scaled = values / np.abs(values).max(axis=1, keepdims=True)
    roots = "sqrt" in names
    simple = [m for exponents in EXPONENTS for m in monomials(X, features, exponents, roots)]
    factors = [Group(), *simple, *longer_monomials(X, features, roots), *monomials(X, features, STEEP, roots)]
    best: list[tuple[float, int, Group, np.ndarray, int]] = []
    for factor in factors[:most]:
        by = factor.values(X)
        if np.isfinite(by).all() and by.any():
            which, left = sides.best(scaled, by / np.abs(by).max(), price)
            nats = np.round(0.5 * n * np.log(left) + sides.nats + NODE * factor.nodes, 3)
            for k in np.argsort(nats, kind="stable")[:EACH].tolist():
                if np.isfinite(nats[k]):
                    best.append((float(nats[k]), int(which[k]), factor, by, sides.index[k]))
    best.sort(key=lambda b: (b[0], b[1], b[4]))
    return [(a, factor, by, k) for _, a, factor, by, k in best[:REFINED]]


def _refined(atom: Atom, factor: Group, by: np.ndarray, target: _Target) -> list[Node] | None:
    """The program with the best constant between its neighbours on the grid, by golden section."""
    root = np.sqrt(target.weights)
    basis = root / np.sqrt(root @ root)
    right = target.values * root
    right = right - basis * (basis @ right)

    def explained(c: float) -> float:
        v = atom.at(np.array([c]))[0] * by * root
        v = v - basis * (basis @ v)
        r = (v @ right) ** 2 / (v @ v)
        return float(r) if np.isfinite(r) else 0.0

    c = highest(explained, atom.low, atom.high, STEPS)
    inner = () if atom.bend is NOTHING else (atom.program(c),)
    return _solved(factor.program(*inner), atom.at(np.array([c]))[0] * by, target, root)


def _solved(term: Term, values: np.ndarray, target: _Target, root: np.ndarray) -> list[Node] | None:
    """The program of y, with a constant beside the term if that makes the description shorter."""
    n = len(values)
    (slope, offset), rest = least_squares(with_ones(values) * root[:, None], target.values * root)
    (alone,), plain_rest = least_squares((values * root)[:, None], target.values * root)
    nothing = FLOOR * float(((target.values * root) ** 2).sum())
    if target.free == "both":
        slope, offset = 1.0, 0.0
    elif target.free == "constant":
        offset = centred_exponent(slope * values)
    elif 0.5 * n * np.log((plain_rest + nothing) / (rest + nothing)) < 0.5 * np.log(n) + 2.0 * NODE:
        slope, offset = alone, 0.0
    if not (np.isfinite(slope) and slope != 0.0):
        return None
    if target.free in ("factor", "size"):
        divisor = slope if target.free == "factor" else abs(slope)
        slope, offset = slope / divisor, offset / divisor
    found = combined([(term, float(slope)), (constant(1.0), float(offset))])
    return None if found is None else list(target.back(found))


def _ranked(programs: list[list[Node]], X: np.ndarray, y: np.ndarray) -> list[list[Node]]:
    """Distinct programs by the shorter of their descriptions under additive and relative noise."""
    if not programs:
        return []
    n, positive = len(y), (y > 0.0).all()
    values = outputs(programs, X)
    nats = np.full(len(programs), np.inf)
    for k, f in enumerate(values):
        if np.isfinite(f).all() and np.ptp(f) > 0.0:
            rest = least_squares(with_ones(f[:, None]), y)[1]
            nats[k] = 0.5 * n * np.log(rest / n + FLOOR)
            if positive and ((f > 0.0).all() or (f < 0.0).all()):
                relative = np.log(y / np.abs(f)).var()
                nats[k] = min(nats[k], 0.5 * n * np.log(relative + FLOOR) + np.log(y).sum())
            inside = sum(abs(value) != 1.0 for code, _, value in programs[k] if code <= FEATURE)
            nats[k] += NODE * len(programs[k]) + (CONSTANT + 0.5 * np.log(n)) * inside
    unit = np.round(unit_length(values), 5)
    kept: dict[bytes, int] = {}
    for k in np.argsort(np.round(nats, 3), kind="stable").tolist():
        if np.isfinite(nats[k]):
            kept.setdefault((unit[k] + 0.0).tobytes(), k)
    return [programs[k] for k in kept.values()]
