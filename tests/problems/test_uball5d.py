"""UBall5D: raw units, the authors' rows or drawn ones, and the z-scored ablation."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from epsilex import problems
from epsilex.problems import finding, uball5d
from places import DATA

SOURCES = ["drawn", "file"]
FILE = "d_uball5d.txt"


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """No data folder, an empty cache, and no server: UBall5D needs none of them."""
    monkeypatch.delenv("EPSILEX_DATA", raising=False)
    monkeypatch.setattr(finding, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def authors_file() -> Path:
    for path in (DATA / FILE, DATA / "raw" / FILE):
        if path.is_file():
            return path
    pytest.skip(f"{FILE} is not in ../shared/data")


@pytest.fixture
def source(request, monkeypatch):
    """Rows drawn, or the authors'."""
    if request.param == "file":
        monkeypatch.setenv("EPSILEX_DATA", str(request.getfixturevalue("authors_file").parent))


def constant_error(name: str) -> float:
    """Test error of the best constant, as it would be reported."""
    problem = problems.load(name)
    _, test = problem.split(0)
    return test.mae(np.full(len(test.y), np.median(test.y))) * problem.target_scale


@pytest.mark.parametrize("source", SOURCES, indirect=True)
def test_it_is_its_formula_in_its_boxes(source):
    problem = problems.load("uball5d")
    train, test = problem.split(0)
    assert (train.X.shape, test.X.shape) == ((1024, 5), (5000, 5))
    for side, (low, high) in ((train, uball5d.TRAINING_BOX), (test, uball5d.TEST_BOX)):
        assert low <= side.X.min() < low + 0.01  # raw units
        assert high - 0.01 < side.X.max() <= high
        by_hand = [10 / (5 + sum((x - 3) ** 2 for x in row)) for row in side.X]
        np.testing.assert_allclose(side.y, by_hand, atol=2e-6)  # the authors' file has six digits


def test_the_target_has_its_peak_at_three():
    assert uball5d.target(np.full((1, 5), 3.0)) == 2.0


@pytest.mark.parametrize("source", SOURCES, indirect=True)
def test_the_ablation_has_the_same_rows_z_scored(source):
    raw, z = problems.load("uball5d"), problems.load("uball5d_z")
    assert np.array_equal(raw.X, z.X)
    assert np.array_equal(raw.y, z.y)
    for plain, scaled in zip(raw.split(3), z.split(3), strict=True):
        X, y = z.scaled(plain.X, plain.y)
        assert np.array_equal(scaled.X, X)
        assert np.array_equal(scaled.y, y)
    assert abs(z.split(3)[1].X.mean()) < 0.1
    assert any("z-scored" in note for note in z.notes)
    assert not any("z-scored" in note for note in raw.notes)


def test_a_blind_problem_reads_its_last_column_as_zero():
    plain, blind = problems.load("uball5d"), problems.load("uball5d_blind")
    assert blind.title == "UBall5D (without x5)"
    for side, seen in zip(plain.split(3), blind.split(3), strict=True):
        assert (seen.X[:, 4] == 0.0).all()
        assert np.array_equal(seen.X[:, :4], side.X[:, :4])
        assert np.array_equal(seen.y, side.y)
    assert "the last input column, x5, is read as 0" in blind.notes[-1]


@pytest.mark.parametrize("source", SOURCES, indirect=True)
def test_both_report_errors_in_raw_units(source):
    assert 0.13 < constant_error("uball5d") < 0.15  # 0.143 raw; about 0.8 standard deviations
    assert np.isclose(constant_error("uball5d_z"), constant_error("uball5d"))


@pytest.mark.parametrize("source", SOURCES, indirect=True)
def test_every_trial_has_the_same_test_set(source):
    problem = problems.load("uball5d")
    assert np.array_equal(problem.split(1)[1].X, problem.split(2)[1].X)


def test_drawn_training_rows_come_from_the_seed():
    problem = problems.load("uball5d")
    assert np.array_equal(problem.split(1)[0].X, problem.split(1)[0].X)
    assert not np.array_equal(problem.split(1)[0].X, problem.split(2)[0].X)
    assert any("drawn anew" in note for note in problem.notes)


def test_the_authors_rows_are_the_same_for_every_seed(monkeypatch, authors_file):
    monkeypatch.setenv("EPSILEX_DATA", str(authors_file.parent))
    problem = problems.load("uball5d")
    table = np.genfromtxt(authors_file, delimiter=",", names=True)
    train, test = problem.split(1)
    assert np.array_equal(train.y, table["label"][:1024])
    assert np.array_equal(test.X[:, 4], table["x5"][1024:])
    assert np.array_equal(train.X, problem.split(2)[0].X)
    assert any("authors' own rows" in note for note in problem.notes)
    assert FILE in problem.source


def test_the_authors_file_is_found_in_each_place(monkeypatch, tmp_path, cache, authors_file):
    content = authors_file.read_bytes()
    folder = tmp_path / "data"
    places = (folder, folder / "raw", cache, cache / "raw")
    folder.mkdir()
    monkeypatch.setenv("EPSILEX_DATA", str(folder))
    assert "computed" in problems.load("uball5d").source
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        (place / FILE).write_bytes(content)
        assert problems.load("uball5d").sha256 == hashlib.sha256(content).hexdigest()
        (place / FILE).unlink()


def test_another_file_of_that_name_is_refused(monkeypatch, tmp_path):
    (tmp_path / FILE).write_text("label,x1\n1,2\n")
    monkeypatch.setenv("EPSILEX_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="expected a file with SHA-256"):
        problems.load("uball5d")


def test_rows_of_another_source_have_another_hash(monkeypatch, authors_file):
    drawn = problems.load("uball5d")
    monkeypatch.setenv("EPSILEX_DATA", str(authors_file.parent))
    assert problems.load("uball5d").sha256 != drawn.sha256
    # Stored before the search saw raw units: those trials must not mix with these.
    assert drawn.sha256 != hashlib.sha256(np.round(drawn.X, 9).astype("<f8").tobytes()).hexdigest()
