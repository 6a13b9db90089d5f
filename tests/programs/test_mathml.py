"""Formulas typeset: read back, the markup computes what the program does."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
from hypothesis import given

from epsilex.programs.export.mathml import mathml
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import lookup, opcode
from epsilex.programs.parser import parse
from strategies import N_FEATURES, programs, well_conditioned

NAMES = ["x0", "x1", "x2"]
X = np.random.default_rng(0).uniform(0.5, 3.0, (20, N_FEATURES)) * [1.0, -1.0, 2.0]
FUNCTIONS = {
    "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log, "tanh": np.tanh, "sqrt": np.sqrt, "abs": np.abs,
    "asin": np.arcsin, "acos": np.arccos,
    "min": np.minimum, "max": np.maximum, "e": np.float64(np.e), "pdiv": lookup(opcode("pdiv")).value,
    "plog": lookup(opcode("plog")).value,
}  # fmt: skip


def read(element) -> str:
    """Markup as a Python expression, grouped only as a reader sees it grouped."""
    parts = [read(child) for child in element]
    if element.tag == "mfrac":
        return f"(({parts[0]})/({parts[1]}))"
    if element.tag == "msup":
        return f"{parts[0]}**({parts[1]})"
    if element.tag == "msqrt":
        return f"sqrt({''.join(parts)})"
    if element.tag == "msub":
        return "".join(parts)
    if element.tag == "mspace":
        return "*"
    if element.tag == "mn":
        return element.text.replace("−", "-")
    if element.tag == "mo":
        bar = {"prefix": "abs(", "postfix": ")"}.get(element.get("form"), "")
        return {"−": "-", "·": "*", "\u2061": "", "|": bar}.get(element.text, element.text)
    return element.text if element.tag == "mi" else "".join(parts)


def value(markup: str) -> np.ndarray:
    root = ElementTree.fromstring(f"<div>{markup.replace('<wbr>', '')}</div>")
    expression = "".join(read(child) for child in root)
    variables = {name: X[:, j] for j, name in enumerate(NAMES)}
    numbers = re.sub(r"(?<![\w.])(\d[\w.]*(?:e[+-]?\d+)?)", r"float64(\1)", expression)
    with np.errstate(all="ignore"):
        return eval(numbers, {"__builtins__": {}, "float64": np.float64, **FUNCTIONS, **variables}) + np.zeros(len(X))


@given(programs(max_leaves=8) | programs(operators=("add", "sub", "mul", "div", "neg", "pow", "square", "abs")))
def test_the_markup_means_the_program(nodes):
    rows = well_conditioned(nodes, X)
    got = value(mathml(nodes, NAMES, digits=17))
    np.testing.assert_allclose(got[rows], evaluate64(nodes, X)[rows], rtol=1e-9, atol=1e-12)


def test_lines_may_break_before_signs_alone():
    assert mathml(parse("x0 + x1 - sin(x2 + 1)*2", NAMES), NAMES).count("<math") == 4
    assert mathml(parse("sqrt(x0 + x1)/(x2 - 1)", NAMES), NAMES).count("<math") == 1


def test_names_are_text_and_never_markup():
    names = ["<script>alert(1)</script>", "a&b'\"", "new\nline"]
    markup = mathml(parse("x0*x1 + x2"), names)
    assert "<script" not in markup
    texts = [element.text for element in ElementTree.fromstring(f"<p>{markup.replace('<wbr>', '')}</p>").iter("mi")]
    assert texts == ["<script>alert(1)</script>", "a&b'\"", "new�line"]


def test_numbers_are_rounded_and_powers_of_ten_written_out():
    markup = mathml(parse("0.000123456*x0 - 2.5", NAMES), NAMES)
    assert "<mn>0.0001235</mn>" in markup
    assert "<msup><mn>10</mn><mn>−7</mn></msup>" in mathml(parse("1.5e-7*x0", NAMES), NAMES)


def test_no_two_signs_meet():
    markup = mathml(parse("x0 + (-x1 - x2)", NAMES), NAMES)
    assert re.sub(r"<[^>]*>", "", markup) == "x0+(−x1−x2)"
