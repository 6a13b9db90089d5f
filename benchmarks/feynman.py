"""Ten formulas of the Feynman Symbolic Regression Database, with its ranges of the variables.

Udrescu, Tegmark, AI Feynman: a physics-inspired method for symbolic regression, Science Advances 6(16), 2020. Chosen
before any was fitted: two to nine variables, and each of quotients, squares, roots, sines, exponentials and logarithms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ROWS = 1000  # for training, and as many for the test


@dataclass(frozen=True)
class Formula:
    """A formula as a function of a module of mathematics, numpy or sympy, and the variables.

    ranges  of each variable, in the order of the function's arguments; values are drawn uniformly
    """

    name: str
    function: Callable
    ranges: dict[str, tuple[float, float]]

    def values(self, X: np.ndarray) -> np.ndarray:
        """(rows,) float64, for X (rows, variables)."""
        return self.function(np, *X.T)

    def sympy(self, symbols):
        """The exact SymPy expression over these symbols, one a variable."""
        import sympy

        return self.function(sympy, *symbols)

    def draw(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """X (rows, variables)."""
        low, high = np.array(list(self.ranges.values()), float).T
        return rng.uniform(low, high, (rows, len(low)))


def _all(names: str, low: float, high: float) -> dict[str, tuple[float, float]]:
    return dict.fromkeys(names.split(), (low, high))


FORMULAS = {
    formula.name: formula
    for formula in (
        Formula(
            "I.6.2",
            lambda m, sigma, theta: m.exp(-((theta / sigma) ** 2) / 2) / (m.sqrt(2 * m.pi) * sigma),
            _all("sigma theta", 1, 3),
        ),
        Formula(
            "I.8.14",
            lambda m, x1, x2, y1, y2: m.sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2),
            _all("x1 x2 y1 y2", 1, 5),
        ),
        Formula(
            "I.9.18",
            lambda m, m1, m2, G, x1, x2, y1, y2, z1, z2: (
                G * m1 * m2 / ((x2 - x1) ** 2 + (y2 - y1) ** 2 + (z2 - z1) ** 2)
            ),
            _all("m1 m2 G", 1, 2)
            | {"x1": (3, 4), "x2": (1, 2), "y1": (3, 4), "y2": (1, 2), "z1": (3, 4), "z2": (1, 2)},
        ),
        Formula(
            "I.12.11",
            lambda m, q, Ef, B, v, theta: q * (Ef + B * v * m.sin(theta)),
            _all("q Ef B v theta", 1, 5),
        ),
        Formula("I.13.4", lambda m, mass, v, u, w: mass * (v**2 + u**2 + w**2) / 2, _all("m v u w", 1, 5)),
        Formula("I.18.4", lambda m, m1, m2, r1, r2: (m1 * r1 + m2 * r2) / (m1 + m2), _all("m1 m2 r1 r2", 1, 5)),
        Formula("I.27.6", lambda m, d1, d2, n: 1 / (1 / d1 + n / d2), _all("d1 d2 n", 1, 5)),
        Formula(
            "I.40.1",
            lambda m, n_0, mass, x, T, g, kb: n_0 * m.exp(-mass * g * x / (kb * T)),
            _all("n_0 m x T g kb", 1, 5),
        ),
        Formula(
            "I.44.4",
            lambda m, n, kb, T, V1, V2: n * kb * T * m.log(V2 / V1),
            _all("n kb T V1 V2", 1, 5),
        ),
        Formula(
            "I.50.26",
            lambda m, x1, omega, t, alpha: x1 * (m.cos(omega * t) + alpha * m.cos(omega * t) ** 2),
            _all("x1 omega t alpha", 1, 3),
        ),
    )
}
