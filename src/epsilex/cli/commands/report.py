"""`epsilex report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a fit, or of the paper's experiments.")],
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder for a compact copy of the experiments' rows and its report."),
    ] = None,
) -> None:
    """Rewrite the report of a folder."""
    from epsilex.files import write_file
    from epsilex.report import FILE, load_fit, render

    if (folder / "results.sqlite").is_file() or (folder / "rows").is_dir():
        from epsilex import experiments

        if keep is None:
            experiments.report(folder)
        else:
            experiments.keep(folder, keep)
        print((keep or folder) / "index.html")
    elif (folder / FILE).is_file():
        write_file(folder / "report.html", render(load_fit(folder / FILE)))
        print(folder / "report.html")
    else:
        raise ValueError(f"{folder}: expected a folder with results.sqlite, rows or {FILE}; it has none")
