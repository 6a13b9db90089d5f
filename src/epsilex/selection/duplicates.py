"""Individuals with equal errors: a rule that knows no chance between them takes any of them."""

from __future__ import annotations

import numpy as np


def classes(errors: np.ndarray) -> np.ndarray:
    """(individuals,) int64: a number for each distinct row of errors, from 0; by a 64-bit hash of the row."""
    words = np.ascontiguousarray(errors).view(np.uint32 if errors.dtype == np.float32 else np.uint64)
    weight = np.random.default_rng(0).integers(2**63, size=words.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(
        1
    )
    with np.errstate(over="ignore"):
        mixed = words.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)  # low bits must count too: the sum is modulo 2**64
        hashed = (mixed * weight).sum(axis=1, dtype=np.uint64)
    return np.unique(hashed, return_inverse=True)[1].reshape(-1)


def any_copy(chosen: np.ndarray, errors: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each chosen individual, or one with the same errors, all of them equally likely."""
    of = classes(errors)
    order = np.argsort(of, kind="stable")
    count = np.bincount(of)
    first = np.cumsum(count) - count
    c = of[chosen]
    return order[first[c] + rng.integers(count[c])]
