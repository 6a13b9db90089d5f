"""The entry point: run the paper's studies, and write their tables, figures and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epsilex import problems as problem_room
from epsilex.experiments import (
    claims,
    differences,
    discussion,
    laboratory,
    methods,
    results,
    runner,
    studies,
    summary,
    tables,
)  # fmt: skip
from epsilex.experiments.progress import Progress
from epsilex.experiments.store import FILE, ResultsError, Store
from epsilex.files import write_file
from epsilex.pools import DaskPool, ProcessPool
from epsilex.problems import DataMissing, Problem

if TYPE_CHECKING:
    from rich.console import Console

STUDIES = ("table", "epsilon", "discussion", *studies.LABORATORY)


@dataclass(frozen=True)
class Reproduction:
    """The result of a run.

    out      the folder with results.sqlite, table.md, table.tex, table.csv, cells.csv, figures/ and index.html
    table    the table as Markdown, empty if only the epsilon study was run
    done     stored trials of the requested studies
    failed   trials that failed three times; the page has their errors
    skipped  problems left out because their data is not here
    """

    out: Path
    table: str
    done: int
    failed: int
    skipped: tuple[str, ...]


def reproduce(
    problems: Sequence[str | Problem] | None = None,
    methods: Sequence[str] | None = None,
    trials: int | None = None,
    generations: int | None = None,
    study: str | None = None,
    out: str | Path = "reproduction",
    jobs: int | None = None,
    dask: str | None = None,
    quick: bool = False,
    settings: Mapping[str, Any] | None = None,
    console: Console | None = None,
) -> Reproduction:
    """Run the paper's experiments, or continue them, and write the report.

    Parameters
    ----------
    problems : names, CSV files with their targets as `my.csv:price`, or problems of `problems.from_csv`; None: all of
        the study whose data is here
    methods : ids of `selection.METHODS` or `package.module:function`, with options if any, such as
        `lex_e_mad(pool_size=100)`; None: the study's
    trials, generations : None: the study's
    study : "table", "epsilon", "discussion", "laboratory" (its three arms, or one of them by its name); None: the
        table, and for `quick` with all problems and methods also the effect of epsilon
    out : folder for results and report; trials found there are not run again
    jobs : number of processes; None: one per processor
    dask : address of a Dask scheduler, instead of processes
    quick : a few minutes' version of the same path
    settings : settings to use instead of Table 1's, such as `{"crossover": 0.9}`; they get their own rows
    console : rich console for progress; None: standard error
    """
    from rich.console import Console

    console = console or Console(stderr=True)
    if dask is not None and jobs is not None:
        raise ValueError(f"jobs: expected no number of processes with a Dask address; got {jobs!r}")
    studies.check_changes(settings or {})
    _check_methods(methods)
    chosen = _chosen_studies(study, quick and problems is None and methods is None)
    further = problem_room.FURTHER if chosen[0] in studies.LABORATORY else ()
    loaded, skipped = _load_problems(problems, quick, console, (*problem_room.NAMES, *further))
    plans = []
    for name in chosen:
        scale = studies.scale(name, quick, trials, generations)
        names = _problems_of(name, loaded, explicit=problems is not None)
        plans.append((name, scale, studies.cells(name, names, _methods_of(name, methods), scale, settings)))
    out = Path(out)
    pool = DaskPool(dask) if dask is not None else ProcessPool(jobs)
    try:
        failed = _carry_out(plans, loaded, out, pool, console)
    except KeyboardInterrupt:
        console.print("Stopped. What is done is stored; the same command continues.", highlight=False)
        raise
    finally:
        pool.close()
    planned = sum(len(cells) * scale.trials for _, scale, cells in plans)
    return Reproduction(out, report(out), planned - failed, failed, skipped)


def _carry_out(
    plans: Sequence[tuple], loaded: dict[str, Problem], out: Path, pool: DaskPool | ProcessPool, console: Console
) -> int:
    """Run what is left of the plans, (study, scale, cells) each; returns the number of failed trials."""
    failed = 0
    with Store.open(out / FILE) as store:
        for study, scale, cells in plans:
            used = {cell.problem for cell in cells}
            run = store.begin(study, scale, cells, [loaded[name] for name in used], pool.description)
            plan, stored = studies.plan(cells, scale.trials), store.done()
            left = [trial for trial in plan if trial not in stored]
            already = len(plan) - len(left)
            console.print(f"study {study}: {len(plan)} trials, {already} of them stored already", highlight=False)
            with Progress(console, plan, stored, pool.slots) as progress:
                failed += runner.run(left, loaded, store, pool, progress)
            store.end(run)
    return failed


def keep(out: str | Path, folder: str | Path) -> str:
    """Write a compact copy of the results in `out` into `folder`, and its report, made only from that copy."""
    results.keep(Path(out), Path(folder))
    return report(folder)


def report(out: str | Path) -> str:
    """Rewrite tables, figures and page from the stored rows only; returns the table as Markdown."""
    from epsilex.experiments import figures, page

    out = Path(out)
    stored = {name: rows for name in STUDIES if (rows := results.read(out, name)) is not None}
    found = {name: rows for name, rows in stored.items() if len(rows.trials)}
    if not found:
        errors = [error.strip().splitlines()[-1] for rows in stored.values() for error in rows.failures["error"]]
        why = f"{len(errors)} failed, the first with {errors[0]}" if errors else "none"
        raise ResultsError(f"out: expected a {FILE} with finished trials in {out}; got {why}")
    table = tables.make(found["table"]) if "table" in found else None
    judged = claims.judge_all(found) if table or "epsilon" in found else []
    try:
        drawn = [figure for rows in found.values() for figure in figures.draw(rows, out / "figures")]
        if table:
            write_file(out / "table.md", tables.markdown(table))
            write_file(out / "table.tex", tables.latex(table))
            write_file(out / "table.csv", tables.csv(table))
            write_file(out / "differences.md", differences.markdown())
            table.cells.to_csv(out / "cells.csv", float_format="%.6g")
        if "discussion" in found:
            write_file(out / "discussion.md", discussion.markdown(found["discussion"]))
        if arms := {name: rows for name, rows in found.items() if name in studies.LABORATORY}:
            laboratory.write(arms, out)
        write_file(out / "summary.md", summary.markdown(found, table, judged))
        write_file(out / "index.html", page.render(out, found, table, judged, drawn))
    except OSError as error:
        raise ResultsError(f"out: expected a folder that can be written; got {out} ({error.strerror})") from None
    return tables.markdown(table) if table else ""


def _chosen_studies(study: str | None, both: bool) -> tuple[str, ...]:
    if study is None:
        return ("table", "epsilon") if both else ("table",)
    if study not in STUDIES:
        raise ValueError(f"study: expected one of {', '.join(STUDIES)}; got {study!r}")
    return studies.LABORATORY if study == "laboratory" else (study,)


def _load_problems(
    asked: Sequence[str | Problem] | None, quick: bool, console: Console, names: Sequence[str]
) -> tuple[dict[str, Problem], tuple[str, ...]]:
    """Problems by name. Requested problems must be available; by default those without data are skipped with a note."""
    if asked is not None:
        if isinstance(asked, str) or not asked:
            raise ValueError(f"problems: expected a list of names or problems, not empty; got {asked!r}")
        found = [_problem(item) for item in asked]
        by_name = {problem.name: problem for problem in found}
        for item, problem in zip(asked, found, strict=True):
            if item != problem.name and (problem.name in problem_room.NAMES or by_name[problem.name] is not problem):
                raise ValueError(
                    f"problems: expected a name of its own for each problem; got {problem.name!r} twice or the paper's"
                )
        return by_name, ()
    loaded, skipped = {}, []
    for name in names:
        try:
            problem = problem_room.load(name)
            if quick and problem.dynamic:  # a free run takes many times as long as a static model
                console.print(f"Left out of a quick run: {name}. --problems {name} has it.", highlight=False)
            else:
                loaded[name] = problem
        except DataMissing as missing:
            skipped.append(name)
            reason = str(missing)
    if skipped:
        console.print(
            f"Left out for lack of data: {', '.join(skipped)}. Running {', '.join(loaded)} alone.", highlight=False
        )
        console.print(f"  {reason}", highlight=False)
    return loaded, tuple(skipped)


def _problem(item: str | Problem) -> Problem:
    if isinstance(item, Problem):
        return item
    path, colon, target = item.rpartition(":")
    return problem_room.from_csv(path, target) if colon else problem_room.load(item)


def _problems_of(study: str, loaded: dict[str, Problem], explicit: bool) -> list[str]:
    if study == "epsilon" and not explicit:
        return ["tower"] if "tower" in loaded else ["uball5d"]
    if study in ("discussion", *studies.LABORATORY) and not explicit:
        return [name for name, problem in loaded.items() if not problem.dynamic]
    return list(loaded)


def _check_methods(asked: Sequence[str] | None) -> None:
    if asked is not None:
        if isinstance(asked, str) or not asked:
            raise ValueError(f"methods: expected a list of ids, not empty; got {asked!r}")
        for text in asked:
            methods.check(text)


def _methods_of(study: str, asked: Sequence[str] | None) -> list[str]:
    if study == "epsilon":
        chosen = [id for id in ("lex_e", "lex_y") if asked is None or id in asked]
        if not chosen:
            raise ValueError(
                f"methods: expected lex_e, lex_y or both in the epsilon study; got {', '.join(asked or ())}"
            )
        return chosen
    if asked is not None:
        return list(asked)
    if study in studies.LABORATORY:
        return list(laboratory.METHODS)
    return list(discussion.METHODS) if study == "discussion" else [method.id for method in methods.PAPER]
