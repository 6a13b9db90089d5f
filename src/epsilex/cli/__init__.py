"""The `epsilex` command.

app            the commands and their options
fitting        a table fitted, scored and written
demonstration  the example's data
data           data of the problems: listed, fetched
predicting     a model applied to a table
results        what a fit found, for people and for programs
agreement      whether held-back rows agree with the choice
folder         the folder of a fit: checked before the search, filled at its end
terminal       how a command ends
"""

from __future__ import annotations


def main() -> None:
    """Run the command line and end the process with its exit code: 0, 2 for bad input, 130 for an interrupt."""
    import sys

    from epsilex.cli.app import app
    from epsilex.cli.terminal import run

    sys.exit(run(app))
