"""An outline as arrays, for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilex.forms.filling import is_filling
from epsilex.forms.outline import NODE, Outline
from epsilex.forms.slopes import templates
from epsilex.programs import Programs
from epsilex.programs.operators import arities, opcode

WIDTH = 256  # nodes of a formula in the search; a filling that makes a longer one counts as undefined


@dataclass(frozen=True)
class Tables:
    """What the kernels of forms read; see `epsilex.kernels.forms`.

    outline  in the units of the search
    plain    in the user's units
    """

    outline: Outline
    plain: Outline

    @cached_property
    def arrays(self) -> tuple:
        """The outline: tokens, scripts, calls, factors of arguments; then the operators."""
        o = self.outline
        tokens = [token for script in o.scripts for token in script]
        ends = np.cumsum([len(script) for script in o.scripts])
        factors = np.ones((len(o.functions), o.widest))
        arguments = np.zeros((max(len(o.calls), 1), o.widest), np.int64)
        for k, row in enumerate(o.factors):
            factors[k, : len(row)] = row
        for k, call in enumerate(o.calls):
            arguments[k, : len(call.arguments)] = call.arguments
        return (
            np.array([token.kind for token in tokens], np.int64),
            np.array([token.value for token in tokens], np.int64),
            np.array([token.column for token in tokens], np.int64),
            np.array([token.number for token in tokens], np.float64),
            np.concatenate([[0], ends[:-1]]).astype(np.int64),
            ends.astype(np.int64),
            np.array([call.function for call in o.calls], np.int64),
            np.array([call.slope for call in o.calls], np.int64),
            arguments,
            factors,
            templates(),
            arities(),
            opcode("mul"),
            len(o.functions),
            len(o.constants),
        )

    def opcodes(self, fillings: Programs) -> np.ndarray:
        """Opcodes that may occur in the formulas of fillings."""
        kinds, values, slopes, rules = (self.arrays[k] for k in (0, 1, 7, 10))
        fixed = values[kinds == NODE]
        derived = rules[np.unique(fillings.opcode)] if (slopes >= 0).any() else np.empty(0, np.int64)
        derived = derived[derived > 0]
        return np.concatenate([fillings.opcode.ravel(), fixed, derived, [opcode("mul")]]).astype(np.uint8)

    def check(self, fillings: Programs) -> None:
        """Raise a ValueError unless all programs, which are well formed, fill the outline."""
        if not all(is_filling(fillings.nodes(i), self.outline) for i in range(len(fillings))):
            raise ValueError(f"programs: expected fillings of the form {self.outline.text!r:.100}; got others")

    def formulas(self, fillings: Programs, n_jobs: int = 1) -> Programs:
        """The formulas of fillings."""
        from epsilex.kernels import forms, slices

        n = len(fillings)
        out = Programs.empty(n, WIDTH)

        def part(first: int, last: int) -> None:
            forms.fill(
                self.arrays, fillings.opcode, fillings.feature, fillings.constant, fillings.length,
                out.opcode, out.feature, out.constant, out.length, first, last,
            )  # fmt: skip

        slices.run(part, n, n_jobs)
        return out
