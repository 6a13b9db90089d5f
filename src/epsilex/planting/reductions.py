"""Reductions: starting programs from symmetries of the data.

What the symmetries find is divided out, and the rest, a function of fewer columns, is solved: most laws of physics are
a product of powers times a function of one or two such columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.planting.few_columns import formulas
from epsilex.planting.monomials import ONE, Group
from epsilex.planting.planter import Limits
from epsilex.planting.polynomials import polynomials, rationals
from epsilex.planting.sums import by_description, outputs, possible
from epsilex.planting.symmetries import Problem, reduced
from epsilex.planting.terms import Term, apply, constant, correlated, feature
from epsilex.planting.transforms import combined, times
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT

LEAST_ROWS = 40
FEATURES = 9  # considered, those most correlated with the target
SOLVED, FEW, COLUMNS = 2, 2, 3  # problems solved, of at most FEW columns; if there is none, one of at most COLUMNS
SMOOTH = 0.5  # largest share of the target's variance that a smooth surface over the features may leave
CLEAN = 1e-7  # residual share of a smooth surface of data without noise, which quotients of polynomials need
KEPT = 15
EXACT, SIMPLE = 1e-11, 15  # residual share and greatest length of a program after which no other problem is solved


@np.errstate(all="ignore")  # programs that are undefined are left out
def reductions(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    if not possible(y, limits, LEAST_ROWS):
        return []
    features = correlated(X, y, FEATURES)
    columns = tuple(Group.of(feature(j)) for j in features)
    roots, square = (name in limits.operators for name in ("sqrt", "square"))
    problem = Problem(columns, X[:, features].T.copy(), Group(), np.ones(len(y)), y, roots, square)
    rest = min(problem.surface(log).share for log in (False, True)) * float(y @ y)
    if rest > SMOOTH * float(((y - y.mean()) ** 2).sum()):
        return []
    path = [problem, *reduced(problem)]
    found: list[list[Node]] = []
    for p in _smallest(path):
        programs, exact = solved(p, limits)
        found += programs
        if exact:
            break
    return by_description([nodes for nodes in found if len(nodes) <= limits.max_length], X, y)[:KEPT]


def _smallest(path: Sequence[Problem]) -> Iterator[Problem]:
    """The last problems of few columns, the smallest first; with columns as they are, as roots, and a single one as its
    inverse."""
    small = [p for p in path if len(p.columns) <= FEW][-SOLVED:] or [p for p in path[-1:] if len(p.columns) <= COLUMNS]
    for p in reversed(small):
        roots = p.unmirrored()
        if roots is not None:
            yield roots
        yield p
        if len(p.columns) == 1 and (p.values > 0.0).all():
            yield p.inverted()


def solved(problem: Problem, limits: Limits) -> tuple[list[list[Node]], bool]:
    """The most promising programs of y from programs of the target over the problem's columns; whether one is exact."""
    Z, target = problem.values.T, problem.target
    clean = problem.score()[0] < len(target) * np.log(CLEAN)
    if not problem.columns:
        return [list(problem.program(problem.factor))], clean
    found = [*polynomials(Z, target, limits), *formulas(Z, target, limits.operators, problem.factor_values)]
    found += rationals(Z, target, limits) if clean else []
    best = sorted(_fits(found, problem), key=lambda fit: fit.score)[:KEPT]
    columns = [problem.program(group) for group in problem.columns]
    programs = [list(problem.program(problem.factor, _over(fit.program, columns))) for fit in best]
    return programs, any(fit.share < EXACT and len(fit.program) <= SIMPLE for fit in best)


@dataclass(frozen=True)
class _Fit:
    """A program over the columns, proportional to the target; the residual share it leaves of y, and its score."""

    program: Term
    share: float
    score: float


def _fits(found: Sequence[Sequence[Node]], problem: Problem) -> list[_Fit]:
    """The programs, each plus the constant that makes it proportional to the target, where it needs one."""
    if not found:
        return []
    size, y, n = problem.factor_values, problem.y, len(problem.y)
    values = outputs(found, problem.values.T)
    result: list[_Fit] = []
    program: Term | None
    for i in np.flatnonzero(np.isfinite(values).all(axis=1)).tolist():
        a = values[i] * size
        aa, ab, bb, ay, by = a @ a, a @ size, size @ size, a @ y, size @ y
        rest, program = ((y - ay / aa * a) ** 2).sum(), tuple(found[i])
        free = aa * bb - ab * ab
        if free > 1e-14 * aa * bb:
            slope, offset = (ay * bb - ab * by) / free, (by * aa - ab * ay) / free
            less = ((y - slope * a - offset * size) ** 2).sum()
            if rest > 1.001 * less + 1e-12 * (y @ y):
                rest, program = less, combined([(tuple(found[i]), 1.0), (ONE, float(offset / slope))])
        if program is not None:
            share = float(rest / ((y - y.mean()) ** 2).sum())
            result.append(_Fit(program, share, n * np.log(share + 1e-12) + len(program) * np.log(n)))
    return result


def _over(program: Term, columns: Sequence[Term]) -> Term:
    """The program with columns in place of its features."""

    def leaf(code: int, column: int, value: float) -> Term:
        return constant(value) if code == CONSTANT else times(columns[column], value)

    return fold(program, leaf, lambda row, *args: apply(row.name, *args))
