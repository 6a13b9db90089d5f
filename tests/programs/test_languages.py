"""Formulas in other languages and notations, and modules with trainable constants; `test_runtimes` runs them."""

from __future__ import annotations

import json
import re
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings

from epsilex import SymbolicRegressor
from epsilex.models.model import model
from epsilex.programs import operators
from epsilex.programs.export.excel import cell, excel
from epsilex.programs.export.languages import LANGUAGES, language_source
from epsilex.programs.export.modules import jax_function, torch_module, trained
from epsilex.programs.export.table import latex_table
from epsilex.programs.export.unicode import unicode
from epsilex.programs.formula import text
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse
from strategies import N_FEATURES, programs, well_conditioned

X = np.random.default_rng(0).uniform(0.3, 2.5, (12, 3)) * [1.0, -1.0, 1.0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_written(language):
    written = language_source(parse("2*a^2 + b", ["a", "b", "c"]), language, ["a", "b\n*/evil", "c"])
    assert "predict" in written
    assert "\n*/evil" not in written
    assert "x2" not in written.split("predict", 1)[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_own_operators_are_written_by_sympy(language):
    operators.operator(
        "language_logistic", lambda a: 1.0 / (1.0 + np.exp(-a)), sympy=lambda sp, a: 1 / (1 + sp.exp(-a))
    )
    written = language_source(parse("2*language_logistic(x0 - 3)"), language)
    assert "exp" in written
    assert "language_logistic" not in written.split("\n", 1)[1]


def test_lines_of_fortran_are_short():
    names = [f"x{k}" for k in range(300)]
    written = language_source(parse(" + ".join(f"-0.12345678901234567*x{k}^0.3" for k in range(300)), names), "fortran")
    assert max(map(len, written.splitlines()[301:])) <= 132


def test_what_cannot_be_written():
    operators.operator("language_bare", lambda a: a + 1.0)
    with pytest.raises(ValueError, match="operator 'language_bare': expected its SymPy form"):
        language_source(parse("language_bare(x0)"), "r")
    with pytest.raises(ValueError, match=r"language: expected one of julia, r, .*; got 'cobol'"):
        language_source(parse("x0"), "cobol")
    with pytest.raises(ValueError, match="operator 'language_bare': expected one that Excel knows"):
        excel(parse("language_bare(x0)"))
    with pytest.raises(ValueError, match="formula: expected at most 8192 characters, which Excel allows; got 8"):
        excel(parse("x0 + " * 1700 + "x1"))


class Spreadsheet:
    """Reads a formula as Excel does: a minus sign binds tighter than a power, and powers group from the left."""

    FUNCTIONS: ClassVar = {
        "SIN": np.sin, "COS": np.cos, "EXP": np.exp, "LN": np.log, "SQRT": np.sqrt, "ABS": np.abs, "TANH": np.tanh,
        "ASIN": np.arcsin, "ACOS": np.arccos,
        "MIN": np.minimum, "MAX": np.maximum, "IF": np.where,
    }  # fmt: skip

    def __init__(self, formula, cells):
        self.tokens = re.findall(r"\d+\.?\d*(?:E[+-]?\d+)?|[A-Z]+\d*|[-+*/^(),<]", formula.removeprefix("="))
        self.cells = cells

    def value(self):
        found = self.compared()
        assert not self.tokens
        return found

    def taken(self, *symbols):
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in symbols else None

    def compared(self):
        left = self.added()
        return left < self.added() if self.taken("<") else left

    def added(self):
        left = self.multiplied()
        while symbol := self.taken("+", "-"):
            right = self.multiplied()
            left = left + right if symbol == "+" else left - right
        return left

    def multiplied(self):
        left = self.raised()
        while symbol := self.taken("*", "/"):
            right = self.raised()
            left = left * right if symbol == "*" else left / right
        return left

    def raised(self):
        left = self.signed()
        while self.taken("^"):
            left = np.power(left, self.signed())
        return left

    def signed(self):
        return -self.signed() if self.taken("-") else self.atom()

    def atom(self):
        token = self.tokens.pop(0)
        if token == "(":
            inside = self.compared()
            assert self.taken(")")
            return inside
        if token in self.FUNCTIONS:
            assert self.taken("(")
            parts = [self.compared()]
            while self.taken(","):
                parts.append(self.compared())
            assert self.taken(")")
            return self.FUNCTIONS[token](*parts)
        return self.cells[token] if token in self.cells else np.float64(token)


@settings(max_examples=200)
@given(programs(max_leaves=10))
def test_excel_reads_the_same_values(nodes):
    cells = {cell(k): X[:, k] for k in range(N_FEATURES)}
    with np.errstate(all="ignore"):
        found = Spreadsheet(excel(nodes), cells).value() + np.zeros(len(X))
    rows = well_conditioned(nodes, X)
    np.testing.assert_allclose(found[rows], evaluate64(nodes, X)[rows], rtol=1e-9, atol=1e-12)


def test_cells():
    assert [cell(k) for k in (0, 25, 26, 701, 702)] == ["A2", "Z2", "AA2", "ZZ2", "AAA2"]
    assert excel(parse("-x0^2*x1"), ["$B$1", "D7"]) == "=-($B$1^2*D7)"
    with pytest.raises(ValueError, match="cells: expected at least 2"):
        excel(parse("x0 + x1"), ["A1"])


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("q1*q2/(4*pi*epsilon*r^2)", "q₁·q₂/(4·π·ε·r²)"),
        ("sqrt(q1)*sin(r)^2", "√(q₁)·(sin(r))²"),
        ("-r^-3 - q2^0.75", "−r⁻³ − q₂⁰·⁷⁵"),
        ("abs(q1 - q2)", "|q₁ − q₂|"),
        ("-8.617e-05*r + 1.5e30^q1", "(1.5·10³⁰)^q₁ − 8.617·10⁻⁵·r"),
    ],
)
def test_unicode(formula, expected):
    names = ["q1", "q2", "epsilon", "r"]
    assert unicode(parse(formula, names), names, 4, {}) == expected


