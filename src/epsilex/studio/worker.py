"""The process of a run: `python -m epsilex.studio.worker PROJECT RUN`. It searches, answers and writes the result."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from epsilex.data.scales import Scales
from epsilex.evolution import Cases, Search, Settings, Stop
from epsilex.evolution.observers import settling
from epsilex.knowing import Task
from epsilex.models.choice.words import Choice
from epsilex.programs.formula import text
from epsilex.regressor import SymbolicRegressor
from epsilex.searching import EXACT
from epsilex.studio.bounds import Bounds
from epsilex.studio.desk import Desk, Left
from epsilex.studio.exporting import write_result
from epsilex.studio.forms import form_of
from epsilex.studio.lock import Busy, held
from epsilex.studio.notation import Notation
from epsilex.studio.preparing import Prepared, prepared
from epsilex.studio.project import Project, read_spec
from epsilex.studio.publishing import Publisher
from epsilex.studio.units import parameters
from epsilex.tables import read_table


class SteeredRegressor(SymbolicRegressor):
    """The estimator with a desk in place of its search; without acts it finds the same."""

    desk: Desk
    modest: Scales | None = None

    def _search(self, cases: Cases, settings: Settings, units: Scales, target: float, seconds: float | None) -> Search:
        exact = EXACT * float(cases.y.std())
        patience = []
        if len(cases) <= settling.ROWS:
            patience.append(settling.Settling(len(cases), len(settings.operators), max(exact, 1e-30)))
        scales = [units] if self.modest is None else [self.modest, units]
        publisher = self.desk.publisher
        publisher.begin(self.desk.notation, scales, cases.prior.form)
        with terminated() as leaving:
            stop = Stop(0, None, target, exact)
            found = self.desk.search(cases, settings, scales, stop, patience, leaving, self.n_jobs or 1)
        self._shapes = self.desk.shapes
        publisher.show(found)
        publisher.phase("finishing", self.desk.course, reason=found.reason)
        return found

    def _keep(self, found: Search, settings: Settings, task: Task) -> None:
        """The answer by the bounds that were set last, without rejected forms, which tidying may have made again."""
        super()._keep(found, settings, replace(task, known=replace(task.known, shapes=self._shapes)))
        rejected = self.desk.course.rejected
        kept = [m for m in self.models_ if form_of(m) not in rejected]
        if len(kept) in (0, len(self.models_)):
            return
        chosen, self.models_ = self.model_, kept
        if chosen in kept:
            self._choose(kept.index(chosen))
        else:
            self._choose(int(np.argmin([m.metrics.get("description", np.inf) for m in kept])))
            self.choice_ = Choice(
                "It is the shortest description whose form was not rejected.", noise=self.choice_.noise
            )


@contextmanager
def terminated() -> Iterator[Callable[[], bool]]:
    """Whether SIGTERM has asked the process to leave; a second one ends it at once."""
    seen = []

    def note(number: int, frame: object) -> None:
        seen.append(number)
        signal.signal(signal.SIGTERM, before)

    before = signal.signal(signal.SIGTERM, note)
    try:
        yield lambda: bool(seen)
    finally:
        signal.signal(signal.SIGTERM, before)


def estimator(spec: dict[str, Any], data: Prepared, cls: type[SymbolicRegressor] = SymbolicRegressor) -> Any:
    """The estimator of a spec, whose fit without a desk finds the same after the same number of generations."""
    return cls(
        time_limit=None if spec["generations"] is not None else spec["seconds"],
        generations=spec["generations"],
        noise=spec["noise"] if data.sigma is None else data.sigma[~data.held_back],
        operators=spec["operators"],
        max_length=spec["max_length"],
        population_size=spec["population"],
        random_state=spec["seed"],
        guesses=spec["guesses"],
        form=spec["form"],
        groups=data.groups or None,
        per_group=spec["per_group"],
        constraints=spec["constraints"],
        **parameters(spec, data),
        n_jobs=max(1, (os.cpu_count() or 1) - 1),  # one is left for the page
    )


def work(project: Project, id: str) -> None:
    """Run a run to its end, or until its process has to leave."""
    folder = project.run(id)
    spec = read_spec(folder)
    publisher = Publisher(folder)
    publisher.phase("preparing", pid=os.getpid())
    try:
        name, path = project.table(spec["table"])
        data = prepared(read_table(path), spec)
        notation = Notation.of(data, spec)
        training = ~data.held_back
        est = estimator(spec, data, SteeredRegressor)
        est.modest = Scales.modest(data.X[training], data.y[training])
        est.desk = Desk(folder, spec, notation, publisher, Bounds.of(data, notation))
        est.fit(data.to_fit(), data.y[training], data.weight[training])
        write_result(folder, name, spec, data, est, est.desk.log)
        publisher.phase(
            "done",
            pid=None,
            front=[notation.written(m) for m in est.models_],
            chosen=est.models_.index(est.model_),
            why=est.choice_.text,
            reason=est.search_.reason,
            digest=digest(est),
        )
    except Left as left:
        publisher.phase(str(left), pid=None)
    except (ValueError, OSError) as error:
        publisher.phase("failed", pid=None, message=str(error))
    except Exception as error:  # a fault of ours: the page must not wait for ever
        traceback.print_exc()
        publisher.phase("failed", pid=None, message=f"{type(error).__name__}: {error}")


def digest(est: SymbolicRegressor) -> str:
    """A SHA-256 of the front: its formulas, to the last bit of their constants."""
    own = [[] if m.own is None else m.own.values.tolist() for m in est.models_]
    lines = [f"{text(m.nodes)}{values or ''}" for m, values in zip(est.models_, own, strict=True)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def main(arguments: list[str]) -> int:
    project, id = Project(Path(arguments[0])), arguments[1]
    try:
        with held(project.run(id)):
            work(project, id)
    except Busy as busy:
        print(busy, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
