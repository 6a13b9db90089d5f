"""What a fitted estimator shows: text, HTML, a report, and the front to callbacks."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from epsilex import DynamicRegressor, Model, SymbolicRegressor

SMALL = {"generations": 4, "time_limit": None, "population_size": 100, "random_state": 0}
RNG = np.random.default_rng(0)
X = pd.DataFrame({"speed": RNG.uniform(1.0, 3.0, 80), "mass": RNG.uniform(1.0, 2.0, 80)})
Y = pd.Series(0.5 * X["mass"] * X["speed"] ** 2 + RNG.normal(0.0, 0.01, 80), name="energy")


@pytest.fixture(scope="module")
def est():
    return SymbolicRegressor(**SMALL).fit(X, Y)


def record_in(path):
    """The data and the text of a report."""
    page = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]), page


def test_text_shows_the_formula(est):
    assert repr(est.model_) == f"Model({est.model_.formula!r})"
    assert str(est).splitlines()[-1] == f"energy = {est.model_.formula}"
    assert str(est).startswith("SymbolicRegressor(")
    assert str(SymbolicRegressor()) == repr(SymbolicRegressor())
    unnamed = SymbolicRegressor(**SMALL).fit(X.to_numpy(), Y.to_numpy())
    assert str(unnamed).splitlines()[-1].startswith("y = ")


def test_sympy_and_latex_are_those_of_the_chosen_model(est):
    assert est.sympy() == est.model_.sympy()
    assert est.latex() == est.model_.latex()
    assert est.latex(digits=None) == est.model_.latex(None)
    for method in (SymbolicRegressor().sympy, SymbolicRegressor().latex):
        with pytest.raises(NotFittedError):
            method()


def test_html_typesets_the_formula(est):
    page = est._repr_html_()
    assert "<mi>energy</mi><mo>=</mo>" in page
    assert est.model_.mathml() in page
    assert "<math" not in SymbolicRegressor()._repr_html_()


class TestReport:
    def test_it_shows_the_rows_of_the_fit(self, est, tmp_path):
        est.report(tmp_path / "report.html")
        data, page = record_in(tmp_path / "report.html")
        assert data["target"] == "energy"
        np.testing.assert_allclose(data["y"], Y, rtol=1e-5)
        assert not any(data["heldBack"])
        assert data["chosen"] == est.models_.index(est.model_)
        assert est.model_.formula in page
        assert "4 generations" in page

    def test_rows_not_seen_are_scored(self, est, tmp_path):
        new, target = X.iloc[:20] + 0.1, Y.iloc[:20].to_numpy()
        est.report(str(tmp_path / "report.html"), new, target)
        data, page = record_in(tmp_path / "report.html")
        assert sum(data["heldBack"]) == 20
        assert data["models"][0]["test"] == pytest.approx(np.abs(est.models_[0].predict(new) - target).mean(), rel=1e-4)
        assert "20 rows" in page

    def test_its_code_repeats_the_fit(self, est, tmp_path):
        est.report(tmp_path / "report.html")
        import html

        page = html.unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
        code = re.search(r'<pre id="command">(.*?)</pre>', page, re.DOTALL)[1]
        code = re.sub(r"</?span>", "", code)  # which keep words together
        again = eval(code, {"SymbolicRegressor": SymbolicRegressor, "X": X, "y": Y})  # written by the line above
        assert again.models_ == est.models_

    @pytest.mark.parametrize(
        "changes", [{"random_state": None}, {"loss": lambda y, p: abs(y - p)}, {"callbacks": [lambda state: None]}]
    )
    def test_without_code_that_repeats_it_there_is_none(self, changes, tmp_path):
        fitted = SymbolicRegressor(**SMALL | {"generations": 1} | changes).fit(X, Y)
        fitted.report(tmp_path / "report.html")
        assert "Repeat this fit" not in (tmp_path / "report.html").read_text(encoding="utf-8")

    def test_rows_of_no_weight_are_left_out(self, tmp_path):
        weight = np.ones(80)
        weight[:30] = 0.0
        SymbolicRegressor(**SMALL).fit(X, Y, weight).report(tmp_path / "report.html")
        assert len(record_in(tmp_path / "report.html")[0]["y"]) == 50

    def test_a_series_is_drawn_one_step_ahead(self, tmp_path):
        series = np.sin(np.arange(60) / 5.0)
        fitted = DynamicRegressor(**SMALL | {"generations": 2}).fit(np.ones((60, 1)), series)
        fitted.report(tmp_path / "report.html")
        data, page = record_in(tmp_path / "report.html")
        assert "one step ahead" in page
        assert len(data["y"]) == 60

    def test_bad_input(self, est, tmp_path):
        with pytest.raises(NotFittedError):
            SymbolicRegressor().report(tmp_path / "report.html")
        with pytest.raises(ValueError, match="X, y: expected both, or neither"):
            est.report(tmp_path / "report.html", X)
        with pytest.raises(ValueError, match=r"y: expected 80 finite numbers, one per row of X; got shape \(3,\)"):
            est.report(tmp_path / "report.html", X, Y[:3])
        with pytest.raises(ValueError, match="y: expected 80 finite"):
            est.report(tmp_path / "report.html", X, np.full(80, np.nan))
        with pytest.raises(ValueError, match="feature"):
            est.report(tmp_path / "report.html", X.rename(columns={"mass": "weight"}), Y)
        assert not list(tmp_path.iterdir())


class TestCallbacks:
    def test_a_callback_that_asks_for_it_gets_the_front(self):
        plain, fronts = [], []

        def look(state, front):
            fronts.append((state.generation, front))

        fitted = SymbolicRegressor(callbacks=[look, plain.append], **SMALL).fit(X, Y)
        assert [generation for generation, _ in fronts] == [0, 1, 2, 3, 4]
        assert len(plain) == 5
        for _, front in fronts:
            assert all(isinstance(m, Model) for m in front)
            losses = [m.metrics["loss"] for m in front]
            assert losses == sorted(losses, reverse=True)
            assert [m.length for m in front] == sorted({m.length for m in front})
            assert front.best is front[-1]
            error = np.abs(front.best.predict(X) - Y).mean()
            assert front.best.metrics["loss"] == pytest.approx(error, rel=1e-3)
            assert front.frame()["formula"].tolist() == [m.formula for m in front]
        assert fitted.models_ == SymbolicRegressor(**SMALL).fit(X, Y).models_

    def test_the_units_are_the_users(self):
        seen = []
        stop = SymbolicRegressor(callbacks=[lambda state, front: seen.append(front)], loss="mse", **SMALL)
        stop.fit(X * 1e120, Y * 1e-110)
        best = seen[-1].best
        with np.errstate(over="ignore"):
            error = best.predict(X * 1e120) * 1e110 - Y
        assert best.metrics["loss"] * 1e220 == pytest.approx((error**2).mean(), rel=1e-3)

    def test_a_front_that_is_kept_never_changes(self):
        fronts, texts = [], []

        def look(state, front):
            fronts.append(front)
            texts.append([m.formula for m in front])

        SymbolicRegressor(callbacks=[look], **SMALL).fit(X, Y)
        kept = []
        SymbolicRegressor(callbacks=[lambda state, front: kept.append(front)], **SMALL).fit(X, Y)
        assert [[m.formula for m in front] for front in kept] == texts  # though looked at later

    def test_it_may_stop_the_search(self):
        est = SymbolicRegressor(callbacks=[lambda state, front: front.best.length > 0], **SMALL).fit(X, Y)
        assert (est.stopped_by_, est.n_generations_) == ("callback", 0)
