"""Models of a known form: how fillings are described, tuned and rewritten, and what a model keeps of its form."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from epsilex.forms import filled, filling
from epsilex.forms.outline import CALL, NAMED, Outline
from epsilex.models.choice.description import fitted_places
from epsilex.models.choice.language import Change, Language, Variants
from epsilex.programs.algebra import shortest
from epsilex.programs.algebra.gathering import gather
from epsilex.programs.algebra.pruning import prune
from epsilex.programs.fold import Node
from epsilex.programs.intervals import Interval
from epsilex.programs.length import length
from epsilex.programs.numeric import evaluate64
from epsilex.programs.structure import Structure

if TYPE_CHECKING:
    from epsilex.models.model import Model

ROWS = 200  # of arguments on which a rewritten inner program is compared


@dataclass(frozen=True, slots=True)
class Inside:
    """What fills the form of a model.

    text       the form
    functions  per unknown function the names of its arguments, and its program over these
    constants  the form's own constants by name
    sources    per node of the model's formula, the node of the filling whose constant it has; -1 for none
    """

    text: str
    functions: dict[str, tuple[tuple[str, ...], tuple[Node, ...]]]
    constants: dict[str, float] = field(default_factory=dict)
    sources: tuple[int, ...] = ()

    @property
    def filling(self) -> list[Node]:
        return filling.joined([nodes for _, nodes in self.functions.values()], [*self.constants.values()])

    def fitted(self, nodes: Sequence[Node]) -> tuple[list[int], np.ndarray]:
        """Nodes of the model's formula whose constants were fitted, and (nodes, parameters) which parameter each one
        is, with its sign."""
        inner = self.filling
        own = fitted_places(inner)
        places = [e for e, source in enumerate(self.sources) if source in own]
        parameters = sorted({self.sources[e] for e in places})
        ties = np.zeros((len(places), len(parameters)))
        for i, e in enumerate(places):
            source = self.sources[e]
            ties[i, parameters.index(source)] = math.copysign(1.0, nodes[e][2] * inner[source][2])
        return places, ties

    def rounded(self, nodes: Sequence[Node], shown: Sequence[Node]) -> dict[str, tuple[tuple[str, ...], list[Node]]]:
        """The functions, with constants rounded as in `shown`, the model's formula `nodes` with rounded constants."""
        inner = self.filling
        for e, source in enumerate(self.sources):
            if source >= 0 and abs(nodes[e][2]) == abs(inner[source][2]):
                code, column, value = inner[source]
                inner[source] = (code, column, math.copysign(shown[e][2], value))
        found, first = {}, 0
        for k, (name, (arguments, program)) in enumerate(self.functions.items()):
            found[name] = (arguments, inner[first : first + len(program)])
            first += len(program) + (k > 0)  # a joint follows every part but the first
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class FormLanguage(Language):
    """The language of fillings: only the inner programs are described, tuned and rewritten.

    rows  per function the values of its arguments on some rows; None where they depend on what is searched
    """

    outline: Outline
    rows: tuple[np.ndarray | None, ...]

    @classmethod
    def of(cls, plain: Language, outline: Outline, X: np.ndarray) -> FormLanguage:
        """The language of fillings of an outline, by the one of formulas over columns X."""
        few = X if len(X) <= ROWS else X[np.linspace(0, len(X) - 1, ROWS).astype(int)]
        rows = tuple(_arguments(outline, k, few) for k in range(len(outline.functions)))
        return cls(plain.operators, plain.n_features, plain.costs, outline=outline, rows=rows)

    def structure(self, nodes: Sequence[Node]) -> float:
        total = 0.0
        for function, program in zip(self.outline.functions, filling.parts(nodes, self.outline)[0], strict=True):
            total += Language(function.operators, len(function.arguments), self.costs).structure(program)
        return total

    def jacobian(self, nodes: Sequence[Node], X: np.ndarray, places: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        return filled.jacobian(nodes, X, places, self.outline)

    def tape(self, nodes: Sequence[Node], X: np.ndarray, places: Sequence[int]) -> filled.FilledTape:
        return filled.FilledTape(nodes, X, places, self.outline)

    def values(self, nodes: Sequence[Node], X: np.ndarray) -> np.ndarray:
        return filled.values(nodes, X, self.outline)

    def formula(self, nodes: Sequence[Node]) -> list[Node]:
        return [node for node, _, _ in filled.tidied(filled.filled(nodes, self.outline))]

    def each(self, nodes: Sequence[Node], change: Change) -> list[Node]:
        return filling.each(nodes, self.outline, lambda program, k: change(program))

    def smaller(self, nodes: Sequence[Node], variants: Variants) -> Iterator[list[Node]]:
        inner, constants = filling.parts(nodes, self.outline)
        for k, program in enumerate(inner):
            for variant in variants(program):
                yield filling.joined([*inner[:k], variant, *inner[k + 1 :]], constants)

    def tidy(self, nodes: Sequence[Node], X: np.ndarray) -> list[Node]:
        inner, constants = filling.parts(nodes, self.outline)
        for k in range(len(inner)):

            def values(program: Sequence[Node], X: np.ndarray, k: int = k) -> np.ndarray:
                return self.values(filling.joined([*inner[:k], program, *inner[k + 1 :]], constants), X)

            inner[k] = gather(prune(inner[k], X, values), X, values)
        return filling.joined(inner, constants)

    def shortest(self, nodes: Sequence[Node], box: Sequence[Interval], X: np.ndarray) -> list[Node]:
        def change(program: list[Node], k: int) -> list[Node]:
            rows = self.rows[k]
            if rows is None:
                return shortest(program)
            low, high = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
            return shortest(program, [Interval(lo, hi) for lo, hi in zip(low, high, strict=True)], rows)

        return filling.each(nodes, self.outline, change)

    def inside(self, nodes: Sequence[Node]) -> tuple[Inside, dict[int, str]]:
        """What a model keeps of a filling, and the names of the form's own constants by node of the formula."""
        inner, constants = filling.parts(nodes, self.outline)
        sources = tuple(source for _, source, _ in filled.tidied(filled.filled(nodes, self.outline)))
        functions = {
            function.name: (function.arguments, tuple(program))
            for function, program in zip(self.outline.functions, inner, strict=True)
        }
        own = filling.spans(nodes, self.outline)[len(inner) :]
        names = {first: name for (first, _), name in zip(own, self.outline.constants, strict=True)}
        labels = {e: names[source] for e, source in enumerate(sources) if source in names}
        named = dict(zip(self.outline.constants, constants, strict=True))
        return Inside(self.outline.text, functions, named, sources), labels

    def allows(self, nodes: Sequence[Node], structure: Structure | None = None) -> bool:
        """Whether the inner programs are within their limits, and those of structure."""
        inner = filling.parts(nodes, self.outline)[0]
        pairs = zip(self.outline.functions, inner, strict=True)
        if not all(length(program) <= function.max_length for function, program in pairs):
            return False
        return structure is None or all(map(structure.allows, inner))


def program_of(m: Model) -> Sequence[Node]:
    """The program that a model was made of: its formula, or what fills its form."""
    return m.nodes if m.form is None else m.form.filling


def _arguments(outline: Outline, function: int, X: np.ndarray) -> np.ndarray | None:
    """Values of a function's arguments in all its calls, (rows, arguments)."""
    found = []
    for call in outline.calls:
        if call.function != function:
            continue
        scripts = [outline.scripts[script] for script in call.arguments]
        if any(token.kind in (CALL, NAMED) for script in scripts for token in script):
            return None
        found.append(np.column_stack([evaluate64([token[1:] for token in script], X) for script in scripts]))
    return np.vstack(found)
