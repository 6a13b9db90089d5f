"""The `epsilex` command.

app            the commands and their options
fitting        fit a table, score the models, write the files
demonstration  the example's data
data           list and fetch the problems' data
predicting     apply a model to a table
results        results of a fit, as text and as JSON
agreement      whether the held-back rows agree with the choice
folder         the folder of a fit: checked before the search, filled at its end
terminal       exit codes and error lines
"""

from __future__ import annotations


def main() -> None:
    """Run the command line and end the process with its exit code: 0, 2 for bad input, 130 for an interrupt."""
    import sys

    from epsilex.cli.app import app
    from epsilex.cli.terminal import run

    sys.exit(run(app))
