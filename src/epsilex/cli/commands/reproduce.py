"""`epsilex reproduce`."""

from __future__ import annotations

from enum import StrEnum
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from epsilex.cli import terminal
from epsilex.cli.words import assigned, listed


class Study(StrEnum):
    table = "table"
    epsilon = "epsilon"
    discussion = "discussion"
    laboratory = "laboratory"


def reproduce(
    problems: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Such as housing,enh or my.csv:price; all without it.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(metavar="IDS", help="Such as tournament,lex_e(epsilon=0.5); all without it.")
    ] = None,
    trials: Annotated[int | None, typer.Option(min=1, metavar="N", help="Trials per cell of the table.")] = None,
    generations: Annotated[int | None, typer.Option(min=1, metavar="N", help="Generations per trial.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting other than Table 1's, such as crossover=0.9."),
    ] = None,
    study: Annotated[Study | None, typer.Option(metavar="|".join(Study), help="The results table without it.")] = None,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder; what it holds already is continued.")] = Path(
        "results"
    ),
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes.", show_default="one per processor")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address of a Dask scheduler, instead of processes.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few minutes' version of the same path.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs to read.")] = False,
) -> None:
    """Run the paper's experiments, or continue them."""
    from epsilex import experiments

    done = experiments.reproduce(
        problems=listed(problems), methods=listed(methods), trials=trials, generations=generations,
        settings=assigned(settings or []),
        study=study.value if study else None, out=out, jobs=jobs, dask=dask, quick=quick,
    )  # fmt: skip
    if json:
        told = {"out": str(done.out), "done": done.done, "failed": done.failed, "skipped": done.skipped}
        print(dumps(told))
    else:
        print(done.table.rstrip("\n") or f"{done.done} trials done")
        terminal.note([f"page: {done.out / 'index.html'}"])
    if done.failed:
        raise typer.Exit(1)
