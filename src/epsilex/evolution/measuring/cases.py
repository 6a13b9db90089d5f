"""The training cases, in the form the kernels want, and the measuring of programs on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from epsilex.data.losses import compiled_loss
from epsilex.data.prior import NOTHING, Prior
from epsilex.data.shadow import limits
from epsilex.evolution.measuring.buffers import Buffers
from epsilex.evolution.population import Population
from epsilex.programs import Programs
from epsilex.programs.evaluation import evaluate_blocks


@dataclass(slots=True)
class Cases:
    """Training rows in blocks.

    X        (blocks, features, n) float32: the training rows, then the shadow rows
    y        (rows,) float32; `centred` the same less its weighted mean `y_mean`
    weight   (rows,) float32, of mean 1
    loss     address of the block kernel of the loss
    padded_y, root_weight  (blocks * n,) float32: the target, and the square roots of the weights; 0 in the padding
    inputs   (rows, features) float32, from which `drawn` draws
    n_shadow, limits  number of shadow rows, and the range that a tame program stays in on them
    more_shadow  (blocks, features, n) float32: many more shadow rows, for the best programs only; may be None
    zero     the user's 0 in the units of y
    prior    what is known of the law
    rows_X, rows_y, rows_weight  all rows (rows, features) float32, (rows,) and (rows,) float64, from which the cases
             are drawn, and `seed`, by which they are; None if the cases are all rows, see `measuring.redrawing`
    x_scale, y_scale  sizes of the units of the features, (features,), and of y, in the user's; None: the user's own
    outputs_buffer, trial_buffer  (any, blocks * n) and (any, rows) float32, each for one call at a time
    error_buffers  for the errors of populations
    """

    X: np.ndarray
    y: np.ndarray
    centred: np.ndarray
    y_mean: float
    weight: np.ndarray
    loss: int
    padded_y: np.ndarray
    root_weight: np.ndarray
    inputs: np.ndarray
    n_shadow: int = 0
    limits: tuple[float, float] = (-np.inf, np.inf)
    more_shadow: np.ndarray | None = None
    zero: float = 0.0
    prior: Prior = NOTHING
    x_scale: np.ndarray | None = None
    y_scale: float = 1.0
    rows_X: np.ndarray | None = None
    rows_y: np.ndarray | None = None
    rows_weight: np.ndarray | None = None
    seed: int = 0
    outputs_buffer: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32), repr=False)
    trial_buffer: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32), repr=False)
    error_buffers: Buffers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.error_buffers = Buffers(len(self.y))

    @classmethod
    def from_arrays(
        cls,
        X: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray | None = None,
        loss: str | Callable = "mae",
        shadow: np.ndarray | None = None,
        more_shadow: np.ndarray | None = None,
        zero: float = 0.0,
    ) -> Cases:
        """Cases from X (rows, features), y (rows,), weights (rows,), shadow rows (any, features) and more of them for
        the best programs, and the user's 0 in the units of y."""
        from epsilex.kernels.evaluating import in_blocks, vector_in_blocks

        weight = np.ones(len(y)) if weight is None else weight * (len(weight) / weight.sum())
        mean = float(np.average(y, weights=weight))
        root_weight = vector_in_blocks(np.sqrt(weight))
        root_weight[len(y) :] = 0.0
        return cls(
            in_blocks(X if shadow is None else np.vstack([X, shadow])),
            y.astype(np.float32),
            (y - mean).astype(np.float32),
            mean,
            weight.astype(np.float32),
            compiled_loss(loss, y),
            vector_in_blocks(y),
            root_weight,
            X.astype(np.float32),
            0 if shadow is None else len(shadow),
            (-np.inf, np.inf) if shadow is None else limits(y, zero),
            None if more_shadow is None else in_blocks(more_shadow),
            zero,
        )

    def drawn(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """X in blocks, target and root weights of `n` cases drawn at random, or of all cases if there are fewer."""
        from epsilex.kernels.evaluating import in_blocks, vector_in_blocks

        if n >= len(self):
            X = self.X if self.n_shadow == 0 else in_blocks(self.inputs)
            return X, self.padded_y, self.root_weight
        who = np.sort(rng.choice(len(self), size=n, replace=False))
        root_weight = vector_in_blocks(np.sqrt(self.weight[who]))
        root_weight[n:] = 0.0
        return in_blocks(self.inputs[who]), vector_in_blocks(self.y[who]), root_weight

    @property
    def shadow(self) -> np.ndarray | None:
        """The shadow rows (any, features) that every program is run on."""
        in_rows = self.X.transpose(0, 2, 1).reshape(-1, self.X.shape[1])
        return in_rows[len(self) : len(self) + self.n_shadow] if self.n_shadow else None

    @property
    def through_zero(self) -> bool:
        """Whether linear scaling has no offset."""
        return self.prior.through_zero

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def n_leaves(self) -> int:
        """Features that a program may use: the arguments of functions if it fills a form."""
        return self.n_features if self.prior.form is None else self.prior.form.outline.widest

    def __len__(self) -> int:
        return len(self.y)

    def outputs(self, programs: Programs, n_jobs: int) -> np.ndarray:
        """Outputs (programs, at least `len(self)` columns) float32; the next call overwrites them."""
        self.outputs_buffer = _enough(self.outputs_buffer, len(programs), self.X.shape[0] * self.X.shape[2])
        return self.values(programs, self.X, n_jobs, self.outputs_buffer[: len(programs)])

    def values(self, programs: Programs, X: np.ndarray, n_jobs: int, out: np.ndarray | None = None) -> np.ndarray:
        """Outputs on any rows in blocks; programs that fill a form are run as the formulas that they make."""
        form = self.prior.form
        return evaluate_blocks(programs if form is None else form.formulas(programs, n_jobs), X, n_jobs, out)

    def measure(self, programs: Programs, *, scaling: bool, limited: bool, n_jobs: int = 1) -> Population:
        """Run programs on all cases; all ages are 0."""
        result = Population.unmeasured(programs, self.error_buffers.take(len(programs)))
        self._measure_at(np.arange(len(programs)), result, scaling, limited, n_jobs)
        return result

    def attempt(self, programs: Programs, *, scaling: bool, limited: bool, n_jobs: int = 1) -> Population:
        """As `measure`; the next attempt overwrites the errors."""
        self.trial_buffer = _enough(self.trial_buffer, len(programs), len(self))
        result = Population.unmeasured(programs, self.trial_buffer[: len(programs)])
        self._measure_at(np.arange(len(programs)), result, scaling, limited, n_jobs)
        return result

    def measure_new(
        self, programs: Programs, origin: np.ndarray, parents: Population, *, scaling: bool, limited: bool,
        n_jobs: int = 1,
    ) -> Population:  # fmt: skip
        """As `measure`, but a copy of a parent (`origin` its index, -1 for none) is not run again."""
        result = Population.unmeasured(programs, self.error_buffers.take(len(programs)))
        copies = np.flatnonzero(origin >= 0)
        result.put_measures(copies, parents, origin[copies], n_jobs)
        self._measure_at(np.flatnonzero(origin < 0), result, scaling, limited, n_jobs)
        return result

    def _measure_at(self, who: np.ndarray, result: Population, scaling: bool, limited: bool, n_jobs: int) -> None:
        """Run the programs of `result` at `who`, and fill in their rows."""
        from epsilex.kernels import fitting, slices

        out = self.outputs(result.programs if len(who) == len(result) else result.programs.take(who), n_jobs)
        r = result

        def part(first: int, last: int) -> None:
            fitting.measure(
                self.loss, out, self.y, self.centred, self.y_mean, self.weight, len(self), self.n_shadow, *self.limits,
                scaling, self.through_zero, limited, who, r.errors, r.fitness, r.mae, r.slope, r.intercept, r.outputs,
                r.tame, first, last,
            )  # fmt: skip

        slices.run(part, len(who), n_jobs)
        if self.more_shadow is None:
            r.tame[who] *= 2  # there are no further shadow rows


def _enough(buffer: np.ndarray, n: int, width: int) -> np.ndarray:
    """A buffer of at least n rows: the given one if it is large enough, else a new one."""
    return buffer if len(buffer) >= n and buffer.shape[1] == width else np.empty((n, width), np.float32)
