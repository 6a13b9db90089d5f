"""Outputs of whole programs: against the oracle, for any number of rows and threads, and after bad input."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import naive
import strategies
from epsilex import programs
from epsilex.programs import Programs
from epsilex.programs.operators import BUILT_IN_NAMES, CONSTANT, FEATURE, TABLE, lookup, opcode

UNIT = 2.0**-24  # rounding of float32
ADD = opcode("add")
X0, X1 = (FEATURE, 0, 1.0), (FEATURE, 1, 1.0)


def evaluate(nodes, X, **how):
    return programs.evaluate(Programs.from_nodes([nodes]), X, **how)[0]


def some_rows(n, features=3, seed=0):
    return np.random.default_rng(seed).uniform(-3.0, 3.0, (n, features)).astype(np.float32).astype(np.float64)


def rounded_evaluation(nodes, X, rng):
    """As float64, with every intermediate value off by one rounding of float32; and whether all are ordinary."""
    stack, ordinary = [], np.ones(len(X), bool)
    with np.errstate(all="ignore"):
        for code, feature, constant in nodes:
            if code == CONSTANT:
                value = np.full(len(X), constant)
            elif code == FEATURE:
                value = constant * X[:, feature]
            else:
                row = lookup(code)
                arguments = stack[-row.arity :]
                del stack[-row.arity :]
                value = row.value(*arguments)
            ordinary &= (np.abs(value) < 1e4) & (np.abs(value) > 1e-4)
            stack.append(value * (1.0 + UNIT * rng.choice([-1.0, 1.0], len(X))))
    return stack[0], ordinary


def chain(rng, length=20):
    """A program of `length` operators, each on the value so far and, if it is binary, on a leaf."""
    nodes = [X0]
    for name in rng.choice(BUILT_IN_NAMES, length):
        if lookup(opcode(name)).arity == 2:
            nodes.append(X1 if rng.random() < 0.5 else (CONSTANT, 0, float(np.float32(rng.uniform(0.5, 2.0)))))
        nodes.append((opcode(name), 0, 0.0))
    return nodes


def test_a_chain_of_20_operators():
    """Where the formula itself does not magnify rounding beyond 2e-6, the kernel is within 1e-4 of its twin."""
    rng = np.random.default_rng(1)
    X = some_rows(30, seed=2)
    compared = 0
    for _ in range(120):
        nodes = chain(rng)
        exact = naive.evaluate(nodes, X)
        trials = [rounded_evaluation(nodes, X, rng) for _ in range(4)]
        with np.errstate(all="ignore"):
            tame = np.logical_and.reduce([ok & (np.abs(v / exact - 1.0) < 2e-6) for v, ok in trials])
        np.testing.assert_allclose(evaluate(nodes, X)[tame], exact[tame], rtol=1e-4)
        compared += tame.sum()
    assert compared > 300


@settings(max_examples=150)
@given(nodes=strategies.programs())
def test_programs_against_the_oracle(nodes):
    """Finite where the oracle is (within float32), and of the same value where rounding is not magnified."""
    X = some_rows(12, strategies.N_FEATURES)
    got, exact = evaluate(nodes, X), naive.evaluate(nodes, X)
    rng = np.random.default_rng(0)
    trials = [rounded_evaluation(nodes, X, rng) for _ in range(4)]
    with np.errstate(all="ignore"):
        tame = np.logical_and.reduce([ok & (np.abs(v / exact - 1.0) < 1e-5) for v, ok in trials])
    np.testing.assert_allclose(got[tame], exact[tame], rtol=1e-4)


@settings(max_examples=100)
@given(nodes=strategies.programs(operators=("add", "sub", "mul", "div", "square", "neg", "inv", "abs", "min", "max")))
def test_arithmetic_is_that_of_float32(nodes):
    """Without transcendental functions a program is NumPy's float32 arithmetic, up to fused multiply-adds."""
    X = some_rows(8, strategies.N_FEATURES)
    stack = []
    with np.errstate(all="ignore"):
        for code, feature, constant in nodes:
            if code == CONSTANT:
                stack.append(np.full(len(X), constant, np.float32))
            elif code == FEATURE:
                stack.append(np.float32(constant) * X[:, feature].astype(np.float32))
            else:
                row = lookup(code)
                arguments = stack[-row.arity :]
                del stack[-row.arity :]
                stack.append(row.value(*arguments).astype(np.float32))
    np.testing.assert_array_equal(evaluate(nodes, X), stack[0])


