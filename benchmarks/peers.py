"""Our programs as the peers' own objects, so that all compute the same formulas on the same data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epsilex.programs import Programs
from epsilex.programs.operators import CONSTANT, FEATURE, lookup


def fold(programs: Programs, i: int, constant: Callable, feature: Callable, operator: Callable):
    """Program `i` built bottom-up: `constant(c)`, `feature(j)` and `operator(name, arguments)` make the parts."""
    stack = []
    for code, column, value in programs.nodes(i):
        if code == CONSTANT:
            stack.append(constant(value))
        elif code == FEATURE:
            stack.append(feature(column))
        else:
            row = lookup(code)
            arguments = [stack.pop() for _ in range(row.arity)][::-1]
            stack.append(operator(row.name, arguments))
    return stack[0]


def prefix(programs: Programs, i: int, constant: Callable, feature: Callable, operator: Callable) -> list:
    """Program `i` in prefix order, as gplearn and DEAP keep theirs."""
    return fold(
        programs,
        i,
        lambda c: [constant(c)],
        lambda j: [feature(j)],
        lambda name, arguments: [operator(name), *(node for argument in arguments for node in argument)],
    )


class Operon:
    """pyoperon's trees and dataset; `run` evaluates all trees at once, one thread, into one array."""

    def __init__(self, programs: Programs, X: np.ndarray):
        import pyoperon

        self.operon = pyoperon
        self.X = np.asfortranarray(X, np.float32)  # the dataset is a view of this array: it must live on
        self.data = pyoperon.Dataset(self.X)
        self.rows = pyoperon.Range(0, len(X))
        self.hashes = list(self.data.VariableHashes)
        self.trees = [self.tree(programs, i) for i in range(len(programs))]
        self.outputs = np.zeros((len(programs), len(X)), np.float32)

    def tree(self, programs: Programs, i: int):
        nodes = fold(programs, i, self.constant, self.feature, self.operator)
        return self.operon.Tree(nodes).UpdateNodes()

    def constant(self, value: float) -> list:
        node = self.operon.Node(self.operon.NodeType.Constant)
        node.Value = value
        return [node]

    def feature(self, column: int) -> list:
        node = self.operon.Node(self.operon.NodeType.Variable, self.hashes[column])
        node.Value = 1.0
        return [node]

    def operator(self, name: str, arguments: list[list]) -> list:
        node = self.operon.Node(getattr(self.operon.NodeType, name.capitalize()))
        # Operon's postfix order has the first argument next to its operator.
        return [part for argument in reversed(arguments) for part in argument] + [node]

    def run(self) -> np.ndarray:
        self.operon.EvaluateTrees(self.trees, self.data, self.rows, self.outputs, 1)
        return self.outputs


class Gplearn:
    """gplearn's programs, with its own protected division and logarithm."""

    def __init__(self, programs: Programs, X: np.ndarray):
        from gplearn import functions
        from gplearn._program import _Program

        own = {name: functions._function_map[name] for name in ("add", "sub", "mul", "div", "sin", "cos", "log")}
        own["exp"] = functions.make_function(function=np.exp, name="exp", arity=1)
        settings = {
            "function_set": list(own.values()), "arities": {}, "init_depth": (2, 6), "init_method": "full",
            "n_features": X.shape[1], "const_range": (-1.0, 1.0), "metric": None, "p_point_replace": 0.0,
            "parsimony_coefficient": 0.0, "random_state": np.random.RandomState(0),
        }  # fmt: skip
        self.X = np.asfortranarray(X, np.float32)
        self.programs = [
            _Program(program=prefix(programs, i, float, int, own.get), **settings) for i in range(len(programs))
        ]

    def run(self) -> list[np.ndarray]:
        with np.errstate(all="ignore"):
            return [program.execute(self.X) for program in self.programs]


class Deap:
    """DEAP's trees over NumPy functions, compiled to Python lambdas by `compile`."""

    def __init__(self, programs: Programs, X: np.ndarray):
        from deap import gp

        self.gp = gp
        self.set = gp.PrimitiveSet("bench", X.shape[1])
        for name, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}.items():
            self.set.addPrimitive(function, 2, name)
        for name, function in {"sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log}.items():
            self.set.addPrimitive(function, 1, name)
        self.columns = list(np.ascontiguousarray(X.T, np.float32))
        self.trees = [gp.PrimitiveTree(self.nodes(programs, i)) for i in range(len(programs))]
        self.functions = self.compile()

    def nodes(self, programs: Programs, i: int) -> list:
        def constant(value):
            return self.gp.Terminal(np.float32(value).item(), False, self.set.ret)

        return prefix(programs, i, constant, lambda j: self.set.mapping[f"ARG{j}"], self.set.mapping.get)

    def compile(self) -> list[Callable]:
        return [self.gp.compile(tree, self.set) for tree in self.trees]

    def run(self) -> list[np.ndarray]:
        with np.errstate(all="ignore"):
            return [function(*self.columns) for function in self.functions]

    def outputs(self) -> np.ndarray:
        """(programs, rows) float32, programs of constants alone included."""
        n_rows = len(self.columns[0])
        return np.array([np.broadcast_to(np.asarray(output, np.float32), n_rows) for output in self.run()])

    def compile_and_run(self) -> list[np.ndarray]:
        self.functions = self.compile()
        return self.run()
