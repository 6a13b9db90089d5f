"""Candidates: from the programs of a search to forms, which compete for the front by their description.

With very many rows, forms are made lean and their constants tuned by some of the rows; the best few then race on all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from epsilex.models.choice.language import TOLD
from epsilex.models.front import Scorer
from epsilex.models.lean import Bench, Form
from epsilex.models.simpler import is_simple
from epsilex.programs.algebra import simplify
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places


@dataclass(frozen=True, slots=True)
class Care:
    """Numbers of the most promising programs that are described, tuned and made lean; of the forms with the shortest
    descriptions that are made lean once more, all of different functions; and of those that are described as they are
    printed."""

    looked_at: int = 100
    tuned: int = 20
    leaned: int = 8
    afresh: int = 6
    printed: int = 12


USUAL, IN_A_HURRY = Care(), Care(20, 8, 3, 2, 4)
RACING_STEPS = 4  # of tuning by more rows, from constants that are nearly right
RACED = 12  # forms of the shortest descriptions that are described on all rows, besides those for the front


def forms_of(programs: Iterable[Sequence[Node]], score: Scorer) -> list[Form]:
    """The programs and their lean forms, described, the shortest description first."""
    bench, care = score.bench, care_of(score)
    promising = _promising(programs, score, care.looked_at)
    plain = [bench.described(score.language.each(program, simplify)) for program in promising]
    pool = _pool(form for form in plain if form is not None)
    best = sorted(pool, key=bench.promised)[: care.tuned]
    tuned = _pool(f for form in best for f in [bench.best(bench.tidy(form.nodes))] if f is not None)
    lean = [f for form in _diverse(sorted(tuned, key=bench.promised), care.leaned) for f in bench.descend(form)]
    final = [f for form in _pool(lean)[: care.leaned] for f in [bench.best(form.nodes)] if f is not None]
    found = _pool([*pool, *tuned, *lean, *final])
    return _pool([*found, *_once_more(_different(found, care.afresh), score)])


def care_of(score: Scorer) -> Care:
    return IN_A_HURRY if score.hurried else USUAL


def _once_more(forms: Sequence[Form], score: Scorer) -> Iterator[Form]:
    """Lean forms of the best, and of what is printed for them: a step may have been tried from worse constants, or not
    be one step from how the search wrote it, as from `-0.96*x*(exp(-t) - 1)` to `x*(1 - exp(-t))`."""
    bench = replace(score.bench, tried={})
    for form in forms:
        yield from bench.descend(form)
        yield from _under_another_noise(form, bench)
        printed = bench.described(score.as_printed(form.nodes)) if score.printed else None
        if printed is not None:
            yield from bench.descend(printed)


def _under_another_noise(form: Form, bench: Bench) -> Iterator[Form]:
    """Lean forms under the noise that the form was not described with, if it would be nearly as short: what relative
    noise calls a 1, additive noise may call 0.96."""
    for noise in bench.noises:
        alone = replace(bench, noises=[noise], tried={})
        begin = alone.best(form.nodes) if noise.kind != form.description.noise.kind else None
        if begin is not None and begin.total < form.total:
            yield from (f for lean in alone.descend(begin) for f in [bench.described(lean.nodes)] if f is not None)


def as_printed(forms: Sequence[Form], score: Scorer) -> list[Form]:
    """The forms by description, the first few as they are printed, which is what a person reads: the search may have
    found `h^0.67*sqrt(s)` as the exponential of a sum of logarithms, and `(0.7071*v)^2` is printed `0.5*v^2`."""
    if not score.printed:
        return list(forms)
    bench, n = score.bench, care_of(score).printed
    shown = [bench.described(score.as_printed(form.nodes)) for form in forms[:n]]
    printed = [form if s is None else s for s, form in zip(shown, forms, strict=False)]
    return _pool([*printed, *forms[n:]])


def raced(forms: Sequence[Form], score: Scorer) -> list[Form]:
    """The forms by their description on all rows. Where only some rows have described them, the best few go on, with
    their constants tuned by more rows; simple numbers stay."""
    if score.some is score.train:
        return list(forms)
    bench = Bench(score.train.X, score.noises, score.language, score.allowed)
    finals: list[Form | None] = []
    for form in dict.fromkeys([*forms[:RACED], *_improving(forms)]):
        noise = next(noise for noise in score.noises if noise.kind == form.description.noise.kind)
        simple = frozenset(k for k in constant_places(form.nodes) if is_simple(form.nodes[k]))
        finals.append(bench.described(bench.tuned(form.nodes, noise, simple, RACING_STEPS)))
    return _pool(form for form in finals if form is not None)


def _improving(forms: Sequence[Form]) -> list[Form]:
    """The first form of each length that leaves smaller residuals than the ones of shorter lengths."""
    first = {len(form.nodes): form for form in reversed(forms)}
    found: list[Form] = []
    for length in sorted(first):
        if not found or first[length].description.residuals < found[-1].description.residuals:
            found.append(first[length])
    return found


def _diverse(forms: Sequence[Form], n: int) -> list[Form]:
    """The first few different functions, then the first form of each length; the forms that can be tried are shared
    out in this order."""
    first = {len(form.nodes): form for form in reversed(forms)}
    return list(dict.fromkeys([*_different(forms, n), *sorted(first.values(), key=lambda form: form.total)]))


def _different(forms: Sequence[Form], n: int) -> list[Form]:
    """The first few forms of different functions."""
    found: list[Form] = []
    for form in forms:
        if not any(form.description.is_alike(other.description) for other in found):
            found.append(form)
        if len(found) == n:
            break
    return found


def _promising(programs: Iterable[Sequence[Node]], score: Scorer, n: int) -> list[Sequence[Node]]:
    """The programs with the shortest descriptions, a constant at its usual price, and the best of each length. A
    program may have a place on several shelves of the archive; it is looked at once.

    Without that price the longest programs, which pass close to every one of a few rows, would take all places.
    """
    found: list[tuple[float, int, Sequence[Node]]] = []
    for program in dict.fromkeys(map(tuple, programs)):
        out = score.values(program, score.some.X)
        nats = min(noise.nats(noise.residuals(out)) for noise in score.some_noises)
        if np.isfinite(nats):
            nats += score.language.structure(program) + TOLD * len(constant_places(program))
            found.append((nats, len(program), program))
    found.sort(key=lambda item: item[:2])
    first = {length: k for k, (_, length, _) in reversed(list(enumerate(found)))}
    kept = sorted({*range(min(n, len(found))), *first.values()})
    return [found[k][2] for k in kept]


def _pool(forms: Iterable[Form]) -> list[Form]:
    """Forms by description, the best of each shape; of equal ones, as without noise, the last, which was tuned most."""
    best: dict[tuple, Form] = {}
    for form in sorted(reversed(list(forms)), key=lambda form: round(form.total, 6)):
        simple = tuple((code, feature, value == 1.0 or value == -1.0) for code, feature, value in form.nodes)
        best.setdefault(simple, form)
    return list(best.values())
