"""The linear reference: ridge regression as a formula, and the gate that a formula must pass on few rows.

Among the many formulas of a search some fit a few dozen rows by chance. Ridge regression is a single model and hard to
beat there. So on few rows a formula is chosen only if it describes the data in fewer nats than ridge. Both use
leave-one-out residuals, which account for their constants:

    nats of the formula's residuals, rows left out + structure / 2 < nats of ridge's residuals, rows left out

Leaving a row out of the tuning does not leave it out of the search, which saw all rows and chose the structure with
them. Among so many structures some pass close to any single outlier, so a formula must also describe the rows better
without the one that speaks most for it. Ridge has no structure to pay for, because it is always the same model. Half
the structure is a mild gate: by description length formulas have already paid in full, and charging all of it again
loses true laws on twenty rows (decision 13). A linear formula pays only for naming its columns, half of that, too.
Ridge itself must beat the target's mean by the same measure, with odds of a thousand to one. Against the mean, any
formula pays in full and must show odds of a hundred to one.

Under relative noise, nats are of relative residuals. Because predictions are also judged by squared errors, ridge must
not be better in those by odds of a hundred to one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.data.noise import Noise
from epsilex.data.rows import Rows
from epsilex.models.choice.description import fitted_places, is_number
from epsilex.models.choice.language import Language
from epsilex.programs.fold import Node
from epsilex.programs.gradient import jacobian64
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

FEW = 500  # rows; above this, chance fits are no danger
LEAST = 8  # rows for a reference to mean anything
CHARGE = 0.5  # share of the structure that is charged
ODDS = 100.0  # to one, required of a formula over the mean, and of ridge by squares over a formula under relative noise
CERTAIN = 1000.0  # to one, required of ridge over the mean: noise reaches it in one of a thousand tables
MATTERS = 0.0005  # of the largest coefficient, all columns having a spread of 1
FOLDS = 5
PENALTIES = np.logspace(-3, 3, 13)
LINEAR = {CONSTANT, FEATURE, opcode("add"), opcode("sub"), opcode("neg")}


@dataclass(frozen=True, slots=True)
class Reference:
    """A linear model, and the leave-one-out errors of ridge regression on all columns."""

    nodes: list[Node]
    left_out: np.ndarray


def reference(rows: Rows, max_length: int) -> Reference | None:
    """Ridge regression on all columns but those that hardly matter, or the target's mean if ridge is no better; None
    if there are many rows or next to none."""
    n, most = len(rows.y), (max_length - 1) // 2
    if not LEAST <= n <= FEW or most < 1:
        return None
    weight = rows.weight / rows.weight.sum()
    mean = float(weight @ rows.y)
    y = rows.y - mean
    if not 0.0 < weight @ y**2 < np.inf:  # nothing to compare, or squares that underflow
        return None
    of_mean = Reference([(CONSTANT, 0, mean)], y / (1.0 - np.minimum(weight, 1.0 - 1e-6)))
    centre = weight @ rows.X
    spread = np.sqrt(weight @ (rows.X - centre) ** 2)
    varying = np.flatnonzero(spread > 1e-12 * np.abs(rows.X).max(axis=0, initial=0.0))
    if not len(varying):
        return of_mean
    Z = (rows.X[:, varying] - centre[varying]) / spread[varying]
    full, left_out = _ridge(Z, y, rows.weight)
    ratio = (weight @ of_mean.left_out**2) / (weight @ left_out**2)
    if 0.5 * n * math.log(max(ratio, 1e-300)) < math.log(CERTAIN):
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


def is_linear(nodes: Sequence[Node]) -> bool:
    """Whether a formula is a sum of features with coefficients and a number."""
    return all(code in LINEAR for code, _, _ in nodes)


def gain(
    nodes: Sequence[Node], over: Reference, rows: Rows, noises: Sequence[Noise], language: Language, tuned: Noise
) -> float:
    """By how many nats the program, its constants tuned under the noise `tuned`, describes the rows better than the
    reference does; see the top of this file."""
    if len(fitted_places(nodes)) >= len(rows.y) - 1:
        return -math.inf  # so many constants meet any rows
    ours, theirs = left_out(nodes, rows.X, tuned), rows.y - over.left_out
    saved = _difference if is_linear(nodes) else _saved  # a plane passes close to an outlier as ridge does
    by_squares = saved(ours, theirs, noises[:1]) if noises[0].kind == "additive" else math.inf
    return min(saved(ours, theirs, noises) - _charge(nodes, over, language), by_squares + math.log(ODDS))


def _saved(ours: np.ndarray, theirs: np.ndarray, noises: Sequence[Noise]) -> float:
    """Nats of the reference's residuals minus those of the program, each under its best noise, from leave-one-out
    predictions (rows,); without the row that speaks most for the program, if they are fewer."""
    plain = noises[0]
    most = int(np.argmax(plain.weight * ((plain.y - theirs) ** 2 - (plain.y - ours) ** 2)))
    rest = np.delete(np.arange(len(ours)), most)
    return min(_difference(ours, theirs, noises), _difference(ours[rest], theirs[rest], [n.take(rest) for n in noises]))


def _difference(ours: np.ndarray, theirs: np.ndarray, noises: Sequence[Noise]) -> float:
    mine, other = (min(noise.nats(noise.residuals(out)) for noise in noises) for out in (ours, theirs))
    return other - mine if math.isfinite(mine) else -math.inf


def _charge(nodes: Sequence[Node], over: Reference, language: Language) -> float:
    if is_number(nodes):
        return 0.0
    if is_number(over.nodes):
        return language.structure(nodes) + math.log(ODDS)
    if is_linear(nodes):
        columns = {feature for code, feature, _ in nodes if code == FEATURE}
        return CHARGE * math.log(math.comb(language.n_features, len(columns)))
    return CHARGE * language.structure(nodes)


@np.errstate(all="ignore")  # a constant whose derivative has no finite square counts as fixed
def left_out(nodes: Sequence[Node], X: np.ndarray, noise: Noise) -> np.ndarray:
    """Leave-one-out predictions (rows,) of a program whose constants were tuned under the noise.

    To first order the residual is divided by one minus the row's leverage. That holds at the least of the squares, so
    only for the noise of the tuning: a large value that relative noise leaves at some distance has a leverage near one
    by plain squares, and would seem to be predicted anywhere."""
    out, jacobian = jacobian64(nodes, X, fitted_places(nodes))
    columns = np.sqrt(noise.weight)[:, None] * noise.slopes(out, jacobian)
    columns = columns[:, np.isfinite(columns).all(axis=0)]
    size = np.sqrt((columns**2).sum(axis=0))
    columns = columns[:, size > 0] / size[size > 0]
    return noise.predicted(noise.residuals(out) / (1.0 - _leverage(columns)))


def _leverage(columns: np.ndarray) -> np.ndarray:
    if not columns.shape[1]:
        return np.zeros(len(columns))
    u, s, _ = np.linalg.svd(columns, full_matrices=False)
    u = u[:, s > 1e-7 * s[0]]
    return np.minimum((u**2).sum(axis=1), 1.0 - 1e-6)


def _ridge(Z: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and leave-one-out errors under the penalty that minimises these errors; Z and y have mean zero."""
    root = np.sqrt(weight)
    columns = root[:, None] * Z
    if columns.shape[1] > len(y):  # much faster than an SVD of such a wide matrix
        square, u = np.linalg.eigh(columns @ columns.T)
        square = np.maximum(square, 0.0)
    else:
        u, s, _ = np.linalg.svd(columns, full_matrices=False)
        square = s**2
    target = u.T @ (root * y)
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    for penalty in PENALTIES * np.median(weight):  # 1 even if a few equal rows were merged
        kept = square / (square + penalty)
        leverage = (u**2) @ kept + weight / weight.sum()
        errors = (y - (u @ (kept * target)) / root) / (1.0 - np.minimum(leverage, 1.0 - 1e-6))
        loss = float(weight @ errors**2)
        if best is None or loss < best[0]:
            best = loss, target / (square + penalty), errors
    assert best is not None
    return columns.T @ (u @ best[1]), best[2]


def _largest(coefficients: np.ndarray, most: int) -> np.ndarray:
    """Columns of the `most` largest coefficients, without those that hardly matter."""
    size = np.abs(coefficients)
    order = np.argsort(-size, kind="stable")[:most]
    return order[size[order] >= MATTERS * size.max()]


def _better_than_mean(Z: np.ndarray, y: np.ndarray, weight: np.ndarray, most: int) -> bool:
    """Whether ridge regression on the columns of its `most` largest coefficients beats the mean in cross-validation.

    Columns are picked within each fold, because some of thousands of columns fit by chance."""
    picked, mean = np.empty(len(y)), np.empty(len(y))
    fold = np.arange(len(y)) % FOLDS  # rows are ordered by hash, which is random
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
