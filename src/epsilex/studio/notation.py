"""Formulas of a run as text, and back: the text that a page holds of a formula is enough to make its model again.

A formula is text for the whitelist parser. If it has constants per group, a JSON list comes before it, with a list of
values for each of them. The formula of a form is a JSON object: its functions and constants by name, as text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epsilex.data.groups import Groups
from epsilex.forms import filling
from epsilex.forms.form import Form
from epsilex.forms.outline import Outline
from epsilex.forms.reading import outline
from epsilex.models.choice.language import Language
from epsilex.models.formed import FormLanguage
from epsilex.models.grouped.bench import MOST
from epsilex.models.grouped.program import collapsed, ordered
from epsilex.models.model import Model, model
from epsilex.models.own_constants import OwnConstants, names_for
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.fold import Node
from epsilex.programs.formula import text
from epsilex.programs.operators import CONSTANT
from epsilex.programs.parser import parse
from epsilex.studio.preparing import Prepared

MAX_CHARACTERS, MAX_NODES = 4000, 400  # of a formula from the browser
MAX_GROUPS = 200


@dataclass(frozen=True, eq=False)
class Notation:
    """How the formulas of one run are written.

    names      of the features
    column     of the labels of groups, "" without groups
    labels     of the groups, sorted
    stand_ins  (stand-ins, groups) values of the columns that a search sees after the features
    language   of the form, None without one
    """

    names: Sequence[str]
    column: str = ""
    labels: tuple[str, ...] = ()
    stand_ins: np.ndarray | None = None
    language: FormLanguage | None = None

    @classmethod
    def of(cls, data: Prepared, spec: Mapping[str, Any]) -> Notation:
        """A ValueError says what is wrong with the groups or the form."""
        train = ~data.held_back
        if spec["form"] is not None:
            known = outline(Form(spec["form"]), data.names, spec["operators"], spec["max_length"])
            plain = Language(spec["operators"], len(data.names))
            return cls(data.names, language=FormLanguage.of(plain, known, data.X[train]))
        if data.labels is None:
            return cls(data.names)
        groups = Groups.of(data.groups, data.labels[train], data.weight[train])
        if len(groups) > MAX_GROUPS:
            raise ValueError(f"groups: expected at most {MAX_GROUPS} in the studio; got {len(groups)}")
        sigma = None if data.sigma is None else data.sigma[train]
        rows, groups = groups.with_stand_ins(data.X[train], data.y[train], data.weight[train], sigma)
        first = [int(np.argmax(groups.code == k)) for k in range(len(groups))]
        return cls(data.names, data.groups, groups.labels, rows.X[first, len(data.names) :].T)

    @property
    def outline(self) -> Outline | None:
        return None if self.language is None else self.language.outline

    # --- models ----------------------------------------------------------------------------------------------------

    def found(self, nodes: Sequence[Node]) -> Model | None:
        """The model of a program that a search found, in the user's units; None if no answer can be made of it: it is
        undefined for a group, or has too many constants per group."""
        if self.language is not None:
            return self.filled(nodes)
        if self.stand_ins is None:
            return model(nodes, self.names)
        program = collapsed(simplify(nodes), self.stand_ins, len(self.names))
        if program is None or len(program.table) > MOST:
            return None
        program = ordered(program)
        return self._own(program.nodes, program.table)

    def filled(self, nodes: Sequence[Node]) -> Model:
        """The model of what fills the form."""
        assert self.language is not None
        inside, labels = self.language.inside(nodes)
        return replace(model(self.language.formula(nodes), self.names), form=inside, labels=labels)

    def simplified(self, m: Model) -> Model:
        """A model of a search as it is shown."""
        if self.language is not None and m.form is not None:
            return self.filled(self.language.each(m.form.filling, simplify))
        return replace(m, nodes=tuple(simplify(m.nodes))) if m.own is None else m

    def remade(self, m: Model, program: Sequence[Node]) -> Model:
        """The model with another program of the same kind: its formula, or what fills its form."""
        return self.filled(program) if m.form is not None else replace(m, nodes=tuple(program))

    def _own(self, nodes: Sequence[Node], table: np.ndarray) -> Model:
        m = model(nodes, self.names)
        if not len(table):
            return m
        own = names_for(len(table), self.names)
        return replace(m, own=OwnConstants(self.column, self.labels, own, table, (None,) * len(self.labels)))

    # --- text ------------------------------------------------------------------------------------------------------

    def written(self, m: Model) -> str:
        """The text of a model, to the last bit of its constants."""
        if m.form is not None:
            inner = {name: text(nodes, names) for name, (names, nodes) in m.form.functions.items()}
            return json.dumps(inner | {name: repr(value) for name, value in m.form.constants.items()})
        values = "" if m.own is None else json.dumps(m.own.values.tolist()) + " "
        return values + text(m.nodes, m.column_names)

    def read(self, written: object) -> Model:
        """The model of a text from the browser, by the whitelist parser alone."""
        return self._read(_bounded(written, MAX_CHARACTERS + 26 * MOST * len(self.labels)), MAX_NODES)

    def published(self, written: str) -> Model:
        """The model of a text that the run itself has written, of any length."""
        return self._read(written, sys.maxsize)

    def plain(self, written: object, most: int = MAX_NODES) -> list[Node]:
        """A formula over the features alone, as a program."""
        return _parsed(_bounded(written, MAX_CHARACTERS), self.names, most)

    def _read(self, written: str, most: int) -> Model:
        if self.language is not None:
            return self._read_form(written, self.language, most)
        if not self.labels or not written.startswith("["):
            return model(_parsed(written, self.names, most), self.names)
        values, rest = _json(written)
        table = _table(values, len(self.labels))
        shown = [f"{name}[{self.column}]" for name in names_for(len(table), self.names)]
        return self._own(_parsed(rest, [*self.names, *shown], most), table)

    def _read_form(self, written: str, language: FormLanguage, most: int) -> Model:
        values, rest = _json(written)
        known = language.outline
        wanted = [*(function.name for function in known.functions), *known.constants]
        if rest or not isinstance(values, dict) or sorted(values) != sorted(wanted):
            raise ValueError(f"formula: expected {', '.join(wanted)} as a JSON object; got {written!r:.60}")
        inner = [_parsed(values[function.name], function.arguments, most) for function in known.functions]
        numbers = [_parsed(values[name], (), 1)[0] for name in known.constants]
        if any(code != CONSTANT for code, _, _ in numbers):
            raise ValueError(f"formula: expected numbers for {', '.join(known.constants)}")
        return self.filled(filling.joined(inner, [value for _, _, value in numbers]))


def _bounded(written: object, most: int) -> str:
    if not isinstance(written, str) or len(written) > most:
        got = f"{len(written)}" if isinstance(written, str) else type(written).__name__
        raise ValueError(f"formula: expected a text of at most {most} characters; got {got}")
    return written


def _json(written: str) -> tuple[Any, str]:
    """The JSON value that a text begins with, and the rest of it."""
    try:
        value, end = json.JSONDecoder().raw_decode(written)
    except (ValueError, RecursionError):
        raise ValueError(f"formula: expected JSON at its start; got {written!r:.60}") from None
    return value, written[end:].strip()


def _table(values: Any, n_groups: int) -> np.ndarray:
    """Values of constants per group, (constants, groups), checked."""
    good = isinstance(values, list) and 0 < len(values) <= MOST
    good = good and all(isinstance(row, list) and len(row) == n_groups for row in values)
    if not good or not all(type(value) in (int, float) and np.isfinite(value) for row in values for value in row):
        raise ValueError(f"formula: expected lists of {n_groups} finite numbers before it, one per group; got others")
    return np.array(values, np.float64)


def _parsed(written: object, names: Sequence[str], most: int) -> list[Node]:
    try:
        nodes = parse(written, names)  # type: ignore[arg-type]
    except (ValueError, TypeError) as error:
        raise ValueError(str(error).replace("text:", "formula:", 1)) from None
    if len(nodes) > most:
        raise ValueError(f"formula: expected at most {most} nodes; got {len(nodes)}")
    return nodes
