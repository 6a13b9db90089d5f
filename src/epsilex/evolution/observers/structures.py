"""Structures of many programs at once: the language of the choice in tables, for the kernel `describing`."""

from __future__ import annotations

import numpy as np

from epsilex.models.choice.language import ARITHMETIC, COEFFICIENT, NESTED, TOLD, Language
from epsilex.programs import Programs
from epsilex.programs.operators import TABLE, arities, commutative


def described(programs: Programs, language: Language) -> tuple[np.ndarray, np.ndarray]:
    """(programs,) nats of structure and constants, and shapes.

    Constants that only multiply each other count once, and the factor and the offset of the whole, which linear scaling
    supplies to every program, do not count."""
    prices = np.array([language.price(code) for code in range(len(TABLE) + 2)])
    powers = np.array([language.variable_power(of_number) for of_number in (True, False)])
    nats, free, shape = _structures(programs, prices, powers)
    return nats + TOLD * free, shape


def shapes_of(programs: Programs) -> np.ndarray:
    """(programs,) uint64: a hash of operators and features that ignores constants and the order of commuting
    arguments."""
    return _structures(programs, np.zeros(len(TABLE) + 2), np.zeros(2))[2]


def _structures(
    programs: Programs, prices: np.ndarray, powers: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from epsilex.kernels.describing import structures

    nats, free, shape = (np.empty(len(programs), t) for t in (np.float64, np.int64, np.uint64))
    structures(
        programs.opcode, programs.feature, programs.constant, programs.length, arities(), commutative(), _kinds(),
        prices, NESTED, powers, COEFFICIENT, nats, free, shape,
    )  # fmt: skip
    return nats, free, shape


def _kinds() -> np.ndarray:
    """The kind of each opcode (uint8)."""
    from epsilex.kernels import describing as d

    known = {
        "add": d.SUM, "sub": d.SUM, "mul": d.PRODUCT, "div": d.QUOTIENT, "pdiv": d.QUOTIENT, "neg": d.NEGATION,
        "pow": d.POWER, "log": d.LOG, "exp": d.EXP,
    }  # fmt: skip
    plain = {name: d.MONOMIAL for name in ARITHMETIC}
    return np.array([0, 0, *((plain | known).get(row.name, d.FUNCTION) for row in TABLE)], np.uint8)
