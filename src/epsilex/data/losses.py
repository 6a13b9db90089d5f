"""Losses. A function of (y, prediction) gives the error of each case; the mean error is the fitness to minimise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epsilex.programs.machine import loss_address
from epsilex.registry import Registry

POWERS = {"mae": 1, "mse": 2}  # of the target's unit; other losses depend on the unit and need the unscaled target


def mae(y: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    return np.abs(y - prediction)


def mse(y: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    return np.square(y - prediction)


def huber(y: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    r = np.abs(y - prediction)
    return np.where(r <= 1.0, 0.5 * r * r, r - 0.5)


LOSSES: Registry[Callable] = Registry("loss", mae=mae, mse=mse, huber=huber)


def power_of(loss: str | Callable) -> int:
    """The power of the target's unit in which a loss is; 1 for a loss of which that is not known."""
    return POWERS.get(loss, 1) if isinstance(loss, str) else 1


def scaled_loss(value: float, loss: str | Callable, unit: float) -> float:
    """A loss of the target in its own unit, for a target divided by `unit`; 0 where the unit is 0, as a scale of the
    least numbers may be."""
    for _ in range(power_of(loss)):
        value = value / unit if unit > 0.0 else 0.0
    return value


def loss_function(loss: str | Callable) -> Callable:
    """The function of (y, prediction), both arrays, for a loss given by name or as a function."""
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
        pass  # written for numbers, perhaps with branches
    return np.vectorize(loss, otypes=[float])


def compiled_loss(loss: str | Callable, y: np.ndarray) -> int:
    """The address of the block kernel of a loss, checked to be non-negative for targets such as `y`."""
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
