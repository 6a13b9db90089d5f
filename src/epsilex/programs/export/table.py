"""A front as a LaTeX table, for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from epsilex.programs.export.latex import latex
from epsilex.programs.fold import Node

Row = tuple[int, float, Sequence[Node]]  # length, error, program


def latex_table(
    rows: Iterable[Row], names: Sequence[str], named: Mapping[str, float] | None, chosen: int | None = None,
    digits: int = 4, error: str = "MAE",
) -> str:  # fmt: skip
    """A `tabular` with length, error and formula; the chosen row is marked."""
    lines = [r"\begin{tabular}{rrl}", r"\hline", rf"length & {error} & formula \\", r"\hline"]
    for k, (length, value, nodes) in enumerate(rows):
        formula = latex(nodes, names, digits, named)
        mark = r"$\rightarrow$ " if k == chosen else ""
        lines.append(rf"{mark}{length} & {_number(value)} & $\displaystyle {formula}$ \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def _number(value: float) -> str:
    mantissa, _, exponent = f"{value:.3g}".partition("e")
    return rf"${mantissa} \cdot 10^{{{int(exponent)}}}$" if exponent else f"${mantissa}$"
