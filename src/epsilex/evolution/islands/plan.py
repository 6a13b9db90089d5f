"""How many islands there are, how they differ, and who sends to whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epsilex.constraints import check, integer_from
from epsilex.evolution.settings import Settings
from epsilex.registry import Registry

# What errors depend on.
SHARED = ("coefficients", "limit_outputs", "loss", "max_cases", "fresh_cases", "scaling", "shadow")
ISLAND = 0x15  # part of the address of an island's seed


def ring(island: int, n: int) -> tuple[int, ...]:
    """Each island receives from the one before it."""
    return ((island - 1) % n,)


def full(island: int, n: int) -> tuple[int, ...]:
    """Each island receives from all others."""
    return tuple(other for other in range(n) if other != island)


TOPOLOGIES: Registry[Callable[[int, int], tuple[int, ...]]] = Registry("topology", ring=ring, full=full)


@dataclass(frozen=True)
class Islands:
    """Several populations that evolve side by side and exchange programs.

    Parameters
    ----------
    n : int
        Number of islands.
    every : int
        Generations of an epoch. At its end an island sends programs, which arrive an epoch later, so that a slow island
        does not hold up the others.
    emigrants : int
        Individuals that are drawn at random and sent, beside the non-dominated front of fitness and length.
    topology : {"ring", "full"}
        Who receives from whom: each island from the one before it, or from all others.
    settings : sequence of mapping
        Settings in which islands differ, such as `[{}, {"selection": "lex_semi"}, {"planters": ()}]`; if there are
        fewer than islands, they are repeated in turn. Operators must be among those of the search, and lengths at most
        its own. An island only accepts programs that its own settings allow.
    """

    n: int
    every: int = 20
    emigrants: int = 20
    topology: str = "ring"
    settings: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        check("islands", self.n, integer_from(1))
        check("every", self.every, integer_from(1))
        check("emigrants", self.emigrants, integer_from(0))
        TOPOLOGIES.find(self.topology)
        object.__setattr__(self, "settings", tuple(self.settings))
        for changes in self.settings:
            if not isinstance(changes, Mapping):
                raise ValueError(f"islands: expected settings as mappings from names to values; got {changes!r}")
            if fixed := sorted({*changes} & {*SHARED}):
                raise ValueError(f"islands: expected {', '.join(fixed)} of the whole search; got it for one island")

    def sources(self, island: int) -> tuple[int, ...]:
        """The islands that an island receives from."""
        return TOPOLOGIES.find(self.topology)(island, self.n)

    def settings_of(self, search: Settings) -> tuple[Settings, ...]:
        """The settings of each island of a search."""
        return tuple(self._one(search, island) for island in range(self.n))

    def _one(self, search: Settings, island: int) -> Settings:
        changes = self.settings[island % len(self.settings)] if self.settings else {}
        found = search.changed(**changes)
        if more := [name for name in found.operators if name not in search.operators]:
            raise ValueError(f"islands: expected operators among those of the search; got {', '.join(more)}")
        if found.max_length > search.max_length:
            raise ValueError(
                f"islands: expected a max_length of at most {search.max_length}, that of the search; "
                f"got {found.max_length}"
            )
        seed = np.random.SeedSequence([search.seed, ISLAND, island]).generate_state(1)[0]
        return replace(found, seed=int(seed))


def islands_of(given: int | Islands) -> Islands:
    """The parameter `islands` of an estimator as a plan."""
    return given if isinstance(given, Islands) else Islands(int(given))
