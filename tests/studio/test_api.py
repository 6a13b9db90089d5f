"""The JSON API: tables, runs, formulas, notes and files; bad input is answered in words."""

from __future__ import annotations

import json
from urllib.parse import quote

import numpy as np
import pytest

from epsilex import load_model
from epsilex.studio.views import Runs
from studios import COLUMNS, asked, pendulums


@pytest.fixture
def no_process(monkeypatch) -> list[str]:
    """Runs that get no process; their ids."""
    started: list[str] = []
    monkeypatch.setattr(Runs, "start", lambda self, id: started.append(id))
    return started


def upload(client, content: bytes, name: str = "pendulum.csv"):
    return client.post("/api/tables", content=content, headers={"x-name": quote(name)})


def front(client, id: str) -> list[dict]:
    return client.get(f"/api/runs/{id}").json()["front"]


def test_the_page_and_its_files(client):
    page = client.get("/")
    assert page.status_code == 200
    assert "{{" not in page.text
    for name in ("main.js", "studio.css", "icon.svg"):
        assert f"/static/{name}" in page.text
        assert client.get(f"/static/{name}").status_code == 200
    assert client.get("/static/index.html").status_code == 404
    assert "http" not in page.text.replace("http-equiv", "")  # nothing from elsewhere


def test_columns_with_kinds_ranges_and_missing_values(client):
    table = b"a,b,c,d\n" + b"".join(
        b"%d,%s,%s,\n" % (i, b"" if i == 3 else b"1.5", b"red blue".split()[i % 2]) for i in range(20)
    )
    found = upload(client, table, "kinds.csv").json()
    assert found["rows"] == 20
    a, b, c, d = found["columns"]
    assert (a["kind"], a["low"], a["high"], a["missing"], sum(a["histogram"])) == ("number", 0, 19, 0, 20)
    assert (b["kind"], b["missing"], b["distinct"]) == ("number", 1, 1)
    assert (c["kind"], c["distinct"]) == ("categories", 2)
    assert d["kind"] == "empty"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.exe", b"a,b\n1,2\n", "expected a file called"),
        ("x.csv", b"", "empty"),
        ("x.csv", b"a,b\n1\n", "expected 2 cells"),
        ("x.csv", b"\x00\x01\x02", "NUL"),
        ("x.parquet", b"not parquet", "Parquet"),
        ("x.csv.gz", b"not gzip", "gzip"),
        ("../../x.csv", b"1,2\n3,4\n", "names in the first line"),
    ],
)
def test_a_file_that_is_no_table_is_refused_and_not_kept(client, project, name, content, words):
    before = project.tables()
    answer = upload(client, content, name)
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert str(project.folder) not in answer.json()["error"]
    assert project.tables() == before


def test_a_run_begins(client, no_process):
    table = upload(client, pendulums()).json()["id"]
    id = client.post("/api/runs", json=asked(table=table, roles={"mass": "ignore"}, name=" my  run ")).json()["id"]
    assert no_process == [id]
    view = client.get(f"/api/runs/{id}").json()
    assert (view["name"], view["features"], view["rows"]) == ("my run", ["length", "angle"], {"train": 45, "held": 15})
    assert view["front"] == []
    assert id in [run["id"] for run in client.get("/api/project").json()["runs"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"target": "height"}, "target"),
        ({"target": ["period"]}, "target"),
        ({"operators": ["system"]}, "operators"),
        ({"operators": []}, "operators"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": "60"}, "seconds"),
        ({"seconds": float("1e300")}, "seconds"),
        ({"population": 10**9}, "population"),
        ({"max_length": 2.5}, "max_length"),
        ({"held_back": 1.5}, "held_back"),
        ({"noise": "loud"}, "noise"),
        ({"seed": -1}, "seed"),
        ({"roles": {"mass": "king"}}, "roles"),
        ({"roles": {"mass": "weight", "angle": "weight"}}, "roles"),
        ({"roles": {"mass": "ignore", "angle": "ignore", "length": "ignore"}}, "roles"),
        ({"name": 3}, "name"),
        ({"table": "../runs"}, "table"),
    ],
)
def test_a_wrong_wish_is_refused_in_words(client, no_process, change, words):
    table = upload(client, pendulums()).json()["id"]
    answer = client.post("/api/runs", json={**asked(table=table), **change})
    assert answer.status_code in (400, 404)
    assert answer.json()["error"].startswith(words)
    assert no_process == []


