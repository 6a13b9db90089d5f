"""Niches: part of each generation's children come from short parents and stay short.

The accurate programs of a population are mostly long, and selection by error alone would breed only those. A niche is
a length limit that holds for its parents and its children. So short formulas, which a person can read and one of which
may be true, have their own search within the same population.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilex.evolution.settings import Settings


@dataclass(frozen=True, slots=True)
class Niche:
    """members: indices of the population; n_parents: how many are selected from them; max_length: of their children;
    seed: of the streams that select the parents."""

    members: np.ndarray
    n_parents: int
    max_length: int
    seed: int

    @property
    def name(self) -> str:
        """Of the niche's memory: niches may come and go, their limits stay."""
        return str(self.max_length)


def niches(length: np.ndarray, settings: Settings, fixed: int = 0) -> list[Niche]:
    """The whole population, then programs of up to a half and a quarter of `max_length`, if there are at least two;
    `fixed` nodes that every program has do not count."""
    n = settings.population_size
    everyone = np.arange(n)
    shorter = []
    for part in (2, 4) if settings.short_share > 0 else ():
        limit = fixed + (settings.max_length - fixed) // part
        members = np.flatnonzero(length <= limit)
        if limit >= 3 and len(members) >= 2:
            seed = int(np.random.SeedSequence([settings.seed, part]).generate_state(1, np.uint64)[0])
            shorter.append(Niche(members, 2 * round(settings.short_share * n / 4), limit, seed))
    n_others = n - sum(niche.n_parents for niche in shorter)
    return [Niche(everyone, n_others, settings.max_length, settings.seed), *shorter]
