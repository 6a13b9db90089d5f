"""`epsilex show`."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    text = "text"
    latex = "latex"
    python = "python"
    sympy = "sympy"
    c = "c"
    json = "json"
    unicode = "unicode"
    mathml = "mathml"
    excel = "excel"
    julia = "julia"
    r = "r"
    matlab = "matlab"
    fortran = "fortran"
    rust = "rust"
    javascript = "javascript"


def show(
    model: Annotated[Path, typer.Argument(help="model.json of a fit, or the folder of a fit.")],
    format: Annotated[Format, typer.Option(metavar="|".join(Format), help="Notation.")] = Format.text,
    length: Annotated[int | None, typer.Option(metavar="N", help="Length of another model of the fit.")] = None,
    group: Annotated[str | None, typer.Option(metavar="LABEL", help="Formula of this group of rows alone.")] = None,
) -> None:
    """Show a model's formula in a chosen notation."""
    from epsilex.cli.predicting import model_at
    from epsilex.evolution.observers.progress import printable
    from epsilex.models.persistence import to_document

    m = model_at(model, length)
    m = m if group is None else m.group(group)
    shown = {
        Format.text: lambda: "\n".join([m.formula, *m.definitions]),
        Format.latex: m.latex,
        Format.python: m.python,
        Format.sympy: lambda: str(m.sympy()),
        Format.c: m.c,
        Format.json: lambda: json.dumps(to_document(m), indent=1),
        Format.unicode: m.unicode,
        Format.mathml: m.mathml,
        Format.excel: m.excel,
    }
    lines = shown.get(format, lambda: m.source(format.value))().rstrip("\n").split("\n")
    print("\n".join(map(printable, lines) if sys.stdout.isatty() else lines))
