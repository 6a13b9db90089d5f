"""Bounds that a person sets while a search runs: they hold from that generation on, and the log repeats it."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.shapes.knowledge import shapes_of
from epsilex.studio import desk, worker
from epsilex.studio.bounds import Bounds, checked_bounds, violates
from epsilex.studio.preparing import prepared
from epsilex.studio.project import read_json, read_lines, read_spec
from epsilex.studio.views import Runs
from epsilex.tables import read_table
from studios import COLUMNS, ask, asked, decays, new_run, pendulums, work

NAMES = COLUMNS[:-1]
TIGHT = ["f <= 2.6", "increasing in length"]  # the longest periods are above that


def shapes(project, id: str, said: list[str]):
    spec = read_spec(project.run(id))
    data = prepared(read_table(project.table(spec["table"])[1]), spec)
    return shapes_of(said, None, data.names, data.X[~data.held_back], data.y[~data.held_back])


def broken(project, id: str, front: list[str], said: list[str]) -> list[str]:
    """Formulas that violate a statement at some point."""
    known, notation = shapes(project, id, said), Runs(project).looker(id).notation
    return [formula for formula in front if violates(notation.read(formula), known)]


def test_bounds_hold_for_each_later_front_and_are_replayed(project, at):
    id, fronts = new_run(project), []
    at(4, lambda: ask(project, id, kind="bounds", constraints=TIGHT))
    for generation in range(1, 12):
        at(generation, lambda: fronts.append(read_json(project.run(id) / "snapshot.json")["front"]))
    told = work(project, id)
    assert told["phase"] == "done"
    assert told["constraints"] == TIGHT
    (entry,) = read_lines(project.run(id) / "log.jsonl")
    assert (entry["generation"], entry["act"]) == (4, {"kind": "bounds", "constraints": TIGHT})
    assert broken(project, id, fronts[3], TIGHT)
    later = fronts[5:]
    assert all(later)
    assert broken(project, id, [formula for front in (*later, told["front"]) for formula in front], TIGHT) == []

    runs = Runs(project)
    again = runs.replay(id)
    assert work(project, again)["digest"] == told["digest"]
    assert work(project, new_run(project))["digest"] != told["digest"]


def test_the_answer_says_whether_bounds_are_proven(project):
    """Also bounds that were set while it ran: what is tidied and polished satisfies them."""
    id = new_run(project)
    ask(project, id, kind="bounds", constraints=["f >= 0", "increasing in length"])
    told = work(project, id)
    assert told["phase"] == "done"
    known, notation = shapes(project, id, ["f >= 0", "increasing in length"]), Runs(project).looker(id).notation
    assert all(known.verdict(notation.read(formula).nodes) for formula in told["front"])
    assert "shape" in (project.run(id) / "result" / "front.csv").read_text().splitlines()[0]


def test_bounds_of_the_beginning_are_those_of_a_plain_fit(project, unpolished):
    id = new_run(project, constraints=TIGHT)
    told = work(project, id)
    spec = read_spec(project.run(id))
    data = prepared(read_table(project.table(spec["table"])[1]), spec)
    est = worker.estimator(spec, data).fit(data.to_fit(), data.y[~data.held_back])
    assert list(est.constraints) == TIGHT
    assert worker.digest(est) == told["digest"]


def test_killed_after_bounds_were_set_nothing_is_lost(project, at, monkeypatch):
    straight, id = new_run(project), new_run(project)
    at(3, lambda: ask(project, straight, kind="bounds", constraints=TIGHT))
    digest = work(project, straight)["digest"]
    monkeypatch.setattr(desk, "EVERY", 0.0)
    monkeypatch.setattr(desk, "SHARE", 1e9)
    at(3, lambda: ask(project, id, kind="bounds", constraints=TIGHT))
    at(8, killed)
    with pytest.raises(KeyboardInterrupt):
        work(project, id)
    assert work(project, id)["digest"] == digest


def killed():
    raise KeyboardInterrupt


def test_bounds_are_lifted_and_set_anew(project, at):
    id = new_run(project)
    for generation, said in ((2, TIGHT), (5, []), (7, ["f <= 2.9"])):
        at(generation, lambda said=said: ask(project, id, kind="bounds", constraints=said))
    told = work(project, id)
    assert (told["phase"], told["constraints"]) == ("done", ["f <= 2.9"])
    assert broken(project, id, told["front"], ["f <= 2.9"]) == []
    assert broken(project, id, told["front"], TIGHT)
    again = Runs(project).replay(id)
    assert work(project, again)["digest"] == told["digest"]


@pytest.mark.filterwarnings("ignore:no formula was finite")
def test_bounds_that_no_formula_satisfies_are_told_and_can_be_lifted(project, at):
    id = new_run(project)
    at(2, lambda: ask(project, id, kind="bounds", constraints=["f >= 1e6"]))
    told = work(project, id)
    assert told["phase"] == "failed"
    assert "expected limits that a formula satisfies" in told["message"]
    ask(project, id, kind="bounds", constraints=[])
    ask(project, id, kind="continue")
    told = work(project, id)
    assert (told["phase"], bool(told["front"])) == ("done", True)


def test_bounds_hold_for_every_group_and_for_forms(project):
    id = new_run(project, ("decays.csv", decays()), target="y", roles={"sample": "group"}, generations=4, population=60,
                 max_length=6)  # fmt: skip
    ask(project, id, kind="bounds", constraints=["decreasing in t"])
    told = work(project, id)
    assert told["phase"] == "done"
    assert told["front"]
    assert broken(project, id, told["front"], ["decreasing in t"]) == []
    formed = new_run(project, form="f(length) + c", generations=4)
    ask(project, formed, kind="bounds", constraints=["increasing in length"])
    told = work(project, formed)
    assert told["phase"] == "done"
    assert broken(project, formed, told["front"], ["increasing in length"]) == []
    for each in (id, formed):
        again = Runs(project).replay(each)
        assert work(project, again)["digest"] == read_spec(project.run(again))["expected"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("f >= 0", "expected a list"),
        (["f > 0"], "constraints: expected 'increasing in x'"),
        (["increasing in height"], "constraints: expected a column among"),
        (["f >= 1", "f <= 0"], "constraints: expected statements that can hold together"),
        (["f(length=0) = 0"], "constraints: expected the fixed values that the run began with, none"),
        (["f <= " + "9" * 3000], "constraints: expected texts of at most"),
        (["f >= 0"] * 21, "constraints: expected a list of at most 20"),
        ([3], "constraints: expected texts"),
    ],
)
def test_bounds_that_cannot_be_are_refused_in_words(client, finished, said, words):
    answer = client.post(f"/api/runs/{finished}/acts", json={"kind": "bounds", "constraints": said})
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    content = pendulums()
    table = client.post("/api/tables", content=content, headers={"x-name": "pendulum.csv"}).json()["id"]
    if "fixed" not in words:  # which a run may begin with
        answer = client.post("/api/runs", json=asked(table=table, constraints=said))
        assert answer.status_code == 400
        assert words in answer.json()["error"]


def test_a_fixed_value_stays_with_its_run():
    begun = ["f(length=0) = 0"]
    assert checked_bounds({"constraints": ["f >= 0", *begun]}, NAMES, begun) == ["f >= 0", *begun]
    with pytest.raises(ValueError, match="Begin a new run"):
        checked_bounds({"constraints": ["f >= 0"]}, NAMES, begun)


def test_the_server_keeps_bounds_for_the_process(client, project, finished):
    answer = client.post(f"/api/runs/{finished}/acts", json={"kind": "bounds", "constraints": [" f >= 0 ", ""]})
    assert answer.status_code == 202
    assert read_lines(project.run(finished) / "acts.jsonl")[-1]["constraints"] == ["f >= 0"]
    view = client.get(f"/api/runs/{finished}").json()
    assert view["waiting"] == ["set the bounds f >= 0"]
    assert view["constraints"] == []


def test_numbers_beyond_float64s_squares_take_no_bounds(project, unpolished):
    lines = pendulums().decode().splitlines()
    huge = "\n".join([lines[0], *(f"{line}e150" for line in lines[1:])]) + "\n"
    id = new_run(project, ("huge.csv", huge.encode()), generations=2)
    ask(project, id, kind="bounds", constraints=["f >= 0"])
    assert work(project, id)["phase"] == "done"
    (entry,) = read_lines(project.run(id) / "log.jsonl")
    assert "expected numbers between 1e-100 and 1e100" in entry["refused"]


def test_bounds_look_at_the_rows_of_the_search(project):
    id = new_run(project, ("decays.csv", decays()), target="y", roles={"sample": "group"})
    spec = read_spec(project.run(id))
    data = prepared(read_table(project.table(spec["table"])[1]), spec)
    bounds = Bounds.of(data, Runs(project).looker(id).notation)
    assert bounds.X.shape == (int((~data.held_back).sum()), 1 + len(Runs(project).looker(id).notation.stand_ins))
    np.testing.assert_array_equal(bounds.X[:, 0], data.X[~data.held_back, 0])
    assert bounds.shapes([]) is None
    assert [one.text for one in bounds.shapes(["f >= 0"]).known] == ["f >= 0"]
