"""Start and children where the form of the law is known: programs are fillings, and variation stays within a function.

Each pair of parents is varied in one of the unknown functions, drawn at random: their inner programs go through
crossover and mutation as whole programs do elsewhere, with the arguments, operators and length limit of that function.
Crossover of whole inner programs combines a function of one parent with the others of the other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from epsilex.evolution.population import Population
from epsilex.evolution.purposes import FORM, LENGTHS, NICHE, START, VARY, generator
from epsilex.evolution.settings import Settings
from epsilex.evolution.variation.offspring import Brood, Offspring
from epsilex.evolution.variation.pairs import children_of, joined
from epsilex.forms.filling import SCALING
from epsilex.forms.filling import joined as filling
from epsilex.forms.tables import Tables
from epsilex.programs import Programs
from epsilex.programs.fold import Node
from epsilex.programs.start import by_arity, grown

SHORT = 2.0  # lengths of the start are biased towards short ones by this power
UNSCALED: list[Node] = list(zip(SCALING, (0, 0, 0, 0), (1.0, 0.0, 0.0, 0.0), strict=True))


class Formed:
    """Start and variation of fillings of one form."""

    def __init__(self, tables: Tables, settings: Settings):
        self.tables, self.settings = tables, settings
        self.inner = []
        for k, function in enumerate(tables.outline.functions):
            seed = int(np.random.SeedSequence([settings.seed, 1 + k]).generate_state(1, np.uint64)[0] >> np.uint64(1))
            most = function.max_length - function.tail
            least = min(settings.min_length, most)
            self.inner.append(replace(
                settings, operators=function.operators, min_length=least, max_length=most, seed=seed,
                min_child_length=1,
            ))  # fmt: skip

    def start(self, n: int, generation: int = 0, purpose: int = START) -> Programs:
        """`n` random fillings."""
        rng = generator(self.settings.seed, generation, purpose + LENGTHS)
        outline = self.tables.outline
        cores = []
        for own, function in zip(self.inner, outline.functions, strict=True):
            spread = own.max_length - own.min_length
            lengths = own.min_length + np.floor((spread + 1) * rng.random(n) ** SHORT).astype(np.int64)
            cores.append(grown(
                own.seed, generation, purpose, np.arange(n), lengths, own.max_length, len(function.arguments),
                by_arity(own.operators), own.constant_share, own.constant_range, own.coefficients,
            ))  # fmt: skip
        constants = rng.normal(size=(n, len(outline.constants)))
        programs = Programs.empty(n, self.settings.max_length)
        tails = [UNSCALED[: function.tail] for function in outline.functions]
        programs.put(0, [
            filling([[*core.nodes(i), *tail] for core, tail in zip(cores, tails, strict=True)], constants[i].tolist())
            for i in range(n)
        ])  # fmt: skip
        return programs

    def vary(self, population: Population, broods: list[Brood], generation: int, n_jobs: int) -> Offspring:
        """The children of all broods, in their order."""
        cores = [self._cores(population.programs, k) for k in range(len(self.inner))]
        return joined([
            self._children(population, cores, brood, generation, n_jobs, NICHE * k) for k, brood in enumerate(broods)
        ])  # fmt: skip

    def _cores(self, programs: Programs, k: int) -> Programs:
        from epsilex.kernels import forms

        found = Programs.empty(len(programs), self.inner[k].max_length)
        forms.cores(
            self.tables.arrays, k, self.tables.outline.functions[k].tail,
            programs.opcode, programs.feature, programs.constant, programs.length,
            found.opcode, found.feature, found.constant, found.length,
        )  # fmt: skip
        return found

    def _children(
        self, population: Population, cores: list[Programs], brood: Brood, generation: int, n_jobs: int, niche: int
    ) -> Offspring:
        from epsilex.kernels import forms

        parents, limit, programs = brood.parents, brood.niche.max_length, population.programs
        n = len(parents)
        rng = generator(self.settings.seed, generation, FORM + niche)
        chosen = np.repeat(rng.integers(len(self.inner), size=(n + 1) // 2), 2)[:n]
        children = Programs.empty(n, self.settings.max_length)
        origin, mate = np.empty(n, np.int64), np.empty(n, np.int64)
        for k, own in enumerate(self.inner):
            slots = np.flatnonzero(chosen == k)
            if not len(slots):
                continue
            function = self.tables.outline.functions[k]
            part = children_of(
                cores[k], population.fitness, parents[slots], own, len(function.arguments), generation, n_jobs,
                min(own.max_length, limit), VARY + niche,
            )  # fmt: skip
            origin[slots], mate[slots] = part.origin, part.mate
            made = part.programs
            forms.exchange(
                self.tables.arrays, k, function.tail, slots, parents, limit,
                programs.opcode, programs.feature, programs.constant, programs.length,
                made.opcode, made.feature, made.constant, made.length,
                children.opcode, children.feature, children.constant, children.length, origin, mate,
            )  # fmt: skip
        return Offspring(children, parents, mate, origin, np.full(n, limit))