@pytest.mark.parametrize("n_rows", [1, 2, 31, 32, 33, 354, 511, 512, 513, 1024, 1025, 3000])
def test_any_number_of_rows(n_rows):
    X = some_rows(3000)
    p = programs.random_programs(20, 3, np.random.default_rng(5))
    assert programs.evaluate(p, X[:n_rows]).tobytes() == programs.evaluate(p, X)[:, :n_rows].tobytes()


@pytest.mark.parametrize("n_jobs", [2, 8])
@pytest.mark.parametrize("n_programs", [1, 3, 200])
def test_number_of_threads_does_not_matter(n_jobs, n_programs):
    X = some_rows(700)
    p = programs.random_programs(n_programs, 3, np.random.default_rng(5), operators=BUILT_IN_NAMES)
    assert programs.evaluate(p, X, n_jobs=n_jobs).tobytes() == programs.evaluate(p, X).tobytes()


@pytest.mark.parametrize(
    "layout", [np.asfortranarray, lambda X: X[::-1][::-1], lambda X: np.repeat(X, 2, axis=1)[:, ::2]]
)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.uint8, bool])
def test_any_layout_and_kind_of_numbers(layout, kind):
    X = np.random.default_rng(0).integers(0, 5, (40, 3)).astype(kind)
    expected = X[:, 0].astype(np.float32) + X[:, 2].astype(np.float32)
    got = evaluate([X0, (FEATURE, 2, 1.0), (ADD, 0, 0.0)], layout(X))
    np.testing.assert_array_equal(got, expected)


class TestLeaves:
    """A program of one leaf, and leaves with coefficients, go their own way through the interpreter."""

    def test_feature_alone(self):
        X = some_rows(40)
        np.testing.assert_array_equal(evaluate([X1], X), X[:, 1].astype(np.float32))
        np.testing.assert_array_equal(evaluate([(FEATURE, 1, 2.5)], X), np.float32(2.5) * X[:, 1].astype(np.float32))

    def test_constant_alone(self):
        np.testing.assert_array_equal(evaluate([(CONSTANT, 0, 0.1)], some_rows(3)), np.full(3, 0.1, np.float32))

    def test_same_feature_twice(self):
        X = some_rows(40)
        np.testing.assert_array_equal(evaluate([X0, X0, (opcode("sub"), 0, 0.0)], X), np.zeros(40))

    @pytest.mark.parametrize("order", ["left", "right"])
    def test_deepest_stack(self, order):
        """255 leaves first and then 254 sums need the deepest stack a length allows."""
        leaves, sums = [X0] * 255, [(ADD, 0, 0.0)] * 254
        if order == "right":
            nodes = leaves + sums
        else:
            nodes = [X0] + [node for leaf, plus in zip(leaves[1:], sums, strict=True) for node in (leaf, plus)]
        np.testing.assert_array_equal(evaluate(nodes, np.ones((5, 1))), np.full(5, 255.0))

    def test_unary_tower(self):
        nodes = [X0] + [(opcode("neg"), 0, 0.0)] * 400
        np.testing.assert_array_equal(evaluate(nodes, np.arange(5.0).reshape(-1, 1)), np.arange(5.0))


def test_huge_inputs_become_infinite():
    assert evaluate([X0], np.array([[1e300], [-1e300], [1.0]])).tolist() == [np.inf, -np.inf, 1.0]


def test_no_programs():
    assert programs.evaluate(Programs.empty(0, 3), np.ones((4, 2))).shape == (0, 4)


@pytest.mark.parametrize(
    ("X", "named"),
    [
        (np.ones(3), "X: expected an array"),
        (np.ones((0, 2)), "X: expected an array"),
        (np.ones((3, 0)), "X: expected an array"),
        (np.ones((2, 2, 2)), "X: expected an array"),
        (np.array([["a", "b"]]), "X: expected numbers"),
        (np.array([[1j, 2j]]), "X: expected numbers"),
        (np.array([[None, 1]], dtype=object), "X: expected numbers"),
    ],
)
def test_bad_X(X, named):
    with pytest.raises(ValueError, match=named):
        evaluate([X0], X)


