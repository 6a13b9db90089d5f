"""The command line in this process: exit code, standard output and standard error of a call."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import numpy as np
import pandas as pd

from epsilex.cli.app import app
from epsilex.cli.terminal import run

COMPILING = "getting ready; the first time on a machine, compiling takes half a minute\n"  # where it takes long
QUICK = ("--generations", "2", "--population", "30", "--jobs", "1")


@dataclass
class Done:
    code: int
    out: str
    err: str


def epsilex(*arguments) -> Done:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = run(app, [str(argument) for argument in arguments])
    return Done(code, out.getvalue(), err.getvalue())


def refused(done: Done) -> str:
    """The one line that says why a call was refused."""
    assert done.code == 2, done
    assert done.out == ""
    said = done.err.removeprefix(COMPILING)
    assert said.startswith("epsilex: ")
    assert said.count("\n") == 1, said
    return said


def some_rows(n: int = 60) -> pd.DataFrame:
    """y = 2 x + z, and more for color red; the columns in an order of their own."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n), "color": rng.choice(["red", "blue"], n)})
    return frame.assign(y=2 * frame["x"] + frame["z"] + 3.0 * (frame["color"] == "red"))
