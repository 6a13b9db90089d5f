"""The archive: the fittest program found at each length, and a shelf of others per length.

The fittest program of a length may be a decorated version of a shorter law. So the shelves keep a few more, each of a
different shape, ranked by an approximate description length: residuals by the mean error, or by the mean relative error
where the target has one sign (relative noise), plus structure and constants. The structure is that of the choice. With
a price of its own, nested functions that fit a little better by chance would push laws off the shelves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from epsilex.data.scales import Scales
from epsilex.evolution.observers.formulas import as_formula
from epsilex.evolution.observers.structures import described
from epsilex.evolution.population import Population
from epsilex.forms.tables import Tables
from epsilex.models.choice.language import Language
from epsilex.programs import Programs
from epsilex.programs.fold import Node

PLACES, FIRST = (6, 6, 18), 2  # per length on each shelf, and the shelf of the first population
PROGRAM = ("opcode", "feature", "constant", "length")


class Shelf:
    """The few best programs of each length by some error, all of different shapes.

    score, slope, intercept, shape  (lengths, places); an infinite score marks a free place
    """

    def __init__(self, max_length: int, places: int):
        self.places, n = places, (max_length + 1) * places
        self.programs = Programs.empty(n, max_length)
        self.score = np.full(n, np.inf)
        self.slope, self.intercept = np.ones(n), np.zeros(n)
        self.shape = np.zeros(n, np.uint64)

    def update(self, found: Population | Shelf, score: np.ndarray, shape: np.ndarray) -> None:
        """Take every program that beats one of its length, or the one of its shape."""
        length = found.programs.length
        places = self.places
        worst = self.score.reshape(-1, places).max(axis=1)
        new = np.flatnonzero(score < worst[length])
        if not len(new):
            return
        old = self.taken
        lengths = np.concatenate([old // places, length[new]])
        scores, shapes = np.concatenate([self.score[old], score[new]]), np.concatenate([self.shape[old], shape[new]])
        order = np.lexsort((scores, shapes, lengths))
        first = np.ones(len(order), bool)
        first[1:] = (shapes[order[1:]] != shapes[order[:-1]]) | (lengths[order[1:]] != lengths[order[:-1]])
        kept = order[first]
        kept = kept[np.lexsort((kept, scores[kept], lengths[kept]))]
        place = np.arange(len(kept)) - np.searchsorted(lengths[kept], lengths[kept])
        kept, place = kept[place < places], place[place < places]
        where = lengths[kept] * places + place
        everyone = {name: np.concatenate([getattr(self.programs, name)[old], getattr(found.programs, name)[new]])
                    for name in PROGRAM}  # fmt: skip
        for name in PROGRAM:
            getattr(self.programs, name)[where] = everyone[name][kept]
        for name, own in (("slope", found.slope), ("intercept", found.intercept)):
            getattr(self, name)[where] = np.concatenate([getattr(self, name)[old], own[new]])[kept]
        self.score[where], self.shape[where] = scores[kept], shapes[kept]

    @property
    def taken(self) -> np.ndarray:
        """Places that hold a program."""
        return np.flatnonzero(np.isfinite(self.score))

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name, one row per length."""
        n = len(self.score) // self.places
        found = {name: getattr(self.programs, name) for name in PROGRAM}
        found |= {name: getattr(self, name) for name in ("score", "slope", "intercept", "shape")}
        return {name: a.reshape(n, self.places, *a.shape[1:]) for name, a in found.items()}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Shelf:
        shelf = cls(arrays["opcode"].shape[2], arrays["opcode"].shape[1])
        flat = {name: a.reshape(-1, *a.shape[2:]) for name, a in arrays.items()}
        shelf.programs = Programs(*(flat[name] for name in PROGRAM))
        for name in ("score", "slope", "intercept", "shape"):
            setattr(shelf, name, flat[name])
        return shelf


