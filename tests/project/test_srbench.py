"""The SRBench method folder, held to the benchmark's contract."""

from __future__ import annotations

import importlib.util

import numpy as np
import pandas as pd
import pytest
import sympy
from sklearn.base import RegressorMixin, clone

from places import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

FOLDER = ROOT / "srbench" / "epsilex"


@pytest.fixture(scope="module")
def method():
    spec = importlib.util.spec_from_file_location("srbench_epsilex", FOLDER / "regressor.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0.5, 2.0, (80, 3)), columns=["length", "A_2", "N"])
    return X, (X["length"] * X["A_2"] / X["N"]).to_numpy()


@pytest.fixture(scope="module")
def fitted(method, data):
    est = clone(method.est).set_params(population_size=100, random_state=42)
    est.generations, est.time_limit = 3, None
    return est.fit(*data)


def value(text, X):
    """The model string as the benchmark reads it: SymPy, the columns its symbols."""
    symbols = {name: sympy.Symbol(name) for name in X.columns}
    expression = sympy.parse_expr(text, local_dict=symbols)
    assert expression.free_symbols <= set(symbols.values())
    return sympy.lambdify(list(symbols.values()), expression, "numpy")(*X.to_numpy().T) + np.zeros(len(X))


def test_the_estimator_has_what_the_benchmark_sets(method):
    assert isinstance(method.est, RegressorMixin)
    assert {"random_state", "time_limit"} <= set(method.est.get_params())
    assert isinstance(method.eval_kwargs, dict)
    first = next(name for name in ("max_time", "timeout", "time_limit") if hasattr(method.est, name))
    assert first == "time_limit"


def test_the_model_string_computes_what_predict_does(method, fitted, data):
    X, _ = data
    text = method.model(fitted, X)
    assert "^" not in text
    np.testing.assert_allclose(value(text, X), fitted.predict(X), rtol=1e-10)
    assert method.model(fitted) == text


def test_names_are_those_of_the_data_it_is_asked_with(method, fitted, data):
    X, _ = data
    renamed = X.set_axis(["x_0", "x_1", "x_2"], axis=1)
    text = method.model(fitted, renamed)
    np.testing.assert_allclose(value(text, renamed), fitted.predict(X), rtol=1e-10)


def test_the_population_is_made_of_estimators(method, fitted, data):
    X, _ = data
    population = method.get_population(fitted)
    assert 1 <= len(population) <= 100
    assert len({est.model_.length for est in population}) == len(population)
    for est in population:
        np.testing.assert_allclose(value(method.model(est, X), X), est.predict(X), rtol=1e-10)
    assert method.get_best_solution(fitted).predict(X).shape == (len(X),)
    assert fitted.model_ is method.get_best_solution(fitted).model_


def test_the_metadata_is_complete():
    metadata = yaml.safe_load((FOLDER / "metadata.yml").read_text(encoding="utf-8"))
    assert {"authors", "email", "name", "description", "url"} <= set(metadata)
    assert metadata["name"] == "epsilex"
    assert isinstance(metadata["authors"], list)
