"""Programs as a struct of arrays: one row per program, its nodes in postfix order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from epsilex.programs.operators import CONSTANT, FEATURE, TABLE, arities


@dataclass(slots=True)
class Programs:
    """A population's code and constants.

    opcode    (programs, width) uint8: 0 a constant, 1 a feature, from 2 on the operator table
    feature   (programs, width) int32: the column of a feature leaf, 0 elsewhere
    constant  (programs, width) float32 (float64 for polished models): the value of a constant leaf, the
              coefficient of a feature leaf (1 where there is none), 0 for operators
    length    (programs,) int32: number of used places out of `width`; the rest is zero
    """

    opcode: np.ndarray
    feature: np.ndarray
    constant: np.ndarray
    length: np.ndarray

    @classmethod
    def empty(cls, n: int, width: int, dtype=np.float32) -> Programs:
        return cls(
            np.zeros((n, width), np.uint8),
            np.zeros((n, width), np.int32),
            np.zeros((n, width), dtype),
            np.zeros(n, np.int32),
        )

    @classmethod
    def from_nodes(cls, nodes: Iterable[Sequence[tuple[int, int, float]]], dtype=np.float64) -> Programs:
        """Programs from lists of (opcode, feature, constant), in postfix order."""
        rows = [list(row) for row in nodes]
        result = cls.empty(len(rows), max((len(row) for row in rows), default=1), dtype)
        for i, row in enumerate(rows):
            result.length[i] = len(row)
            for k, (code, feature, constant) in enumerate(row):
                result.opcode[i, k], result.feature[i, k], result.constant[i, k] = code, feature, constant
        return result

    @classmethod
    def joined(cls, parts: Sequence[Programs]) -> Programs:
        """The programs of all parts in order; all parts have the same width."""
        return cls(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)))

    def __len__(self) -> int:
        return len(self.length)

    @property
    def width(self) -> int:
        return self.opcode.shape[1]

    def take(self, index) -> Programs:
        """The programs at `index`, copied."""
        index = np.asarray(index)
        return Programs(self.opcode[index], self.feature[index], self.constant[index], self.length[index])

    def widened(self, width: int) -> Programs:
        """A copy with another width, at least that of the longest program."""
        result = Programs.empty(len(self), width, self.constant.dtype)
        used = min(width, self.width)
        for name in ("opcode", "feature", "constant"):
            getattr(result, name)[:, :used] = getattr(self, name)[:, :used]
        result.length[:] = self.length
        return result

    def copy(self) -> Programs:
        return Programs(self.opcode.copy(), self.feature.copy(), self.constant.copy(), self.length.copy())

    def put(self, first: int, programs: Sequence[Sequence[tuple[int, int, float]]]) -> None:
        """Overwrite the programs from `first` on by others, given as lists of nodes."""
        for i, nodes in enumerate(programs, first):
            self.length[i] = len(nodes)
            for array in (self.opcode, self.feature, self.constant):
                array[i] = 0
            for k, (code, feature, constant) in enumerate(nodes):
                self.opcode[i, k], self.feature[i, k], self.constant[i, k] = code, feature, constant

    def nodes(self, i: int) -> list[tuple[int, int, float]]:
        """Program `i` as a list of (opcode, feature, constant), in postfix order."""
        n = int(self.length[i])
        return [
            (int(o), int(f), float(c))
            for o, f, c in zip(self.opcode[i, :n], self.feature[i, :n], self.constant[i, :n], strict=True)
        ]

    def formula(self, i: int, names: Sequence[str] | None = None, digits: int | None = None) -> str:
        """Infix text of program `i`; see `epsilex.programs.formula.text`."""
        from epsilex.programs.formula import text

        nodes = self.nodes(i)
        if self.constant.dtype == np.float32:  # shortest text of the same float32: 0.1, not 0.10000000149011612
            nodes = [(code, feature, float(str(np.float32(constant)))) for code, feature, constant in nodes]
        return text(nodes, names, digits)

    def validate(self, n_features: int) -> None:
        """Raise a ValueError unless every program is well formed over `n_features` columns."""
        arity = arities()
        n, width = self.opcode.shape
        if self.feature.shape != (n, width) or self.constant.shape != (n, width) or self.length.shape != (n,):
            raise ValueError(
                "programs: expected opcode, feature and constant of one shape and length of its first axis; got "
                f"{self.opcode.shape}, {self.feature.shape}, {self.constant.shape}, {self.length.shape}"
            )
        if n and not ((self.length >= 1) & (self.length <= width)).all():
            raise ValueError(
                f"length: expected values from 1 to {width}; got {self.length.min()} to {self.length.max()}"
            )
        used = np.arange(width) < self.length[:, None]
        if (self.opcode[used] >= 2 + len(TABLE)).any():
            raise ValueError(f"opcode: expected values below {2 + len(TABLE)}; got {self.opcode[used].max()}")
        leaf = used & (self.opcode == FEATURE)
        if leaf.any() and not (self.feature[leaf].min() >= 0 and self.feature[leaf].max() < n_features):
            raise ValueError(
                f"feature: expected indices from 0 to {n_features - 1}; got {self.feature[leaf].min()} to "
                f"{self.feature[leaf].max()}"
            )
        codes = np.where(used, self.opcode, CONSTANT)
        depth = np.where(used, 1 - arity[codes].astype(np.int32), 0).cumsum(axis=1)
        if (used & (depth < 1)).any():  # an operator yields a value only after all its arguments
            raise ValueError("programs: expected postfix order, every operator after its arguments")
        if n and not (depth[:, -1] == 1).all():
            raise ValueError("programs: expected postfix order with one value left at the end of each program")
