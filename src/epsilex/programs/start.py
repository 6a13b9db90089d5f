"""Random programs within length limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.programs.operators import arities, opcodes
from epsilex.programs.programs import Programs

DEFAULT_OPERATORS = ("add", "sub", "mul", "div", "sin", "cos", "exp", "log")


def by_arity(names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Opcodes of the unary and of the binary operators among `names`, each once."""
    codes = opcodes(dict.fromkeys(names))
    arity = arities()[codes]
    return codes[arity == 1], codes[arity == 2]


def check_lengths(min_length: int, max_length: int) -> None:
    if not 1 <= min_length <= max_length:
        raise ValueError(
            f"min_length, max_length: expected 1 <= min_length <= max_length; got {min_length} and {max_length}"
        )


def random_programs(
    n: int,
    n_features: int,
    rng: np.random.Generator,
    min_length: int = 3,
    max_length: int = 50,
    operators: Sequence[str] = DEFAULT_OPERATORS,
    constant_share: float = 0.5,
    constant_range: tuple[float, float] = (-1.0, 1.0),
) -> Programs:
    """`n` random programs, their lengths uniform between the limits.

    Operators are drawn uniformly and forced while the node budget lasts ("full" growth); a leaf is a constant from
    `constant_range` with probability `constant_share`, else a feature. Without unary operators all lengths are odd.
    """
    if n < 0 or n_features < 1:
        raise ValueError(f"n, n_features: expected n >= 0 and n_features >= 1; got {n} and {n_features}")
    check_lengths(min_length, max_length)
    if not len(operators):
        raise ValueError("operators: expected at least one; got none")
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng: expected a numpy.random.Generator; got {rng!r}")
    seed = int(rng.integers(2**63))
    lengths = rng.integers(min_length, max_length + 1, size=n)
    return grown(
        seed, 0, 0, np.arange(n), lengths, max_length, n_features, by_arity(operators), constant_share, constant_range
    )


def grown(
    seed: int,
    generation: int,
    purpose: int,
    slots: np.ndarray,
    lengths: np.ndarray,
    width: int,
    n_features: int,
    operators: tuple[np.ndarray, np.ndarray],
    constant_share: float,
    constant_range: tuple[float, float],
    coefficients: bool = False,
) -> Programs:
    """Random programs of given lengths from the streams at (seed, generation, purpose, slots)."""
    from epsilex.kernels.growing import random_start

    programs = Programs.empty(len(slots), width)
    unary, binary = operators
    lengths = np.asarray(lengths, np.int64)
    if len(unary) == 0:  # only odd lengths exist: use the next, or the previous if that is too long
        lengths = np.minimum(lengths | 1, width - 1 | 1)
    random_start(
        np.uint64(seed), generation, purpose, np.asarray(slots, np.int64), lengths,
        programs.opcode, programs.feature, programs.constant, programs.length, unary, binary, n_features,
        constant_share, *constant_range, coefficients, 0, len(slots),
    )  # fmt: skip
    return programs