def test_constants_that_are_trained():
    assert trained(parse("2*x0 + x1^3 + 0.5*exp(x2)^1.5")) == [0, 5, 8]


def test_torch_trains():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    module = torch_module(parse("2*x0 + x1^3 + 0.5*exp(x2)^1.5"))
    module(torch.tensor(X)).sum().backward()
    assert [len(module.constants), len(module.constants.grad)] == [3, 3]
    np.testing.assert_allclose(module.constants.grad[0], X[:, 0].sum())


def test_jax_differentiates():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with jax.enable_x64(True):
        predict, constants = jax_function(parse("2*x0 + x1^3 + 0.5*exp(x2)^1.5"))
        slopes = jax.grad(lambda c: predict(c, X).sum())(constants)
    assert slopes.shape == constants.shape == (3,)
    np.testing.assert_allclose(slopes[0], X[:, 0].sum())


def test_a_model_in_every_notation():
    m = model(parse("0.25*a*b^2", ["a", "b"]), ["a", "b"])
    assert m.formula == "a*b^2/4"
    assert m.text() == "0.25*a*b^2"
    assert m.unicode() == "a·b²/4"
    assert m.latex() == r"\frac{a \, b^{2}}{4}"
    assert m.excel() == "=0.25*A2*B2^2"
    assert "<mfrac>" in m.mathml()
    assert "powi(2)" in m.source("rust")
    assert text(parse(m.formula, ["a", "b"]), ["a", "b"]) == m.formula


def test_a_front_as_a_latex_table():
    rng = np.random.default_rng(0)
    data = rng.uniform(1, 3, (60, 2))
    est = SymbolicRegressor(generations=3, population_size=60, time_limit=None, random_state=0)
    est.fit(data, data[:, 0] * data[:, 1])
    table = est.latex_table()
    assert table.count(r"\\") == len(est.models_) + 1
    assert table.count(r"$\rightarrow$") == 1
    assert table.count("{") == table.count("}")
    assert json.dumps(table)
    assert latex_table([(1, 1e-9, parse("x0"))], ["x0"], None).count(r"\cdot 10^{-9}") == 1
