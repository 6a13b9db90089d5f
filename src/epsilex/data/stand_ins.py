"""Stand-ins: numbers, one per group, that say how a group differs from the others, as far as a smooth curve s tells.

level  the factors of y = level*s(x)
shift  the offsets of y = shift + s(x)
delay  of a feature, y = s(x - delay)
pace   of a feature, y = s(pace*x)

A search gets the two that leave the least. The better a stand-in, the better a search can tell formulas apart: what it
leaves looks like noise there.
"""

from __future__ import annotations

import numpy as np

from epsilex.data.registration import Aligned, delays, paces

WANTED = 2  # stand-ins
SWEEPS = 30  # of alternating least squares
RIDGE = 1e-9  # of the mean square of a column
HATS, ROWS_EACH = 12, 6  # functions of one feature between its quantiles, at most, and rows for each


def stand_ins(X: np.ndarray, y: np.ndarray, weight: np.ndarray, code: np.ndarray) -> dict[str, np.ndarray]:
    """Numbers (groups,) by the name of the stand-in, for rows X (rows, features) of the groups `code`."""
    basis = _basis(X)
    found = {"level": _level(basis, y, weight, code), "shift": _shift(basis, y, weight, code)}
    for name, align in (("delay", delays), ("pace", paces)):
        each = [align(X[:, j], _without(X, j, y, weight), weight, code) for j in range(X.shape[1])]
        found[name] = min(each, key=lambda one: one.left)
    kept = sorted(found, key=lambda name: found[name].left)[:WANTED]
    return {name: found[name].own for name in found if name in kept}


def _level(basis: np.ndarray, y: np.ndarray, weight: np.ndarray, code: np.ndarray) -> Aligned:
    """The factors, by alternating least squares."""
    n, root = int(code.max()) + 1, np.sqrt(weight / weight.mean())
    level = np.ones(n)
    for _ in range(SWEEPS):
        curve = basis @ _solved(root[:, None] * basis * level[code][:, None], root * y)
        over = np.bincount(code, weight * curve * y, n)
        under = np.bincount(code, weight * curve * curve, n)
        level = np.where(under > 0.0, over / np.where(under > 0.0, under, 1.0), 1.0)
        size = float(np.sqrt((level**2).mean()))
        if not (np.isfinite(size) and size > 0.0):
            return Aligned(np.ones(n), np.inf)
        level = level / size
    columns = basis * level[code][:, None]
    return Aligned(level, _left(columns, y, weight))


def _shift(basis: np.ndarray, y: np.ndarray, weight: np.ndarray, code: np.ndarray) -> Aligned:
    """The offsets, by least squares."""
    n, root = int(code.max()) + 1, np.sqrt(weight / weight.mean())
    one = np.zeros((len(y), n))
    one[np.arange(len(y)), code] = 1.0
    columns = np.column_stack([one, basis[:, 1:]])
    shift = _solved(root[:, None] * columns, root * y)[:n]
    spread = float(shift.std())
    shift = (shift - shift.mean()) / spread if spread > 0.0 else np.zeros(n)
    return Aligned(shift, _left(columns, y, weight))


def _left(columns: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """The sum of squares that least squares with these columns leaves."""
    root = np.sqrt(weight / weight.mean())
    return float((weight * (y - columns @ _solved(root[:, None] * columns, root * y)) ** 2).sum())


def _without(X: np.ndarray, j: int, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The target without what the other features than j add to it."""
    if X.shape[1] == 1:
        return y
    others = _basis(np.delete(X, j, axis=1))[:, 1:]
    columns = np.column_stack([others, _basis(X[:, [j]])])
    root = np.sqrt(weight / weight.mean())
    return y - others @ _solved(root[:, None] * columns, root * y)[: others.shape[1]]


def _basis(X: np.ndarray) -> np.ndarray:
    """Functions of the features that any smooth curve is close to: 1, powers up to the third, products of two, and
    hats between quantiles, as many as the rows can tell apart."""
    n, d = X.shape
    middle, size = X.mean(axis=0), X.std(axis=0)
    Z = (X - middle) / np.where(size > 0.0, size, 1.0)
    columns: list[np.ndarray] = [np.ones(n), *Z.T, *(Z**2).T, *(Z**3).T]
    columns += [Z[:, i] * Z[:, j] for i in range(d) for j in range(i)]
    hats = min(HATS, n // (ROWS_EACH * d))
    for z in Z.T if hats > 2 else ():
        knots = np.unique(np.quantile(z, np.linspace(0.0, 1.0, hats)))
        columns += [np.interp(z, knots, one) for one in np.eye(len(knots))[1:-1]]
    return np.column_stack(columns[: max(1, n // 3)])


def _solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Least squares with a little ridge, so that dependent columns do no harm."""
    normal = A.T @ A
    ridge = RIDGE * max(float(np.trace(normal)) / len(normal), 1e-300)
    return np.linalg.solve(normal + ridge * np.eye(len(normal)), A.T @ b)
