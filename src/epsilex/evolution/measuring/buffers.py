"""Buffers: large arrays that are reused, because new memory costs page faults.

`take` lends a buffer as an array. When that array and all views of it are gone, the buffer is free to be lent again.
"""

from __future__ import annotations

import weakref

import numpy as np


class Buffers:
    """Arrays (n, width) float32; at most `kept` free ones are held for reuse."""

    def __init__(self, width: int, kept: int = 3):
        self.width = width
        self.kept = kept
        self._free: list[np.ndarray] = []

    def take(self, n: int) -> np.ndarray:
        """An array (n, width) that nothing else refers to, with arbitrary content."""
        fitting = next((k for k, memory in enumerate(self._free) if len(memory) == n), None)
        memory = np.empty((n, self.width), np.float32) if fitting is None else self._free.pop(fitting)
        loan = _Loan(memory)
        weakref.finalize(loan, _give_back, weakref.ref(self), memory).atexit = False
        return np.asarray(loan)


class _Loan:
    """The base object of a lent array and all views of it; it is freed with the last of them.

    The array itself cannot serve: NumPy makes a view of a view refer to the base of both.
    """

    def __init__(self, memory: np.ndarray):
        self.__array_interface__ = memory.__array_interface__


def _give_back(buffers: weakref.ref[Buffers], memory: np.ndarray) -> None:
    owner = buffers()
    if owner is not None and len(owner._free) < owner.kept:
        owner._free.append(memory)