def test_weights_and_standard_errors_have_to_be_positive(client, no_process):
    lines = pendulums().decode().splitlines()
    content = "\n".join([lines[0] + ",w", *(f"{line},{-1 if k == 4 else 1}" for k, line in enumerate(lines[1:]))])
    table = upload(client, content.encode()).json()["id"]
    for role in ("weight", "error"):
        answer = client.post("/api/runs", json=asked(table=table, roles={"w": role}))
        assert "row 5" in answer.json()["error"]


def test_a_finished_run_in_full(client, finished):
    view = client.get(f"/api/runs/{finished}").json()
    assert (view["phase"], view["generation"], view["reason"]) == ("done", 12, "generations")
    lengths = [f["length"] for f in view["front"]]
    assert lengths == sorted(set(lengths))
    assert view["why"]
    assert view["history"]["generation"] == sorted(set(view["history"]["generation"]))
    assert all(f["math"].startswith("<math") and f["held"] > 0 for f in view["front"])


def test_looking_at_a_formula(client, finished):
    looked = client.post(
        f"/api/runs/{finished}/look", json={"formula": "2.006*sqrt(length) + 0.1*length*angle**2"}
    ).json()
    assert looked["curve"]["feature"] == "length"
    assert [h["name"] for h in looked["curve"]["held"]] == ["angle"]
    assert len(looked["constants"]) == 2
    assert len(looked["parts"]) == 2
    assert {p["name"] for p in looked["partial"]} == {"length", "angle"}
    assert looked["proven"].startswith("Proven finite")
    residual = np.array(looked["points"]["y"]) - np.array(looked["points"]["predicted"])
    assert np.abs(residual).max() < 1

    moved = client.post(
        f"/api/runs/{finished}/look",
        json={"formula": looked["exact"], "constants": [3.0, 0.1], "feature": "angle", "light": True},
    ).json()
    assert moved["exact"].startswith("3*sqrt(length)")
    assert moved["curve"]["feature"] == "angle"
    assert moved["train"] > looked["train"]


@pytest.mark.parametrize(
    "body",
    [
        {"formula": "2*height"},
        {"formula": "length", "feature": "height"},
        {"formula": "2*length", "constants": [1, 2]},
        {"formula": "2*length", "constants": ["2"]},
        {"formula": 7},
        {},
    ],
)
def test_a_wrong_look_is_refused(client, finished, body):
    assert client.post(f"/api/runs/{finished}/look", json=body).status_code == 400


def test_acts_are_kept_for_the_process(client, finished, no_process):
    for act in ({"kind": "forbid", "operator": "sin"}, {"kind": "extend", "seconds": 60}):
        assert client.post(f"/api/runs/{finished}/acts", json=act).status_code == 202
    assert no_process == [finished]  # only the second one needs a process
    view = client.get(f"/api/runs/{finished}").json()
    assert view["waiting"] == ["forbade sin", "extended by 60 s"]
    long = "+".join(["length"] * 10)
    wrong = [{}, {"kind": "dance"}, {"kind": "forbid", "operator": "rm"}, {"kind": "extend", "seconds": 1e9}]
    for act in [*wrong, {"kind": "guess", "formula": "length +"}, {"kind": "guess", "formula": long}]:
        assert client.post(f"/api/runs/{finished}/acts", json=act).status_code == 400


def test_notes_and_pins(client, finished):
    formula = front(client, finished)[0]["exact"]
    path = f"/api/runs/{finished}/notes"
    assert client.post(path, json={"formula": formula, "text": "a <b>line</b>", "pinned": True}).status_code == 200
    (note,) = client.get(f"/api/runs/{finished}").json()["notes"]
    assert (note["text"], note["pinned"], note["formula"]) == ("a <b>line</b>", True, formula)
    assert client.post(path, json={"formula": formula, "text": "x" * 3000}).status_code == 400
    assert client.post(path, json={"formula": formula, "text": "", "pinned": False}).status_code == 200
    assert client.get(f"/api/runs/{finished}").json()["notes"] == []


