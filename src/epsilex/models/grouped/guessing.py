"""A person's guesses for rows in groups: some of their named constants are one per group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.data.groups import Groups
from epsilex.data.noise import possible
from epsilex.data.rows import Rows
from epsilex.models.grouped.program import Grouped
from epsilex.models.own import read, tuned
from epsilex.programs.operators import FEATURE


def grouped_guesses(
    texts: Sequence[str], per_group: Sequence[str], names: Sequence[str], rows: Rows, noise: str, groups: Groups
) -> list[Grouped]:  # fmt: skip
    """The guesses, their constants tuned as if shared; those named in `per_group` have one value per group."""
    found, d, met = [], len(names), set()
    noises = possible(noise, rows) if texts else []
    for text in texts:
        formula = read(text, names, "guesses")
        nodes = tuned(formula, rows, noises, "guesses", text)
        own = sorted({name for name in formula.labels.values() if name in per_group})
        met |= {*own}
        table = np.ones((len(own), len(groups)))
        for place, name in formula.labels.items():
            if name in own:
                table[own.index(name)] = nodes[place][2]
                nodes[place] = (FEATURE, d + own.index(name), 1.0)
        found.append(Grouped(tuple(nodes), table, d))
    if unknown := [name for name in per_group if name not in met]:
        raise ValueError(f"per_group: expected names of constants in the guesses; got {', '.join(map(repr, unknown))}")
    return found
