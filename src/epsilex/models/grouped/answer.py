"""From the programs of a search over stand-ins to the front of formulas with own constants, and the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from epsilex.data.groups import Groups
from epsilex.data.noise import possible
from epsilex.data.rows import Rows
from epsilex.models.candidates import USUAL
from epsilex.models.certifying import certified
from epsilex.models.choice.accuracy import by_accuracy
from epsilex.models.choice.choosing import Decision
from epsilex.models.choice.rule import Answer, picked_from
from epsilex.models.choice.words import Choice, told
from epsilex.models.front import Scorer, front_frame
from epsilex.models.grouped.bench import MOST, Bench, Form
from epsilex.models.grouped.program import Grouped, collapsed, ordered, positive
from epsilex.models.grouped.spread import spread
from epsilex.models.grouped.tuning import Cells, values
from epsilex.models.model import Model
from epsilex.models.naming import named
from epsilex.models.own_constants import OwnConstants, names_for
from epsilex.programs.algebra import shortest, simplify
from epsilex.programs.fold import Node
from epsilex.programs.intervals import Interval

FIRST_STEPS, STEPS = 6, 20  # of tuning for all forms looked at, and for the best
TUNED, OWNED, LEANED = 24, 10, 8  # numbers of best forms that are tuned further, given other own constants, made lean
MOST_ROWS, LEAST_ROWS = 3000, 8  # on which forms are compared: in all, and of each group


class Desk:
    """What the answer of a grouped search is made from.

    names      of the features
    stand_ins  (stand-ins, groups) values of the columns after the features, as the search saw them
    """

    def __init__(self, score: Scorer, groups: Groups, names: Sequence[str]):
        order = np.argsort(groups.code, kind="stable")
        rows, d = score.train.take(order), len(names)
        self.score, self.groups, self.names = score, groups, list(names)
        self.rows = replace(rows, X=rows.X[:, :d])
        self.cells = Cells.of(self.rows.X, groups.code[order])
        self.stand_ins = rows.X[self.cells.first, d:].T
        self.noises = possible(score.noise, self.rows)
        self.language = replace(score.language, n_features=d)
        self.bench = Bench(self.cells, self.noises, self.language, score.allowed, score.shapes)

    def forms(self, programs: Iterable[Sequence[Node]], guesses: Sequence[Grouped]) -> list[Form]:
        """The programs and guesses and their lean forms, the shortest description first."""
        bench = self._of_few_rows()
        seen = [bench.form(one.nodes, one.table, FIRST_STEPS) for one in self._promising(programs)]
        seen += [bench.form(guess.nodes, guess.table, STEPS) for guess in guesses]
        pool = _pool(seen)
        better = _pool(bench.form(form.nodes, form.program.table, STEPS) for form in pool[:TUNED])
        better = _pool([*better, *(f for form in better[:OWNED] for f in bench.owned(form))])
        lean = [f for form in better[:LEANED] for f in bench.descend(form)]
        if bench is self.bench:
            final = [bench.form(f.nodes, f.program.table, STEPS, exact=True) for f in _pool(lean)[:LEANED]]
            return _pool([*pool, *better, *lean, *final])
        front = _front(_pool([*pool, *better, *lean]))
        some = {id(f): f for f in (*_pool(lean)[:LEANED], *front)}.values()
        return _pool(self.bench.form(f.nodes, f.program.table, STEPS, exact=True) for f in some)

    def _promising(self, programs: Iterable[Sequence[Node]]) -> list[Grouped]:
        """The programs with own constants, those with the shortest residuals and structure, one of each shape.

        What the search made an own constant of does not count, so they are ranked without it.
        """
        best: dict[tuple, tuple[float, Grouped]] = {}
        for nodes in programs:
            program = collapsed(simplify(nodes), self.stand_ins, len(self.names))
            if program is None or len(program.table) > MOST:
                continue
            out = values(program, self.cells)
            nats = min(noise.nats(noise.residuals(out)) for noise in self.noises)
            nats += self.language.structure(program.nodes)
            shape = tuple((code, column) for code, column, _ in program.nodes)
            if np.isfinite(nats) and (shape not in best or nats < best[shape][0]):
                best[shape] = nats, program
        ranked = sorted(best.values(), key=lambda pair: (pair[0], len(pair[1].nodes)))
        first = {len(one.nodes): k for k, (_, one) in reversed(list(enumerate(ranked)))}
        return [ranked[k][1] for k in sorted({*range(min(USUAL.looked_at, len(ranked))), *first.values()})]

    def _of_few_rows(self) -> Bench:
        """The bench of MOST_ROWS rows, evenly from each group, on which forms are compared; of all if there are fewer.

        Rows of a group are in random order.
        """
        n = len(self.rows.y)
        if n <= MOST_ROWS:
            return self.bench
        each = max(LEAST_ROWS, MOST_ROWS // len(self.groups))
        kept = np.flatnonzero(np.arange(n) - self.cells.first[self.cells.code] < each)
        rows = self.rows.take(kept)
        noises = possible(self.score.noise, rows)
        kinds = [noise.kind for noise in self.noises]
        noises = [noise for noise in noises if noise.kind in kinds]
        return Bench(
            Cells.of(rows.X, self.cells.code[kept]), noises, self.language, self.score.allowed, self.score.shapes
        )

    def model(self, form: Form, kind: str) -> Model | None:
        """The form as a model, as it is printed; None if it is not allowed or not finite."""
        program = self._as_printed(form)
        found = self.bench.described(program)
        if found is None:
            return None
        program = ordered(positive(program))
        own = names_for(len(program.table), [*self.names, *(self.score.constants or {})])
        noise = next((noise for noise in self.noises if noise.kind == kind), self.noises[0])
        shared, each = spread(program, self.cells, noise)
        constants = OwnConstants(self.groups.column, self.groups.labels, own, program.table, each)
        rows: Rows = replace(self.rows, X=program.columns(self.cells.X, self.cells.code))
        score = replace(
            self.score, names=[*self.names, *constants.shown], train=rows, shadow=None, printed=False, allowed=None,
            shapes=None,
        )  # fmt: skip
        m = score(program.nodes)
        if m is None:
            return None
        metrics: dict[str, Any] = m.metrics | {"description": found.total, "residuals": found.description.residuals}
        if self.score.shapes is not None:
            verdicts = {self.score.shapes.verdict(program.of_group(k)) for k in range(len(self.groups))}
            if None in verdicts:
                return None
            metrics["shape"] = "proven" if verdicts == {"proven"} else "checked"
        return replace(
            m, feature_names=tuple(self.names), metrics=metrics, uncertainty=shared,
            own=constants if len(program.table) else None,
        )  # fmt: skip

    def certified(self, forms: Sequence[Form]) -> list[Form]:
        """The forms that have the known shapes on many points, of the best few of each length."""
        shapes = self.score.shapes
        if shapes is None:
            return list(forms)
        return certified(forms, lambda form: shapes.of_groups(form.program.table, thorough=True).thorough(form.nodes))

    def _as_printed(self, form: Form) -> Grouped:
        program = form.program
        X = program.columns(self.cells.X, self.cells.code)
        box = [Interval(float(low), float(high)) for low, high in zip(X.min(axis=0), X.max(axis=0), strict=True)]
        nodes = shortest(program.nodes, box, X)
        if self.score.constants is not None:
            nodes = named(nodes, X, form.description.noise, self.score.constants, box, self.language)
        shown = collapsed(nodes, program.table, program.n_features)
        if shown is None:
            return program
        X = shown.columns(self.cells.X, self.cells.code)
        box = [*box[: program.n_features], *(Interval(float(v.min()), float(v.max())) for v in shown.table)]
        for again in (replace(shown, nodes=tuple(shortest(shown.nodes, box, X))), shown):
            whole = all(again.nodes[k][2] == 1.0 for k, _ in again.leaves) and len(again.leaves) == len(shown.leaves)
            if whole and (self.score.allowed is None or self.score.allowed(again.nodes)):
                return again
        return program


def grouped_answer(
    programs: Sequence[Sequence[Node]], guesses: Sequence[Grouped], score: Scorer, groups: Groups,
    names: Sequence[str], choose: str | Callable, max_length: int,
) -> Answer:  # fmt: skip
    """The answer for rows in groups, from the programs of a search and the guesses."""
    desk = Desk(score, groups, names)
    forms = desk.forms(programs, guesses)
    forms = desk.certified([form for form in forms if len(form.nodes) <= max_length] or forms)
    if not forms:
        raise ValueError("groups: expected a formula that is finite on all rows and allowed; found none")
    kind = forms[0].description.noise.kind
    made = [(form, m) for form in _front(forms) if (m := desk.model(form, kind)) is not None]
    if not made:
        raise ValueError("groups: expected a formula that is finite on all rows and allowed; found none")
    best: dict[int, tuple[Form, Model]] = {}
    for form, m in made:
        if m.length not in best or m.metrics["description"] < best[m.length][1].metrics["description"]:
            best[m.length] = form, m
    pairs = [best[length] for length in sorted(best)]
    models = [m for _, m in pairs]
    if choose == "description":
        chosen = min(range(len(models)), key=lambda k: models[k].metrics["description"])
        return Answer(models, chosen, _told(desk, forms, pairs, chosen))
    if not callable(choose):
        return picked_from(models, by_accuracy, "It has the least loss on the training rows.", kind)
    return picked_from(models, lambda some: choose(front_frame(some)), "It was chosen by the function given.", kind)


def _told(desk: Desk, forms: Sequence[Form], pairs: Sequence[tuple[Form, Model]], chosen: int) -> Choice:
    form = pairs[chosen][0]
    noise = form.description.noise
    others = [f for f in forms if not form.description.is_alike(f.description)]
    closest = next((found for f in others if (found := desk.model(f, noise.kind)) is not None), None)
    odds = np.inf if closest is None else float(np.exp(min(others[0].total - form.total, 700.0)))
    decision = Decision(form.nodes, form, closest=others[0] if others else None, odds=odds)  # type: ignore[arg-type]
    size = float(np.sqrt(noise.variance(noise.residuals(values(form.program, desk.cells)))))
    words = told(decision, [m for _, m in pairs], chosen, closest, (noise.kind, size), len(desk.rows.y))
    return replace(words, linear=False)


def _front(forms: Sequence[Form]) -> list[Form]:
    """Per length the shortest description, with smaller residuals than every shorter form."""
    best: dict[int, Form] = {}
    for form in forms:
        best.setdefault(len(form.nodes), form)
    front: list[Form] = []
    for length in sorted(best):
        if not front or best[length].description.residuals < front[-1].description.residuals - 1e-6:
            front.append(best[length])
    if forms[0] not in front:
        front.append(forms[0])
    return front


def _pool(forms: Iterable[Form | None]) -> list[Form]:
    """Forms by description, the best of each shape."""
    best: dict[tuple, Form] = {}
    for form in sorted((form for form in forms if form is not None), key=lambda form: form.total):
        simple = tuple((code, feature, value == 1.0 or value == -1.0) for code, feature, value in form.nodes)
        best.setdefault(simple, form)
    return list(best.values())
