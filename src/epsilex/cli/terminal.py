"""How a command ends: results on standard output, everything else on standard error, and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import typer

from epsilex.interrupts import NUMBERS, hearing

INTERRUPTED = 130  # exit code of a command that ended without a result
MAX_LINE = 500  # characters of an error line
UsageError: Any = typer.BadParameter.__mro__[1]  # click's or typer's own, depending on the version of typer


def run(
    app: Callable, arguments: Sequence[str] | None = None, interrupted: Callable[[int], object] = lambda code: None
) -> int:
    """Run the app on the process's arguments or others and return its exit code.

    A user's mistake is reported in one line on standard error. The first SIGINT or SIGTERM ends the command, after the
    best so far is written if there is one, and else by calling `interrupted` with the exit code; a second ends it at
    once.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a question mark
    with hearing(*NUMBERS, first=_show_cursor) as signals:
        try:
            code = _ended(app, arguments)
        except KeyboardInterrupt:  # it came while an error was being told
            code = INTERRUPTED
        except Exception:
            if not signals.raises:
                raise
            fail("interrupted")  # and a library made another error of it
            code = INTERRUPTED
        if signals.seen and code in (0, INTERRUPTED):
            code = 128 + signals.seen[0]
        if signals.raises:
            interrupted(code)
    return code


def leave(code: int) -> None:
    """End the process at once: a compiler that was interrupted may crash when its objects are freed."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def _ended(app: Callable, arguments: Sequence[str] | None) -> int:
    try:
        code = app(arguments, prog_name="epsilex", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except UsageError as error:
        where = getattr(getattr(error, "ctx", None), "command_path", "epsilex")
        return fail(f"{error.format_message().rstrip('.')}, see {where} --help")
    except BrokenPipeError:  # the reader closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        return fail(f"{named}{error.strerror or error}")
    except ValueError as error:
        return fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        fail("interrupted")
        return INTERRUPTED


def _show_cursor() -> None:
    """A progress bar hides it, and nobody would show it again after a second signal."""
    if os.isatty(2):
        os.write(2, b"\x1b[?25h")


def fail(message: str) -> int:
    """Print an error in one line; returns its exit code, 2."""
    line = " ".join(message.split())
    note([f"epsilex: {line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + '…'}"])
    return 2


def note(sentences: Iterable[str]) -> None:
    """Print sentences on standard error, one per line."""
    from epsilex.evolution.observers.progress import printable

    for sentence in sentences:
        print(printable(sentence), file=sys.stderr, flush=True)
