"""Groups: one formula for several data sets, with constants of its own for each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from epsilex import DynamicRegressor, Settings, SymbolicRegressor, load_model

RATES = {"p": 0.25, "q": 0.4, "r": 0.7, "s": 1.0}


def curves(seed=0, rates=RATES, n=8, factor=3.17) -> tuple[pd.DataFrame, np.ndarray]:
    """Decays from the same value at rates of their own."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"t": rng.uniform(0, 6, n * len(rates)), "sample": np.repeat(list(rates), n)})
    own = frame["sample"].map(rates)
    return frame, (factor * np.exp(-own * frame["t"]) + rng.normal(scale=0.02, size=len(frame))).to_numpy()


X, Y = curves()


def make(**changes):
    quick = {"settings": Settings(population_size=100, max_length=20), "generations": 4, "time_limit": None}
    return SymbolicRegressor(**{"groups": "sample", "random_state": 0} | quick | changes)


@pytest.fixture(scope="module")
def est():
    return make().fit(X, Y)


def test_the_law_and_its_constants(est):
    m = est.model_
    assert "a[sample]" in m.formula
    assert m.own.labels == tuple("pqrs")
    assert np.allclose(np.abs(m.own.values[0]), list(RATES.values()), rtol=0.15)
    assert len(m.own.names) == 1
    assert est.score(X, Y) > 0.99
    constants = m.constants
    assert list(constants["group"]) == ["", *"pqrs"]
    assert (constants["standard_error"] > 0).all()
    assert est.front_["chosen"].sum() == 1
    assert m.formula in est.choice_.text
    assert est.feature_names_in_.tolist() == ["t"]


def test_it_beats_the_same_search_without_groups(est):
    without = make(groups=None).fit(X[["t"]], Y)
    assert est.score(X, Y) > without.score(X[["t"]], Y) + 0.05


def test_the_order_of_rows_and_the_number_of_threads_do_not_matter(est):
    order = np.random.default_rng(1).permutation(len(Y))
    other = make(n_jobs=2).fit(X.iloc[order], Y[order])
    assert other.front_.equals(est.front_)
    assert other.model_.constants.equals(est.model_.constants)


def test_a_resumed_search_gives_the_same(est, tmp_path):
    path = tmp_path / "search"
    make(generations=2, checkpoint=path).fit(X, Y)
    resumed = make(checkpoint=path, resume=True).fit(X, Y)
    assert resumed.front_.equals(est.front_)
    moved = X.assign(sample=np.roll(X["sample"], 3))
    with pytest.raises(ValueError, match="checkpoint: expected the data it was made with"):
        make(checkpoint=path, resume=True).fit(moved, Y)


def test_a_saved_model_predicts_the_same(est, tmp_path):
    est.model_.save(tmp_path / "m.json")
    assert np.array_equal(load_model(tmp_path / "m.json").predict(X), est.predict(X))


def test_a_new_group(est):
    new, y = curves(5, {"u": 0.55}, n=6)
    fitted = make().fit(X, Y)
    with pytest.raises(ValueError, match=r"expected a group that was fitted, 'p', .* got 'u'"):
        fitted.predict(new)
    assert fitted.adapt(new, y) is fitted
    assert fitted.score(new, y) > 0.95
    assert np.array_equal(fitted.predict(X), est.predict(X))
    assert fitted.model_ in fitted.models_


def test_guesses_say_which_constants_are_per_group():
    guess = make(guesses=["k*exp(-r*t)"], per_group=["r"], generations=0)
    m = guess.fit(X, Y).model_
    assert np.allclose(np.abs(m.own.values[0]), list(RATES.values()), rtol=0.15)


def test_limits_hold_for_formulas_of_groups():
    settings = Settings(population_size=60, max_length=16, nesting={"exp": ["mul"]})
    front = make(settings=settings, generations=1).fit(X, Y).models_
    inside = [m.formula.partition("exp(")[2].partition(")")[0] for m in front]
    assert all("t*" not in text and "]*" not in text for text in inside)  # the 0.475 of 0.475*t is its coefficient


@pytest.mark.parametrize("choose", ["accuracy", lambda front: 0])
def test_other_rules_of_choice(choose):
    fitted = make(choose=choose, generations=0).fit(X, Y)
    chosen = fitted.models_.index(fitted.model_)
    assert chosen == (0 if callable(choose) else fitted.front_["loss"].argmin())


def test_weights_and_standard_errors():
    sigma = np.where(X["sample"] == "p", 0.5, 0.02)
    fitted = make(noise=sigma, generations=0).fit(X, Y, sample_weight=np.where(X["t"] < 5, 1.0, 2.0))
    assert fitted.choice_.noise == "given"


@pytest.mark.parametrize(
    ("changes", "frame", "said"),
    [
        ({"groups": "plot"}, X, "groups: expected one of the columns 't', 'sample'; got 'plot'"),
        ({"groups": 3}, X, "groups: expected the name of a column, or None; got 3"),
        ({}, X[["t"]], "groups: expected one of the columns 't'; got 'sample'"),
        ({}, X[["t"]].to_numpy(), "groups: expected X as a DataFrame with a column 'sample'; got ndarray"),
        ({}, X.assign(sample=["one", *X["sample"][1:]]), "groups: expected at least 2 rows in each; got 1 in 'one'"),
        ({}, X.assign(sample="p"), "groups: expected at least 2 different labels in 'sample'; got 1"),
        ({"per_group": ["a"]}, X, "per_group: expected names of constants in the guesses; got 'a'"),
        ({"per_group": ["b"], "guesses": ["a*t"]}, X, "per_group: expected names of constants in the guesses; got 'b'"),
        ({"per_group": "a"}, X, "per_group: expected a sequence of names; got 'a'"),
        ({"per_group": ["a"], "groups": None}, X[["t"]], "per_group: expected groups, the column of labels, with it"),
        ({"choose": "validation"}, X, "groups: expected .* got choose"),
        ({"polish": False}, X, "groups: expected .* got polish"),
        ({}, X.assign(t=X["t"] * 1e200), "groups: expected numbers between 1e-100 and 1e100"),
    ],
)
def test_bad_input_is_one_line(changes, frame, said):
    with pytest.raises(ValueError, match=said) as error:
        make(**changes).fit(frame, Y)
    assert "\n" not in str(error.value)


def test_a_series_has_no_groups():
    with pytest.raises(ValueError, match="groups"):
        DynamicRegressor().set_params(groups="sample")


def test_parameters_are_cloned(est):
    again = clone(est)
    assert again.get_params()["groups"] == "sample"
    assert again.get_params()["per_group"] == ()
