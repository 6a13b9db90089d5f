"""Structural limits: which functions may be nested, which exponents and which features a formula may have, and what
its nodes may cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.programs.costs import Costs, costs_of, size, sizes
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, arities, canonical, lookup, opcode
from epsilex.programs.programs import Programs

MOST = 64  # functions that limits may name, one bit each
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Structure:
    """Limits of a formula's structure.

    nesting          names of functions, and of those that may not occur anywhere in their arguments
    whole_exponents  whether exponents are whole numbers
    required         features that must occur
    forbidden        features that must not occur
    n_features       number of features
    costs, most      operators that count as several nodes, and how much all nodes together may count
    """

    nesting: tuple[tuple[str, frozenset[str]], ...]
    whole_exponents: bool
    required: tuple[int, ...]
    forbidden: tuple[int, ...]
    n_features: int
    costs: Costs = ()
    most: int = 0

    def allows(self, nodes: Sequence[Node]) -> bool:
        """Whether a formula keeps all limits."""
        used = {feature for code, feature, _ in nodes if code == FEATURE}
        if not used.issuperset(self.required) or used & {*self.forbidden}:
            return False
        if self.costs and size(nodes, self.costs) > self.most:
            return False
        return fold(nodes, lambda code, feature, value: _Part(value if code == CONSTANT else None), self._branch).good

    def _branch(self, row: Operator, *parts: _Part) -> _Part:
        inside = NOTHING.union(*(part.inside for part in parts))
        good = all(part.good for part in parts) and not any(
            row.name == name and inside & barred for name, barred in self.nesting
        )
        if self.whole_exponents and row.name == "pow":
            good = good and parts[1].number is not None and parts[1].number.is_integer()
        return _Part(None, inside | {row.name}, good)

    def violated(self, programs: Programs) -> np.ndarray:
        """(programs,) bool: which programs break a limit."""
        from epsilex.kernels.structure import violations

        arity = arities()
        bit, barred = np.zeros(len(arity), np.uint64), np.zeros(len(arity), np.uint64)
        for k, name in enumerate(sorted(NOTHING.union(*(inner for _, inner in self.nesting)))):
            bit[opcode(name)] = 1 << k
        for name, inner in self.nesting:
            barred[opcode(name)] |= np.bitwise_or.reduce([bit[opcode(other)] for other in sorted(inner)])
        forbidden = np.zeros(self.n_features, bool)
        forbidden[list(self.forbidden)] = True
        result = np.empty(len(programs), bool)
        violations(
            programs.opcode, programs.feature, programs.constant, programs.length, arity, bit, barred,
            opcode("pow") if self.whole_exponents else 0, np.array(self.required, np.int64), forbidden, result,
        )  # fmt: skip
        return result | (sizes(programs, self.costs) > self.most) if self.costs else result

    def repair(self, programs: Programs) -> None:
        """Round constant exponents to whole numbers, in place, if they must be; never to 0, which leaves no power."""
        if not self.whole_exponents:
            return
        power = (programs.opcode[:, 1:] == opcode("pow")) & (programs.opcode[:, :-1] == CONSTANT)
        rows, places = np.nonzero(power & (np.arange(1, programs.width) < programs.length[:, None]))
        with np.errstate(invalid="ignore"):
            whole = np.rint(programs.constant[rows, places])
        programs.constant[rows, places] = np.where(whole == 0.0, 1.0, whole)

    def simplest(self, operators: Sequence[str]) -> list[Node]:
        """A program that keeps all limits: the required features, joined by an operator that no limit bars."""
        first = next(j for j in range(self.n_features) if j not in self.forbidden)
        features = self.required or (first,)
        barred = NOTHING.union(*(inner for _, inner in self.nesting))
        joins = [name for name in operators if lookup(opcode(name)).arity == 2 and name not in {*barred, "pow"}]
        nodes: list[Node] = [(FEATURE, features[0], 1.0)]
        for feature in features[1:]:
            if not joins:
                raise ValueError(f"required: expected an operator that joins {len(features)} features; got {operators}")
            nodes += [(FEATURE, feature, 1.0), (opcode(joins[0]), 0, 0.0)]
        return nodes


@dataclass(frozen=True, slots=True)
class _Part:
    """The number that a part is, if it is one; the functions in it; whether it keeps the limits."""

    number: float | None
    inside: frozenset[str] = NOTHING
    good: bool = True


def check_nesting(nesting: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The mapping with names of operators; a ValueError says what is wrong."""
    found: dict[str, tuple[str, ...]] = {}
    for outer, inner in nesting.items():
        (name,), names = canonical([outer]), canonical(inner)
        for each in (name, *names):
            try:
                opcode(each)
            except ValueError as error:
                raise ValueError(str(error).replace("operators:", "nesting:", 1)) from None
        found[name] = names
    if len({name for names in found.values() for name in names}) > MOST:
        raise ValueError(f"nesting: expected at most {MOST} different functions inside others; got more")
    return found


def structure_of(
    nesting: Mapping[str, Sequence[str]], whole_exponents: bool, required: Sequence[str], forbidden: Sequence[str],
    names: Sequence[str], costs: Mapping[str, int] | None = None, max_length: int = 0,
) -> Structure | None:  # fmt: skip
    """The limits for features of these names; None if there are none. A ValueError names the setting that is wrong."""
    for setting, given in (("required", required), ("forbidden", forbidden)):
        if unknown := [name for name in given if name not in names]:
            known = ", ".join(map(repr, names[:10]))
            raise ValueError(f"{setting}: expected columns among {known}; got {', '.join(map(repr, unknown))}")
    if both := sorted({*required} & {*forbidden}):
        raise ValueError(f"required, forbidden: expected different columns; got {', '.join(map(repr, both))} in both")
    if {*forbidden} >= {*names}:
        raise ValueError("forbidden: expected that some columns are left; got all of them")
    pairs = tuple((name, frozenset(inner)) for name, inner in sorted(nesting.items()) if inner)
    expensive = costs_of(costs or {})
    if not (pairs or whole_exponents or required or forbidden or expensive):
        return None
    must, must_not = (tuple(sorted({names.index(name) for name in given})) for given in (required, forbidden))
    return Structure(pairs, whole_exponents, must, must_not, len(names), expensive, max_length)
