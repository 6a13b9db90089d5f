"""SymPy, LaTeX, Python and C of a program: the same values, and no way out for a hostile name."""

from __future__ import annotations

import ast
import ctypes
import shutil
import subprocess
import time

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings

from epsilex.programs import operators
from epsilex.programs.export import c_source, latex, python_source, sympy_expression
from epsilex.programs.formula import text
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import opcode
from epsilex.programs.parser import parse
from strategies import N_FEATURES, finite, programs, well_conditioned

X = np.random.default_rng(2).normal(size=(64, N_FEATURES)) * 2.0
HOSTILE = [
    'a"""\nimport os; os.abort()\n"""', "b'''\n#", "c\\", "d\r\n\x00\x1b[0m", "*/ int evil = 1; /*", "f`{0}{1}",
    "\ud800", '"', "\N{RIGHT-TO-LEFT OVERRIDE}x", "%s{}", "</script>", "$\\input{x}$^_~#&",
]  # fmt: skip


def run(source):
    namespace: dict = {}
    exec(compile(source, "model.py", "exec"), namespace)
    return namespace["predict"]


@settings(max_examples=300)
@given(programs(constants=finite, max_leaves=15))
def test_python_gives_the_same_bits(nodes):
    np.testing.assert_array_equal(run(python_source(nodes))(X), evaluate64(nodes, X))


def test_python_takes_what_numpy_takes():
    pd = pytest.importorskip("pandas")
    predict = run(python_source(parse("2*x0 + sin(x2)")))
    expected = evaluate64(parse("2*x0 + sin(x2)"), X)
    for data in (X.tolist(), np.asfortranarray(X), pd.DataFrame(X, columns=["u", "v", "w"]), X[::-1][::-1]):
        np.testing.assert_array_equal(predict(data), expected)
    assert predict(np.ones((2, 3), dtype=int)).dtype == np.float64


def test_python_of_a_constant_and_of_a_leaf():
    predict = run(python_source(parse("9**9**9 + 1/0")))
    np.testing.assert_array_equal(predict(X), np.full(len(X), np.inf))
    out = run(python_source(parse("x1")))(X)
    assert not np.shares_memory(out, X)
    np.testing.assert_array_equal(out, X[:, 1])


def test_python_checks_the_number_of_columns():
    predict = run(python_source(parse("a", ["a", "b"]), ["a", "b"]))
    with pytest.raises(ValueError, match=r"X: expected 2 columns; got shape \(64, 3\)"):
        predict(X)


@pytest.mark.parametrize("nested", [200, 900])
def test_python_and_c_of_deep_programs(nested):
    nodes = parse("sin(" * nested + "x0" + ")" * nested)
    np.testing.assert_array_equal(run(python_source(nodes))(X), evaluate64(nodes, X))
    wide = parse("x0*" * 900 + "x1")
    np.testing.assert_array_equal(run(python_source(wide))(X), evaluate64(wide, X))
    assert max(len(line) for line in c_source(nodes).splitlines()[4:]) < 200


def test_python_shows_formula_and_columns():
    names = ["temp (C)", "b", 'say "hi"']
    nodes = parse('`say "hi"`*b + `temp (C)`', names)
    documentation = run(python_source(nodes, names)).__doc__
    assert text(nodes, names) in documentation
    assert '2: say "hi"' in documentation


@pytest.mark.parametrize("k", range(len(HOSTILE)), ids=ascii)
def test_hostile_names_stay_in_the_docstring(k):
    nodes = [(1, k, 2.0), (0, 0, 1.0), (opcode("add"), 0, 0.0)]
    source = python_source(nodes, HOSTILE)
    statements = ast.parse(source.encode()).body  # the file as it would be written
    assert [type(statement) for statement in statements] == [ast.Expr, ast.Import, ast.FunctionDef]
    assert len(statements[2].body) == 5
    assert HOSTILE[k] in ast.get_docstring(statements[2], clean=False)
    wide = np.ones((2, len(HOSTILE)))
    np.testing.assert_array_equal(run(source)(wide), [3.0, 3.0])
    comment, _, code = c_source(nodes, HOSTILE).partition(" */\n")
    assert "evil" not in code
    assert "*/" not in comment
    assert latex(nodes, HOSTILE).count("{") == latex(nodes, HOSTILE).count("}")


