"""An option of a command as a row of a table.

The table gives the signature that typer reads, the parameters of the estimator, the keys of a configuration file, and
the words of the command that repeats a fit. So a new option is one new row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import EnumType
from typing import Annotated, Any

import typer

REQUIRED = inspect.Parameter.empty
METAVARS = {int: "N", float: "NUMBER", str: "TEXT"}


@dataclass(frozen=True)
class Option:
    """One option.

    name       such as `max_length`: on the command line `--max-length`, in a configuration file as it is
    kind       type of its value; `list[str]` may be given several times, `bool` has no value
    help       a sentence
    default    REQUIRED if it must be given
    parameter  of the estimator that it sets; "" if the command itself uses it
    read       from its value to the parameter's
    repeated   whether the command that repeats a fit has it
    typed      further arguments of `typer.Option`, such as min and metavar
    """

    name: str
    kind: Any
    help: str
    default: Any
    parameter: str
    read: Callable[[Any], Any]
    repeated: bool
    typed: Mapping[str, Any]

    @property
    def word(self) -> str:
        """The option as it is typed."""
        return f"--{self.name.replace('_', '-')}"

    def declared(self) -> inspect.Parameter:
        """The parameter that typer reads."""
        optional: Any = self.kind | None if self.default is None else self.kind
        choices = "|".join(self.kind) if isinstance(self.kind, EnumType) else None
        typed = {"metavar": METAVARS.get(self.kind, choices), **self.typed}
        annotation = Annotated[optional, typer.Option(self.word, help=self.help, **typed)]
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, default=self.default, annotation=annotation)


def option(
    name: str, kind: Any, help: str, default: Any = None, *, parameter: str = "",
    read: Callable[[Any], Any] = lambda value: value, repeated: bool = True, **typed: Any,
) -> Option:  # fmt: skip
    """A row of the table; see `Option`."""
    return Option(name, kind, help, default, parameter, read, repeated, typed)


def argument(name: str, kind: Any, help: str) -> inspect.Parameter:
    """A positional argument, as typer reads it."""
    annotation = Annotated[kind, typer.Argument(help=help)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)


def with_options(command: Callable, arguments: Sequence[inspect.Parameter], table: Sequence[Option]) -> Callable:
    """The command, a function of `**asked`, with the signature of its arguments and options."""
    command.__signature__ = inspect.Signature([*arguments, *(row.declared() for row in table)])  # type: ignore[attr-defined]
    return command


def parameters(table: Sequence[Option], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the estimator that were asked for."""
    rows = (row for row in table if row.parameter and asked[row.name] is not None)
    return {row.parameter: row.read(asked[row.name]) for row in rows}


def words(table: Sequence[Option], asked: Mapping[str, Any]) -> list[str]:
    """Words of a command line that asks for the same; what has its default is left out."""
    found: list[str] = []
    for row in table:
        value = asked[row.name]
        if not row.repeated or value is None or value == row.default or value is False:
            continue
        if value is True:
            found.append(row.word)
        else:
            for each in value if isinstance(value, list) else [value]:
                found += [row.word, str(each)]
    return found
