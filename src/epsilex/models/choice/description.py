"""The description length of data by a formula: the cost of writing down the formula, its constants and the residuals.

J. Rissanen, Modeling by shortest data description, Automatica 14, 1978, and A universal prior for integers, Annals of
Statistics 11, 1983; P. Grünwald, The Minimum Description Length Principle, 2007; D. Bartlett, H. Desmond, P. Ferreira,
Exhaustive Symbolic Regression, IEEE Transactions on Evolutionary Computation, 2023.

In nats, for nodes of probability p, l of which are features from d columns, and constants theta:

    sum of -log(p) + l log(d)                the structure, see `language.py`
  + k (log(6) + 1/2) + log det(1 + J / 12) / 2   k constants, to the precision that the data gives
  - log p(y | formula, noise)                the residuals
  + n log(10) / 2, if a wave is faster than the n rows: such a formula must leave a tenth of the squared error
  + log(100), if relative noise is chosen    which must show odds of a hundred to one over additive noise, because
                                             most data has some additive noise, and predictions pay in squares

J is the Fisher information of relative changes of the constants. A constant is rounded to a grid of width sqrt(12 / I),
I its own information: that costs half a nat on average, and a finer or coarser grid costs more. Several are rounded
together (C. Wallace, P. Freeman, Estimation and inference by compact coding, Journal of the Royal Statistical Society B
49, 1987): where one can make up for another, as the factor of an exponential does for its rate, fewer digits are needed
than for each alone. The 1 in the determinant says that a number of no influence has no digits. log(6) names sign and
kind: a whole number or simple fraction is written as such if that is shorter, by Rissanen's code of whole numbers. A
feature with coefficient 1 is a bare feature, and a constant that appears in two places is written once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from epsilex.data.noise import Noise
from epsilex.data.rows import evenly
from epsilex.models.choice.claims import UNSEEN, claims
from epsilex.models.choice.language import NESTED, Language
from epsilex.programs.constants import is_symbolic
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places
from epsilex.programs.operators import CONSTANT, FEATURE

KIND = math.log(6.0)  # sign, and one of real, whole, fraction
UNIVERSAL = math.log(2.865064)  # normalises the code of whole numbers
DENOMINATORS, FRACTIONS, WHOLE = 4, 10.0, 1e6  # limits: denominator and size of simple fractions, size of whole numbers
ODDS = 100.0  # to one, required of relative noise
SAME = 1e-3  # nats by which the residuals of two forms of one function may differ
MAX_ROWS = 20_000  # more rows change the information by less than half a nat


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """Lengths in nats, and the noise under which they are shortest; `choosing` is the charge for that noise, `hidden`
    that for a wave faster than the rows."""

    structure: float
    constants: float
    residuals: float
    noise: Noise
    variance: float
    choosing: float = 0.0
    hidden: float = 0.0

    @property
    def total(self) -> float:
        return self.structure + self.constants + self.residuals + self.choosing + self.hidden

    def total_under(self, noise: Noise, residuals: np.ndarray, chosen: bool) -> float:
        """The total with other residuals, under a noise that may have been chosen."""
        return self.structure + self.constants + noise.nats(residuals) + _choosing(noise, chosen) + self.hidden

    def is_alike(self, other: Description) -> bool:
        """Whether both seem to be of one function in two forms: they leave the same residuals."""
        return abs(self.residuals - other.residuals) <= SAME


def describe(nodes: Sequence[Node], X: np.ndarray, noises: Sequence[Noise], language: Language) -> Description | None:
    """The shortest description under one of the noises; None if the formula is not finite on every row."""
    places = constant_places(nodes)
    rows = evenly(len(X), MAX_ROWS)
    some, jacobian = language.jacobian(nodes, X[rows], places)
    out = some if len(some) == len(X) else language.values(nodes, X)
    if not np.isfinite(out).all():
        return None
    claimed = claims(language.formula(nodes), X[rows], is_simple)
    structure = language.structure(nodes) + NESTED * claimed.count
    hidden = 0.5 * len(X) * math.log(UNSEEN) if claimed.hidden else 0.0
    shared = _shared([nodes[k] for k in places])
    fixed = sum(KIND + simple_nats(value) for k, (code, _, value) in enumerate(nodes) if _is_fixed(code, k, places))
    best: Description | None = None
    for noise in noises:
        residuals = noise.residuals(out)
        nats = noise.nats(residuals)
        if not math.isfinite(nats):
            continue
        variance = noise.variance(residuals)
        slopes = noise.slopes(some, jacobian)
        with np.errstate(all="ignore"):
            scale = np.sqrt(noise.weight[rows] * (len(X) / len(slopes)) / variance)
            relative = [scale * _together(slopes, members, nodes, places) for members in shared.values()]
        constants = fixed + constants_nats(list(shared), relative) + KIND * sum(len(m) - 1 for m in shared.values())
        choosing = _choosing(noise, len(noises) > 1)
        found = Description(structure, constants, nats, noise, variance, choosing, hidden)
        if best is None or found.total < best.total:
            best = found
    return best


def _choosing(noise: Noise, chosen: bool) -> float:
    """Nats for the kind of noise, if it was chosen."""
    return math.log(ODDS) if chosen and noise.kind == "relative" else 0.0


def _together(slopes: np.ndarray, members: Sequence[int], nodes: Sequence[Node], places: Sequence[int]) -> np.ndarray:
    """Derivatives (rows,) by a relative change of constants of one size."""
    if len(members) == 1:
        return slopes[:, members[0]] * nodes[places[members[0]]][2]
    return slopes[:, members] @ [nodes[places[i]][2] for i in members]


def _is_fixed(code: int, place: int, places: Sequence[int]) -> bool:
    """Whether a node is a number that is never tuned: the whole exponent of a power, which must be written, too."""
    return code == CONSTANT and place not in places


def _shared(leaves: Sequence[Node]) -> dict[float, list[int]]:
    """Indices of leaves by the size of their constant, without bare features."""
    found: dict[float, list[int]] = {}
    for i, (code, _, value) in enumerate(leaves):
        if not (code == FEATURE and value == 1.0):
            found.setdefault(abs(value), []).append(i)
    return found


def constants_nats(values: Sequence[float], slopes: Sequence[np.ndarray]) -> float:
    """Nats of constants: each as a whole number or simple fraction if that is shorter, the others together.

    `slopes` are derivatives of the outputs, in units of the noise, by relative changes of the constants.
    """
    total, real = 0.0, []
    for value, slope in zip(values, slopes, strict=True):
        with np.errstate(all="ignore"):
            steps = float(np.sqrt(slope @ slope / 12.0))
        simple = simple_nats(value)
        if not math.isfinite(steps):
            total += simple if math.isfinite(simple) else 1e3
        elif simple <= precision_nats(steps):
            total += KIND + simple
        else:
            real.append(slope)
    if real:
        axes = np.linalg.svd(np.column_stack(real), compute_uv=False)  # the determinant itself may lose all digits
        total += sum(KIND + precision_nats(float(steps) / math.sqrt(12.0)) for steps in axes)
        total += (len(real) - len(axes)) * (KIND + 0.5)  # more constants than rows
    return total


def constant_nats(value: float, information: float) -> float:
    """Nats of one constant by its Fisher information, whatever the other constants are."""
    simple = simple_nats(value)
    if not math.isfinite(information):
        return simple if math.isfinite(simple) else 1e3
    return KIND + min(precision_nats(abs(value) * math.sqrt(information / 12.0)), simple)


def precision_nats(steps: float) -> float:
    """Nats of a number of so many steps of the grid to which it is rounded."""
    return math.log(math.hypot(1.0, steps)) + 0.5


def simple_nats(value: float) -> float:
    """Nats of a whole number or a fraction with a small denominator, without sign and kind; infinite for any other."""
    if value == 0.0:
        return UNIVERSAL
    if not (abs(value) < FRACTIONS or (value.is_integer() and abs(value) < WHOLE)):
        return math.inf
    for q in range(1, DENOMINATORS + 1):
        if (abs(value) * q).is_integer():
            return star(abs(value) * q) + (star(q) if q > 1 else 0.0)
    return math.inf


def is_simple(value: float) -> bool:
    """Whether a number is whole, or a simple fraction."""
    return math.isfinite(simple_nats(value))


@lru_cache(maxsize=4096)
def star(number: float) -> float:
    """Rissanen's universal code length of a whole number from 1 on, in nats: log n + log log n + ... + a constant."""
    total, part = UNIVERSAL, math.log2(number)
    while part > 0.0:
        total += part * math.log(2.0)
        part = math.log2(part) if part > 1.0 else 0.0
    return total


def is_number(nodes: Sequence[Node]) -> bool:
    """Whether a formula is a constant, so that no feature matters."""
    return all(code != FEATURE for code, _, _ in nodes)


def fitted_places(nodes: Sequence[Node]) -> list[int]:
    """Nodes whose constant was fitted: neither a bare feature nor a whole number, simple fraction or multiple of pi."""
    return [
        k for k in constant_places(nodes)
        if not (nodes[k][0] == FEATURE and nodes[k][2] == 1.0)
        and not is_simple(nodes[k][2]) and not is_symbolic(nodes[k][2])
    ]  # fmt: skip
