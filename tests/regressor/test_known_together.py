"""Knowledge of several kinds at once: shapes with groups, shapes and limits of structure with forms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex import Form, Settings, SymbolicRegressor
from epsilex.programs.structure import check_nesting, structure_of
from epsilex.shapes.knowledge import shapes_of

RNG = np.random.default_rng(0)
SHORT = {"generations": 4, "time_limit": None, "population_size": 100, "random_state": 0}


OWN = {"A": 0.4, "B": 0.8, "C": 1.2, "D": 1.8, "E": 2.4}
CONSTRAINTS = ("increasing in S", "f(S=0) = 0", "f >= 0")
BOX = {"S": (0.0, 12.0)}
ENZYME = pd.concat([pd.DataFrame({"S": RNG.uniform(0.2, 9, 10), "g": name}) for name in OWN], ignore_index=True)
RATE = ENZYME["g"].map(OWN) * ENZYME["S"] / (2 + ENZYME["S"]) + RNG.normal(scale=0.05, size=50)


def with_groups(**parameters):
    known = {"groups": "g", "constraints": CONSTRAINTS, "domain": BOX}
    return SymbolicRegressor(**known | SHORT | parameters).fit(ENZYME, RATE)


@pytest.fixture(scope="module")
def grouped():
    return with_groups()


class TestShapesOfGroups:
    def test_they_hold_for_every_group(self, grouped):
        shapes = shapes_of(CONSTRAINTS, BOX, ["S"], ENZYME[["S"]].to_numpy(), RATE.to_numpy())
        assert any(m.own is not None for m in grouped.models_)
        for m in grouped.models_:
            groups = [m] if m.own is None else [m.group(label) for label in OWN]
            assert all(shapes.verdict(one.nodes) is not None for one in groups)
            assert m.metrics["shape"] in ("proven", "checked")
            for label in OWN:
                values = m.predict(pd.DataFrame({"S": np.linspace(0.0, 12.0, 500), "g": label}))
                assert np.diff(values).min() >= -1e-9 * np.abs(values).max()
                assert abs(values[0]) < 1e-9

    def test_threads_do_not_matter(self, grouped):
        assert grouped.front_.equals(with_groups(n_jobs=2).front_)

    def test_a_new_group_must_have_them_too(self, grouped):
        new = pd.DataFrame({"S": [1.0, 2.0, 4.0, 8.0], "g": "F"})
        with pytest.raises(ValueError, match="constraints: expected rows of 'F' whose constants satisfy them"):
            grouped.adapt(new, -3 * new["S"] / (2 + new["S"]))
        assert "F" not in grouped.model_.own.labels
        assert "F" in grouped.adapt(new, 3 * new["S"] / (2 + new["S"])).model_.own.labels


class TestForms:
    X = pd.DataFrame({"x": RNG.uniform(0.5, 3, 80), "t": RNG.uniform(0, 3, 80)})
    Y = (X["x"] ** 2 + 1) * np.exp(-0.6 * X["t"]) + RNG.normal(scale=0.3, size=80)
    FORM = "f(x)*exp(-g(t))"

    def test_shapes_hold_for_the_whole_formula(self):
        known = ("increasing in x", "decreasing in t", "f >= 0")
        est = SymbolicRegressor(form=self.FORM, constraints=known, **SHORT).fit(self.X, self.Y)
        shapes = shapes_of(known, None, ["x", "t"], self.X.to_numpy(), self.Y.to_numpy())
        assert all(shapes.verdict(m.nodes) is not None for m in est.models_)
        assert set(est.front_["shape"]) <= {"proven", "checked"}
        assert set(est.model_.functions) == {"f", "g"}

    def test_a_shape_that_contradicts_the_data_is_kept(self):
        est = SymbolicRegressor(form="f(x) + g(t)", constraints=["increasing in t"], **SHORT).fit(self.X, self.Y)
        at = pd.DataFrame({"x": 1.0, "t": np.linspace(0.0, 3.0, 200)})
        for m in est.models_:
            assert np.diff(m.predict(at)).min() >= -1e-9

    def test_limits_of_structure_hold_in_each_function(self):
        nesting = {"sin": ["sin", "cos"], "exp": ["exp", "sin", "cos"], "square": ["square", "sin"]}
        est = SymbolicRegressor(
            form=Form("f(x, x*t, x + t)*exp(-g(t))"), settings=Settings(population_size=100, nesting=nesting),
            generations=4, time_limit=None, random_state=0,
        ).fit(self.X, self.Y)  # fmt: skip
        limit = structure_of(check_nesting(nesting), False, (), (), ["u", "v", "w"])
        for m in est.models_:
            assert all(limit.allows(nodes) for _, nodes in m.form.functions.values())

    @pytest.mark.parametrize(
        ("beside", "said"),
        [
            ({"settings": Settings(required=["x"])}, "form: expected no required beside it"),
            ({"settings": Settings(forbidden=["t"])}, "form: expected no forbidden beside it"),
            ({"units": {"x": "m", "t": "s"}, "target_unit": "m"}, "form: expected no units beside it"),
            ({"guesses": ["x"]}, "form: expected no guesses beside it"),
        ],
    )
    def test_what_has_no_meaning_beside_a_form(self, beside, said):
        with pytest.raises(ValueError, match=said):
            SymbolicRegressor(form=self.FORM, generations=1, time_limit=None, **beside).fit(self.X, self.Y)
