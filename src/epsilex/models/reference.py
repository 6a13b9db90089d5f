"""Ridge regression as a formula: the reference that a chosen formula must be better than where rows are few.

Among the many formulas of a search some fit a few dozen rows by chance, and no criterion of the fit tells them from the
true ones. A linear model whose coefficients are shrunk errs by little there. So on few rows a formula is chosen only
where it convinces: its squared errors, each with its own row left out, are clearly below the reference's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.models.rows import Rows
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places, jacobian64
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

FEW = 500  # rows; with more of them fitting by chance is no danger
LEAST = 8  # rows for a reference to mean anything
CLEARLY = 4.0  # standard errors; or
DOUBTLESS = 0.1  # of the reference's squared errors: on ten rows nothing is clear by its standard error
MATTERS = 0.0005  # of the largest coefficient, all columns having a spread of 1
CHARGE = 2.0  # times log(n), the price of an operator other than + and -; a feature's is the logarithm of their number
SAFER = 100  # rows; with more of them fitting by chance is the rarer, and the price falls
FOLDS = 5
PENALTIES = np.logspace(-3, 3, 13)


@dataclass(frozen=True, slots=True)
class Reference:
    """A linear model, and the errors of ridge regression on all columns, each with its own row left out of the fit."""

    nodes: list[Node]
    left_out: np.ndarray


def reference(rows: Rows, max_length: int) -> Reference | None:
    """The ridge regression of all columns but those that hardly matter; the target's mean where ridge is no better;
    None where rows are many, or next to none."""
    n, most = len(rows.y), (max_length - 1) // 2
    if not LEAST <= n <= FEW or most < 1:
        return None
    weight = rows.weight / rows.weight.sum()
    mean = float(weight @ rows.y)
    y = rows.y - mean
    if not 0.0 < weight @ y**2 < np.inf:  # nothing to compare by, or only what is too small for squares
        return None
    of_mean = Reference([(CONSTANT, 0, mean)], y / (1.0 - np.minimum(weight, 1.0 - 1e-6)))
    centre = weight @ rows.X
    spread = np.sqrt(weight @ (rows.X - centre) ** 2)
    varying = np.flatnonzero(spread > 1e-12 * np.abs(rows.X).max(axis=0, initial=0.0))
    if not len(varying):
        return of_mean
    Z = (rows.X[:, varying] - centre[varying]) / spread[varying]
    full, left_out = _ridge(Z, y, rows.weight)
    if weight @ left_out**2 >= weight @ of_mean.left_out**2:
        return of_mean
    if len(varying) > most and not _better_than_mean(Z, y, rows.weight, most):
        return Reference(of_mean.nodes, left_out)
    kept = _largest(full, most)
    standardised, _ = _ridge(Z[:, kept], y, rows.weight)
    columns = varying[kept]
    coefficient = standardised / spread[columns]
    nodes: list[Node] = [(CONSTANT, 0, mean - float(centre[columns] @ coefficient))]
    for column, value in zip(columns, coefficient, strict=True):
        nodes += [(FEATURE, int(column), float(value)), (opcode("add"), 0, 0.0)]
    return Reference(nodes, left_out)


def convinces(nodes: Sequence[Node], over: Reference, rows: Rows, factor: float = 1.0) -> bool:
    """Whether the program's squared errors with their rows left out, times `factor`, are clearly below the
    reference's."""
    n, n_features = rows.X.shape
    free = {CONSTANT, FEATURE, opcode("add"), opcode("sub"), opcode("neg")}
    operators = sum(code not in free for code, _, _ in nodes)
    leaves = sum(code == FEATURE for code, _, _ in nodes)
    price = operators * CHARGE * np.log(n) * min(1.0, SAFER / n) + leaves * np.log(n_features)
    charge = factor * np.exp(price / n)
    return _clearly_less(np.sqrt(charge) * left_out(nodes, rows), over.left_out, rows.weight)


