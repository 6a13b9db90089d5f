"""The live front of a notebook, without a notebook and in a browser."""

from __future__ import annotations

import copy
import json
import shutil

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget", reason="anywidget is not installed")

from epsilex import SymbolicRegressor
from epsilex.notebook import FrontWidget, watch
from epsilex.notebook import widget as module

SMALL = {"generations": 4, "time_limit": None, "population_size": 100, "random_state": 0}
NASTY = "<img src=x onerror=alert(1)>"
RNG = np.random.default_rng(0)
X = pd.DataFrame({NASTY: RNG.uniform(1.0, 3.0, 60), "b": RNG.uniform(1.0, 2.0, 60)})
Y = pd.Series(X[NASTY] ** 2 / X["b"], name="y<b>")


@pytest.fixture
def always(monkeypatch):
    """Every generation gets its picture."""
    monkeypatch.setattr(module, "EVERY", 0.0)
    monkeypatch.setattr(module, "SHARE", np.inf)


def test_it_follows_a_search_without_a_trace_in_its_result(always):
    widget, seen = FrontWidget("y"), []
    widget.observe(lambda change: seen.append(change["new"]), "status")
    est = SymbolicRegressor(callbacks=[widget], **SMALL).fit(X, Y)
    assert len(seen) == 5
    assert seen[-1].startswith("generation 4")
    assert [row["length"] for row in widget.front] == sorted(row["length"] for row in widget.front)
    assert len(widget.axis) == 2
    assert widget.chosen == -1
    assert est.models_ == SymbolicRegressor(**SMALL).fit(X, Y).models_
    json.dumps(widget.front, allow_nan=False)


def test_pictures_are_rare_enough():
    widget, seen = FrontWidget("y"), []
    widget.observe(lambda change: seen.append(change["new"]), "status")
    widget._next = np.inf
    SymbolicRegressor(callbacks=[widget], **SMALL).fit(X, Y)
    assert seen == []


def test_watch_shows_the_result(monkeypatch):
    shown = []
    display = pytest.importorskip("IPython.display", reason="IPython is not installed")
    monkeypatch.setattr(display, "display", shown.append)
    est = watch(SymbolicRegressor(**SMALL), X, Y, sample_weight=np.ones(60))
    (widget,) = shown
    assert est.callbacks == ()
    assert widget.chosen == est.models_.index(est.model_)
    assert widget.why == est.choice_.text
    assert len(widget.front) == len(est.models_)
    assert "done after 4 generations" in widget.status
    assert copy.deepcopy(widget) is widget
    with pytest.raises(ValueError, match="generations"):
        watch(SymbolicRegressor(generations=-1), X, Y)


def test_without_anywidget_it_says_what_to_install(run_python):
    code = """
import sys
sys.modules["anywidget"] = None
try:
    import epsilex.notebook
except ImportError as error:
    print(error)
"""
    assert run_python(code) == "epsilex.notebook needs anywidget: pip install 'epsilex[notebook]'"


PAGE = """<!doctype html><meta charset="utf-8"><style>%s</style><div id="root"></div><script type="module">
const values = %s;
const model = { get: (name) => values[name], on() {}, off() {} };
%s
render({ model, el: document.getElementById("root") });
document.body.dataset.ready = 1;
</script>"""


def test_it_is_drawn_and_names_stay_text(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("there is no Chromium")
    widget = FrontWidget(str(Y.name))
    widget.finish(SymbolicRegressor(**SMALL).fit(X, Y))
    values = {name: getattr(widget, name) for name in ("target", "status", "why", "chosen", "front", "axis")}
    script = widget._esm.replace("export default { render };", "")
    told = json.dumps(values).replace("<", "\\u003c")
    path = tmp_path / "widget.html"
    path.write_text(PAGE % (widget._css, told, script), encoding="utf-8")
    trouble = []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]")
        assert page.locator(".epsilex tbody tr").count() == len(widget.front)
        assert page.locator(".epsilex circle.point").count() == len(widget.front)
        assert page.locator(".epsilex circle.ring").count() == 1
        assert page.locator("img").count() == 0
        assert "onerror" in page.locator(".epsilex tbody").inner_text()
        browser.close()
    assert trouble == []
