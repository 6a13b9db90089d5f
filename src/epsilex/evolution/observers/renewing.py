"""How an archive takes in a state: where the cases have been drawn anew, its own programs are measured anew first.

So no program keeps its place by an error that it was lucky with on earlier cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epsilex.evolution.measuring.tameness import look_closer
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.population import Population
from epsilex.evolution.state import State
from epsilex.programs import Programs

if TYPE_CHECKING:
    from epsilex.evolution.run import Run


def take_in(archive: Archive, state: State, run: Run) -> None:
    """Update the archive by a state, on the cases of that state."""
    if run.redrawn_for(state.generation):
        judge(archive, run)
    archive.update(state.population)


def judge(archive: Archive, run: Run) -> None:
    """Measure the archive's programs again, by the current cases and what is known of their law; those that violate it
    lose their places."""
    watch(archive, run)
    archive.measure_again(lambda programs: _measured(programs, run))


def watch(archive: Archive, run: Run) -> None:
    """Let the archive fill its shelves by the current cases."""
    if run.settings.scaling:
        archive.watch(run.cases.y, run.cases.zero, run.language)


def _measured(programs: Programs, run: Run) -> Population:
    found = run.refused(run.measured(programs))
    look_closer(found, run.cases, run.n_jobs)
    return found