class Archive:
    """One place per length, up to the limit; an infinite standing marks a free place.

    shelves  by error, by relative error, and of the first population by either; they are filled once `watch` has been
             called. What was planted in the first population may be a law in a long form, which only the choice makes
             lean; of that length a search soon finds closer fits.
    form     that the programs fill, if one is known
    """

    def __init__(self, max_length: int):
        self.shelves: tuple[Shelf, ...] = tuple(Shelf(max_length, places) for places in PLACES)
        self.language: Language | None = None
        self.share: np.ndarray | None = None
        self.form: Tables | None = None
        self.programs = Programs.empty(max_length + 1, max_length)
        self.standing = np.full(max_length + 1, np.inf)
        self.fitness = np.full(max_length + 1, np.inf)
        self.slope = np.ones(max_length + 1)
        self.intercept = np.zeros(max_length + 1)

    def update(self, population: Population) -> None:
        """Take every individual that is fitter than the one at its length, if it was run on all shadow rows."""
        self._take_best(population)
        if self.language is not None:
            scores, shapes = self._scores(population, self.language)
            for k, shelf in enumerate(self.shelves):
                if k != FIRST or not len(shelf.taken):
                    shelf.update(population, scores[k], shapes)

    def _take_best(self, population: Population) -> None:
        length = population.programs.length
        standing = np.where(population.tame == 1, np.inf, population.standing)
        order = np.lexsort((standing, length))
        lengths, first = np.unique(length[order], return_index=True)
        best = order[first]
        better = standing[best] < self.standing[lengths]
        self._put(lengths[better], population, best[better])

    def _scores(self, population: Population, language: Language) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """The scores (programs,) on each shelf, infinite on one that is not filled; and the shapes."""
        finite = np.where(np.isfinite(population.fitness), population.standing, np.inf)
        charges, shapes = described(population.programs, language)
        n = population.errors.shape[1]
        total, by_share = _total(finite, n, charges), np.full(len(population), np.inf)
        if self.share is not None:
            with np.errstate(all="ignore"):
                shares = population.errors @ self.share
            by_share = _total(np.where(np.isfinite(finite + shares), shares, np.inf), n, charges)
            by_share -= np.log(n * self.share).sum()  # the densities' scale, so that the two can be compared
        return (total, by_share, np.fmin(total, by_share)), shapes

    def measure_again(self, measure: Callable[[Programs], Population]) -> None:
        """Measure all programs on other cases, by a function of them; they keep the places that they deserve there."""
        mine = self.programs.take(self.taken)
        self.standing[:] = np.inf
        if len(mine):
            self._take_best(measure(mine))
        shelves = []
        for k, shelf in enumerate(self.shelves):
            fresh, taken = Shelf(self.programs.width, shelf.places), shelf.taken
            if self.language is not None and len(taken):
                again = measure(shelf.programs.take(taken))
                scores, shapes = self._scores(again, self.language)
                fresh.update(again, scores[k], shapes)
            shelves.append(fresh)
        self.shelves = tuple(shelves)

    def merge(self, other: Archive) -> None:
        """Take every program of another archive, of programs at most as long, that is better than the one here."""
        taken = other.taken
        better = taken[other.standing[taken] < self.standing[taken]]
        self._put(better, other, better)
        for mine, theirs in zip(self.shelves, other.shelves, strict=True):
            mine.update(theirs, theirs.score, theirs.shape)

    def widened(self, max_length: int) -> Archive:
        """A copy with places for programs of up to this length."""
        result = Archive(max_length)
        result.form = self.form
        n = len(self.standing)
        result.programs = Programs.joined(
            [self.programs.widened(max_length), Programs.empty(max_length + 1 - n, max_length)]
        )
        for name in ("standing", "fitness", "slope", "intercept"):
            getattr(result, name)[:n] = getattr(self, name)
        for mine, theirs in zip(result.shelves, self.shelves, strict=True):
            moved = Shelf.from_arrays({name: a.copy() for name, a in theirs.arrays().items()})
            moved.programs = theirs.programs.widened(max_length)
            mine.update(moved, moved.score, moved.shape)
        return result

    def watch(self, y: np.ndarray, zero: float, language: Language) -> None:
        """Fill the shelves from now on; `zero` is the user's 0 in the units of the target y."""
        self.language = language
        size = y.astype(np.float64) - zero
        one_sign = (size > 0.0).all() or (size < 0.0).all()
        self.share = (1.0 / np.abs(size) / len(y)).astype(np.float32) if one_sign else None

    def formula(self, length: int, scales: Sequence[Scales]) -> list[Node]:
        """The formula of the program at a length; `scales` lead from the user's units to the search's."""
        return as_formula(self.programs.nodes(length), self.slope[length], self.intercept[length], scales, self.form)

    def programs_kept(self) -> list[tuple[list[tuple[int, int, float]], float, float]]:
        """All programs, those of the front first, with slope and intercept."""
        found = [(self.programs.nodes(i), float(self.slope[i]), float(self.intercept[i])) for i in self.front]
        for shelf in self.shelves:
            for i in shelf.taken.tolist():
                found.append((shelf.programs.nodes(i), float(shelf.slope[i]), float(shelf.intercept[i])))
        return found

    def drop(self, unwanted: Callable[[Programs], np.ndarray]) -> None:
        """Remove the programs for which `unwanted`, a function of programs to (programs,) bool, is true."""
        taken = self.taken
        self.standing[taken[unwanted(self.programs.take(taken))]] = np.inf
        for shelf in self.shelves:
            taken = shelf.taken
            shelf.score[taken[unwanted(shelf.programs.take(taken))]] = np.inf

    def _put(self, places: np.ndarray, found: Population | Archive, source: np.ndarray) -> None:
        for name in ("opcode", "feature", "constant", "length"):
            getattr(self.programs, name)[places] = getattr(found.programs, name)[source]
        for name in ("standing", "fitness", "slope", "intercept"):
            getattr(self, name)[places] = getattr(found, name)[source]

    @property
    def taken(self) -> np.ndarray:
        """The lengths that hold a program, ascending."""
        return np.flatnonzero(np.isfinite(self.standing))

    @property
    def front(self) -> np.ndarray:
        """The lengths whose program is fitter than every shorter one."""
        taken = self.taken
        least_before = np.minimum.accumulate(np.concatenate([[np.inf], self.standing[taken]]))[:-1]
        return taken[self.standing[taken] < least_before]

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name, for a checkpoint."""
        programs = {name: getattr(self.programs, name) for name in PROGRAM}
        shelved = {f"{k}.{name}": a for k, shelf in enumerate(self.shelves) for name, a in shelf.arrays().items()}
        measured = {name: getattr(self, name) for name in ("standing", "fitness", "slope", "intercept")}
        return programs | measured | shelved

    def copy(self) -> Archive:
        """A copy that is not watched yet."""
        return Archive.from_arrays({name: array.copy() for name, array in self.arrays().items()})

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Archive:
        archive = cls(arrays["opcode"].shape[1])
        archive.programs = Programs(*(arrays[name] for name in PROGRAM))
        for name in ("standing", "fitness", "slope", "intercept"):
            setattr(archive, name, arrays[name])
        parts = [{name[2:]: a for name, a in arrays.items() if name.startswith(f"{k}.")} for k in range(len(PLACES))]
        archive.shelves = tuple(map(Shelf.from_arrays, parts))
        return archive


def _total(error: np.ndarray, n: int, charges: np.ndarray) -> np.ndarray:
    """(programs,) approximate nats from mean errors on n rows; infinite where the error is."""
    with np.errstate(divide="ignore"):
        return np.where(np.isfinite(error), n * np.log(np.maximum(error, 1e-30)) + charges, np.inf)
