"""Training cases of a dynamic model: rows in time order, simulated in free run, some of which count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from epsilex.evolution.measuring.cases import Cases
from epsilex.programs import Programs
from epsilex.programs.machine import addresses
from epsilex.programs.operators import arities


@dataclass(slots=True)
class RecurrentCases(Cases):
    """As `Cases`, with `feedback` more features: the program's own outputs 1, 2, ... rows before, 0 before the first
    row.

    X        (features, any) float32, in the order of `kernels.recursion.lane_order`
    guess    (rows,) float32, a first guess of the outputs: the target
    counted  (cases,) the rows of weight above 0; the others are simulated but not counted
    """

    feedback: int = 1
    guess: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    counted: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def from_series(
        cls, X: np.ndarray, y: np.ndarray, weight: np.ndarray, loss: str | Callable, feedback: int
    ) -> RecurrentCases:
        from epsilex.kernels.recursion import lane_order

        rows = np.flatnonzero(weight > 0)
        plain = Cases.from_arrays(X[rows], y[rows], weight[rows], loss)
        series = X[lane_order(len(y), feedback)].astype(np.float32).T
        return cls(
            np.ascontiguousarray(series), plain.y, plain.centred, plain.y_mean, plain.weight, plain.loss,
            plain.padded_y, plain.root_weight, plain.inputs,
            feedback=feedback, guess=y.astype(np.float32), counted=rows,
        )  # fmt: skip

    @property
    def n_features(self) -> int:
        return len(self.X) + self.feedback

    def outputs(self, programs: Programs, n_jobs: int) -> np.ndarray:
        """Outputs in free run on the cases, (programs, cases) float32."""
        from epsilex.kernels import recursion, slices

        out = np.empty((len(programs), len(self.guess)), np.float32)
        table, arity = addresses(programs.opcode), arities()

        def part(first: int, last: int) -> None:
            recursion.simulate(
                table, arity, programs.opcode, programs.feature, programs.constant, programs.length,
                self.X, self.guess, self.feedback, out, first, last,
            )  # fmt: skip

        slices.run(part, len(programs), n_jobs)
        return np.ascontiguousarray(out[:, self.counted])
