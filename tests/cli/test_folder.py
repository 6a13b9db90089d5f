"""The folder of a fit: no result is lost unless that was asked for, and it can be watched while the fit runs."""

from __future__ import annotations

import pandas as pd
import pytest

from command import QUICK, epsilex, refused, some_rows
from epsilex.cli import live
from epsilex.cli.fitting import CHECKPOINT
from epsilex.models import load_model


@pytest.fixture
def call(tmp_path):
    some_rows().to_csv(tmp_path / "d.csv", index=False)
    return ("fit", tmp_path / "d.csv", "--target", "y", *QUICK, "--out", tmp_path / "o")


def content(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("more", [(), ("--resume",)])
def test_a_folder_with_a_fit_is_refused(call, tmp_path, more):
    assert epsilex(*call).code == 0
    before = content(tmp_path / "o")
    line = refused(epsilex(*call, "--seed", "5", *more))
    assert "holds a fit already" in line
    assert "--overwrite" in line
    assert content(tmp_path / "o") == before


@pytest.mark.parametrize("more", [(), ("--resume",)])
def test_overwrite_replaces_it(call, tmp_path, more):
    assert epsilex(*call).code == 0
    before = content(tmp_path / "o")
    assert epsilex(*call, "--seed", "5", "--overwrite", *more).code == 0
    after = content(tmp_path / "o")
    assert after.keys() == before.keys()
    assert after["history.csv"] != before["history.csv"]


@pytest.mark.parametrize("left", ["front.csv", "model.json", CHECKPOINT])
def test_what_was_left_by_another_is_not_lost(call, tmp_path, left):
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / left).write_text("mine")
    line = refused(epsilex(*call))
    assert "--resume continues it" in line if left == CHECKPOINT else "holds a fit already" in line
    assert content(tmp_path / "o") == {left: b"mine"}


def test_other_files_do_not_matter(call, tmp_path):
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "notes.txt").write_text("mine")
    assert epsilex(*call).code == 0
    assert (tmp_path / "o" / "notes.txt").read_text() == "mine"


def test_the_files_of_a_killed_fit_are_no_result(call, tmp_path):
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "front.csv").write_text("length\n")
    assert epsilex(*call, "--resume").code == 0


class TestLiveFiles:
    @pytest.fixture
    def seen(self, monkeypatch):
        """What the folder holds after each refresh; there is one after every generation."""
        seen: list[dict[str, bytes]] = []
        write = live.LiveFiles.write

        def watched(self, state, archive):
            write(self, state, archive)
            seen.append(content(self.out))

        monkeypatch.setattr(live.LiveFiles, "write", watched)
        monkeypatch.setattr(live, "EVERY", 0.0)
        monkeypatch.setattr(live, "SHARE", float("inf"))
        return seen

    def test_front_and_report_are_there_while_it_runs(self, seen, call, tmp_path):
        assert epsilex(*call).code == 0
        assert len(seen) == 3  # the first population and two generations
        for files in seen:
            assert {"front.csv", "report.html"} <= set(files)
            assert "model.json" not in files
            assert "The search is running" in files["report.html"].decode()
        (tmp_path / "live.csv").write_bytes(seen[-1]["front.csv"])
        front = pd.read_csv(tmp_path / "live.csv")
        assert front["length"].is_monotonic_increasing
        assert front["mae"].is_monotonic_decreasing
        assert front["chosen"].tolist() == [False] * (len(front) - 1) + [True]
        for name in ("test_mae", "test_r2", "mae_all"):
            assert front[name].notna().all()
        assert "The search is running" not in (tmp_path / "o" / "report.html").read_text()

    def test_watching_changes_no_bit(self, call, tmp_path, monkeypatch):
        def fit(out):
            assert epsilex(*call[:-1], tmp_path / out).code == 0
            return load_model(tmp_path / out / "model.json"), (tmp_path / out / "front.csv").read_bytes()

        alone = fit("alone")
        monkeypatch.setattr(live, "EVERY", 0.0)
        monkeypatch.setattr(live, "SHARE", float("inf"))
        assert fit("watched") == alone

    def test_errors_are_those_of_the_formulas(self, seen, call, tmp_path):
        """On the rows of the search, in the user's units."""
        from epsilex.programs.numeric import evaluate64
        from epsilex.programs.parser import parse

        assert epsilex(*call, "--test-share", "0", "--ignore", "color").code == 0
        (tmp_path / "live.csv").write_bytes(seen[0]["front.csv"])
        front, rows = pd.read_csv(tmp_path / "live.csv"), some_rows()
        for formula, mae in zip(front["formula"], front["mae"], strict=True):
            values = evaluate64(parse(formula, ["x", "z"]), rows[["x", "z"]].to_numpy())
            assert abs(rows["y"] - values).mean() == pytest.approx(mae, rel=1e-3)  # six digits of the constants

    def test_an_earlier_fit_stays_whole_until_the_new_one_is(self, call, tmp_path, seen):
        assert epsilex(*call).code == 0
        before = content(tmp_path / "o")
        seen.clear()
        assert epsilex(*call, "--overwrite", "--seed", "5").code == 0
        assert seen == []
        assert content(tmp_path / "o") != before

    def test_a_full_disk_does_not_end_the_search(self, call, monkeypatch, seen):
        def write_file(*arguments, **options):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(live, "write_file", write_file)
        assert epsilex(*call).code == 0


def test_weights_count_in_the_search_and_in_the_errors(tmp_path):
    frame = some_rows()[["x", "z", "y"]].assign(w=1.0)
    bad = frame.assign(y=99.0, w=0.0)
    pd.concat([frame, bad]).to_csv(tmp_path / "d.csv", index=False)
    call = ("fit", tmp_path / "d.csv", "--target", "y", "--weights", "w", *QUICK, "--out", tmp_path / "o")
    assert epsilex(*call).code == 0
    front = pd.read_csv(tmp_path / "o" / "front.csv")
    assert front["mae_all"].min() < 5.0
    assert front["test_mae"].min() < 5.0
