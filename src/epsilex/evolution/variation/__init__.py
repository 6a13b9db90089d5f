"""Variation: children from parents.

start      random programs: the first population, and newcomers
niches     which parents are selected together: everyone, and short programs for short children
pairs      children of pairs: sub-tree crossover and mutation (Section 4 of the paper)
typed      start and children of consistent dimensions
formed     start and children where the form of the law is known
grafts     children with an added term fitted to the residual of their parent
geometric  children that are weighted means of their parents (geometric semantic crossover)
offspring  what is known of the children before they are measured

A further variation remakes a share of the children of pairs. It is a function of (offspring, share, state,
run) that changes `offspring` in place, in the registry `VARIATIONS`; the setting `variations` gives shares by name.
"""

from __future__ import annotations

from collections.abc import Callable

from epsilex.evolution.variation.geometric import geometric
from epsilex.evolution.variation.grafts import graft
from epsilex.evolution.variation.offspring import Offspring
from epsilex.registry import Registry

VARIATIONS: Registry[Callable] = Registry("variations", grafts=graft, geometric=geometric)

__all__ = ["VARIATIONS", "Offspring"]