@pytest.mark.parametrize(
    ("nodes", "named"),
    [
        ([(FEATURE, 2, 1.0)], "feature: expected indices from 0 to 1; got 2"),
        ([(FEATURE, -1, 1.0)], "feature: expected indices"),
        ([(2 + len(TABLE), 0, 0.0)], "opcode: expected values below"),
        ([X0, X0], "postfix"),
        ([X0, (ADD, 0, 0.0)], "postfix"),
        ([(ADD, 0, 0.0), X0, X0], "postfix"),
        ([X0, (opcode("sin"), 0, 0.0), X1], "postfix"),
    ],
)
def test_bad_programs(nodes, named):
    with pytest.raises(ValueError, match=named):
        evaluate(nodes, np.ones((2, 2)))


def test_bad_struct():
    p = Programs.from_nodes([[X0]])
    p.length[0] = 2
    with pytest.raises(ValueError, match="length: expected values from 1 to 1"):
        programs.evaluate(p, np.ones((2, 2)))
    p.length[0] = 0
    with pytest.raises(ValueError, match="length"):
        programs.evaluate(p, np.ones((2, 2)))
    p = Programs.from_nodes([[X0]])
    p.feature = p.feature[:, :0]
    with pytest.raises(ValueError, match="one shape"):
        programs.evaluate(p, np.ones((2, 2)))


def test_floating_point_state_is_left_alone(run_python):
    """Subnormals exist after the kernels ran, and still raise and compare as everywhere."""
    code = """
import numpy as np
import epsilex
from epsilex import programs, selection
tiny = np.float32(1e-40)
rng = np.random.default_rng(0)
p = programs.random_programs(50, 2, rng, operators=("add", "mul", "exp", "log", "sin"))
programs.evaluate(p, rng.random((100, 2)), n_jobs=2)
selection.select("lex_e_mad", rng.random((20, 10)), 20, rng)
assert tiny * np.float32(1.0) != 0 and tiny + tiny > tiny and np.float64(5e-324) * 1.0 != 0.0
out = programs.evaluate(programs.Programs.from_nodes([[(1, 0, 0.5)]]), np.array([[1e-40]]))
assert out[0, 0] > 0, "a kernel flushed a subnormal"
from concurrent.futures import ThreadPoolExecutor
assert ThreadPoolExecutor(1).submit(lambda: tiny * np.float32(1.0)).result() != 0
print("kept")
"""
    assert run_python(code) == "kept"


def borrowed_too_long(source):
    """Local arrays of a kernel file whose address outlives them, as `function.name`.

    Numba frees an array after its last use by name; an address taken from it keeps nothing alive. So an array whose
    address is taken must be used by name in the function's last loop, which makes the calls, or after it.
    """
    found = []
    for function in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)):
        local = {
            name.id for name in ast.walk(function) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        }
        lent = [a.value for a in ast.walk(function) if isinstance(a, ast.Attribute) and a.attr == "ctypes"]
        addresses = {name.id for name in lent if isinstance(name, ast.Name)} & local
        loops = [k for k, statement in enumerate(function.body) if isinstance(statement, ast.For)]
        end = ast.Module(function.body[loops[-1] if loops else -1 :], [])
        used = {name.id for name in ast.walk(end) if isinstance(name, ast.Name) and name not in lent}
        found += [f"{function.name}.{name}" for name in sorted(addresses - used)]
    return found


def test_memory_known_by_its_address_is_kept_alive():
    freed = "def f(n):\n    a = np.empty(n)\n    at = a.ctypes.data\n    for i in range(n):\n        g(at)\n"
    assert borrowed_too_long(freed) == ["f.a"]
    assert borrowed_too_long(freed + "    a[0] = 0.0\n") == []
    for path in (Path(programs.__file__).parents[1] / "kernels").glob("*.py"):
        assert borrowed_too_long(path.read_text()) == [], path.name
