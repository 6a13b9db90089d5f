"""Formulas from units: products of the target's dimension times functions of dimensionless groups."""

import numpy as np
import pytest

from epsilex.dimensions.knowledge import rule_of
from epsilex.dimensions.law import law_of
from epsilex.evolution import Settings
from epsilex.planting import Limits
from epsilex.planting.groups import groups
from epsilex.programs.numeric import evaluate64

N, NOISE = 500, 0.1

CASES = {
    "resonance": (
        {"F": "N", "m": "kg", "w": "1/s", "v": "1/s"}, "m^2",
        lambda F, m, w, v: (F / (m * v**2) / (1.0 - (w / v) ** 2)) ** 2,
        {"w": (1.0, 2.0), "v": (2.5, 4.0)},
    ),
    "beat": (
        {"A": "m", "w": "1/s", "v": "1/s", "t": "s"}, "m",
        lambda A, w, v, t: A * np.cos(0.5 * (w - v) * t) ** 2,
        {"w": (4.0, 6.0)},
    ),
    "decay": (
        {"Q": "C", "R": "ohm", "C": "F", "t": "s"}, "A",
        lambda Q, R, C, t: Q / (R * C) * np.exp(-t / (R * C)),
        {"t": (0.1, 5.0)},
    ),
    "drag": (
        {"d": "kg/m^3", "v": "m/s", "L": "m", "mu": "Pa*s"}, "N",
        lambda d, v, L, mu: 0.4 * d * v**2 * L**2 + 9.0 * mu * v * L,
        {"mu": (0.1, 4.0)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_law_with_noise_is_planted(name):
    units, target, law, ranges = CASES[name]
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.uniform(*ranges.get(column, (1.0, 3.0)), N) for column in units])
    true = law(*X.T)
    y = true + NOISE * true.std() * rng.normal(size=N)
    settings = Settings()
    rule = rule_of(units, target, "none", list(units), "y")
    known = law_of(rule, settings.operators, settings.max_length)
    found = groups(known, X, y, Limits(settings.operators, settings.max_length, 1000))
    assert found
    assert all(rule.allows(nodes) for nodes in found)
    shares = []
    for nodes in found:
        values = evaluate64(nodes, X)
        c = values @ true / (values @ values)
        shares.append(((true - c * values) ** 2).mean() / true.var())
    assert min(shares) < 0.05 * NOISE**2  # far below the noise
