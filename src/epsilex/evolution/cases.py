"""The training cases, in the form the kernels want, and the measuring of programs on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from epsilex.evolution.population import Population
from epsilex.programs import Programs
from epsilex.programs.evaluation import evaluate_blocks
from epsilex.programs.machine import loss_address


def _mae(y, prediction):
    return np.abs(y - prediction)


def _mse(y, prediction):
    return np.square(y - prediction)


def _huber(y, prediction):
    r = np.abs(y - prediction)
    return np.where(r <= 1.0, 0.5 * r * r, r - 0.5)


LOSSES: dict[str, Callable] = {"mae": _mae, "mse": _mse, "huber": _huber}


@dataclass(slots=True)
class Cases:
    """Training rows in blocks.

    X        (blocks, features, n) float32
    y        (rows,) float32; `centred` the same less its weighted mean `y_mean`
    weight   (rows,) float32, of mean 1
    loss     address of the block kernel of the loss
    """

    X: np.ndarray
    y: np.ndarray
    centred: np.ndarray
    y_mean: float
    weight: np.ndarray
    loss: int

    @classmethod
    def from_arrays(cls, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, loss: str | Callable = "mae"):
        """Cases from X (rows, features), y (rows,) and weights (rows,)."""
        from epsilex.kernels.evaluating import in_blocks

        weight = np.ones(len(y)) if weight is None else weight * (len(weight) / weight.sum())
        mean = float(np.average(y, weights=weight))
        return cls(
            in_blocks(X),
            y.astype(np.float32),
            (y - mean).astype(np.float32),
            mean,
            weight.astype(np.float32),
            compiled_loss(loss),
        )

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    def __len__(self) -> int:
        return len(self.y)

    def outputs(self, programs: Programs, n_jobs: int) -> np.ndarray:
        """Outputs (programs, at least `len(self)` columns) float32."""
        return evaluate_blocks(programs, self.X, n_jobs)

    def measure(self, programs: Programs, *, scaling: bool, limited: bool, n_jobs: int = 1) -> Population:
        """Run programs on all cases; everyone's age is 0."""
        from epsilex.kernels import fitting, slices

        n, cases = len(programs), len(self)
        out = self.outputs(programs, n_jobs)
        errors = np.empty((n, cases), np.float32)
        fitness, mae, slope, intercept = (np.empty(n) for _ in range(4))
        hashes = np.empty(n, np.uint64)

        def part(first: int, last: int) -> None:
            fitting.measure(
                self.loss, out, self.y, self.centred, self.y_mean, self.weight, cases, scaling, limited,
                errors, fitness, mae, slope, intercept, hashes, first, last,
            )  # fmt: skip

        slices.run(part, n, n_jobs)
        return Population(programs, errors, fitness, mae, slope, intercept, hashes, np.zeros(n, np.int64))

    def measure_new(self, programs: Programs, origin: np.ndarray, parents: Population, **how) -> Population:
        """As `measure`, but what is equal to a parent (`origin` its index, -1 for none) is not run again."""
        new = np.flatnonzero(origin < 0)
        measured = self.measure(programs.take(new), **how)
        result = parents.take(np.maximum(origin, 0))
        result.put(new, measured, slice(None))
        return result


def loss_function(loss: str | Callable) -> Callable:
    """The function of (y, prediction) behind a loss's name, or the function itself."""
    if callable(loss):
        return loss
    if loss not in LOSSES:
        raise ValueError(f"loss: expected one of {', '.join(LOSSES)}, or a function of (y, prediction); got {loss!r}")
    return LOSSES[loss]


def compiled_loss(loss: str | Callable) -> int:
    """The address of the block kernel of a loss."""
    name = getattr(loss, "__name__", "loss") if callable(loss) else loss
    return loss_address("".join(c if c.isalnum() else "_" for c in name), loss_function(loss))
