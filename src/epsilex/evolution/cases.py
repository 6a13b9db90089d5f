"""The training cases, in the form the kernels want, and the measuring of programs on them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from epsilex.evolution.population import Population
from epsilex.evolution.shadow import limits
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
AUDITED = 3  # of each length
ERROR_ROOMS = 3  # parents, children and one more
POWERS = {"mae": 1, "mse": 2}  # of the target's unit; other losses depend on the unit, and must see the target as it is


@dataclass(slots=True)
class Cases:
    """Training rows in blocks.

    X        (blocks, features, n) float32: the training rows, then the shadow rows
    y        (rows,) float32; `centred` the same less its weighted mean `y_mean`
    weight   (rows,) float32, of mean 1
    loss     address of the block kernel of the loss
    padded_y, root_weight  (blocks * n,) float32: the target, and square roots of the weights, 0 in the padding
    rows     X (rows, features) float32, to draw some of them
    n_shadow, limits  how many shadow rows, and between which values a tame program stays on them
    audit_X  (blocks, features, n) float32: many more shadow rows, for the best programs alone; None without any
    zero     what the user's 0 is in the units of y
    room, trial_room  (any, blocks * n) and (any, rows) float32, used again and again: new memory costs page faults
    error_rooms  (any, rows) float32 each, for the errors of populations
    """

    X: np.ndarray
    y: np.ndarray
    centred: np.ndarray
    y_mean: float
    weight: np.ndarray
    loss: int
    padded_y: np.ndarray
    root_weight: np.ndarray
    rows: np.ndarray
    n_shadow: int = 0
    limits: tuple[float, float] = (-np.inf, np.inf)
    audit_X: np.ndarray | None = None
    zero: float = 0.0
    room: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32), repr=False)
    trial_room: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32), repr=False)
    error_rooms: list[np.ndarray] = field(default_factory=list, repr=False)

    @classmethod
    def from_arrays(
        cls,
        X: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray | None = None,
        loss: str | Callable = "mae",
        shadow: np.ndarray | None = None,
        audit: np.ndarray | None = None,
        zero: float = 0.0,
    ) -> Cases:
        """Cases from X (rows, features), y (rows,), weights (rows,), shadow rows (any, features) and more of them for
        the audit, and what the user's 0 is in the units of y."""
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
            None if audit is None else in_blocks(audit),
            zero,
        )

    def drawn(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """X in blocks, target and roots of weights of `n` cases drawn at random; of all where there are no more."""
        from epsilex.kernels.evaluating import in_blocks, vector_in_blocks

        if n >= len(self):
            X = self.X if self.n_shadow == 0 else in_blocks(self.rows)
            return X, self.padded_y, self.root_weight
        who = np.sort(rng.choice(len(self), size=n, replace=False))
        root_weight = vector_in_blocks(np.sqrt(self.weight[who]))
        root_weight[n:] = 0.0
        return in_blocks(self.rows[who]), vector_in_blocks(self.y[who]), root_weight

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    def __len__(self) -> int:
        return len(self.y)

    def outputs(self, programs: Programs, n_jobs: int) -> np.ndarray:
        """Outputs (programs, at least `len(self)` columns) float32, in `room`."""
        self.room = _enough(self.room, len(programs), self.X.shape[0] * self.X.shape[2])
        return evaluate_blocks(programs, self.X, n_jobs, self.room[: len(programs)])

    def measure(self, programs: Programs, *, scaling: bool, limited: bool, n_jobs: int = 1) -> Population:
        """Run programs on all cases; everyone's age is 0."""
        result = Population.unmeasured(programs, self._error_room(len(programs)))
        self._measure_at(np.arange(len(programs)), result, scaling, limited, n_jobs)
        return result

    def attempt(self, programs: Programs, *, scaling: bool, limited: bool, n_jobs: int = 1) -> Population:
        """As `measure`; the next attempt overwrites the errors."""
        self.trial_room = _enough(self.trial_room, len(programs), len(self))
        result = Population.unmeasured(programs, self.trial_room[: len(programs)])
        self._measure_at(np.arange(len(programs)), result, scaling, limited, n_jobs)
        return result

    def measure_new(
        self, programs: Programs, origin: np.ndarray, parents: Population, *, scaling: bool, limited: bool,
        n_jobs: int = 1,
    ) -> Population:  # fmt: skip
        """As `measure`, but what is equal to a parent (`origin` its index, -1 for none) is not run again."""
        result = Population.unmeasured(programs, self._error_room(len(programs)))
        copies = np.flatnonzero(origin >= 0)
        result.put_measures(copies, parents, origin[copies], n_jobs)
        self._measure_at(np.flatnonzero(origin < 0), result, scaling, limited, n_jobs)
        return result

    def audit(self, population: Population, n_jobs: int = 1) -> None:
        """Run the best few programs of each length on many more shadow rows, once, and mark those that are not tame
        there.

        Few shadow rows miss what is wild in few places; all programs on many rows would take too long.
        """
        if self.audit_X is None:
            return
        length, standing = population.programs.length, population.standing
        order = np.lexsort((standing, length))
        place = np.arange(len(order)) - np.searchsorted(length[order], length[order])
        best = order[place < AUDITED]
        new = best[(population.tame[best] == 1) & np.isfinite(standing[best])]
        if not len(new):
            return
        low, high = self.limits
        out = evaluate_blocks(population.programs.take(new), self.audit_X, n_jobs)
        slope, intercept = (a[new, None].astype(np.float32) for a in (population.slope, population.intercept))
        with np.errstate(all="ignore"):
            scaled = slope * out + intercept
            population.tame[new] = np.where(((scaled >= low) & (scaled <= high)).all(axis=1), 2, 0)

    def _error_room(self, n: int) -> np.ndarray:
        """Room (n, rows) that nobody else refers to: that of a population which is gone, or new."""
        for room in self.error_rooms:
            # The list, the loop and the question itself: whoever had a view of it would be the fourth.
            if len(room) == n and sys.getrefcount(room) == 3:
                return room[:]
        new = np.empty((n, len(self)), np.float32)
        if len(self.error_rooms) < ERROR_ROOMS:
            self.error_rooms.append(new)
        return new[:]

    def _measure_at(self, who: np.ndarray, result: Population, scaling: bool, limited: bool, n_jobs: int) -> None:
        """Run the programs of `result` at `who`, and fill in their rows."""
        from epsilex.kernels import fitting, slices

        out = self.outputs(result.programs if len(who) == len(result) else result.programs.take(who), n_jobs)
        r = result

        def part(first: int, last: int) -> None:
            fitting.measure(
                self.loss, out, self.y, self.centred, self.y_mean, self.weight, len(self), self.n_shadow, *self.limits,
                scaling, limited, who, r.errors, r.fitness, r.mae, r.slope, r.intercept, r.outputs, r.tame, first, last,
            )  # fmt: skip

        slices.run(part, len(who), n_jobs)
        if self.audit_X is None:
            r.tame[who] *= 2  # there are no other rows to be seen on


def _enough(room: np.ndarray, n: int, width: int) -> np.ndarray:
    """Room for at least n rows: what there is, or new."""
    return room if len(room) >= n and room.shape[1] == width else np.empty((n, width), np.float32)


def loss_function(loss: str | Callable) -> Callable:
    """The function of (y, prediction), both of them arrays, behind a loss's name or function."""
    if not callable(loss):
        if loss not in LOSSES:
            raise ValueError(
                f"loss: expected one of {', '.join(LOSSES)}, or a function of (y, prediction); got {loss!r}"
            )
        return LOSSES[loss]
    code = getattr(loss, "__code__", None)
    if code is None or code.co_argcount != 2:
        raise ValueError(f"loss: expected a Python function of (y, prediction); got {loss!r}")
    try:
        if np.shape(loss(np.ones(2), np.ones(2))) == (2,):
            return loss
    except (TypeError, ValueError):
        pass  # written for numbers, with branches perhaps
    return np.vectorize(loss, otypes=[float])


def compiled_loss(loss: str | Callable, y: np.ndarray) -> int:
    """The address of the block kernel of a loss, which is not to be negative for targets such as `y`."""
    function = loss_function(loss)
    if not callable(loss):
        return loss_address(loss, function)
    name = "".join(c if c.isalnum() else "_" for c in loss.__name__)
    try:
        address = loss_address(name, loss)
    except ValueError as error:
        raise ValueError(f"loss: expected a function of (y, prediction) that Numba can compile; {error}") from None
    some = np.quantile(y, np.linspace(0.0, 1.0, 9))
    with np.errstate(all="ignore"):
        values = function(*(a.ravel() for a in np.meshgrid(some, some)))
    if (values < -1e-6 * np.nanmax(np.abs(values))).any():
        raise ValueError(f"loss: expected values of at least 0, for which 0 is the best; got {np.nanmin(values)}")
    return address
