"""Form text to an outline, and what is wrong with other text."""

from __future__ import annotations

import pytest

from epsilex import Form
from epsilex.forms.outline import CALL, NAMED
from epsilex.forms.reading import outline

NAMES = ["x", "z", "t", "my col"]


def read(text, functions=None, max_length=50, operators=("add", "mul", "sin")):
    return outline(Form(text, functions or {}), NAMES, operators, max_length)


def test_functions_constants_and_arguments():
    found = read("f(x, z)*exp(-g(t)) + c")
    assert [function.signature for function in found.functions] == ["f(x, z)", "g(t)"]
    assert found.constants == ("c",)
    assert found.widest == 2
    assert [token.kind for token in found.scripts[0]].count(CALL) == 2
    assert [token.kind for token in found.scripts[0]].count(NAMED) == 1


def test_arguments_that_are_no_columns_have_names_of_their_own():
    found = read("g(f(x) + 2*t, `my col`) - f(z)")
    assert [function.signature for function in found.functions] == ["g(u, my col)", "f(x)"]


def test_a_name_of_an_argument_is_never_that_of_a_column_or_function():
    found = outline(Form("u(x*v) + w(v^2)"), ["x", "v"], ("add",), 50)
    assert [function.arguments for function in found.functions] == [("w1",), ("w1",)] or all(
        not {*function.arguments} & {"u", "v", "w", "x"} for function in found.functions
    )


def test_limits_are_shared_evenly_and_may_be_given():
    found = read("f(x) + g(z) + h(t)*c", {"g": {"max_length": 7, "operators": ["+", "sin"]}}, max_length=31)
    assert [function.max_length for function in found.functions] == [10, 7, 10]  # 31 - 4 joints - 7, over two
    assert found.functions[1].operators == ("add", "sin")
    assert sum(function.max_length for function in found.functions) + found.joints <= 31


def test_scaling_only_with_the_operators_of_the_function():
    found = read("f(x) + g(z) + h(t)", {"f": {"operators": ["sin", "*"]}, "g": {"operators": ["sin"]}})
    assert [function.tail for function in found.functions] == [2, 0, 4]


@pytest.mark.parametrize("text", ["f(x, z) + d(f, z)", "d(f, z) + f(x, z)", "d(f(x, z), z)"])
def test_derivatives(text):
    assert [call.slope for call in read(text).calls if call.slope >= 0] == [1]


@pytest.mark.parametrize(
    ("text", "said", "at"),
    [
        ("f(x", "expected ')' to close this bracket", 2),
        ("f(x)*g(z", "expected ')' to close this bracket", 7),
        ("f(x)) + z", "got ')' without an open bracket", 5),
        ("f(x) + * z", "got '*'", 8),
        ("exp(f(x, z)) + f(z)", "expected 2 arguments of f, as before; got 1", 16),
        ("f(x) + g()", "expected an argument of g; got none", 10),
        ("f(x,, z)", "expected an argument of f; got none", 5),
        ("f(x) + g(q)", "expected a column among x, z, t, my col in this argument of g; got 'q'", 10),
        ("f(2)", "expected a column", 3),
        ("f(`no such`)", "expected a feature among", 3),
        ("f(x) + f", "expected f with its arguments everywhere", 8),
        ("x(t) + f(x)", "not called like a column", 1),
        ("sin(f(x), z)", "expected 1 argument of sin; got more", 9),
        ("d(f, x)", "expected a call of f", 3),
        ("f(x) + d(f, z)", "expected one call of f with z as an argument; got none", 8),
        ("f(x, z) + f(z, x) + d(f, x)", "got 2; write d(f(...), x)", 21),
        ("f(x) + d(f, q)", "expected a column among", 12),
        ("f(x) + d(f)", "expected a function and a column in d(f, x)", 8),
        ("f(x) + d(x, x)", "expected a function in d(f, x); got 'x'", 10),
        ("d(f(x*z), x)", "expected different columns, x among them", 1),
        ("d(f(x) + 1, x)", "expected an unknown function and its arguments", 3),
        ("d(d(f(x), x), x)", "expected an unknown function and its arguments", 3),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(text, said, at):
    with pytest.raises(ValueError, match="form: ") as caught:
        read(text)
    message = str(caught.value)
    assert said in message
    assert f"(at character {at})" in message
    assert "\n" not in message


@pytest.mark.parametrize("text", ["x + 2", "sin(x)", "c", "", "   "])
def test_a_form_needs_an_unknown_function(text):
    with pytest.raises(ValueError, match="form: expected"):
        read(text)


@pytest.mark.parametrize("text", ["f(" * 60 + "x" + ")" * 60, "+".join(["f(x)"] * 101), "f(x)" + " " * 10_000])
def test_a_form_that_is_too_large_is_refused(text):
    with pytest.raises(ValueError, match="form: expected at most"):
        read(text)


@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ({"h": {}}, "expected functions of the form, f, g; got 'h'"),
        ({"f": {"length": 3}}, "expected max_length and operators of f"),
        ({"f": {"max_length": 0}}, "an integer of at least 1; got 0"),
        ({"f": {"max_length": True}}, "got True"),
        ({"f": {"operators": "sin"}}, "a sequence of names; got 'sin'"),
        ({"f": {"operators": ["wobble"]}}, "got 'wobble'"),
        ({"f": {"max_length": 50}}, "that fit into max_length, 50 nodes"),
        ({"g": {"operators": ["min", "+"]}}, "expected operators with a derivative for g; got min"),
        (3, "expected a mapping"),
    ],
)
def test_bad_limits(functions, said):
    with pytest.raises(ValueError, match=r"functions|form|operators") as caught:
        read("f(x) + g(z) + d(g, z)", functions if functions else {})
    assert said in str(caught.value)
