"""The command line: its commands, in the order of its help."""

from __future__ import annotations

from typing import Annotated

import typer

from epsilex import __version__
from epsilex.cli.commands.data import data
from epsilex.cli.commands.demo import demo
from epsilex.cli.commands.fit import fit
from epsilex.cli.commands.predict import predict
from epsilex.cli.commands.report import report
from epsilex.cli.commands.reproduce import reproduce
from epsilex.cli.commands.show import show
from epsilex.cli.commands.studio import studio
from epsilex.cli.commands.take import take

app = typer.Typer(
    help="Symbolic regression by epsilon-lexicase selection: find a formula for your data.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        print(f"epsilex {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


for command in (demo, fit, take, predict, show, studio, reproduce, data, report):
    app.command()(command)
