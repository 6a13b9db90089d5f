"""Twelve forms with unknown functions, and the functions that fill them.

A form leaves some freedom: in `f(x) + g(t)` a number may move from one function to the other. So a function is compared
with the true one up to what its form cannot tell: an offset, a factor, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ROWS, FRESH = 200, 1000
NOISE = 1e-3  # of the target's standard deviation


@dataclass(frozen=True)
class Inner:
    """An unknown function: its true values, the range of each argument, and the freedom that its form leaves."""

    values: Callable[..., np.ndarray]
    ranges: tuple[tuple[float, float], ...]
    freedom: str = "none"  # none, offset or factor


@dataclass(frozen=True)
class Problem:
    """A form over columns with these ranges; `law` gives the target from the columns and the inner functions."""

    form: str
    kind: str
    columns: dict[str, tuple[float, float]]
    law: Callable[..., np.ndarray]
    inner: dict[str, Inner]

    def rows(self, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.uniform(*limits, n) for limits in self.columns.values()])
        return X, self.law(*X.T)

    def measured(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        X, y = self.rows(ROWS, seed)
        return X, y + NOISE * y.std() * np.random.default_rng(10_000 + seed).normal(size=ROWS)


def _exp_law(x, z, t):
    return (x**2 + z) * np.exp(-0.5 * t * np.sin(t)) + 2.0


PROBLEMS: dict[str, Problem] = {
    "sum": Problem(
        "f(x) + g(t)", "sum", {"x": (0.5, 3), "t": (0, 5)},
        lambda x, t: x**2 / (1 + x) + 2 * np.sin(1.5 * t),
        {"f": Inner(lambda x: x**2 / (1 + x), ((0.5, 3),), "offset"),
         "g": Inner(lambda t: 2 * np.sin(1.5 * t), ((0, 5),), "offset")},
    ),
    "product": Problem(
        "f(x)*g(t)", "product", {"x": (0.5, 3), "t": (0, 4)},
        lambda x, t: (x**3 - 2 * x + 3) * np.exp(-0.7 * t),
        {"f": Inner(lambda x: x**3 - 2 * x + 3, ((0.5, 3),), "factor"),
         "g": Inner(lambda t: np.exp(-0.7 * t), ((0, 4),), "factor")},
    ),
    "decay": Problem(
        "f(x, z)*exp(-g(t)) + c", "product, composition, constant", {"x": (0.5, 3), "z": (0, 2), "t": (0, 3)}, _exp_law,
        {"f": Inner(lambda x, z: x**2 + z, ((0.5, 3), (0, 2)), "factor"),
         "g": Inner(lambda t: 0.5 * t * np.sin(t), ((0, 3),), "offset")},
    ),
    "root": Problem(
        "sqrt(f(x) + g(z))", "composition of a sum", {"x": (0, 3), "z": (0.5, 3)},
        lambda x, z: np.sqrt(1 + x**3 + z * np.exp(z)),
        {"f": Inner(lambda x: x**3, ((0, 3),), "offset"),
         "g": Inner(lambda z: z * np.exp(z), ((0.5, 3),), "offset")},
    ),
    "difference": Problem(
        "f(x) - f(z)", "function used twice", {"x": (0.2, 4), "z": (0.2, 4)},
        lambda x, z: np.log(x) + x * np.sin(x) - np.log(z) - z * np.sin(z),
        {"f": Inner(lambda x: np.log(x) + x * np.sin(x), ((0.2, 4),), "offset")},
    ),
    "symmetric": Problem(
        "f(x)*f(z)*g(t)", "function used twice", {"x": (0, 3), "z": (0, 3), "t": (0.5, 2)},
        lambda x, z, t: (1 + x**2) * (1 + z**2) / (t + t**2),
        {"f": Inner(lambda x: 1 + x**2, ((0, 3),), "factor"),
         "g": Inner(lambda t: 1 / (t + t**2), ((0.5, 2),), "factor")},
    ),
    "wave": Problem(
        "f(x - v*t)*exp(-k*t)", "composition with constants", {"x": (-3, 3), "t": (0, 2)},
        lambda x, t: np.exp(-0.4 * t) * (x - 1.3 * t) * np.exp(-((x - 1.3 * t) ** 2)),
        {"f": Inner(lambda u: u * np.exp(-(u**2)), ((-5, 3),))},
    ),
    "nested": Problem(
        "g(x*z) + sin(f(t))", "composition", {"x": (0.5, 2), "z": (0.5, 2), "t": (0, 1.2)},
        lambda x, z, t: 3 / (1 + x * z) + np.sin(t**2 + 0.1),
        {"g": Inner(lambda u: 3 / (1 + u), ((0.25, 4),)), "f": Inner(lambda t: t**2 + 0.1, ((0, 1.2),))},
    ),
    "saturation": Problem(
        "a*f(x)/(1 + g(z)*x)", "quotient", {"x": (0.2, 4), "z": (0.3, 3)},
        lambda x, z: 3 * x**1.5 / (1 + (0.5 + z**2) * x),
        {"f": Inner(lambda x: x**1.5, ((0.2, 4),), "factor"), "g": Inner(lambda z: 0.5 + z**2, ((0.3, 3),))},
    ),
    "logarithm": Problem(
        "log(f(x)*g(z) + 1)", "composition of a product", {"x": (0, 2), "z": (0.5, 3)},
        lambda x, z: np.log((1 + x + x**2) * np.sqrt(z) + 1),
        {"f": Inner(lambda x: 1 + x + x**2, ((0, 2),), "factor"), "g": Inner(np.sqrt, ((0.5, 3),), "factor")},
    ),
    "force": Problem(
        "-d(V(x), x) - k*v", "derivative", {"x": (-2, 2), "v": (-1, 1)},
        lambda x, v: 2 * x * np.exp(-(x**2)) - 0.6 * x - 0.3 * v,
        {"V": Inner(lambda x: np.exp(-(x**2)) + 0.3 * x**2, ((-2, 2),), "offset")},
    ),
    "transport": Problem(
        "f(x)*t + k*d(f, x)", "derivative, function used twice", {"x": (0, 4), "t": (-2, 2)},
        lambda x, t: (np.sin(1.2 * x) + 0.5 * x) * t + 0.4 * (1.2 * np.cos(1.2 * x) + 0.5),
        {"f": Inner(lambda x: np.sin(1.2 * x) + 0.5 * x, ((0, 4),))},
    ),
}  # fmt: skip
