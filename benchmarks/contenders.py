"""The regressors that are compared, each under a budget of CPU time.

    fit = CONTENDERS["ours"]
    fit.warm_up()                        # compiles and imports, outside of the clock
    fitted = fit(X, y, seconds=10, seed=0)

Everyone may use the same functions: + - * / sin cos exp log sqrt, and the square where there is one.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

LENGTH = 50
POPULATION = 1000
NEVER = 10**9


@dataclass(frozen=True)
class Fitted:
    """What a regressor found.

    length  nodes of the program, as the regressor itself counts
    nodes   the same formula as one of our programs, None where it is no formula
    """

    predict: Callable[[np.ndarray], np.ndarray]
    length: int | None = None
    nodes: list[Node] | None = None
    estimator: Any = None


def some_data() -> tuple[np.ndarray, np.ndarray]:
    """Data to warm up on."""
    X = np.random.default_rng(0).normal(size=(100, 3))
    return X, X[:, 0] * X[:, 1] + np.sin(X[:, 2])


class Ours:
    """Our estimator, stopped by a callback once the process has used its CPU time; `changes` are parameters and
    settings."""

    def __init__(self, **changes):
        self.changes = changes

    def warm_up(self) -> None:
        self._estimator(generations=3, time_limit=None, random_state=0).fit(*some_data())

    def _estimator(self, **parameters):
        from epsilex import Settings, SymbolicRegressor
        from epsilex.parameters import SETTINGS

        settings = {name: value for name, value in self.changes.items() if name in SETTINGS}
        parameters |= {name: value for name, value in self.changes.items() if name not in SETTINGS}
        if "population_size" in settings:
            parameters.pop("population_size", None)
        return SymbolicRegressor(**parameters, settings=Settings(**settings))

    def __call__(self, X: np.ndarray, y: np.ndarray, seconds: float, seed: int) -> Fitted:
        from epsilex.evolution.settings import population_for

        end = time.process_time() + seconds
        stop = [lambda state: time.process_time() >= end]
        size = population_for(seconds)  # as for a `time_limit`
        est = self._estimator(
            generations=NEVER, time_limit=None, callbacks=stop, random_state=seed, population_size=size
        )
        est.fit(X, y)
        return Fitted(est.model_.predict, est.model_.length, list(est.model_.nodes), est)


class Operon:
    """pyoperon's estimator; `settings` are its parameters.

    Its own `max_time` is wall-clock time. Here a thread takes its budget of evaluations away once the process has used
    its CPU time, so that a busy machine is not to its harm.
    """

    SYMBOLS = "add,sub,mul,div,sin,cos,exp,log,sqrt,square,constant,variable"

    def __init__(self, **settings):
        without_limit = {"generations": NEVER, "max_evaluations": 10**15, "epsilon": 1e-14, "n_threads": 1}
        shape = {"allowed_symbols": self.SYMBOLS, "population_size": POPULATION, "max_length": LENGTH}
        self.settings = without_limit | shape | settings

    def warm_up(self) -> None:
        self(*some_data(), seconds=0.2, seed=0)

    def __call__(self, X: np.ndarray, y: np.ndarray, seconds: float, seed: int) -> Fitted:
        from pyoperon.sklearn import SymbolicRegressor

        end = time.process_time() + seconds
        with warnings.catch_warnings(), evaluators() as seen:
            warnings.simplefilter("ignore")
            est = SymbolicRegressor(**self.settings, random_state=seed)
            done = threading.Event()
            watch = threading.Thread(target=_stop_at, args=(end, seen, done), daemon=True)
            watch.start()
            est.fit(X, y)
            done.set()
            watch.join()
        return Fitted(est.predict, est.stats_["model_length"], operon_nodes(est), est)


@contextmanager
def evaluators():
    """A list of the evaluators that pyoperon makes meanwhile; it keeps them to itself, but they carry the budget."""
    import pyoperon

    seen: list = []
    names = [name for name in ("Evaluator", "MultiEvaluator") if hasattr(pyoperon, name)]
    before = {name: getattr(pyoperon, name) for name in names}

    def noting(make):
        def made(*arguments):
            seen.append(make(*arguments))
            return seen[-1]

        return made

    for name in names:
        setattr(pyoperon, name, noting(before[name]))
    try:
        yield seen
    finally:
        for name in names:
            setattr(pyoperon, name, before[name])


def _stop_at(end: float, seen: list, done: threading.Event) -> None:
    while not done.wait(0.005):
        if time.process_time() >= end:
            for evaluator in list(seen):
                evaluator.Budget = 0


OPERON_NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "sin": "sin", "cos": "cos", "exp": "exp", "log": "log",
    "sqrt": "sqrt", "square": "square", "tanh": "tanh", "abs": "abs", "pow": "pow", "^": "pow",
}  # fmt: skip


def operon_nodes(est) -> list[Node] | None:
    """pyoperon's model as a program of ours; None where it has operators that we have not."""
    columns = {identity: j for j, identity in enumerate(est.variables_)}
    stack: list[list[Node]] = []
    for node in est.model_.Nodes:
        if node.IsConstant:
            stack.append([(CONSTANT, 0, float(node.Value))])
        elif node.IsVariable:
            stack.append([(FEATURE, columns[node.HashValue], float(node.Value))])
        elif node.Name not in OPERON_NAMES or node.Arity > 2:
            return None
        else:  # the first argument is next to its operator
            parts = [stack.pop() for _ in range(node.Arity)]
            nodes = [node for part in parts for node in part]
            stack.append([*nodes, (opcode(OPERON_NAMES[node.Name]), 0, 0.0)])
    return stack[0]


