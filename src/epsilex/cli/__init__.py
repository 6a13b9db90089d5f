"""The `epsilex` command.

app            the commands in order
commands       the commands, one module each
options        an option as a row of a table
fit_options    the options of a fit, one row each
configuration  options from a TOML file
preparing      from a table and its options to the data of a fit
fitting        search, score and write the files
recording      the rows of a fit for its record, and its front as a table
live           the files of a fit while it runs
demonstration  the example's data
problem_data   list and fetch the problems' data
predicting     apply a model to a table
taking         take another model of a fit
results        results of a fit, as text and as JSON
words          lists, pairs and settings of a command line
folder         the folder of a fit: checked before the search, claimed until its end
terminal       exit codes and error lines
"""

from __future__ import annotations


def main() -> None:
    """Run the command line and end the process with its exit code: 0, 2 for bad input, 130 or 143 for a signal."""
    import signal
    import sys

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules load; a second Ctrl-C ends at once
    from epsilex.cli.app import app
    from epsilex.cli.terminal import leave, run

    sys.exit(run(app, interrupted=leave))
