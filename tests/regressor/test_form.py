"""Forms in the estimator: the outside stays, the functions inside are found, and everything works as for any model."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from epsilex import DynamicRegressor, Form, Settings, SymbolicRegressor, load_model
from epsilex.forms.filling import is_filling, parts
from epsilex.forms.knowledge import outline_of, scaled
from epsilex.programs.length import length
from epsilex.programs.numeric import evaluate64

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"x": RNG.uniform(0.5, 3, 120), "z": RNG.uniform(0.5, 3, 120), "t": RNG.uniform(0, 2, 120)})
Y = (TABLE.x**2 + TABLE.z) * np.exp(-0.7 * TABLE.t) + 0.5 + 0.01 * RNG.normal(size=120)
FORM = "f(x, z)*exp(-g(t)) + c"
SMALL = {"generations": 6, "time_limit": None, "population_size": 120, "random_state": 0}


def fitted(form=FORM, X=TABLE, y=Y, **changes):
    return SymbolicRegressor(**SMALL | {"form": form} | changes).fit(X, y)


@pytest.fixture(scope="module")
def est():
    return fitted(generations=25)


def test_the_functions_are_found(est):
    m = est.model_
    assert m.metrics["r2"] > 0.999
    assert set(m.functions) == {"f", "g"}
    names, nodes = m.form.functions["f"]
    assert names == ("x", "z")
    own = evaluate64(nodes, TABLE[["x", "z"]].to_numpy())
    true = TABLE.x**2 + TABLE.z
    own *= float(own @ true) / float(own @ own)
    assert np.abs(own - true).max() < 0.1


def test_every_model_is_the_form_with_its_functions(est):
    for m in est.models_:
        inner = {name: evaluate64(nodes, TABLE[list(names)].to_numpy())
                 for name, (names, nodes) in m.form.functions.items()}  # fmt: skip
        expected = inner["f"] * np.exp(-inner["g"]) + m.form.constants["c"]
        np.testing.assert_allclose(m.predict(TABLE), expected, rtol=1e-9)


def test_newcomers_fill_the_form_too():
    """A survival rule that takes in a random program every generation."""
    settings = Settings(selection="afp", survival="age_fitness", population_size=60)
    est = SymbolicRegressor(form=FORM, settings=settings, generations=6, time_limit=None, random_state=0, polish=False)
    assert all(set(m.functions) == {"f", "g"} for m in est.fit(TABLE, Y).models_)


@pytest.mark.parametrize(
    ("form", "choose"),
    [
        ("f(x) - f(z)", "description"),
        ("f(x) - f(z)", "accuracy"),
        ("f(x)*t - k*d(f, x)", "description"),
        ("g(f(x) + z)", "validation"),
    ],
)
def test_a_function_is_the_same_wherever_it_occurs(form, choose):
    y = {"f(x) - f(z)": TABLE.x**2 - TABLE.z**2, "g(f(x) + z)": np.sin(TABLE.x**2 + TABLE.z)}.get(
        form, np.sin(TABLE.x) * TABLE.t - 0.5 * np.cos(TABLE.x)
    )
    found = fitted(form, y=y + 0.05 * RNG.normal(size=120), choose=choose)
    known = outline_of(form, list(TABLE), found.settings_.operators, found.settings_.max_length)
    from epsilex.forms.filled import values

    for m in found.models_:
        np.testing.assert_allclose(m.predict(TABLE), values(m.form.filling, TABLE.to_numpy(), known), rtol=1e-9)


def test_every_individual_of_every_generation_fills_the_form():
    seen = []

    def look(state):
        known = scaled(outline_of(FORM, list(TABLE), settings.operators, 50), TABLE.to_numpy(), 1.0)
        programs = state.population.programs
        seen.append(all(is_filling(programs.nodes(i), known) for i in range(len(programs))))
        assert (state.population.slope == 1.0).all()
        assert (state.population.intercept == 0.0).all()

    from epsilex import Settings

    settings = Settings()
    fitted(callbacks=[look])
    assert len(seen) == SMALL["generations"] + 1
    assert all(seen)


def test_limits_of_functions():
    form = Form(FORM, functions={"f": {"max_length": 5, "operators": ["+", "*"]}, "g": {"max_length": 3}})
    found = fitted(form)
    for m in found.models_:
        assert length(m.form.functions["f"][1]) <= 5
        assert length(m.form.functions["g"][1]) <= 3
        assert not re.search(r"sin|exp|log|sqrt", m.functions["f"])


def test_same_seed_same_bits_for_any_number_of_threads():
    one, two, three = fitted(), fitted(n_jobs=2), fitted(random_state=1)
    assert one.model_.nodes == two.model_.nodes
    assert [m.nodes for m in one.models_] == [m.nodes for m in two.models_]
    assert one.history_["best_mae"].tolist() == two.history_["best_mae"].tolist()
    assert one.history_["best_mae"].tolist() != three.history_["best_mae"].tolist()


def test_resumed_is_the_same_and_another_form_is_refused(tmp_path):
    path = tmp_path / "search.checkpoint"
    fitted(generations=3, checkpoint=path)
    resumed = fitted(checkpoint=path, resume=True)
    assert resumed.model_.nodes == fitted().model_.nodes
    for other in ("f(x, z)*exp(-g(t)) - c", Form(FORM, functions={"g": {"max_length": 9}}), None):
        with pytest.raises(ValueError, match="checkpoint"):
            fitted(other, checkpoint=path, resume=True)


def test_warm_start_continues():
    found = fitted(generations=3, warm_start=True)
    before = found.history_["best_mae"].iloc[-1]
    found.fit(TABLE, Y)
    assert found.n_generations_ == 6
    assert found.history_["best_mae"].iloc[-1] <= before


def test_a_saved_model_is_the_same(est, tmp_path):
    m = est.model_
    m.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.nodes == m.nodes
    assert again.functions == m.functions
    assert again.definitions == m.definitions
    np.testing.assert_array_equal(again.predict(TABLE), m.predict(TABLE))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("functions", [["f", ["x"], [["feature", 3, 1.0]]]]),
        ("functions", [["f", ["x"], [["add", 0, 0.0]]]]),
        ("functions", [["f", ["x"], [["__import__", 0, 0.0]]]]),
        ("functions", "f"),
        ("functions", []),
        ("sources", [10**9]),
        ("sources", None),
        ("constants", [["c", "1"], ["d"]]),
        ("constants", [["c", 1e999]]),
    ],
)
def test_a_damaged_form_is_refused(est, tmp_path, key, value):
    from epsilex.files import sealed
    from epsilex.models.persistence import to_document

    document = to_document(est.model_)
    document["form"][key] = value
    schema, version, _ = (document.pop(name) for name in ("schema", "version", "sha256"))
    (tmp_path / "model.json").write_text(json.dumps(sealed(schema, version, document)))
    with pytest.raises(ValueError, match=r"form|functions"):
        load_model(tmp_path / "model.json")


def test_exports_and_intervals(est):
    m = est.model_
    scope: dict = {}
    exec(m.python(), scope)
    np.testing.assert_allclose(scope["predict"](TABLE.to_numpy()), m.predict(TABLE), rtol=1e-9)
    assert "e^{" in m.latex()
    assert "exp" in str(m.sympy())
    prediction, low, high = m.predict(TABLE, interval=0.95)
    assert 0.85 < np.mean((low <= Y) & (high >= Y)) <= 1.0
    assert (low <= prediction).all()
    constants = m.constants
    assert "c" in set(constants["name"])
    assert (constants["standard_error"].dropna() >= 0).all()


def test_errors_of_a_constant_in_two_places_are_those_of_one():
    y = 1.7 * TABLE.x**2 - 1.7 * TABLE.z**2 + 0.05 * RNG.normal(size=120)
    found = fitted("f(x) - f(z)", y=y, generations=15)
    m = found.model_
    places, ties = m.form.fitted(m.nodes)
    assert len(places) == 2 * ties.shape[1]
    table = m.constants
    shared = table[np.isclose(table["value"].abs(), 1.7, atol=0.05)]
    assert len(shared) == 2
    assert shared["standard_error"].nunique() == 1
    expected = 0.05 / np.sqrt(((TABLE.x**2 - TABLE.z**2) ** 2).sum())
    assert shared["standard_error"].iloc[0] == pytest.approx(expected, rel=0.3)


def test_parameters_and_clones():
    form = Form(FORM, functions={"g": {"max_length": 9}})
    own = SymbolicRegressor(form=form)
    assert own.get_params()["form"] is form
    assert clone(own).form == form


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"guesses": ["a*x"]}, "form: expected no guesses beside it"),
        ({"units": {"x": "m", "z": "m", "t": "s"}, "target_unit": "m"}, "form: expected no units beside it"),
        ({"form": 3}, "form: expected a formula as text, or an epsilex.Form"),
        ({"form": "x + c"}, "form: expected an unknown function"),
        ({"form": "f(x) + g(y)"}, "in this argument of g; got 'y'"),
        ({"max_length": 4}, "fit into max_length, 4 nodes"),
    ],
)
def test_what_cannot_be_is_said_before_the_search(changes, said):
    seen = []
    with pytest.raises(ValueError, match="form") as caught:
        fitted(**{"callbacks": [seen.append], **changes})
    assert said in str(caught.value)
    assert not seen


def test_a_dynamic_model_has_no_form():
    with pytest.raises(TypeError, match="form"):
        DynamicRegressor(form="f(x)")


def test_extreme_numbers_are_refused():
    with pytest.raises(ValueError, match="form: expected numbers between"):
        fitted(X=TABLE * 1e200)


@pytest.mark.parametrize("size", [1e-9, 1e6])
def test_columns_and_targets_of_any_usual_size(size):
    found = fitted("f(x) + g(t)", TABLE * [size, 1, 1], (TABLE.x**2 + TABLE.t) * size, generations=12)
    assert found.score(TABLE * [size, 1, 1], (TABLE.x**2 + TABLE.t) * size) > 0.99


def test_a_loss_of_ones_own_sees_the_users_units():
    found = fitted("f(x) + g(t)", y=100 * TABLE.x, loss=lambda y, p: np.log1p(np.abs(y - p)))
    m = found.model_
    assert m.metrics["loss"] == pytest.approx(np.log1p(np.abs(100 * TABLE.x - m.predict(TABLE))).mean(), rel=1e-6)
    assert found.history_["best_mae"].iloc[-1] < 100


def test_a_form_that_is_never_finite_is_told():
    with pytest.raises(ValueError, match="form: expected one that is finite"):
        fitted("log(0*f(x) - 1)", generations=1)


def test_the_papers_settings_work_with_a_form():
    found = SymbolicRegressor.paper(form=FORM, generations=3, population_size=60, random_state=0).fit(TABLE, Y)
    assert set(found.model_.functions) == {"f", "g"}
    assert len(parts(found.model_.form.filling, outline_of(FORM, list(TABLE), ("add",), 50))[0]) == 2
