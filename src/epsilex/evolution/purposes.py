"""Purposes: which stream at (seed, generation) each part of the search draws from. All of them are named here.

A kernel's stream has the address (seed, generation, purpose, slot); a part without a kernel has a NumPy generator at
(seed, generation, purpose). Selection has the purposes below 16; parts that users register draw by their names.
"""

from __future__ import annotations

import zlib

import numpy as np

START, NEWCOMER, VARY, CLIMB, TUNE, STOCK, SCION, GRAFT, GEOMETRIC, FORM = range(16, 26)
STEER, EMIGRATE, IMMIGRATE, CASES = 40, 41, 42, 43
NICHE = 32  # offset between the variation purposes of consecutive niches
LENGTHS = 100  # offset from the purpose of new programs to that of their lengths


def generator(seed: int, generation: int, purpose: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed, generation * 256 + purpose]))


def named_generator(seed: int, generation: int, name: str) -> np.random.Generator:
    """A separate stream, by name, for a part that a user registers."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, generation, zlib.crc32(name.encode())])))
