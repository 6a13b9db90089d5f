"""Starting values of named constants: drawn at sizes that the data suggests, the linear ones by least squares.

A formula is linear in some of its constants, such as `a` and `c` of `a*exp(-b*t) + c`. For each draw of the others the
best values of these are the solution of a linear problem, so only the others need luck (variable projection: G. Golub,
V. Pereyra, SIAM Journal on Numerical Analysis 10, 1973).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epsilex.data.rows import Rows
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import FEATURE
from epsilex.programs.written import Written

STARTS = 1000
NEGATIVE = 0.3  # share of negative constants
SAME = 1e-9  # relative difference that is rounding

Values = Callable[[np.ndarray], np.ndarray]  # from constants to outputs


def starts(formula: Written, rows: Rows) -> np.ndarray:
    """(STARTS, parameters) values, the same on every call."""
    places, ties = list(formula.labels), formula.ties

    def values(c: np.ndarray) -> np.ndarray:
        nodes = list(formula.nodes)
        for k, value in zip(places, ties @ c, strict=True):
            nodes[k] = (nodes[k][0], nodes[k][1], float(value))
        return evaluate64(nodes, rows.X)

    found = _drawn(formula, rows)
    linear = _linear(values, found)
    if linear:
        for c in found:
            _solve(values, c, linear, rows)
    return found


def _drawn(formula: Written, rows: Rows) -> np.ndarray:
    """Random values: products of the sizes of features and target, or of their inverses; the first all 1."""
    rng, n = np.random.default_rng(0), len(formula.parameters)
    used = sorted({feature for code, feature, _ in formula.nodes if code == FEATURE})
    sizes = np.array([_size(rows.X[:, j]) for j in used] + [_size(rows.y), _size(rows.y - rows.y.mean())])
    powers = rng.choice([-1.0, 0.0, 1.0], size=(STARTS, n, len(sizes)), p=[0.15, 0.7, 0.15])
    exponents = np.clip(powers @ np.log10(sizes) + 0.5 * rng.normal(size=(STARTS, n)), -100.0, 100.0)
    found = np.where(rng.random((STARTS, n)) < NEGATIVE, -1.0, 1.0) * 10.0**exponents
    found[0] = 1.0
    return found


def _size(values: np.ndarray) -> float:
    """A typical magnitude; 1 for zeros."""
    size = float(np.median(np.abs(values)))
    return size if 0.0 < size < np.inf else 1.0


def _linear(values: Values, found: np.ndarray) -> list[int]:
    """Constants in which the formula is jointly linear: second differences at the first finite draw vanish."""
    base = next((c for c in found if np.isfinite(values(c)).all()), None)
    if base is None:
        return []
    linear: list[int] = []
    for i in range(len(base)):
        if all(_flat(values, base, i, j) for j in (i, *linear)):
            linear.append(i)
    return linear


def _flat(values: Values, base: np.ndarray, i: int, j: int) -> bool:
    """Whether the second difference in constants i and j vanishes."""
    grid = []
    for a, b in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)):
        c = base.copy()
        c[i], c[j] = (a, b) if i != j else (a + b, a + b)
        grid.append(values(c))
    second = grid[3] - grid[2] - grid[1] + grid[0]
    return bool((np.abs(second) <= SAME * np.abs(grid).max(axis=0) + 1e-300).all())


def _solve(values: Values, c: np.ndarray, linear: list[int], rows: Rows) -> None:
    """Set the linear constants to their best values, given the others; unchanged if something is not finite."""
    plain = c.copy()
    plain[linear] = 0.0
    offset = values(plain)
    columns = np.empty((len(offset), len(linear)))
    for q, i in enumerate(linear):
        plain[i] = 1.0
        columns[:, q] = values(plain) - offset
        plain[i] = 0.0
    root = np.sqrt(rows.weight)
    size = np.sqrt(((root[:, None] * columns) ** 2).sum(axis=0))
    if not (np.isfinite(size).all() and np.isfinite(offset).all()) or (size == 0.0).any():
        return
    solved = np.linalg.lstsq(root[:, None] * columns / size, root * (rows.y - offset), rcond=1e-10)[0] / size
    if np.isfinite(solved).all():
        c[linear] = solved
