"""Every export against `predict`, on random models and in its own runtime; skipped where that is not installed.

Rows where the value hangs on the last digits of the data are left out, because runtimes round differently.
"""

from __future__ import annotations

import csv
import shutil
import subprocess

import numpy as np
import pytest

from epsilex.models.model import model
from epsilex.programs import random_programs
from epsilex.programs.export.languages import LANGUAGES
from epsilex.programs.operators import BUILT_IN_NAMES, FEATURE
from epsilex.programs.parser import parse
from strategies import well_conditioned

# Names that mean something in one language or another, or end its comments.
NAMES = ["end", "x0", "function */ \n return"]
FORMULAS = [
    "x0 + x1*x2 - x0/x1", "sin(x0) + cos(x1)*exp(x2) - log(abs(x1))", "sqrt(x0)*(x1 - 1)^2 - tanh(x2)",
    "min(x0, x1)*max(x1, x2) - -x0", "abs(x1)^x2 + 1/x2 - x1^3", "pdiv(x0, x1 - x1)*plog(x2) + plog(x0 - x0)",
    "-(x0 + x1)^2/-3", "0.1234567890123456*x0^0.75/x2^-1.5", "-x1^2 - 2^x0", "x1^-3 + 1/x1^2", "3*x0*(-x1)^3", "2.5",
    "log(x0) + sqrt(x1)", "min(log(x0), x1)", "max(x1, sqrt(x0))", "min(x1, log(x0))", "abs(sqrt(x0))", "sqrt(x0)^2",
    "x0^x1", "x0^0.3", "(-2)^x1", "asin(x0)", "acos(x1)*x2", "pdiv(x1, log(x0))", "plog(sqrt(x2))", "1^log(x0)",
    "log(x0)^0", "x0/0", "log(-1)", "x0*1e300*1e300", "1/(x0 - x0)", "sin(1/(x0 - x0))", "x0 - 1e-290*x1*1e-10",
    "x0*-2 + -3*x1 - -x2 + x1/-7", "(x0^2)^3^x2", "1/3*x0 + 3/2", "x0^1e6", "x1^-1001",
    "+".join(f"{k}.123456789012345*x{k % 3}^{k % 4}" for k in range(1, 60)),
    "*".join(["(x0*x1 + x2)"] * 40), "sin(" * 90 + "x0" + ")" * 90,
]  # fmt: skip
N_RANDOM = 60

rng = np.random.default_rng(0)
X = rng.normal(size=(16, 3)) * 1.5
X[0], X[1], X[2] = [0.0, -1.0, 2.0], [1.0, 0.0, -3.0], [2.0, 3.0, 0.0]


def _models():
    random = random_programs(N_RANDOM, 3, rng, 3, 30, operators=BUILT_IN_NAMES, constant_range=(-3.0, 3.0))
    drawn = [random.nodes(i) for i in range(N_RANDOM)]
    return [model(nodes, NAMES) for nodes in [*map(parse, FORMULAS), *drawn]]


def _settled(m):
    """Where the values do not hang on the last digits of X: (rows,) bool."""
    expected = m.predict(X)
    moved = [m.predict(X * (1.0 + shift * rng.uniform(0.5, 1.0, X.shape))) for shift in (-1e-13, 1e-13)]
    with np.errstate(all="ignore"):
        return np.all([np.isclose(found, expected, rtol=1e-10, equal_nan=True) for found in moved], axis=0)


MODELS = _models()
EXPECTED = np.concatenate([m.predict(X) for m in MODELS])
SETTLED = np.concatenate([_settled(m) for m in MODELS])


def check(found, rtol=1e-9):
    found = np.asarray(found, float)
    assert found.shape == EXPECTED.shape
    for k, m in enumerate(MODELS):
        rows = slice(k * len(X), (k + 1) * len(X))
        settled = SETTLED[rows]
        np.testing.assert_allclose(found[rows][settled], EXPECTED[rows][settled], rtol=rtol, err_msg=m.text())


def test_the_rows_show_something():
    assert SETTLED.mean() > 0.95
    assert np.isfinite(EXPECTED[SETTLED]).mean() > 0.4
    assert np.isnan(EXPECTED[SETTLED]).mean() > 0.1
    assert np.isinf(EXPECTED[SETTLED]).mean() > 0.01


def tool(name):
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def run(folder, *command):
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr[-2000:]
    return found.stdout


def sources(language):
    """Source of all models, as functions predict0, predict1, ..."""
    return "\n".join(m.source(language).replace("predict", f"predict{k}") for k, m in enumerate(MODELS))


def calls(written=repr):
    """A call for each model and row."""
    columns = [sorted({feature for code, feature, _ in m.nodes if code == FEATURE}) for m in MODELS]
    return [
        f"predict{k}({', '.join(written(float(row[c])) for c in used)})" for k, used in enumerate(columns) for row in X
    ]