def test_operators_of_the_user():
    operators.operator("export_bare", lambda a: a + 1.0)
    operators.operator(
        "export_gauss", lambda a, b: np.exp(-a * a) * b, numpy="np.exp(-{0} * {0}) * {1}", c="exp(-{0} * {0}) * {1}",
        latex=r"e^{-{0}^{2}} \, {1}", sympy=lambda sp, a, b: sp.exp(-a * a) * b,
    )  # fmt: skip
    nodes = parse("2 - export_gauss(x0 - x1, -2)")
    np.testing.assert_array_equal(run(python_source(nodes))(X), evaluate64(nodes, X))
    assert "exp(-t0 * t0) * (-2.0)" in c_source(nodes)
    assert latex(nodes) == r"2 - e^{-\left(x_{0} - x_{1}\right)^{2}} \, \left(-2\right)"
    bare = parse("export_bare(x0)")
    for export, language in ((python_source, "numpy"), (c_source, "c")):
        with pytest.raises(ValueError, match=f"operator 'export_bare': expected its source, {language}=..., to"):
            export(bare)
    assert latex(bare) == r"\mathrm{export\_bare}\left(x_{0}\right)"
    assert str(sympy_expression(bare)) == "export_bare(x0)"


EVERY_OPERATOR = [
    "x0 + x1*x2 - x0/x1", "sin(x0) + cos(x1)*exp(x2) - log(abs(x0))", "sqrt(abs(x0))*square(x1 - 1) - tanh(x2)",
    "min(x0, x1)*max(x1, x2) - -x0", "abs(x0)**x1 + inv(x2)", "pdiv(x0, x1 - x1)*plog(x2) + plog(x0 - x0)",
    "-(x0 + x1)**2/-3", "log(x0)*min(log(x1), 2)", "9**9**9*0", "1/0 + x0", "-(x0*x1)",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_c_computes_the_same(tmp_path):
    bodies = [c_source(parse(formula)).replace("predict", f"predict{k}") for k, formula in enumerate(EVERY_OPERATOR)]
    (tmp_path / "model.c").write_text("".join(bodies))
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC", "model.c"]
    subprocess.run([*command, "-o", "model.so", "-lm"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "model.so"))
    for k, formula in enumerate(EVERY_OPERATOR):
        predict = getattr(library, f"predict{k}")
        predict.restype, predict.argtypes = ctypes.c_double, [ctypes.POINTER(ctypes.c_double)]
        values = [predict((ctypes.c_double * N_FEATURES)(*row)) for row in X]
        np.testing.assert_allclose(values, evaluate64(parse(formula), X), rtol=1e-12, err_msg=formula)


@settings(max_examples=150)
@given(programs(max_leaves=10))
def test_sympy_lambdified_gives_the_same_values(nodes):
    symbols = [sp.Symbol(f"x{k}", real=True) for k in range(N_FEATURES)]
    function = sp.lambdify(symbols, sympy_expression(nodes), "numpy")
    with np.errstate(all="ignore"):
        values = np.broadcast_to(np.asarray(function(*X.T), dtype=float), len(X))
    sound = well_conditioned(nodes, X)
    np.testing.assert_allclose(values[sound], evaluate64(nodes, X)[sound], rtol=1e-9)


@pytest.mark.parametrize(
    "formula",
    ["9**9**9", "sin(9**9**9*x0)", "(2*x0)**1e8", "exp(exp(exp(100 + x0)))", "((3*x0)**1e6)**1e6", "x0**9**9**9",
     "min(max(x0, x1*x2), min(x1**x2, exp(x0)))", "pdiv(exp(exp(x0)), plog(x1 - 1e300))", "(1/3*x0)**500**x1"],
)  # fmt: skip
def test_sympy_never_hangs(formula):
    start = time.process_time()
    assert sympy_expression(parse(formula)) is not None
    assert time.process_time() - start < 2.0


def test_sympy_of_an_undefined_constant_is_nan():
    assert sympy_expression(parse("x0*log(-1) + x1")) is sp.nan
    assert sympy_expression(parse("x0 + 1/0")).has(sp.oo)


def test_sympy_is_ordinary_sympy():
    names = ["temp (C)", "lambda", "N"]
    expression = sympy_expression(parse("2.5*`temp (C)` + lambda**2 - sin(N)", names), names)
    t, la, n = (sp.Symbol(name, real=True) for name in names)
    assert expression.free_symbols == {t, la, n}
    assert sp.simplify(expression - (2.5 * t + la**2 - sp.sin(n))) == 0
    assert sp.simplify(sympy_expression(parse("(x0 + x1)*(x0 - x1) - x0*x0 + square(x1)"))) == 0
    assert sympy_expression(parse("x0 + x0")).doit() == 2 * sp.Symbol("x0", real=True)


LATEX = [
    ("x0 + 2.5*x1*x2", r"x_{0} + 2.5 \, x_{1} \, x_{2}"),
    ("(x0 + 1)/(x1 - 2)", r"\frac{x_{0} + 1}{x_{1} - 2}"),
    ("x0*(x1/x2)", r"x_{0} \, \frac{x_{1}}{x_{2}}"),
    ("-x0/x1", r"-\frac{x_{0}}{x_{1}}"),
    ("(x0/x1)**2", r"\left(\frac{x_{0}}{x_{1}}\right)^{2}"),
    ("square(x0 + x1)", r"\left(x_{0} + x_{1}\right)^{2}"),
    ("square(sin(x0))", r"\left(\sin\left(x_{0}\right)\right)^{2}"),
    ("log(x0)^2", r"\left(\log\left(x_{0}\right)\right)^{2}"),
    ("log(x0^2)", r"\log\left(x_{0}^{2}\right)"),
    ("exp(-x0)", r"e^{-x_{0}}"),
    ("square(exp(x0))", r"\left(e^{x_{0}}\right)^{2}"),
    ("sqrt(x0 + 1)*abs(x1)", r"\sqrt{x_{0} + 1} \, \left|x_{1}\right|"),
    ("x0**-(x1 + 1)", r"x_{0}^{-\left(x_{1} + 1\right)}"),
    ("inv(x0 + 1)", r"\frac{1}{x_{0} + 1}"),
    ("min(x0, 2)", r"\min\left(x_{0}, 2\right)"),
    ("pdiv(x0, x1)", r"\mathrm{pdiv}\left(x_{0}, x_{1}\right)"),
    ("1.23456e-7*x0", r"1.235 \cdot 10^{-7} \, x_{0}"),
    ("(1e30)**x0", r"\left(1 \cdot 10^{30}\right)^{x_{0}}"),
    ("2*3*x0", r"2 \cdot 3 \, x_{0}"),
    ("x0 - (x1 - x2)", r"x_{0} - \left(x_{1} - x_{2}\right)"),
]


@pytest.mark.parametrize(("formula", "expected"), LATEX, ids=[formula for formula, _ in LATEX])
def test_latex(formula, expected):
    assert latex(parse(formula)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x", "x"),
        ("x12", "x_{12}"),
        ("x_1", "x_{1}"),
        ("temp (C)", r"\mathrm{temp\ (C)}"),
        ("a_b", r"\mathrm{a\_b}"),
        ("50%", r"\mathrm{50\%}"),
        ("a\\b{", r"\mathrm{a\backslash b\{}"),
        ("pi", r"\mathrm{pi}"),
        ("theta", r"\theta"),
        ("omega_0", r"\omega_{0}"),
        ("", r"\mathrm{}"),
    ],
)
def test_latex_names(name, expected):
    assert latex([(1, 0, 1.0)], [name]) == expected


@given(programs(constants=finite))
def test_latex_is_balanced(nodes):
    written = latex(nodes, digits=None)
    assert written.count(r"\left") == written.count(r"\right")
    assert written.count("{") == written.count("}")
    assert "}^{2}^" not in written
