"""Buffers: large arrays that are used again and again, because new memory costs page faults.

A buffer belongs to whoever holds the array it is handed out as, or any view of it. When the last of these is gone, the
buffer is free and may be handed out again.
"""

from __future__ import annotations

import weakref

import numpy as np


class Buffers:
    """Arrays (n, width) float32; at most `kept` of them wait to be used again."""

    def __init__(self, width: int, kept: int = 3):
        self.width = width
        self.kept = kept
        self._free: list[np.ndarray] = []

    def take(self, n: int) -> np.ndarray:
        """An array (n, width) that nobody else refers to; its content is anything."""
        fitting = next((k for k, memory in enumerate(self._free) if len(memory) == n), None)
        memory = np.empty((n, self.width), np.float32) if fitting is None else self._free.pop(fitting)
        loan = _Loan(memory)
        weakref.finalize(loan, _give_back, weakref.ref(self), memory).atexit = False
        return np.asarray(loan)


class _Loan:
    """What an array that is handed out and all views of it refer to; it is gone when the last of them is.

    The array itself would not do: NumPy shortens a view of a view to the one behind both.
    """

    def __init__(self, memory: np.ndarray):
        self.__array_interface__ = memory.__array_interface__


def _give_back(buffers: weakref.ref[Buffers], memory: np.ndarray) -> None:
    owner = buffers()
    if owner is not None and len(owner._free) < owner.kept:
        owner._free.append(memory)
