"""Atoms: functions of a simple monomial with one constant inside, `sin(c m)`, `1 / sqrt(1 + c m)`, `m^c`, on a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.planting.monomials import Group, monomials
from epsilex.planting.terms import Term, apply, constant
from epsilex.planting.transforms import times

ARGUMENTS = (1.0, -1.0, 2.0)  # of one feature, in m
UP = np.geomspace(0.05, 20.0, 36)  # of v at the end of the data, in either direction
BELOW_ONE = -1.0 / (1.0 + np.geomspace(0.01, 20.0, 24))  # of v, so that 1 + v stays positive
POWERS = np.concatenate([-np.geomspace(0.15, 6.0, 24)[::-1], np.geomspace(0.15, 6.0, 24)])
ROWS_PER_WAVE = 6  # a wave of fewer rows is no evidence
LARGEST = 1e12  # value of an atom


@dataclass(frozen=True, slots=True)
class _Bend:
    """A function of v = c m: its values, its program, its operators, its nodes, and the grid of the greatest |v|."""

    values: Callable[[np.ndarray], np.ndarray]
    program: Callable[[Term], Term]
    needs: tuple[str, ...]
    nodes: int
    grid: np.ndarray
    wave: bool = False


def _plus(v: Term) -> Term:
    return apply("add", constant(1.0), v)


def _minus(v: Term) -> Term:
    return apply("sub", constant(1.0), v)


def inverse(v: Term) -> Term:
    return apply("div", constant(1.0), v)


BOTH, SHIFT = np.concatenate([-UP[::-1], UP]), np.concatenate([BELOW_ONE, UP])
ANY_UP = np.geomspace(0.02, 50.0, 40)
ANY = np.concatenate([-ANY_UP[::-1], ANY_UP])
BENDS = (
    _Bend(lambda v: 1.0 + v, _plus, (), 2, ANY),
    _Bend(lambda v: 1.0 / (1.0 + v), lambda v: inverse(_plus(v)), (), 4, SHIFT),
    _Bend(np.exp, lambda v: apply("exp", v), ("exp",), 1, BOTH),
    _Bend(lambda v: 1.0 - np.exp(v), lambda v: _minus(apply("exp", v)), ("exp",), 3, BOTH),
    _Bend(lambda v: 1.0 / (1.0 - np.exp(v)), lambda v: inverse(_minus(apply("exp", v))), ("exp",), 5, BOTH),
    _Bend(np.sin, lambda v: apply("sin", v), ("sin",), 1, UP, wave=True),
    _Bend(np.cos, lambda v: apply("cos", v), ("cos",), 1, UP, wave=True),
    _Bend(lambda v: 1.0 - np.cos(v), lambda v: _minus(apply("cos", v)), ("cos",), 3, UP, wave=True),
    _Bend(np.log, lambda v: apply("log", v), ("log",), 1, np.concatenate([-ANY_UP[::-1], ANY_UP])),
    _Bend(lambda v: np.log(1.0 + v), lambda v: apply("log", _plus(v)), ("log",), 3, SHIFT),
    _Bend(lambda v: np.sqrt(1.0 + v), lambda v: apply("sqrt", _plus(v)), ("sqrt",), 3, SHIFT),
    _Bend(lambda v: 1.0 / np.sqrt(1.0 + v), lambda v: inverse(apply("sqrt", _plus(v))), ("sqrt",), 5, SHIFT),
    _Bend(lambda v: (1.0 + v) ** 2, lambda v: apply("square", _plus(v)), ("square",), 3, SHIFT),
    _Bend(lambda v: (1.0 + v) ** -2.0, lambda v: inverse(apply("square", _plus(v))), ("square",), 5, SHIFT),
    _Bend(np.tanh, lambda v: apply("tanh", v), ("tanh",), 1, UP),
)
NOTHING = _Bend(np.ones_like, lambda v: v, (), 0, np.zeros(1))  # M alone
POWER = _Bend(lambda v: v, lambda v: v, ("exp", "log"), 2, POWERS)  # m^c


@dataclass(frozen=True, slots=True)
class Atom:
    """g(c m): what c multiplies, or of what it is the exponent."""

    bend: _Bend
    m: Group
    base: np.ndarray
    c: float
    low: float  # neighbours of c on the grid
    high: float

    def at(self, c: np.ndarray) -> np.ndarray:
        """(any, rows) values for constants (any,)."""
        return self.base ** c[:, None] if self.bend is POWER else self.bend.values(c[:, None] * self.base)

    def program(self, c: float) -> Term:
        m = self.m.program()
        if self.bend is POWER:
            return apply("exp", apply("mul", constant(c), apply("log", m)))
        return self.bend.program(times(m, c))


def atoms(X: np.ndarray, features: Sequence[int], names: set[str]) -> tuple[list[Atom], np.ndarray]:
    """All functions of all simple monomials, with all constants of their grids, and their values (atoms, rows)."""
    found, values = [Atom(NOTHING, Group(), np.ones(len(X)), 1.0, 1.0, 1.0)], [np.ones((1, len(X)))]
    for m in monomials(X, features, ARGUMENTS, "sqrt" in names):
        base = m.values(X)
        for bend, grid in _grids(m, base, names):
            ends = np.concatenate([grid[:1], grid, grid[-1:]])
            new = [Atom(bend, m, base, *ends[[k + 1, k, k + 2]]) for k in range(len(grid))]
            found += new
            values += [new[0].at(grid)] if new else []
    whole = np.vstack(values)
    good = np.isfinite(whole).all(axis=1) & (np.abs(whole).max(axis=1) < LARGEST)
    return [found[k] for k in np.flatnonzero(good)], whole[good]


def _grids(m: Group, base: np.ndarray, names: set[str]) -> Iterator[tuple[_Bend, np.ndarray]]:
    """The functions of a monomial, with values `base` (rows,), and their constants."""
    largest, span = np.abs(base).max(), np.ptp(base)
    if not span > 0.0:
        return
    fastest = 2.0 * np.pi * len(np.unique(base)) / ROWS_PER_WAVE / span
    for bend in BENDS:
        if names.issuperset(bend.needs):
            grid = bend.grid / largest
            yield bend, grid[grid < fastest] if bend.wave else grid
    bare = len(m.powers) == 2 or m.powers[0][1] == 1.0  # others are powers themselves
    if bare and base.min() > 0.0 and names.issuperset(POWER.needs):
        yield POWER, POWERS
