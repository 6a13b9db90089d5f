"""The process of a run: the same bits as a plain fit, acts at their generation, and nothing lost when it is killed."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from epsilex.models.model import model
from epsilex.programs.parser import parse
from epsilex.studio import desk, worker
from epsilex.studio.acts import CHANGES, operators_in
from epsilex.studio.forms import form_of
from epsilex.studio.lock import Busy, alive, held
from epsilex.studio.preparing import prepared
from epsilex.studio.project import Missing, Project, read_json, read_lines
from epsilex.tables import read_table
from studios import COLUMNS, ask, new_project, new_run, work

NAMES = COLUMNS[:-1]


@pytest.fixture
def project(tmp_path) -> Project:
    return new_project(tmp_path)


def log(project: Project, id: str) -> list[dict]:
    return read_lines(project.run(id) / "log.jsonl")


def test_a_run_finds_what_a_plain_fit_finds_bit_for_bit(project):
    id = new_run(project)
    told = work(project, id)
    assert told["phase"] == "done"
    assert told["generation"] == 12
    spec = read_json(project.run(id) / "spec.json")
    data = prepared(read_table(project.table(spec["table"])[1]), spec)
    training = ~data.held_back
    est = worker.estimator(spec, data).fit(data.table.X[training], data.y[training])
    assert est.n_generations_ == 12
    assert worker.digest(est) == told["digest"]


def test_pauses_and_checkpoints_change_no_bit(project, at, monkeypatch):
    straight = work(project, new_run(project))
    monkeypatch.setattr(desk, "EVERY", 0.0)  # a segment per generation
    monkeypatch.setattr(desk, "SHARE", 1e9)
    monkeypatch.setattr(desk, "PATIENCE", 0.0)
    id = new_run(project)
    at(5, lambda: ask(project, id, kind="pause"))
    assert work(project, id)["phase"] == "paused"
    assert work(project, id)["phase"] == "paused"  # another process finds it paused
    ask(project, id, kind="continue")
    assert work(project, id)["digest"] == straight["digest"]
    assert [(e["act"]["kind"], e["generation"]) for e in log(project, id)] == [("pause", 5), ("continue", 5)]


def killed():
    raise KeyboardInterrupt


def test_a_killed_process_loses_nothing(project, at, monkeypatch):
    straight_id = new_run(project)
    at(4, lambda: ask(project, straight_id, kind="forbid", operator="sin"))
    straight = work(project, straight_id)
    monkeypatch.setattr(desk, "EVERY", 0.0)
    monkeypatch.setattr(desk, "SHARE", 1e9)
    id = new_run(project)
    at(4, lambda: ask(project, id, kind="forbid", operator="sin"))
    for generation in (3, 8):
        at(generation, killed)
        with pytest.raises(KeyboardInterrupt):
            work(project, id)
    assert work(project, id)["digest"] == straight["digest"]


@pytest.mark.parametrize("moment", ["checkpoint", "log"])
def test_killed_within_an_act_it_is_done_once(project, at, monkeypatch, moment):
    """The checkpoint after a change is written first, the log second; a kill in between repeats the act."""
    straight_id, id = new_run(project), new_run(project)
    for own in (straight_id, id):
        ask(project, own, kind="forbid", operator="cos")
    straight = work(project, straight_id)
    usual = desk.append_line if moment == "log" else desk.write_checkpoint

    def once(*arguments):
        monkeypatch.setattr(desk, "append_line" if moment == "log" else "write_checkpoint", usual)
        killed()

    monkeypatch.setattr(desk, "append_line" if moment == "log" else "write_checkpoint", once)
    with pytest.raises(KeyboardInterrupt):
        work(project, id)
    assert work(project, id)["digest"] == straight["digest"]
    assert len(log(project, id)) == 1


def test_a_steered_run_replays_to_the_same_front(project, at):
    id = new_run(project)
    rejected = "2*length + 0.5"
    at(2, lambda: ask(project, id, kind="forbid", operator="sin"))
    at(4, lambda: ask(project, id, kind="guess", formula="2*sqrt(length)"))
    at(4, lambda: ask(project, id, kind="reject", formula=rejected))
    at(6, lambda: ask(project, id, kind="allow", operator="tanh"))
    at(8, lambda: ask(project, id, kind="guess", formula="sin(angle)"))
    told = work(project, id)
    entries = log(project, id)
    assert [e["generation"] for e in entries] == [2, 4, 4, 6, 8]
    assert "sin is forbidden" in entries[-1]["refused"]
    formulas = [parse(formula, NAMES) for formula in told["front"]]
    assert not any("sin" in operators_in(nodes) for nodes in formulas)
    assert form_of(model(parse(rejected, NAMES), NAMES)) not in {form_of(model(nodes, NAMES)) for nodes in formulas}

    script = [{"act": e["act"], "generation": e["generation"]} for e in entries if "refused" not in e]
    again = new_run(project, generations=told["generation"], script=script)
    ask(project, again, kind="forbid", operator="exp")  # a replay cannot be steered
    assert work(project, again)["digest"] == told["digest"]
    assert [e["generation"] for e in log(project, again) if "scripted" in e] == [2, 4, 4, 6]
    assert sum("refused" in e for e in log(project, again)) == 1
    assert {e["act"]["kind"] for e in script} <= set(CHANGES)
    other = work(project, new_run(project))
    assert other["digest"] != told["digest"]


def test_a_forbidden_operator_is_gone_from_each_later_front(project, at):
    id, fronts = new_run(project), []
    at(3, lambda: ask(project, id, kind="forbid", operator="sqrt"))
    for generation in range(4, 12):
        at(generation, lambda: fronts.append(read_json(project.run(id) / "snapshot.json")["front"]))
    work(project, id)
    assert len(fronts) == 8
    assert not any("sqrt" in formula for front in fronts for formula in front)


def test_stop_and_extend(project, at):
    id = new_run(project, generations=None, seconds=3600)
    at(3, lambda: ask(project, id, kind="stop"))
    told = work(project, id)
    assert (told["phase"], told["reason"], told["generation"]) == ("done", "stopped", 3)
    ask(project, id, kind="extend", seconds=60)
    at(6, lambda: ask(project, id, kind="stop"))
    told = work(project, id)
    assert (told["phase"], told["generation"], told["budget"]) == ("done", 6, 3660)
    assert {"model.json", "front.csv", "history.csv", "report.html", "fit.json"} <= {
        path.name for path in (project.run(id) / "result").iterdir()
    }


def test_changed_data_and_a_lost_table_are_told_in_words(project, at, monkeypatch):
    monkeypatch.setattr(desk, "PATIENCE", 0.0)
    id = new_run(project)
    at(2, lambda: ask(project, id, kind="pause"))
    work(project, id)
    table = project.table(read_json(project.run(id) / "spec.json")["table"])[1]
    content = table.read_bytes()
    table.write_bytes(content.replace(b"1.", b"2."))
    ask(project, id, kind="continue")
    told = work(project, id)
    assert (told["phase"], "the training cases are others" in told["message"]) == ("failed", True)
    table.unlink()
    assert "no longer" in work(project, id)["message"]
    table.write_bytes(content)
    assert work(project, id)["phase"] == "done"  # nothing was lost


def test_a_disk_that_is_full_for_a_while_does_not_end_the_search(project, monkeypatch, unpolished):
    from epsilex.studio import publishing

    usual, calls = publishing.write_json, []

    def write(path, value, **how):
        calls.append(path)
        if 2 <= len(calls) <= 3:
            raise OSError(28, "No space left on device")
        usual(path, value, **how)

    monkeypatch.setattr(publishing, "write_json", write)
    told = work(project, new_run(project))
    assert told["phase"] == "done"
    assert "No space left" in told["trouble"]


def test_one_process_per_run(project):
    folder = project.run(new_run(project))
    assert not alive(folder)
    with held(folder):
        assert alive(folder)
        with pytest.raises(Busy), held(folder):
            pass
    assert not alive(folder)


def test_a_project_is_no_other_folder(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="another folder"):
        Project(tmp_path)
    project = new_project(tmp_path)
    assert Project(project.folder).secret() == project.secret()
    assert (project.folder / "secret.json").stat().st_mode & 0o077 == 0
    for id in ("..", "../tables", "a/b", "", ".", "A", "x" * 41):
        with pytest.raises(Missing):
            project.run(id)


def test_the_command_replays_a_run(project, at, capsys):
    from command import epsilex

    id = new_run(project)
    at(3, lambda: ask(project, id, kind="forbid", operator="cos"))
    told = work(project, id)
    done = epsilex("studio", "--project", str(project.folder), "--replay", id)
    assert (done.code, done.out) == (0, "the same front, bit for bit\n")
    snapshot = project.run(id) / "snapshot.json"
    snapshot.write_text(snapshot.read_text().replace(told["digest"], "0" * 64))  # as if it had found another
    done = epsilex("studio", "--project", str(project.folder), "--replay", id)
    assert (done.code, done.out) == (1, "another front\n")
    assert epsilex("studio", "--project", str(project.folder), "--replay", "nobody").code == 2