@np.errstate(over="ignore")  # a constant whose derivative has no finite square counts as fixed
def left_out(nodes: Sequence[Node], rows: Rows) -> np.ndarray:
    """Errors of the program on each row, had the constants been tuned without it: to first order the error over one
    minus the row's leverage."""
    out, jacobian = jacobian64(nodes, rows.X, constant_places(nodes))
    root = np.sqrt(rows.weight)[:, None]
    jacobian = root * jacobian[:, np.isfinite(jacobian).all(axis=0)]
    size = np.sqrt((jacobian**2).sum(axis=0))
    jacobian = jacobian[:, size > 0] / size[size > 0]
    return (rows.y - out) / (1.0 - _leverage(jacobian))


def _leverage(columns: np.ndarray) -> np.ndarray:
    if not columns.shape[1]:
        return np.zeros(len(columns))
    u, s, _ = np.linalg.svd(columns, full_matrices=False)
    u = u[:, s > 1e-7 * s[0]]
    return np.minimum((u**2).sum(axis=1), 1.0 - 1e-6)


def _ridge(Z: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients, and errors with their rows left out, under the penalty for which these are least; Z and y have mean
    zero."""
    root = np.sqrt(weight)
    columns = root[:, None] * Z
    if columns.shape[1] > len(y):  # much quicker than the singular values of so wide a matrix
        square, u = np.linalg.eigh(columns @ columns.T)
        square = np.maximum(square, 0.0)
    else:
        u, s, _ = np.linalg.svd(columns, full_matrices=False)
        square = s**2
    target = u.T @ (root * y)
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    for penalty in PENALTIES * np.median(weight):  # 1 where a few equal rows were made one
        kept = square / (square + penalty)
        leverage = (u**2) @ kept + weight / weight.sum()
        errors = (y - (u @ (kept * target)) / root) / (1.0 - np.minimum(leverage, 1.0 - 1e-6))
        loss = float(weight @ errors**2)
        if best is None or loss < best[0]:
            best = loss, target / (square + penalty), errors
    assert best is not None
    return columns.T @ (u @ best[1]), best[2]


def _largest(coefficients: np.ndarray, most: int) -> np.ndarray:
    """Columns of the largest coefficients, `most` of them, those that hardly matter left out."""
    size = np.abs(coefficients)
    order = np.argsort(-size, kind="stable")[:most]
    return order[size[order] >= MATTERS * size.max()]


def _better_than_mean(Z: np.ndarray, y: np.ndarray, weight: np.ndarray, most: int) -> bool:
    """Whether a ridge regression of the `most` largest columns of one errs less than the mean does, columns being
    picked without the rows that it errs on: of thousands of columns some fit by chance."""
    picked, mean = np.empty(len(y)), np.empty(len(y))
    fold = np.arange(len(y)) % FOLDS  # rows are in the order of their hashes, which is random
    for k in range(FOLDS):
        into, out = fold != k, fold == k
        share = weight[into] / weight[into].sum()
        centre, middle = share @ Z[into], float(share @ y[into])
        inside, target = Z[into] - centre, y[into] - middle
        kept = _largest(_ridge(inside, target, weight[into])[0], most)
        coefficient, _ = _ridge(inside[:, kept], target, weight[into])
        mean[out] = y[out] - middle
        picked[out] = mean[out] - (Z[out][:, kept] - centre[kept]) @ coefficient
    return bool(weight @ picked**2 < weight @ mean**2)


def _clearly_less(errors: np.ndarray, others: np.ndarray, weight: np.ndarray) -> bool:
    """Whether squared errors are less than others on the same rows by more than CLEARLY standard errors, or by far."""
    with np.errstate(over="ignore", invalid="ignore"):
        gain = others**2 - errors**2
        mean, all_of_it = np.average(gain, weights=weight), np.average(others**2, weights=weight)
        spread = np.sqrt(np.average((gain - mean) ** 2, weights=weight))
    return bool(mean > CLEARLY * spread / np.sqrt(len(gain)) or mean > (1.0 - DOUBTLESS) * all_of_it)
