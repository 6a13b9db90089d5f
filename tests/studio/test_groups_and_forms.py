"""Runs with groups of rows, and runs with a form: searched, looked at, steered, exported and replayed."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from epsilex import load_model
from epsilex.studio import worker
from epsilex.studio.acts import checked
from epsilex.studio.forms import form_of
from epsilex.studio.notation import Notation
from epsilex.studio.preparing import prepared
from epsilex.studio.project import read_lines, read_spec
from epsilex.studio.views import Runs
from epsilex.tables import read_table
from studios import ask, asked, decays, new_run, work

GROUPED = {"target": "y", "roles": {"sample": "group"}, "generations": 4, "population": 60, "max_length": 6}
GUESSED = {"guesses": ["a*exp(-b*t)"], "per_group": ["a"]}
FORM = "f(length) - f(angle) + c"


@pytest.fixture(scope="module")
def grouped(project) -> str:
    """A run with groups that has ended, in which a form was rejected."""
    id = new_run(project, ("decays.csv", decays()), **GROUPED, **GUESSED)
    ask(project, id, kind="reject", formula="[[1.0, 1.0, 1.0, 1.0]] 2*t + `a[sample]`")
    told = work(project, id)
    assert told["phase"] == "done", told
    return id


@pytest.fixture(scope="module")
def formed(project) -> str:
    id = new_run(project, form=FORM, generations=4)
    told = work(project, id)
    assert told["phase"] == "done", told
    return id


def front(client, id: str) -> list[dict]:
    return client.get(f"/api/runs/{id}").json()["front"]


def notation_of(project, id: str) -> Notation:
    return Runs(project).looker(id).notation


def test_a_run_with_groups_finds_what_a_plain_fit_finds(project):
    id = new_run(project, ("decays.csv", decays()), **GROUPED)
    told = work(project, id)
    spec = read_spec(project.run(id))
    data = prepared(read_table(project.table(spec["table"])[1]), spec)
    est = worker.estimator(spec, data).fit(data.to_fit(), data.y[~data.held_back])
    assert worker.digest(est) == told["digest"]
    assert sum(m.own is not None for m in est.models_) > 0


def test_the_guess_with_a_constant_per_group_is_on_the_front(client, grouped):
    law = next(f for f in front(client, grouped) if f["formula"].startswith("a[sample]*exp("))
    assert law["train"] < 0.03
    assert law["held"] < 0.05
    looked = client.post(f"/api/runs/{grouped}/look", json={"formula": law["exact"]}).json()
    assert [line["group"] for line in looked["curve"]["lines"]] == ["A", "B", "C", "D"]
    starts = [line["y"][0] for line in looked["curve"]["lines"]]
    np.testing.assert_allclose(starts, [9, 6, 4, 2], rtol=0.1)
    assert all(low < own < high for own, low, high in ((c["value"], c["low"], c["high"]) for c in looked["own"]))
    assert [(c["name"], c["group"]) for c in looked["own"]] == [("a", label) for label in "ABCD"]
    assert len(looked["constants"]) == 1  # the rate is shared, and has a slider
    rate = -looked["constants"][0]["value"]
    moved = client.post(
        f"/api/runs/{grouped}/look", json={"formula": law["exact"], "constants": [-2 * rate], "light": True}
    ).json()
    assert moved["train"] > 10 * looked["train"]
    assert set(looked["points"]["group"]) == {0, 1, 2, 3}


def test_every_formula_of_a_search_with_groups_can_be_looked_at(project, client, monkeypatch):
    """Also those that are there while it runs, whose constants per group are not tuned yet."""
    monkeypatch.setattr(worker.SteeredRegressor, "_keep", lambda *arguments: (_ for _ in ()).throw(ValueError("halt")))
    id = new_run(project, ("decays.csv", decays()), **GROUPED)
    assert work(project, id)["phase"] == "failed"
    shown = front(client, id)
    assert any("a[sample]" in f["formula"] for f in shown)
    for f in shown:
        answer = client.post(f"/api/runs/{id}/look", json={"formula": f["exact"]})
        assert answer.status_code == 200, answer.text
        assert answer.json()["train"] == pytest.approx(f["train"])


def test_a_rejected_form_with_constants_per_group_is_not_on_the_front(project, grouped, client):
    notation = notation_of(project, grouped)
    rejected = form_of(notation.read("[[1.0, 2.0, 3.0, 4.0]] `a[sample]` - 7*t"))
    assert rejected not in {form_of(notation.read(f["exact"])) for f in front(client, grouped)}
    (entry,) = read_lines(project.run(grouped) / "log.jsonl")
    assert "refused" not in entry


def test_runs_with_groups_and_forms_are_replayed(project, grouped, formed):
    runs = Runs(project)
    for id in (grouped, formed):
        again = runs.replay(id)
        assert work(project, again)["digest"] == read_spec(project.run(again))["expected"]


def test_exports_with_groups(client, project, grouped, tmp_path, monkeypatch):
    law = next(f for f in front(client, grouped) if f["formula"].startswith("a[sample]*exp("))
    texts = {}
    for kind in ("model", "latex", "python", "notebook", "report", "front"):
        answer = client.post(f"/api/runs/{grouped}/export/{kind}", json={"formula": law["exact"]})
        assert answer.status_code == 200, kind
        texts[kind] = answer.text
    (tmp_path / "model.json").write_text(texts["model"])
    rows = pd.DataFrame({"t": [0.0, 1.0], "sample": ["A", "D"]})
    predicted = load_model(tmp_path / "model.json").predict(rows)
    space: dict = {}
    exec(texts["python"], space)
    np.testing.assert_allclose(space["predict"](rows[["t"]], rows["sample"]), predicted)
    assert "for each ${data.groups.column}" in texts["report"]
    assert '"groups":[{"label":"A"' in texts["report"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "decays.csv").write_bytes(decays())
    for cell in json.loads(texts["notebook"])["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)
    assert space["est"].groups == "sample"
    assert list(space["est"].per_group) == ["a"]
    assert "sample" in space["table"].X.columns


def test_a_function_that_occurs_twice_stays_one(client, project, formed):
    longest = front(client, formed)[-1]
    assert [line.partition("(")[0] for line in longest["definitions"][:1]] == ["f"]
    looked = client.post(f"/api/runs/{formed}/look", json={"formula": longest["exact"]}).json()
    values = [c["value"] for c in looked["constants"]]
    assert looked["constants"][-1]["name"] == "c"
    values[0] = values[0] * 1.5 + 0.1
    moved = client.post(
        f"/api/runs/{formed}/look", json={"formula": longest["exact"], "constants": values, "light": True}
    ).json()
    m = notation_of(project, formed).read(moved["exact"])
    X = np.random.default_rng(0).uniform(0.3, 1.0, size=(5, 3))
    same, both = X.copy(), X[:, [2, 1, 0]]
    same[:, 2] = same[:, 0]
    c = m.form.constants["c"]
    np.testing.assert_allclose(m.predict(same), c)  # f(x) - f(x)
    np.testing.assert_allclose(m.predict(X) + m.predict(both), 2 * c)
    answer = client.post(f"/api/runs/{formed}/export/model", json={"formula": longest["exact"]})
    assert json.loads(answer.text)["form"]["text"] == FORM


def test_acts_that_a_form_does_not_allow_are_refused_in_words(project, formed):
    notation = notation_of(project, formed)
    for act in ({"kind": "forbid", "operator": "sin"}, {"kind": "guess", "formula": "length"}):
        with pytest.raises(ValueError, match="functions of a form"):
            checked(act, notation, {"max_length": 20})
    assert checked({"kind": "pause"}, notation, {}) == {"kind": "pause"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"form": "f(t"}, "form"),
        ({"form": "f(u)"}, "form"),
        ({"form": 3}, "form"),
        ({"form": "f(t)", "roles": {"sample": "group"}}, "form: expected no column of groups"),
        ({"form": "f(t)", "guesses": ["t"]}, "guesses: expected none beside a form"),
        ({"guesses": "t"}, "guesses"),
        ({"guesses": ["t +"]}, "guesses"),
        ({"guesses": ["a*t"], "per_group": ["a"]}, "per_group: expected a column of groups"),
        ({"roles": {"sample": "group"}, "per_group": ["a"]}, "per_group: expected a guess"),
        ({"roles": {"sample": "group"}, "guesses": ["a*t"], "per_group": ["k"]}, "per_group: expected names"),
        ({"roles": {"sample": "group", "t": "group"}}, "roles: expected one column of groups"),
        ({"roles": {"t": "group"}}, "groups: expected at least 2 rows in each"),
    ],
)
def test_what_cannot_be_is_refused_in_words(client, monkeypatch, change, words):
    monkeypatch.setattr(Runs, "start", lambda self, id: None)
    content = decays() if "t" not in change.get("roles", {}) else decays().replace(b"0.4545", b"0.4546", 1)
    table = client.post("/api/tables", content=content, headers={"x-name": "decays.csv"}).json()["id"]
    answer = client.post("/api/runs", json=asked(table=table, target="y") | change)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(words)


@pytest.mark.parametrize(
    "written",
    [
        "[[1, 2, 3]] `a[sample]`*t",
        '[[1, 2, 3, "4"]] `a[sample]`*t',
        "[[1, 2, 3, NaN]] `a[sample]`*t",
        "[[1, 2, 3, 4]] `b[sample]`*t",
        "[[1, 2, 3, 4]",
        "[" * 3000,
        "[[1,2,3,4],[1,2,3,4],[1,2,3,4],[1,2,3,4]] t",
        "{}",
    ],
)
def test_constants_per_group_from_the_browser_are_checked(client, grouped, written):
    answer = client.post(f"/api/runs/{grouped}/look", json={"formula": written})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("formula")


@pytest.mark.parametrize(
    "written",
    [
        "length", "[1]", '{"f": "x"}', '{"f": "length", "c": "x"}', '{"f": 3, "c": "1"}', '{"f": "g(1)", "c": "1"}',
        "{" * 900,
    ],
)  # fmt: skip
def test_what_fills_a_form_is_checked(client, formed, written):
    answer = client.post(f"/api/runs/{formed}/look", json={"formula": written})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("formula")