def calls_of_columns(template):
    """A call for each model, with columns as vectors."""
    columns = [template.format(", ".join(map(repr, column))) for column in X.T.tolist()]
    used = [sorted({feature for code, feature, _ in m.nodes if code == FEATURE}) for m in MODELS]
    return [f"predict{k}({', '.join(columns[c] for c in which)})" for k, which in enumerate(used)]


def rust(folder):
    lines = "\n".join(f'    println!("{{:e}}", {call});' for call in calls())
    (folder / "main.rs").write_text(f"{sources('rust')}\nfn main() {{\n{lines}\n}}\n")
    run(folder, tool("rustc"), "-o", "main", "main.rs")
    return run(folder, folder / "main")


def fortran(folder):
    functions = [f"  real(8), external :: predict{k}" for k in range(len(MODELS))]
    lines = [f"  print *, {call}" for call in calls(lambda value: f"{value!r}d0".replace("ed0", "d0"))]
    body = "\n".join(["program main", *functions, *lines, "end program main"])
    (folder / "main.f90").write_text(f"{sources('fortran')}\n{body}\n")
    run(folder, tool("gfortran"), "-std=f2008", "-Werror", "-o", "main", "main.f90")
    return run(folder, folder / "main")


def javascript(folder):
    lines = [f"console.log({call});" for call in calls()]
    (folder / "main.js").write_text("\n".join([sources("javascript"), *lines]))
    return run(folder, tool("node"), "main.js")


def julia(folder):
    lines = [f"println({call})" for call in calls()]
    (folder / "main.jl").write_text("\n".join([sources("julia"), *lines]))
    return run(folder, tool("julia"), "main.jl")


def r(folder):
    lines = [f"cat(sprintf('%.17g', {call} + numeric({len(X)})), '\\n')" for call in calls_of_columns("c({})")]
    (folder / "main.r").write_text("\n".join([sources("r"), *lines]))
    return run(folder, tool("Rscript"), "main.r")


def matlab(folder):
    lines = [f"printf('%.17g\\n', {call} + zeros(1, {len(X)}));" for call in calls_of_columns("[{}]")]
    (folder / "main.m").write_text("\n".join(["1;", sources("matlab"), *lines]))
    return run(folder, tool("octave-cli"), "main.m")


RUNNERS = {"julia": julia, "r": r, "matlab": matlab, "fortran": fortran, "rust": rust, "javascript": javascript}


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages(language, tmp_path):
    check([float(word.replace("Infinity", "inf")) for word in RUNNERS[language](tmp_path).split()])


def test_python(tmp_path):
    found = []
    for m in MODELS:
        namespace = {}
        exec(compile(m.python(), "model.py", "exec"), namespace)
        found.append(namespace["predict"](X))
    np.testing.assert_array_equal(np.concatenate(found), EXPECTED)


def test_c(tmp_path):
    code = "\n".join(m.c().replace("predict(", f"predict{k}(") for k, m in enumerate(MODELS))
    rows = [f"{{{', '.join(map(repr, row))}}}" for row in X.tolist()]
    lines = [f'printf("%.17g\\n", predict{k}(X[{i}]));' for k in range(len(MODELS)) for i in range(len(X))]
    main = ["#include <stdio.h>", f"const double X[{len(X)}][3] = {{{', '.join(rows)}}};", "int main(void) {", *lines]
    (tmp_path / "main.c").write_text("\n".join([code, *main, "return 0; }"]))
    run(tmp_path, tool("gcc"), "-std=c99", "-Wall", "-Werror", "-o", "main", "main.c", "-lm")
    check(run(tmp_path, tmp_path / "main").split())


def test_torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    check(np.concatenate([m.torch()(torch.tensor(X)).detach().numpy() for m in MODELS]))


def test_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with jax.enable_x64(True):
        exports = [m.jax() for m in MODELS]
        check(np.concatenate([predict(constants, X) for predict, constants in exports]))


def test_spreadsheet(tmp_path):
    """LibreOffice, for Excel's formula. It knows no infinity, and powers that vanish are an error to it."""
    office = tool("soffice")
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    for row in X.tolist():
        book.active.append(row)
    for k, m in enumerate(MODELS):
        for i in range(len(X)):
            book.active.cell(i + 1, 4 + k, m.excel([f"{column}{i + 1}" for column in "ABC"]))
    book.save(tmp_path / "book.xlsx")
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false"  # all digits
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    run(tmp_path, office, profile, "--headless", "--convert-to", form, "book.xlsx")
    with (tmp_path / "book.csv").open() as file:
        cells = np.array([row[3:] for row in csv.reader(file)]).T
    for m, shown, settled in zip(MODELS, cells, SETTLED.reshape(-1, len(X)), strict=True):
        found = np.array([np.nan if "#" in word or "Err" in word else float(word) for word in shown])
        expected = m.predict(X)
        sound = settled & well_conditioned(m.nodes, X) & (abs(expected) > 1e-300)
        np.testing.assert_allclose(found[sound], expected[sound], rtol=1e-9, atol=1e-14, err_msg=m.text())
        assert np.isnan(found[np.isnan(expected)]).all(), m.text()
