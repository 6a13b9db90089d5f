"""The language of formulas: what their structure costs to write down, and how programs are read and rewritten.

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
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from epsilex.programs.algebra import shortest
from epsilex.programs.algebra.gathering import gather
from epsilex.programs.algebra.pruning import prune
from epsilex.programs.costs import Costs
from epsilex.programs.fold import Node, fold
from epsilex.programs.gradient import Tape, jacobian64
from epsilex.programs.intervals import Interval
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, lookup

ARITHMETIC = {"add", "sub", "mul", "div", "neg", "inv", "square", "sqrt", "pow", "pdiv"}
FACTORED = {"mul", "div", "pdiv", "neg"}
NESTED = math.log(16.0)  # for a function within a function, and for a claim that the rows do not support
COEFFICIENT = math.log(2.0)  # for a number that multiplies something else than a feature
LEAF = math.log(6.0)  # a bare feature, a feature with a coefficient, or a constant
TOLD = 5.0  # approximate nats of a constant that the data tells, where only programs are compared

Change = Callable[[Sequence[Node]], Sequence[Node]]
Variants = Callable[[Sequence[Node]], Iterable[list[Node]]]


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
