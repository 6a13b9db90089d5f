"""Units of columns and target: checked before a run begins, kept by the search, shown with constants, and exported."""

from __future__ import annotations

import json

import pytest

from epsilex import SymbolicRegressor, load_model
from epsilex.studio import worker
from epsilex.studio.preparing import prepared
from epsilex.studio.project import read_lines, read_spec
from epsilex.studio.views import Runs
from epsilex.tables import read_table
from studios import ask, asked, new_run, pendulums, work

UNITS = {"length": "m", "mass": "kg", "angle": "1"}
MORE = {"units": UNITS, "target_unit": "s", "constant_units": "overall"}


@pytest.fixture
def table(client, monkeypatch) -> str:
    """A table whose runs get no process."""
    monkeypatch.setattr(Runs, "start", lambda self, id: None)
    return client.post("/api/tables", content=pendulums(), headers={"x-name": "pendulum.csv"}).json()["id"]


@pytest.fixture(scope="module")
def measured(project) -> str:
    """A run with units that has ended; a guess was refused, another one taken."""
    id = new_run(project, **MORE, generations=6)
    for formula in ("length + mass", "2*sqrt(length)"):
        ask(project, id, kind="guess", formula=formula)
    told = work(project, id)
    assert told["phase"] == "done", told
    return id


@pytest.mark.parametrize(
    ("change", "column", "words"),
    [
        ({"units": {"length": "m", "angle": "1"}}, "mass", "units: expected one for 'mass', 1 for a pure number"),
        ({"units": UNITS | {"mass": "stones of old"}}, "mass", "units: expected a unit that pint knows"),
        ({"units": UNITS | {"mass": "degC"}}, "mass", "units: expected a unit whose zero is no quantity"),
        ({"units": UNITS | {"mass": "kg" * 60}}, "mass", "units: expected a unit as text"),
        ({"units": {}}, "length", "units: expected one for 'length'"),
        ({"target_unit": None}, None, "target_unit: expected the unit of the target"),
        ({"target_unit": " "}, None, "target_unit: expected the unit of the target"),
        ({"target_unit": "heaps"}, None, "target_unit: expected a unit that pint knows"),
        ({"constant_units": "none"}, None, "target_unit: expected one that can be made of the columns"),
        ({"constant_units": "some"}, None, "constant_units: expected one of none, overall, any"),
        ({"units": UNITS | {"height": "m"}}, None, "units: expected columns of the table"),
        ({"units": ["m"]}, None, "units: expected an object"),
        ({"units": UNITS | {"mass": 3}}, None, "units: expected a unit as text"),
        ({"form": "f(length)"}, None, "units: expected none beside a form"),
        ({"form": "f(length)", "units": {}}, None, "target_unit: expected none beside a form"),
    ],
)
def test_units_that_cannot_be_are_refused_at_their_column(client, table, change, column, words):
    answer = client.post("/api/runs", json=asked(table=table, **MORE | change))
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(words)
    assert answer.json().get("column") == column


def test_columns_that_are_no_features_need_no_unit(client, table):
    units = {"length": "m", "angle": "1", "mass": "", "period": "s"}
    wish = asked(table=table, **MORE | {"units": units}, roles={"mass": "ignore"})
    id = client.post("/api/runs", json=wish).json()["id"]
    spec = client.get(f"/api/runs/{id}").json()["spec"]
    assert (spec["units"], spec["target_unit"]) == ({"length": "m", "angle": "1"}, "s")
    bare = client.post("/api/runs", json=asked(table=table, units={"length": ""}, target_unit="")).json()["id"]
    assert client.get(f"/api/runs/{bare}").json()["spec"]["units"] == {}


def test_a_column_that_no_formula_can_contain_is_told(client, table):
    wish = asked(table=table, **MORE | {"units": UNITS | {"length": "s**2"}, "constant_units": "none"})
    id = client.post("/api/runs", json=wish).json()["id"]
    assert any("contains 'mass'" in note for note in client.get(f"/api/runs/{id}").json()["notes_on_data"])


def test_headers_and_categories_have_units_of_their_own(client, table):
    lines = pendulums().decode().splitlines()
    header = "length [m],colour,angle,period (s)"
    rows = [line.split(",") for line in lines[1:]]
    body = [f"{row[0]},{('red', 'blue')[k % 2]},{row[2]},{row[3]}" for k, row in enumerate(rows)]
    content = "\n".join([header, *body]).encode()
    found = client.post("/api/tables", content=content, headers={"x-name": "headed.csv"}).json()
    assert [column["unit"] for column in found["columns"]] == ["m", "", "", "s"]
    wish = asked(table=found["id"], target="period (s)", units={"length [m]": "m", "angle": "1"}, target_unit="s",
                 constant_units="overall")  # fmt: skip
    assert client.post("/api/runs", json=wish).status_code == 201  # a category is a pure number


def test_a_run_with_units_finds_what_a_plain_fit_finds(project, unpolished):
    id = new_run(project, **MORE, generations=4)
    told = work(project, id)
    spec = read_spec(project.run(id))
    data = prepared(read_table(project.table(spec["table"])[1]), spec)
    est = worker.estimator(spec, data).fit(data.to_fit(), data.y[~data.held_back])
    assert (dict(est.units), est.target_unit) == (UNITS, "s")
    assert worker.digest(est) == told["digest"]


def test_a_guess_of_inconsistent_units_is_refused_in_the_log(project, measured):
    first, second = read_lines(project.run(measured) / "log.jsonl")
    assert "expected one whose units are consistent" in first["refused"]
    assert "refused" not in second


def test_constants_carry_units(client, measured, tmp_path):
    looked = client.post(f"/api/runs/{measured}/look", json={"formula": "2*sqrt(length)"}).json()
    assert [c["unit"] for c in looked["constants"]] == ["s/m**0.5"]
    saved = client.post(f"/api/runs/{measured}/export/model", json={"formula": "2*sqrt(length)"}).text
    (tmp_path / "model.json").write_text(saved)
    assert load_model(tmp_path / "model.json").constants["unit"].tolist() == ["s/m**0.5"]


def test_the_notebook_searches_with_units(client, measured, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.csv").write_bytes(pendulums())
    answer = client.post(f"/api/runs/{measured}/export/notebook", json={"formula": "2*sqrt(length)"})
    space: dict = {}
    for cell in json.loads(answer.text)["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)
    est: SymbolicRegressor = space["est"]
    assert (dict(est.units), est.target_unit, est.constant_units) == (UNITS, "s", "overall")


def test_operators_that_make_units_are_not_forbidden(client, measured):
    for operator, code in (("mul", 400), ("div", 400), ("sin", 202)):
        answer = client.post(f"/api/runs/{measured}/acts", json={"kind": "forbid", "operator": operator})
        assert answer.status_code == code
        assert code == 202 or "make the units" in answer.json()["error"]


def test_a_run_whose_guess_has_other_units_fails_in_words(project):
    told = work(project, new_run(project, **MORE, guesses=["length + mass"]))
    assert told["phase"] == "failed"
    assert told["message"].startswith("guesses: expected a formula whose units are consistent")
