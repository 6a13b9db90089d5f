"""Purposes: which of the streams at (seed, generation) a part of the search draws from. All of them are named here.

A kernel's stream has the address (seed, generation, purpose, slot); a part that needs no kernel has a NumPy generator
at (seed, generation, purpose). Selection has the purposes below 16, and what users register draws by its name.
"""

from __future__ import annotations

import zlib

import numpy as np

START, NEWCOMER, VARY, CLIMB, TUNE, STOCK, SCION, GRAFT = range(16, 24)
NICHE = 32  # between the purposes of one niche's variation and the next's
LENGTHS = 100  # from the purpose of new programs to that of their lengths


def generator(seed: int, generation: int, purpose: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed, generation * 256 + purpose]))


def named_generator(seed: int, generation: int, name: str) -> np.random.Generator:
    """For what a user registers: a stream of its own by its name."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, generation, zlib.crc32(name.encode())])))
