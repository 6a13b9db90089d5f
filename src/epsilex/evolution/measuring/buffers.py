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
        # Over a memoryview, not over the array: NumPy would shorten a view of a view to the array behind both, and
        # could not tell that the one in the middle is still needed.
        array = np.ndarray(memory.shape, np.float32, buffer=memory.data)
        weakref.finalize(array, _give_back, weakref.ref(self), memory).atexit = False
        return array


def _give_back(buffers: weakref.ref[Buffers], memory: np.ndarray) -> None:
    owner = buffers()
    if owner is not None and len(owner._free) < owner.kept:
        owner._free.append(memory)
