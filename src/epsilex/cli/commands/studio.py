"""`epsilex studio`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epsilex.cli import terminal


def studio(
    data: Annotated[
        Path | None, typer.Argument(help="Table to begin with; others can be added in the browser.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, metavar="N", help="Port on this machine.", show_default="8731")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, open no browser.")] = False,
    project: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder that keeps tables and runs.")] = Path(
        "epsilex-studio"
    ),
    replay: Annotated[
        str | None, typer.Option(metavar="RUN", help="Run to repeat by its log, without a browser.")
    ] = None,
) -> None:
    """Watch and steer a search in the browser."""
    try:
        from epsilex.studio import serving
    except ImportError as error:
        raise ValueError(f"studio: expected starlette and uvicorn, `pip install 'epsilex[studio]'`; {error}") from None

    def tell(sentence: str) -> None:
        terminal.note([sentence])

    if replay is None:
        serving.serve(data, project, port, not no_browser, tell)
    elif serving.replay(project, replay, tell):
        print("the same front, bit for bit")
    else:
        print("another front")
        raise typer.Exit(1)
