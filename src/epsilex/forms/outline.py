"""The outline of a form: what is fixed, as tokens in postfix order, and the unknown functions.

A token is a node of the formula, one of the form's own constants, or a call of an unknown function. The arguments of a
call are scripts, too: sequences of tokens. Script 0 is the whole formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from epsilex.programs.operators import FEATURE

NODE, NAMED, CALL = 0, 1, 2
ROOM = 3  # nodes that a function needs beside its scaling


class Token(NamedTuple):
    """kind    NODE, NAMED or CALL
    value   opcode, number of the constant, or number of the call
    column  of a feature
    number  of a constant, or the coefficient of a feature
    """

    kind: int
    value: int
    column: int = 0
    number: float = 0.0


Script = tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """An unknown function.

    arguments   their names where it is printed
    max_length  of its program
    operators   that its program is made of
    """

    name: str
    arguments: tuple[str, ...]
    max_length: int
    operators: tuple[str, ...]

    @property
    def tail(self) -> int:
        """Nodes that scale it in the search, `a + b*core`, as far as its operators and its length permit."""
        if "mul" not in self.operators or self.max_length < ROOM + 2:
            return 0
        return 4 if "add" in self.operators and self.max_length >= ROOM + 4 else 2

    @property
    def signature(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class Call:
    """function   number of the function
    arguments  numbers of the scripts
    slope      number of the argument by which it is differentiated, -1: none
    """

    function: int
    arguments: tuple[int, ...]
    slope: int = -1


@dataclass(frozen=True, slots=True)
class Outline:
    """A form over the columns of a table.

    constants  names of the form's own constants
    factors    per function and argument, by which the argument is multiplied: 1 in the user's units
    """

    text: str
    functions: tuple[Function, ...]
    constants: tuple[str, ...]
    scripts: tuple[Script, ...]
    calls: tuple[Call, ...]
    factors: tuple[tuple[float, ...], ...]

    @property
    def joints(self) -> int:
        """Nodes of a filling that belong to no function."""
        return len(self.functions) - 1 + 2 * len(self.constants)

    @property
    def fixed(self) -> int:
        """Nodes that every filling of a search has, whatever its functions: joints, and what scales the functions."""
        return self.joints + sum(function.tail for function in self.functions)

    @property
    def widest(self) -> int:
        """The greatest number of arguments of a function."""
        return max(len(function.arguments) for function in self.functions)

    @property
    def places(self) -> list[str]:
        """Names for the columns of inner programs, the places of their arguments."""
        return [f"argument {k}" for k in range(self.widest)]

    def column(self, script: int) -> Token | None:
        """The token of a script that is a column, perhaps with a coefficient; None for any other."""
        tokens = self.scripts[script]
        alone = len(tokens) == 1 and tokens[0].kind == NODE and tokens[0].value == FEATURE
        return tokens[0] if alone else None