def test_exports(client, finished, tmp_path):
    chosen = front(client, finished)[-1]["exact"]
    texts = {}
    for kind in ("model", "latex", "python", "notebook", "report", "front", "log"):
        answer = client.post(f"/api/runs/{finished}/export/{kind}", json={"formula": chosen})
        assert answer.status_code == 200, kind
        assert answer.headers["content-disposition"].startswith("attachment")
        texts[kind] = answer.text
    (tmp_path / "model.json").write_text(texts["model"])
    X = np.random.default_rng(1).uniform(0.5, 1, size=(5, 3))
    space: dict = {}
    exec(texts["python"], space)
    np.testing.assert_allclose(load_model(tmp_path / "model.json").predict(X), space["predict"](X))
    cells = json.loads(texts["notebook"])["cells"]
    assert {cell["cell_type"] for cell in cells} == {"markdown", "code"}
    assert "<!doctype html>" in texts["report"]
    assert texts["front"].startswith("length,")
    assert client.post(f"/api/runs/{finished}/export/passwords", json={"formula": chosen}).status_code == 404


def test_a_notebook_runs(client, finished, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.csv").write_bytes(pendulums())
    answer = client.post(
        f"/api/runs/{finished}/export/notebook", json={"formula": front(client, finished)[-1]["exact"]}
    )
    space: dict = {}
    for cell in answer.json()["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)
    predicted = space["predict"](space["X"].to_numpy())
    assert np.abs(predicted - space["frame"]["period"]).mean() < 0.1
    assert list(space["table"].X.columns) == COLUMNS[:-1]


def test_a_deleted_run_is_told_in_words(client, project, no_process):
    import shutil

    table = upload(client, pendulums()).json()["id"]
    id = client.post("/api/runs", json=asked(table=table)).json()["id"]
    shutil.rmtree(project.run(id))
    answer = client.get(f"/api/runs/{id}")
    assert answer.status_code == 404
    assert "deleted" in answer.json()["error"]


def test_events_tell_news_once_and_a_deleted_folder_in_words(client, project, no_process):
    import shutil

    from epsilex.studio.app import Pace, Studio

    table = upload(client, pendulums()).json()["id"]
    id = client.post("/api/runs", json=asked(table=table)).json()["id"]
    studio, seen, pace = Studio(Runs(project), ""), {}, Pace()
    events = studio._news(id, seen, pace)
    assert [event.splitlines()[0] for event in events] == ["event: runs", "event: run"]
    assert json.loads(events[1].splitlines()[1].removeprefix("data: "))["id"] == id
    assert studio._news(id, seen, pace) == []
    client.post(f"/api/runs/{id}/acts", json={"kind": "pause"})
    assert len(studio._news(id, seen, pace)) == 2
    shutil.rmtree(project.run(id))
    assert "was deleted" in studio._news(id, seen, pace)[-1]


def test_what_a_search_tells_often_is_shown_seldom_and_what_a_person_waits_for_at_once(client, project, no_process):
    from epsilex.studio.app import Studio
    from epsilex.studio.publishing import SNAPSHOT

    class Slow:
        """A pace that is never due."""

        due = False

        def __enter__(self): ...
        def __exit__(self, *_): ...

    def told(phase, generation):
        front = {"phase": phase, "generation": generation, "seconds": 0.0, "front": [], "written": 0.0}
        (project.run(id) / SNAPSHOT).write_text(json.dumps(front))
        return len(studio._news(id, seen, Slow()))

    table = upload(client, pendulums()).json()["id"]
    id = client.post("/api/runs", json=asked(table=table)).json()["id"]
    studio, seen = Studio(Runs(project), ""), {}
    assert told("paused", 1) == 2
    assert told("paused", 22) == 0
    assert told("done", 22) == 2


def test_a_full_disk_is_told_in_words(client, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("epsilex.studio.project.write_file", full)
    answer = upload(client, b"a,b\n1,2\n2,3\n", "new.csv")
    assert answer.status_code == 507
    assert "No space left" in answer.json()["error"]
