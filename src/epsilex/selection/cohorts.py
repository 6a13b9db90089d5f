"""Cohorts: individuals and cases are split at random into as many groups, and each group of individuals is judged on
its own group of cases. See `cohort`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from epsilex.selection.methods import Address, Measures, Selected, at_least_one, generator

SPLIT = 7  # purpose


def in_cohorts(parents: Callable[..., Selected]) -> Callable[..., Selected]:
    """A parent rule with the option `cohorts`: their number; None or 1: everyone on all cases."""

    @wraps(parents)
    def choosing(
        measures: Measures, n: int, address: Address, n_jobs: int = 1, *, cohorts: int | None = None, **options: Any
    ) -> Selected:
        if at_least_one("cohorts", cohorts) < 2:
            return parents(measures, n, address, n_jobs, **options)
        return _selected(parents, measures, n, address, n_jobs, int(cohorts or 1), options)

    return choosing


def _selected(parents, measures: Measures, n: int, address: Address, n_jobs: int, k: int, options: dict) -> Selected:
    """`n` parents in random order, as many from each cohort as from any other."""
    size, n_cases = measures.errors.shape
    k = min(k, size, n_cases)
    rng = generator(address, SPLIT)
    groups, parts = (np.array_split(rng.permutation(m), k) for m in (size, n_cases))
    wanted = np.bincount(np.arange(n) % k, minlength=k)
    seeds = rng.integers(2**63, size=k)
    found = []
    for group, cases, m, seed in zip(groups, parts, wanted, seeds, strict=True):
        who = np.sort(group)
        own = measures.take(who).on(np.sort(cases))
        one = parents(own, int(m), Address(int(seed), address.generation), n_jobs, **options)
        found.append((who[one.parents], one.cases_used * (len(cases) / n_cases)))
    mixed = rng.permutation(n)
    chosen, used = (np.concatenate(column)[mixed] for column in zip(*found, strict=True))
    return Selected(chosen, used)
