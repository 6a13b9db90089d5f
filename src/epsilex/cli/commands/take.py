"""`epsilex take`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def take(
    results: Annotated[Path, typer.Argument(help="Folder of a fit.")],
    length: Annotated[
        int, typer.Option(metavar="N", help="Length of the model to take, as in the table of the front.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="File for the model; the folder stays as it is.", metavar="FILE", show_default="RESULTS/model.json"
        ),
    ] = None,
) -> None:
    """Take the model of another length from a fit."""
    from epsilex.cli import taking

    taking.take(results, length, out)
