"""Constants that each group of rows has for itself, as part of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.data.groups import known_codes, labels_of
from epsilex.models.uncertainty import Uncertainty
from epsilex.programs.export import python_source
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE

if TYPE_CHECKING:
    import pandas as pd

    from epsilex.models.model import Model

LETTERS = "abcdfghjkmnpqrsuvwxyz"  # names of own constants; e, i, l, o and t have other meanings or look like others


@dataclass(frozen=True, slots=True, eq=False)
class OwnConstants:
    """Constants with one value per group.

    column  name of the column that holds a row's group
    labels  of the groups
    names   of the constants
    values  (constants, groups)
    known   per group, the uncertainty of its own constants and of the shared ones; None if it is not known
    """

    column: str
    labels: tuple[str, ...]
    names: tuple[str, ...]
    values: np.ndarray
    known: tuple[Uncertainty | None, ...]

    @property
    def shown(self) -> list[str]:
        """The constants as formulas show them, such as `a[sample]`."""
        return [f"{name}[{self.column}]" for name in self.names]

    def codes(self, X: Any) -> np.ndarray:
        """The index of each row's group, by the column of X."""
        names = getattr(X, "columns", None)
        if names is None or self.column not in list(names):
            raise ValueError(f"X: expected a DataFrame with the column of groups, {self.column!r}; it has none")
        return known_codes(labels_of(X[self.column], self.column), self.labels)

    def of_rows(self, X: Any) -> np.ndarray:
        """(rows, constants) the values for each row of X."""
        return self.values[:, self.codes(X)].T

    def index(self, label: object) -> int:
        return int(known_codes(labels_of([label], self.column), self.labels)[0])

    def inserted(self, nodes: Sequence[Node], n_features: int, group: int) -> tuple[Node, ...]:
        """The program of one group: its own constants are numbers."""
        return tuple(
            (CONSTANT, 0, value * float(self.values[j - n_features, group])) if code == FEATURE and j >= n_features else
            (code, j, value) for code, j, value in nodes
        )  # fmt: skip

    def document(self) -> dict[str, Any]:
        """JSON values."""
        known = [None if one is None else one.document() for one in self.known]
        return {
            "column": self.column, "labels": list(self.labels), "names": list(self.names),
            "values": self.values.tolist(), "known": known,
        }  # fmt: skip

    @classmethod
    def from_document(cls, values: dict[str, Any], n_nodes: int) -> OwnConstants:
        """The same from JSON values; a ValueError or TypeError if they do not fit a program of `n_nodes` nodes."""
        labels, names = (tuple(values[key]) for key in ("labels", "names"))
        if not isinstance(values["column"], str) or not all(isinstance(word, str) for word in (*labels, *names)):
            raise ValueError("expected a column, labels and names as text")
        if len(set(labels)) < len(labels) or not labels or not all(name.isidentifier() for name in names):
            raise ValueError("expected labels and names that are distinct, and names that are identifiers")
        table = np.array(values["values"], np.float64).reshape(len(names), len(labels))
        if not np.isfinite(table).all() or len(values["known"]) != len(labels):
            raise ValueError("expected a finite value per constant and group")
        known = tuple(None if one is None else Uncertainty.from_document(one, n_nodes) for one in values["known"])
        return cls(values["column"], labels, names, table, known)


def names_for(n: int, taken: Sequence[str]) -> tuple[str, ...]:
    """Names of `n` own constants that are not taken."""
    free = [letter for letter in LETTERS if letter not in taken]
    free += [f"own{k}" for k in range(n + len(taken)) if f"own{k}" not in taken]
    return tuple(free[:n])


def own_table(m: Model, own: OwnConstants) -> pd.DataFrame:
    """The constants of all groups, the shared ones once, with the column `group`, empty for those."""
    import pandas as pd

    mine = {  # with the sign before its first place, which the number there includes
        own.names[j - len(m.feature_names)]: np.sign(value)
        for code, j, value in reversed(m.nodes) if code == FEATURE and j >= len(m.feature_names)
    }  # fmt: skip
    parts: list[pd.DataFrame] = []
    for label in own.labels:
        table = m.group(label).constants
        is_own = table["name"].isin(mine)
        if not parts:
            parts.append(table[~is_own].assign(group="", name=[f"c{k}" for k in range(int((~is_own).sum()))]))
        parts.append(_unsigned(table[is_own].drop_duplicates("name"), mine).assign(group=label))
    return pd.concat(parts, ignore_index=True)


def _unsigned(table: pd.DataFrame, signs: dict[str, float]) -> pd.DataFrame:
    """Own constants as the formula names them: `exp(-a*t)` has an a, not a minus a."""
    sign = table["name"].map(signs).to_numpy()
    ends = np.sort(table[["low", "high"]].to_numpy() * sign[:, None], axis=1)
    return table.assign(value=table["value"] * sign, low=ends[:, 0], high=ends[:, 1])


def grouped_source(nodes: Sequence[Node], names: Sequence[str], own: OwnConstants) -> str:
    """Source of a Python module with `predict(X, groups)`: (rows, columns) and labels in, (rows,) float64 out."""
    inner = python_source(nodes, [*names, *own.shown]).replace("def predict(X):", "def _values(X):", 1)
    table = [f"    {label!r}: {tuple(map(float, own.values[:, k]))!r}," for k, label in enumerate(own.labels)]
    return "\n".join([
        inner.rstrip("\n"), "", "",
        f"# Constants of each group: {', '.join(own.names)}.",
        "OWN = {", *table, "}", "", "",
        "def predict(X, groups):",
        '    """Values of the formula for each row of X, with the constants of its group."""',
        "    own = np.array([OWN[str(group)] for group in groups], dtype=np.float64)",
        "    return _values(np.column_stack([np.asarray(X, dtype=np.float64), own]))", "",
    ])  # fmt: skip
