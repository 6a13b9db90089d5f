"""The description length of data by a formula: the cost of writing down the formula, its constants and the residuals.

J. Rissanen, Modeling by shortest data description, Automatica 14, 1978, and A universal prior for integers, Annals of
Statistics 11, 1983; P. Grünwald, The Minimum Description Length Principle, 2007; D. Bartlett, H. Desmond, P. Ferreira,
Exhaustive Symbolic Regression, IEEE Transactions on Evolutionary Computation, 2023.

In nats, for nodes of probability p, l of which are features from d columns, and constants theta:

    sum of -log(p) + l log(d)                the structure
  + k (log(6) + 1/2) + log det(1 + J / 12) / 2   k constants, to the precision that the data gives
  - log p(y | formula, noise)                the residuals
  + n log(10) / 2, if a wave is faster than the n rows: such a formula must leave a tenth of the squared error
  + log(100), if relative noise is chosen    which must show odds of a hundred to one over additive noise, because
                                             most data has some additive noise, and predictions pay in squares

Half of the nodes of any formula are leaves: a bare feature, one with a coefficient, a number, a sixth each. Of the
operators three in four are arithmetic, including powers, and one in four is another function, such as a sine. Within
each kind all have the same probability; an operator of cost c is as unlikely as c of them. A function within a function
is a sixteenth as likely as elsewhere, and so is a part that claims more than the rows show (`claims.py`). These are our
own round numbers, not counts from a collection of formulas. exp(a log(x)) counts as a power, and a power with a
variable exponent, u^v, as exp(v log(u)).

A number that multiplies is no node, as in the length of a formula: 2*x^2 is described like 2*x, by its number, and by
one bit where it stands at anything but a feature, half of which have a coefficient in any case. So it makes no
difference whether (1.4*x)^2 or 2*x^2 is found. A factor of the whole does not pay the bit, because most laws have one:
the units of the target are arbitrary.

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from epsilex.data.noise import Noise
from epsilex.data.rows import evenly
from epsilex.models.choice.claims import UNSEEN, claims
from epsilex.programs.algebra import shortest
from epsilex.programs.algebra.gathering import gather
from epsilex.programs.algebra.pruning import prune
from epsilex.programs.constants import is_symbolic
from epsilex.programs.costs import Costs
from epsilex.programs.fold import Node, fold
from epsilex.programs.gradient import Tape, constant_places, jacobian64
from epsilex.programs.intervals import Interval
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, lookup

ARITHMETIC = {"add", "sub", "mul", "div", "neg", "inv", "square", "sqrt", "pow", "pdiv"}
FACTORED = {"mul", "div", "pdiv", "neg"}
NESTED = math.log(16.0)  # for a function within a function, and for a claim that the rows do not support
COEFFICIENT = math.log(2.0)  # for a number that multiplies something else than a feature
LEAF = math.log(6.0)  # a bare feature, a feature with a coefficient, or a constant
KIND = math.log(6.0)  # sign, and one of real, whole, fraction
UNIVERSAL = math.log(2.865064)  # normalises the code of whole numbers
DENOMINATORS, FRACTIONS, WHOLE = 4, 10.0, 1e6  # limits: denominator and size of simple fractions, size of whole numbers
ODDS = 100.0  # to one, required of relative noise
SAME = 1e-3  # nats by which the residuals of two forms of one function may differ
MAX_ROWS = 20_000  # more rows change the information by less than half a nat

Change = Callable[[Sequence[Node]], Sequence[Node]]
Variants = Callable[[Sequence[Node]], Iterable[list[Node]]]


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

    def is_alike(self, other: Description) -> bool:
        """Whether both seem to be of one function in two forms: they leave the same residuals."""
        return abs(self.residuals - other.residuals) <= SAME


@dataclass(frozen=True, slots=True)
class Language:
    """The language of formulas: operators by name, the number of features, and operators that cost several times."""

    operators: tuple[str, ...]
    n_features: int
    costs: Costs = ()

    def structure(self, nodes: Sequence[Node]) -> float:
        """Nats of a program without its constants."""
        whole = fold(nodes, self._leaf, self._branch)
        return whole.nats - whole.factor

    def price(self, code: int) -> float:
        """Nats of a node by its opcode."""
        if code in (CONSTANT, FEATURE):
            return LEAF + (math.log(max(self.n_features, 1)) if code == FEATURE else 0.0)
        return self._named(lookup(code).name)

    def _named(self, name: str) -> float:
        """Nats of an operator."""
        return self._once(name) * self._cost(name)

    def variable_power(self, of_number: bool) -> float:
        """Nats of u^v beyond those of its parts: it stands for exp(v*log(u)), and for exp(v) if u is a number."""
        exp = self._named("exp")
        return exp if of_number else exp + self._named("mul") + self._named("log") + NESTED

    def _once(self, name: str) -> float:
        """Nats of an operator of cost 1."""
        arithmetic, other = _prices(self.operators)
        return arithmetic if name in ARITHMETIC else other

    def _cost(self, name: str) -> int:
        return dict(self.costs).get(name, 1) if self.costs else 1

    def jacobian(self, nodes: Sequence[Node], X: np.ndarray, places: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Outputs (rows,) and their derivatives by the constants at `places` (rows, places)."""
        return jacobian64(nodes, X, places)

    def tape(self, nodes: Sequence[Node], X: np.ndarray, places: Sequence[int]) -> Tape:
        """The program laid out for rows, to tune the constants at `places`."""
        return Tape(nodes, X, places)

    def values(self, nodes: Sequence[Node], X: np.ndarray) -> np.ndarray:
        """Outputs (rows,)."""
        return evaluate64(nodes, X)

    def formula(self, nodes: Sequence[Node]) -> list[Node]:
        """The program as the formula that it stands for."""
        return list(nodes)

    def each(self, nodes: Sequence[Node], change: Change) -> list[Node]:
        """The program with every part that is rewritten on its own, such as the whole, changed by a function of it."""
        return list(change(nodes))

    def tidy(self, nodes: Sequence[Node], X: np.ndarray) -> list[Node]:
        """The program without numbers that do not matter on X (rows, features), its factors gathered."""
        return gather(prune(nodes, X, evaluate64), X, evaluate64)

    def shortest(self, nodes: Sequence[Node], box: Sequence[Interval], X: np.ndarray) -> list[Node]:
        """The shortest program of the same values on the box and on X (rows, features)."""
        return shortest(nodes, box, X)

    def smaller(self, nodes: Sequence[Node], variants: Variants) -> Iterator[list[Node]]:
        """The program with a part replaced by each of its variants."""
        yield from variants(nodes)

    def _leaf(self, code: int, feature: int, value: float) -> _Part:
        return _Part(self.price(code), code == CONSTANT, one=code == CONSTANT and value == 1.0)

    def _branch(self, row: Operator, *parts: _Part) -> _Part:
        plain = self._named(row.name)
        first, last = parts[0], parts[-1]
        inside = first.function or last.function
        total = first.nats if len(parts) == 1 else first.nats + last.nats
        if row.name == "exp" and parts[0].power is not None:
            return _Part(parts[0].power + (self._cost("pow") - 1) * self._once("pow"), raised=True)
        if row.name == "pow" and not parts[1].is_number:
            total += self.variable_power(parts[0].is_number) + (NESTED if inside else 0.0)
            return _Part(total, function=True)
        if row.name not in ARITHMETIC:
            total += plain + (NESTED if inside else 0.0)
            return _Part(total, function=True, power=parts[0].nats if row.name == "log" else None)
        if row.name in FACTORED:
            return self._product(row.name, parts, plain)
        known = [part.power for part in parts]
        power = sum(filter(None, known)) + plain if row.name in ("add", "sub") and None not in known else None
        return _Part(total + plain, function=inside, power=power, raised=row.name == "pow")

    @staticmethod
    def _product(name: str, parts: Sequence[_Part], plain: float) -> _Part:
        """A product, a quotient or a negative; `plain` are the nats of the operator."""
        inside, factor = any(part.function for part in parts), sum(part.factor for part in parts)
        if name == "neg" or not any(part.is_number for part in parts):
            return _Part(sum(part.nats for part in parts) + plain, function=inside, factor=factor)
        number, part = parts if parts[0].is_number else parts[::-1]
        over = name != "mul" and parts[0].is_number and not part.raised  # an inverse times a number
        bit = 0.0 if number.one else COEFFICIENT  # 1/x is no number times an inverse
        power = None if part.power is None or name != "mul" else part.power + number.nats + plain
        nats = part.nats + bit + (plain if over else 0.0)
        return _Part(nats, function=inside, power=power, factor=part.factor + bit)


@lru_cache(maxsize=64)
def _prices(operators: tuple[str, ...]) -> tuple[float, float]:
    """Nats of an arithmetic operator and of another function, of cost 1."""
    arithmetic = max(sum(name in ARITHMETIC for name in operators), 1)
    return math.log(arithmetic / 0.375), math.log(max(len(operators) - arithmetic, 1) / 0.125)


@dataclass(slots=True)
class _Part:
    """Nats of a part of a formula, and whether there is a function in it.

    power   nats of exp(part), if that is a power or a product of powers: `exp(1.5*log(x))` is written `x^1.5`
    factor  nats of the numbers that multiply the whole part
    raised  whether it is a power, so that `2/x^0.3` is the product `2*x^-0.3`
    one     whether it is the number 1
    """

    nats: float
    is_number: bool = False
    function: bool = False
    power: float | None = None
    factor: float = 0.0
    raised: bool = False
    one: bool = False


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
        choosing = math.log(ODDS) if noise.kind == "relative" and len(noises) > 1 else 0.0
        found = Description(structure, constants, nats, noise, variance, choosing, hidden)
        if best is None or found.total < best.total:
            best = found
    return best


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
