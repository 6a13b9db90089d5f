"""Ten laws of which the shape is known: signs of slopes, limits and fixed values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

ROWS = 30  # for training
NOISE = 0.25  # of the standard deviation of the law's values
BEYOND = 0.25  # by which the box of the constraints exceeds the upper ends of the data


@dataclass(frozen=True)
class Shaped:
    """A law of columns.

    text         as a person writes it
    ranges       of the columns in the training rows
    constraints  that hold over the box
    value        function of the columns
    """

    text: str
    ranges: dict[str, tuple[float, float]]
    constraints: tuple[str, ...]
    value: Callable[..., np.ndarray]

    @property
    def box(self) -> dict[str, tuple[float, float]]:
        """Where the constraints hold: also beyond the data."""
        return {name: (low, high + BEYOND * (high - low)) for name, (low, high) in self.ranges.items()}

    def rows(self, n: int, seed: int, beyond: bool = False) -> pd.DataFrame:
        """Rows without noise, from the ranges of the data or from the whole box."""
        rng = np.random.default_rng([seed, n])
        ranges = self.box if beyond else self.ranges
        X = {name: rng.uniform(*ends, n) for name, ends in ranges.items()}
        return pd.DataFrame(X).assign(y=self.value(**X))

    def measured(self, seed: int) -> pd.DataFrame:
        frame, rng = self.rows(ROWS, seed), np.random.default_rng([seed, 1])
        return frame.assign(y=frame["y"] + NOISE * frame["y"].std(ddof=0) * rng.normal(size=ROWS))


LAWS = {
    "cooling": Shaped(
        "20 + 65*exp(-0.05*t)", {"t": (0, 60)}, ("decreasing in t", "convex in t", "f >= 20"),
        lambda t: 20 + 65 * np.exp(-0.05 * t),
    ),
    "dose and age": Shaped(
        "100*d/(1 + d + 0.05*a)", {"d": (0, 8), "a": (20, 80)},
        ("increasing in d", "decreasing in a", "concave in d", "f(d=0) = 0", "f <= 100"),
        lambda d, a: 100 * d / (1 + d + 0.05 * a),
    ),
    "inhibited enzyme": Shaped(
        "8*S/(1.5*(1 + i/2) + S)", {"S": (0, 10), "i": (0, 6)},
        ("increasing in S", "decreasing in i", "concave in S", "f(S=0) = 0", "f >= 0"),
        lambda S, i: 8 * S / (1.5 * (1 + i / 2) + S),
    ),
    "Arrhenius": Shaped(
        "3e6*exp(-5000/T)", {"T": (280, 380)}, ("increasing in T", "convex in T", "f >= 0"),
        lambda T: 3e6 * np.exp(-5000 / T),
    ),
    "Cobb-Douglas": Shaped(
        "2*K^0.3*L^0.7", {"K": (0.5, 9), "L": (0.5, 9)},
        ("increasing in K", "increasing in L", "concave in K", "concave in L", "f >= 0"),
        lambda K, L: 2 * K**0.3 * L**0.7,
    ),
    "demand": Shaped(
        "12*m/(3 + p)", {"p": (0.5, 12), "m": (1, 4)},
        ("decreasing in p", "convex in p", "increasing in m", "f(m=0) = 0"),
        lambda p, m: 12 * m / (3 + p),
    ),
    "light in water": Shaped(
        "L*exp(-(0.04 + 0.1*c)*z)", {"L": (50, 200), "c": (0, 3), "z": (0, 15)},
        ("increasing in L", "decreasing in c", "decreasing in z", "f(L=0) = 0"),
        lambda L, c, z: L * np.exp(-(0.04 + 0.1 * c) * z),
    ),
    "stopping distance": Shaped(
        "0.8*v + v^2/(19.6*mu)", {"v": (0, 35), "mu": (0.2, 0.9)},
        ("increasing in v", "convex in v", "decreasing in mu", "f(v=0) = 0"),
        lambda v, mu: 0.8 * v + v**2 / (19.6 * mu),
    ),
    "adsorption": Shaped(
        "5*p/(p + 0.2*exp(0.02*(T - 280)))", {"p": (0, 4), "T": (280, 380)},
        ("increasing in p", "concave in p", "decreasing in T", "f(p=0) = 0", "f <= 5"),
        lambda p, T: 5 * p / (p + 0.2 * np.exp(0.02 * (T - 280))),
    ),
    "growth": Shaped(
        "10/(1 + 12*exp(-r*t))", {"t": (0, 10), "r": (0.3, 0.9)},
        ("increasing in t", "increasing in r", "f >= 0", "f <= 10"),
        lambda t, r: 10 / (1 + 12 * np.exp(-r * t)),
    ),
}  # fmt: skip
