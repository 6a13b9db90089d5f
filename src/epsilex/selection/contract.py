"""The contract of every selection method, including a user's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from epsilex.selection.methods import KINDS, Address, Measures, Memory, Method, Selected


def check(method: Method, **options) -> None:
    """Raise an AssertionError that says which rule is broken.

    Parents are indices of the population, one per event, the same for the same address and any number of threads, and
    the method changes none of its inputs. This also holds for one individual, one case, equal individuals and
    non-finite errors. What a method remembers are arrays that a checkpoint can hold; the same memory gives the same
    parents and the same next memory. Survivors are distinct indices, as many as requested.
    """
    for name, measures in _populations().items():
        _check_parents(method, measures, name, options)
        _check_memory(method, measures, name, options)
    if method.survive is not None:
        _check_survivors(method, options)


def _check_parents(method: Method, measures: Measures, name: str, options: dict) -> None:
    for n in (0, 1, 7, 40):
        before = [column.copy() for column in _columns(measures)]
        found = method.parents(measures, n, Address(5, 3), 1, **options)
        same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(before, _columns(measures), strict=True))
        assert same, f"{method.id}, {name}: expected errors, fitness, age and length to be left alone"
        _check_selected(found, n, len(measures), f"{method.id}, {name}")
        again = method.parents(measures, n, Address(5, 3), 1, **options)
        assert (again.parents == found.parents).all(), f"{method.id}, {name}: expected the same parents again"
        threads = method.parents(measures, n, Address(5, 3), 3, **options)
        assert (threads.parents == found.parents).all(), f"{method.id}, {name}: expected the same for three threads"


def _check_memory(method: Method, measures: Measures, name: str, options: dict) -> None:
    """Three generations, each with the memory of the one before."""
    memory: Memory = {}
    for generation in (8, 9, 10):
        before = {key: array.copy() for key, array in memory.items()}
        runs = [
            method.parents(replace(measures, memory=memory), 9, Address(5, generation), n_jobs, **options)
            for n_jobs in (1, 1, 3)
        ]
        where = f"{method.id}, {name}, generation {generation}"
        assert _equal(memory, before), f"{where}: expected the memory it was given to be left alone"
        for found in runs:
            _check_selected(found, 9, len(measures), where)
            same = (found.parents == runs[0].parents).all() and _equal(found.memory, runs[0].memory)
            assert same, f"{where}: expected the same parents and memory again, for any number of threads"
        memory = runs[0].memory
        for key, array in memory.items():
            right = isinstance(key, str) and isinstance(array, np.ndarray) and str(array.dtype) in KINDS
            assert right, f"{where}: expected arrays of {', '.join(KINDS)} as memory; got {key!r}: {array!r}"


def _equal(a: Memory, b: Memory) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key], equal_nan=a[key].dtype.kind == "f") for key in a)


def _check_selected(found: Selected, n: int, size: int, where: str) -> None:
    parents, used = np.asarray(found.parents), np.asarray(found.cases_used)
    assert parents.shape == (n,), f"{where}: expected {n} parents; got {parents.shape}"
    assert parents.dtype.kind in "iu", f"{where}: expected integers; got {parents.dtype}"
    assert n == 0 or 0 <= parents.min() <= parents.max() < size, (
        f"{where}: expected indices below {size}; got {parents}"
    )
    assert used.shape == (n,), f"{where}: expected {n} shares of cases; got {used.shape}"
    assert ((used >= 0) & (used <= 1)).all(), f"{where}: expected shares from 0 to 1; got {used}"


def _check_survivors(method: Method, options: dict) -> None:
    rng = np.random.default_rng(2)
    assert method.survive is not None
    for n, newcomers in ((1, 0), (10, 3), (20, 1), (30, 30)):
        size = 2 * n + newcomers
        fitness = np.where(rng.random(size) < 0.1, np.inf, rng.random(size))
        errors = rng.random((size, 12 if method.survive_errors else 0)).astype(np.float32)
        measures = Measures.of(errors, fitness, rng.integers(0, 9, size), rng.integers(1, 6, size))
        for seen in (measures, measures.take(np.zeros(size, np.int64))):  # and all of them equal
            kept, again = (np.asarray(method.survive(seen, n, Address(1, 4), **options)) for _ in range(2))
            right = kept.shape == (n,) and len(np.unique(kept)) == n and 0 <= kept.min() <= kept.max() < size
            assert right, f"survive: expected {n} distinct indices below {size}; got {kept}"
            assert (kept == again).all(), "survive: expected the same survivors again"


def _columns(measures: Measures) -> list[np.ndarray]:
    return [measures.errors, measures.fitness, measures.age, measures.length]


def _populations() -> dict[str, Measures]:
    rng = np.random.default_rng(1)

    def of(errors: np.ndarray) -> Measures:
        n = len(errors)
        return Measures.of(errors.astype(np.float32), age=rng.integers(0, 9, n), length=rng.integers(1, 30, n))

    ordinary = rng.random((60, 1)) * rng.random((60, 20))
    broken = np.where(rng.random((60, 20)) < 0.3, np.nan, ordinary)
    broken[::7] = np.inf
    return {
        "an ordinary population": of(ordinary),
        "one individual": of(ordinary[:1]),
        "one case": of(ordinary[:, :1]),
        "equal individuals": of(np.repeat(ordinary[:1], 30, axis=0)),
        "errors of zero": of(np.zeros((12, 5))),
        "non-finite errors": of(broken),
        "no finite error": of(np.full((9, 4), np.nan)),
    }