class Gplearn:
    """gplearn's estimator, with its own settings and our functions; it goes on while there is CPU time left."""

    FUNCTIONS = ("add", "sub", "mul", "div", "sin", "cos", "log", "sqrt")

    def warm_up(self) -> None:
        self(*some_data(), seconds=0.2, seed=0)

    def __call__(self, X: np.ndarray, y: np.ndarray, seconds: float, seed: int) -> Fitted:
        from gplearn.functions import make_function
        from gplearn.genetic import SymbolicRegressor

        exp = make_function(function=protected_exp, name="exp", arity=1)
        how = {"population_size": POPULATION, "function_set": (*self.FUNCTIONS, exp), "random_state": seed}
        est = SymbolicRegressor(generations=0, warm_start=True, **how)
        end = time.process_time() + seconds
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            while time.process_time() < end:
                est.set_params(generations=est.generations + 1).fit(X, y)
        return Fitted(est.predict, est._program.length_, gplearn_nodes(est._program.program), est)


def protected_exp(x: np.ndarray) -> np.ndarray:
    """gplearn needs functions that are finite everywhere; its own manual protects the exponential in this way."""
    return np.where(np.abs(x) < 100.0, np.exp(x), 0.0)


def gplearn_nodes(program: list) -> list[Node]:
    """gplearn's program as one of ours, its protected operators as what they stand for: log |x|, sqrt |x|, a / b."""

    def part(position: int) -> tuple[list[Node], int]:
        node = program[position]
        if isinstance(node, (int, np.integer)):
            return [(FEATURE, int(node), 1.0)], position + 1
        if isinstance(node, (float, np.floating)):
            return [(CONSTANT, 0, float(node))], position + 1
        nodes: list[Node] = []
        position += 1
        for _ in range(node.arity):
            more, position = part(position)
            nodes += more
        if node.name in ("log", "sqrt"):
            nodes.append((opcode("abs"), 0, 0.0))
        return [*nodes, (opcode(node.name), 0, 0.0)], position

    return part(0)[0]


class Reference:
    """A scikit-learn regressor with its own settings and no budget, to know what the data holds."""

    def __init__(self, make: Callable[[int], Any]):
        self.make = make

    def warm_up(self) -> None:
        self(*some_data(), seconds=0, seed=0)

    def __call__(self, X: np.ndarray, y: np.ndarray, seconds: float, seed: int) -> Fitted:
        est = self.make(seed).fit(X, y)
        return Fitted(est.predict, estimator=est)


def forest(seed: int):
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(random_state=seed)


def ridge(seed: int = 0):
    """Ridge with its built-in cross-validation, on standardised columns."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13)))


# The best setting of pyoperon that a pilot found (1, 3, 5 and 10 iterations, on all or a tenth of the children; `aq`
# for `div`; `tanh` besides; one objective or two; each criterion of choice): two objectives, as it has for SRBench.
NSGA = {"objectives": ["r2", "length"], "model_selection_criterion": "bayesian_information_criterion"}

CONTENDERS: dict[str, Any] = {
    "ours": Ours(),
    "operon": Operon(optimizer_iterations=0),
    "operon-lm": Operon(optimizer_iterations=3),
    "operon-nsga": Operon(optimizer_iterations=0, **NSGA),
    "operon-nsga-lm": Operon(optimizer_iterations=3, **NSGA),
    "gplearn": Gplearn(),
    "forest": Reference(forest),
    "ridge": Reference(ridge),
}


def timed(contender, X: np.ndarray, y: np.ndarray, seconds: float, seed: int) -> tuple[Fitted, dict[str, float]]:
    """What the contender found, and the CPU and wall-clock seconds it took after its warm-up."""
    contender.warm_up()
    cpu, wall = time.process_time(), time.perf_counter()
    fitted = contender(X, y, seconds, seed)
    return fitted, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
