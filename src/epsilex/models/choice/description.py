"""The description length of data by a formula: what the formula, its constants and the residuals take to write down.

J. Rissanen, Modeling by shortest data description, Automatica 14, 1978, and A universal prior for integers, Annals of
Statistics 11, 1983; P. Grünwald, The Minimum Description Length Principle, 2007; D. Bartlett, H. Desmond, P. Ferreira,
Exhaustive Symbolic Regression, IEEE Transactions on Evolutionary Computation, 2023.

In nats, for k nodes, of which l are features, of d columns, and constants theta:

    k log(A) + l log(d)                      the structure: A operators, a bare or scaled feature, a constant
  + sum of log(6) + log(|theta| / delta) + 1/2     constants to the precision that the data gives
  - log p(y | formula, noise)                the residuals

delta = sqrt(12 / I) is the width of the grid to which a constant is rounded, I its Fisher information: rounding then
costs half a nat on average, and a finer or coarser grid costs more. log(6) names sign and kind: a constant that is a
whole number or a simple fraction is written as such where that is shorter, by Rissanen's code of whole numbers. A
coefficient of 1 is a bare feature.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.models.choice.noise import Noise
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places, jacobian64
from epsilex.programs.operators import FEATURE

LEAVES = 3  # symbols beside the operators: a bare feature, a feature with a coefficient, a constant
KIND = math.log(6.0)  # sign, and one of real, whole, fraction
UNIVERSAL = math.log(2.865064)  # normalises the code of whole numbers
DENOMINATORS, FRACTIONS, WHOLE = 4, 10.0, 1e6  # of simple fractions, at most; and how large these and whole numbers are
MAX_ROWS = 20_000  # more rows change the information less than half a nat


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """Lengths in nats, and the noise under which the residuals are shortest."""

    structure: float
    constants: float
    residuals: float
    noise: Noise
    variance: float

    @property
    def total(self) -> float:
        return self.structure + self.constants + self.residuals


@dataclass(frozen=True, slots=True)
class Language:
    """What formulas are written in."""

    n_operators: int
    n_features: int

    def structure(self, nodes: Sequence[Node]) -> float:
        """Nats of a program without its constants."""
        leaves = sum(code == FEATURE for code, _, _ in nodes)
        return len(nodes) * math.log(self.n_operators + LEAVES) + leaves * math.log(max(self.n_features, 1))


def describe(nodes: Sequence[Node], X: np.ndarray, noises: Sequence[Noise], language: Language) -> Description | None:
    """The shortest description under one of the noises; None where the formula is not finite on every row."""
    places = constant_places(nodes)
    rows = slice(None) if len(X) <= MAX_ROWS else np.linspace(0, len(X) - 1, MAX_ROWS).astype(int)
    out, jacobian = jacobian64(nodes, X, places)
    if not np.isfinite(out).all():
        return None
    structure = language.structure(nodes)
    values = [nodes[k][2] for k in places]
    bare = [nodes[k][0] == FEATURE and nodes[k][2] == 1.0 for k in places]
    best: Description | None = None
    for noise in noises:
        residuals = noise.residuals(out)
        nats = noise.nats(residuals)
        if not math.isfinite(nats):
            continue
        variance = noise.variance(residuals)
        slopes = noise.slopes(out, jacobian)[rows]
        with np.errstate(all="ignore"):
            information = (noise.weight[rows, None] * slopes**2).sum(axis=0) * (len(X) / len(slopes)) / variance
        constants = sum(
            constant_nats(value, i) for value, i, free in zip(values, information, bare, strict=True) if not free
        )
        found = Description(structure, constants, nats, noise, variance)
        if best is None or found.total < best.total:
            best = found
    return best


def constant_nats(value: float, information: float) -> float:
    """Nats of one constant: as a whole number or simple fraction where it is one, or else to the data's precision."""
    simple = simple_nats(value)
    if not math.isfinite(information):
        return simple if math.isfinite(simple) else 1e3
    steps = abs(value) * math.sqrt(information / 12.0)
    return KIND + min(math.log(max(steps, 1.0)) + 0.5, simple)


def simple_nats(value: float) -> float:
    """Nats of a whole number or a fraction with a small denominator, without sign and kind; infinite for another."""
    if value == 0.0:
        return UNIVERSAL
    if not (abs(value) < FRACTIONS or (value.is_integer() and abs(value) < WHOLE)):
        return math.inf
    for q in range(1, DENOMINATORS + 1):
        if (abs(value) * q).is_integer():
            return star(abs(value) * q) + (star(q) if q > 1 else 0.0)
    return math.inf


def star(number: float) -> float:
    """Rissanen's universal code length of a whole number from 1 on, in nats: log n + log log n + ... + a constant."""
    total, part = UNIVERSAL, math.log2(number)
    while part > 0.0:
        total += part * math.log(2.0)
        part = math.log2(part) if part > 1.0 else 0.0
    return total


def is_number(nodes: Sequence[Node]) -> bool:
    """Whether a formula is a constant: it says that nothing matters."""
    return all(code != FEATURE for code, _, _ in nodes)


def fitted_places(nodes: Sequence[Node]) -> list[int]:
    """Nodes whose constant was fitted: neither a bare feature nor a whole number or simple fraction."""
    return [
        k for k in constant_places(nodes)
        if not (nodes[k][0] == FEATURE and nodes[k][2] == 1.0) and not math.isfinite(simple_nats(nodes[k][2]))
    ]  # fmt: skip

