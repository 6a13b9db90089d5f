"""Counter-based random numbers: a stream is keyed by its address and gives the same numbers to any caller.

A stream is a uint64 array of one element, `s`. Each draw steps it by the golden-ratio constant and mixes
(splitmix64), so the n-th number of a stream is a pure function of its key and n.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit

u64 = np.uint64
STEP = u64(0x9E3779B97F4A7C15)
M1 = u64(0xBF58476D1CE4E5B9)
M2 = u64(0x94D049BB133111EB)
UNIT = 2.0**-53


@inner
def mix(z):
    z = (z ^ (z >> u64(30))) * M1
    z = (z ^ (z >> u64(27))) * M2
    return z ^ (z >> u64(31))


@inner
def key(seed, generation, purpose, slot):
    """The key of the stream at an address; `purpose` distinguishes the streams of one slot."""
    z = mix(u64(seed) + STEP)
    z = mix(z ^ (u64(generation) * M1 + STEP))
    z = mix(z ^ (u64(purpose) * M2 + STEP))
    return mix(z ^ (u64(slot) * STEP + M1))


@inner
def draw(s):
    """64 random bits."""
    s[0] += STEP
    return mix(s[0])


@inner
def unit(s):
    """Uniform in [0, 1)."""
    return float(draw(s) >> u64(11)) * UNIT


@inner
def below(s, n):
    """Uniform integer in [0, n), n at most 2**31; the bias is below 2**-32."""
    return np.int64(((draw(s) >> u64(32)) * u64(n)) >> u64(32))


@inner
def normal(s):
    """Standard normal, by Box and Muller's polar form."""
    while True:
        a = 2.0 * unit(s) - 1.0
        b = 2.0 * unit(s) - 1.0
        r = a * a + b * b
        if 0.0 < r < 1.0:
            return a * np.sqrt(-2.0 * np.log(r) / r)


@jit
def uniform_integers(seed, generation, purpose, low, high, out):
    """Fill `out` with uniform integers from low to high, both included, one stream per place."""
    s = np.empty(1, np.uint64)
    for i in range(out.size):
        s[0] = key(seed, generation, purpose, i)
        out[i] = low + below(s, high - low + 1)
