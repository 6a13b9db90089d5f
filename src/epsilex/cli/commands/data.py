"""`epsilex data`."""

from __future__ import annotations

from typing import Annotated

import typer


def data(
    name: Annotated[str | None, typer.Argument(help="Problem to fetch the data of; all are listed without it.")] = None,
    all: Annotated[bool, typer.Option("--all", help="Fetch the data of all problems.")] = False,
) -> None:
    """List the problems and where their data is, or fetch data."""
    from epsilex.cli import problem_data

    if name and all:
        raise typer.BadParameter(f"expected a problem or --all; got {name} and --all")
    if name:
        problem_data.show(name)
    elif all:
        raise typer.Exit(problem_data.fetch_all())
    else:
        problem_data.show_list()
