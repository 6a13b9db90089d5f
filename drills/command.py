"""The command line: in this process, and in processes that are watched, signalled and killed."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUICK = ("--generations", "1", "--population", "20", "--jobs", "1")


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def one_line(self) -> bool:
        """Whether it was refused in one clear line and nothing else."""
        said = [line for line in self.err.splitlines() if not line.startswith("getting ready")]
        return self.code == 2 and not self.out and len(said) == 1 and said[0].startswith("epsilex: ")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def call(*arguments: object, terminal: bool = False) -> Done:
    """The command line in this process, perhaps in a terminal; code 1 and the traceback if it raises."""
    from epsilex.cli.app import app
    from epsilex.cli.terminal import run

    stream = Terminal if terminal else io.StringIO
    with contextlib.redirect_stdout(stream()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            code = run(app, [str(argument) for argument in arguments])
        except Exception:
            traceback.print_exc()
            code = 1
    return Done(code, out.getvalue(), err.getvalue())


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process that finds the package and the drills."""
    paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))} | changes


def start(*arguments: object, folder: Path, **changes: str) -> subprocess.Popen:
    """`python -m epsilex` in a process of its own."""
    return start_python("-m", "epsilex", *arguments, folder=folder, **changes)


def start_python(*arguments: object, folder: Path, **changes: str) -> subprocess.Popen:
    words = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(
        words, cwd=folder, env=environment(**changes), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        restore_signals=True, preexec_fn=_hear_interrupts,
    )  # fmt: skip


def _hear_interrupts() -> None:
    """A shell starts background jobs with SIGINT ignored, and children inherit it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
