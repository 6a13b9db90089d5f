"""Costs of operators: how many nodes a node of an operator counts as. All others, and leaves, count as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from epsilex.constraints import check, integer_from
from epsilex.programs.fold import Node
from epsilex.programs.operators import TABLE, canonical, opcode
from epsilex.programs.programs import Programs

Costs = tuple[tuple[str, int], ...]  # names of operators that count as more than one node, sorted


def check_costs(costs: Mapping[str, int]) -> dict[str, int]:
    """The mapping with names of operators; a ValueError says what is wrong."""
    found: dict[str, int] = {}
    for symbol, cost in costs.items():
        (name,) = canonical([symbol])
        try:
            opcode(name)
        except ValueError as error:
            raise ValueError(str(error).replace("operators:", "costs:", 1)) from None
        check("costs", cost, integer_from(1))
        if name in found:
            raise ValueError(f"costs: expected each operator once; got {name!r} twice")
        found[name] = int(cost)
    return found


def costs_of(costs: Mapping[str, int]) -> Costs:
    """The operators that count as more than one node."""
    return tuple(sorted((name, cost) for name, cost in costs.items() if cost > 1))


def by_opcode(costs: Costs) -> np.ndarray:
    """(opcodes,) int64: what a node of each opcode counts."""
    found = np.ones(len(TABLE) + 2, np.int64)
    for name, cost in costs:
        found[opcode(name)] = cost
    return found


def size(nodes: Sequence[Node], costs: Costs) -> int:
    """The nodes of a program, each counted by its cost."""
    known = {opcode(name): cost for name, cost in costs}
    return sum(known.get(code, 1) for code, _, _ in nodes)


def sizes(programs: Programs, costs: Costs) -> np.ndarray:
    """(programs,) the same for many; their lengths if all nodes count as one."""
    if not costs:
        return programs.length
    used = np.arange(programs.width) < programs.length[:, None]
    return np.where(used, by_opcode(costs)[programs.opcode], 0).sum(axis=1).astype(programs.length.dtype)
