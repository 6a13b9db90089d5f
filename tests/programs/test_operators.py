"""The operator table's derivatives, and operators of one's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import naive
from epsilex import SymbolicRegressor, programs
from epsilex.kernels.evaluating import in_blocks
from epsilex.kernels.jacobian import jacobian
from epsilex.programs import Programs
from epsilex.programs.machine import addresses
from epsilex.programs.operators import CONSTANT, FEATURE, TABLE, arities, lookup, opcode

X = np.random.default_rng(0).uniform(0.3, 2.0, (100, 2)).astype(np.float32).astype(np.float64)


def applied(name, *constants):
    """An operator on features with coefficients, so that its derivatives by them are its slopes times the features."""
    return [(FEATURE, k, c) for k, c in enumerate(constants)] + [(opcode(name), 0, 0.0)]


def slopes(nodes):
    """Derivatives of one program's outputs by its leaves' constants: (leaves, rows) float64."""
    p = Programs.from_nodes([nodes], np.float32)
    places = np.array([k for k, node in enumerate(nodes) if node[0] in (CONSTANT, FEATURE)])
    blocks = in_blocks(X)
    n = blocks.shape[0] * blocks.shape[2]
    outputs, columns = np.empty(n, np.float32), np.empty((len(places), n), np.float32)
    jacobian(
        addresses(p.opcode), addresses(p.opcode, slope=True), arities(), p.opcode[0], p.feature[0], p.constant[0],
        p.length[0], places, blocks, outputs, columns,
    )  # fmt: skip
    return columns[:, : len(X)].astype(np.float64)


def differences(row, *constants):
    """The same by central differences in float64."""
    result = []
    for k in range(len(constants)):
        h = 1e-6
        up, down = list(constants), list(constants)
        up[k], down[k] = up[k] + h, down[k] - h
        ends = [row.value(*(c * X[:, j] for j, c in enumerate(c))) for c in (up, down)]
        result.append((ends[0] - ends[1]) / (2 * h))
    return np.array(result)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_derivatives_of_the_table(row):
    constants = (0.75, 1.5)[: row.arity]
    np.testing.assert_allclose(slopes(applied(row.name, *constants)), differences(row, *constants), 2e-5, 2e-6)


@pytest.mark.parametrize("name", ["mul", "div", "sin", "log", "pow"])
def test_numeric_derivatives_are_close_to_the_table(name, own_operators):
    """What an operator without partials gets: right to a few digits, which is enough to tune constants by."""
    row = lookup(opcode(name))
    own = programs.operator("twin", _python_function(row))
    constants = (0.75, 1.5)[: row.arity]
    np.testing.assert_allclose(slopes(applied(own.name, *constants)), differences(row, *constants), 2e-3, 2e-3)


def _python_function(row):
    value = row.value
    return (lambda a: value(a)) if row.arity == 1 else (lambda a, b: value(a, b))


@pytest.fixture
def gauss(own_operators):
    return programs.operator("gauss", lambda x: np.exp(-x * x), numpy="np.exp(-{0} * {0})")


class TestOwnOperator:
    def test_values(self, gauss):
        got = programs.evaluate(Programs.from_nodes([applied("gauss", 1.0)]), X)[0]
        np.testing.assert_allclose(got, np.exp(-(X[:, 0] ** 2)), rtol=1e-6)

    def test_edges(self, gauss):
        edges = np.array([[0.0], [1e30], [-np.inf], [np.nan]])
        got = programs.evaluate(Programs.from_nodes([applied("gauss", 1.0)]), edges)[0]
        np.testing.assert_array_equal(got, [1.0, 0.0, 0.0, np.nan])

    def test_numeric_derivative(self, gauss):
        analytic = -2.0 * X[:, 0] ** 2 * 0.75 * np.exp(-((0.75 * X[:, 0]) ** 2))
        np.testing.assert_allclose(slopes(applied("gauss", 0.75))[0], analytic, 1e-3, 1e-4)

    def test_given_derivative(self, own_operators):
        programs.operator("gauss", lambda x: np.exp(-x * x), partials=(lambda x, v: -2.0 * x * v,))
        analytic = -2.0 * X[:, 0] ** 2 * 0.75 * np.exp(-((0.75 * X[:, 0]) ** 2))
        np.testing.assert_allclose(slopes(applied("gauss", 0.75))[0], analytic, 1e-5)

    def test_two_arguments(self, own_operators):
        programs.operator("hypot", lambda a, b: np.sqrt(a * a + b * b))
        got = programs.evaluate(Programs.from_nodes([applied("hypot", 1.0, 2.0)]), X)[0]
        np.testing.assert_allclose(got, np.hypot(X[:, 0], 2.0 * X[:, 1]), rtol=1e-6)
        np.testing.assert_allclose(
            slopes(applied("hypot", 1.0, 2.0)), differences(lookup(opcode("hypot")), 1.0, 2.0), 2e-3, 1e-3
        )

    def test_branches_and_numpy_functions(self, own_operators):
        def bump(x):
            inside = np.abs(x - 1.0) < 0.5
            return np.where(inside, np.cos(x) + np.tanh(x), np.maximum(x, 1.25))

        programs.operator("bump", bump)
        got = programs.evaluate(Programs.from_nodes([applied("bump", 1.0)]), X)[0]
        np.testing.assert_allclose(got, bump(X[:, 0]), rtol=1e-6)

    def test_text_and_exports(self, gauss):
        from epsilex.models.model import model
        from epsilex.programs.parser import parse

        m = model(applied("gauss", 2.0), ["x", "y"])
        assert m.formula == "gauss(2*x)"
        assert parse(m.formula, ["x", "y"]) == list(m.nodes)
        assert str(m.sympy()) == "gauss(2*x)"
        module = {}
        exec(m.python(), module)
        np.testing.assert_array_equal(module["predict"](X), m.predict(X))

    def test_fit(self, gauss):
        y = 3.0 * np.exp(-((X[:, 0] * 1.5) ** 2)) - 1.0
        est = SymbolicRegressor(
            operators=("add", "mul", "gauss"), generations=30, population_size=100, max_length=9, time_limit=None,
            random_state=0,
        ).fit(X, y)  # fmt: skip
        assert "gauss" in est.model_.formula
        assert est.score(X, y) > 0.9999

    def test_replaced_operator_has_the_new_values(self, own_operators):
        p = None
        for power in (2, 3):
            row = programs.operator("raised", (lambda x: x * x) if power == 2 else (lambda x: x * x * x))
            p = p or Programs.from_nodes([applied("raised", 1.0)])
            assert row.opcode == p.opcode[0, 1]
            np.testing.assert_allclose(programs.evaluate(p, X)[0], X[:, 0] ** power, rtol=1e-6)

    def test_closures_are_told_apart(self, own_operators):
        """The same code with another value in its closure is another operator, also for the cache on the disk."""

        def scaled(scale):
            return lambda x: scale * x

        for name, scale in (("first", 3.0), ("second", 5.0), ("first", 7.0)):
            programs.operator(name, scaled(scale))
            got = programs.evaluate(Programs.from_nodes([applied(name, 1.0)]), X)[0]
            np.testing.assert_allclose(got, scale * X[:, 0], rtol=1e-6)
            np.testing.assert_allclose(slopes(applied(name, 1.0))[0], scale * X[:, 0], rtol=1e-2)

    def test_globals_are_told_apart(self, own_operators, monkeypatch):
        for scale in (3.0, 5.0):
            monkeypatch.setitem(globals(), "SCALE", scale)
            programs.operator("by_global", lambda x: SCALE * x)
            got = programs.evaluate(Programs.from_nodes([applied("by_global", 1.0)]), X)[0]
            np.testing.assert_allclose(got, scale * X[:, 0], rtol=1e-6)

    def test_inner_functions_are_told_apart(self, own_operators):
        def outer(inner):
            return lambda x: inner(x) + 1.0

        for inner in (lambda x: x * 2.0, lambda x: x * 4.0):
            programs.operator("outer", outer(inner))
            got = programs.evaluate(Programs.from_nodes([applied("outer", 1.0)]), X)[0]
            np.testing.assert_allclose(got, inner(X[:, 0]) + 1.0, rtol=1e-6)


SCALE = 1.0


class TestBadOperators:
    @pytest.mark.parametrize("name", ["sin", "add", "pdiv", "two words", "1st", "", None, 3, "a.b"])
    def test_names(self, name, own_operators):
        with pytest.raises(ValueError, match="name: expected an identifier that is not a built-in operator"):
            programs.operator(name, lambda x: x)

    @pytest.mark.parametrize("value", [lambda: 1.0, lambda a, b, c: a, "x + 1", 3, np.exp, print])
    def test_functions(self, value, own_operators):
        with pytest.raises(ValueError, match="value: expected a"):
            programs.operator("own", value)

    @pytest.mark.parametrize(
        "value",
        [
            lambda x: open("file"),  # noqa: SIM115
            lambda x: undefined_name(x),  # noqa: F821
            lambda x: str(x),
            lambda x: [x],
            lambda x: x.shape[5],
        ],
    )
    def test_what_numba_cannot_compile(self, value, own_operators):
        programs.operator("own", value)
        with pytest.raises(ValueError, match="operator 'own': Numba cannot compile its function"):
            programs.evaluate(Programs.from_nodes([applied("own", 1.0)]), X)

    def test_partials(self, own_operators):
        with pytest.raises(ValueError, match="partials: expected 1 functions"):
            programs.operator("own", lambda x: x, partials=(lambda x, v: 1.0, lambda x, v: 1.0))
        programs.operator("own", lambda x: x, partials=(lambda x, v: str(x),))
        with pytest.raises(ValueError, match="operator 'own': Numba cannot compile its partials"):
            slopes(applied("own", 1.0))

    def test_nothing_is_left_behind(self, own_operators):
        before = len(TABLE)
        with pytest.raises(ValueError, match="value"):
            programs.operator("own", lambda a, b, c: a)
        assert len(TABLE) == before

    def test_full_table(self, own_operators):
        for k in range(254 - len(TABLE)):
            programs.operator(f"own{k}", lambda x: x)
        with pytest.raises(ValueError, match="the table is full"):
            programs.operator("one_too_many", lambda x: x)


CODE = """
import numpy as np
from epsilex import programs
from epsilex.kernels import streams
from epsilex.programs.machine import addresses
own = programs.operator("own", lambda x: 2.0 * x)
out = np.empty(3, np.int64)
streams.uniform_integers(np.uint64(1), 2, 3, 0, 99, out)
print(*out, addresses(np.array([own.opcode]))[own.opcode] != 0)
"""
PRINTED = " ".join(str(naive.Stream(1, 2, 3, slot).below(100)) for slot in range(3)) + " True"


class TestCacheFolder:
    """A folder that cannot be written to, or is not there, costs the compile time and nothing else."""

    @pytest.mark.parametrize("below", ["/dev/null/cache", "missing"])
    def test_cache_folder(self, run_python, tmp_path, below):
        folder = below if below.startswith("/") else str(tmp_path / below / "deep")
        assert run_python(CODE, NUMBA_CACHE_DIR=folder, HOME=None) == PRINTED

    def test_no_folder_at_all(self, run_python, tmp_path):
        """An installation that cannot be written to, of a user without a home."""
        package = Path(programs.__file__).parents[1]
        shutil.copytree(package, tmp_path / "epsilex", ignore=shutil.ignore_patterns("__pycache__"))
        (tmp_path / "epsilex" / "kernels" / "__pycache__").write_text("in the way, whoever asks")
        nowhere = {name: "/dev/null/nowhere" for name in ("HOME", "XDG_CACHE_HOME")}
        code = CODE + "print(streams.uniform_integers.stats.cache_path)"
        printed = run_python(code, PYTHONPATH=str(tmp_path), NUMBA_CACHE_DIR=None, **nowhere)
        assert printed.split("\n") == [PRINTED, "None"]

    def test_a_kernel_follows_changes_in_other_files(self, run_python, tmp_path):
        """As after an upgrade: Numba itself would find the old machine code of what did not change."""
        kernels = tmp_path / "epsilex" / "kernels"
        kernels.mkdir(parents=True)
        (tmp_path / "epsilex" / "__init__.py").touch()
        (kernels / "__init__.py").touch()
        for name in ("compiling", "caching", "inlining", "instructions", "meaning"):
            shutil.copy(Path(programs.__file__).parents[1] / "kernels" / f"{name}.py", kernels)
        head = "from epsilex.kernels.compiling import jit\n"
        caller = "from epsilex.kernels.called import value\n\n@jit\ndef twice():\n    return 2 * value()\n"
        (kernels / "caller.py").write_text(head + caller)
        for number in (1, 40):  # of another size: Python itself knows old byte code by size and second
            (kernels / "called.py").write_text(head + f"\n@jit\ndef value():\n    return {number}\n")
            code = "from epsilex.kernels.caller import twice; print(twice())"
            assert run_python(code, PYTHONPATH=str(tmp_path), NUMBA_CACHE_DIR=None) == str(2 * number)
