"""Recipes: the authors' files become the declared tables; Wind's two versions."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mirror
from epsilex import problems
from epsilex.problems import authors, finding, paper, preparing
from epsilex.problems.declaration import blob_of, moments_of, sha256_of
from places import DATA


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    return mirror.nowhere(monkeypatch, tmp_path)


# --- Wind rebuilt ---

GAPS = {"fore-aft": 3, "side": 4}  # every third sample is not in the one record, every fourth not in the other


@pytest.fixture(scope="module")
def records() -> list[bytes]:
    """Two thinned records of a smooth made-up turbine."""
    samples = np.arange(6001)
    t = 0.05 * samples
    turbine = {"V": 15 + np.sin(t / 9), "B": np.cos(t / 8), "TQ": np.exp(-t / 60), "TSR": 3 + np.sin(t / 7)}
    both = []
    for target, ratio, gap in (("MFA", "TSR", GAPS["fore-aft"]), ("MSS", "lambda", GAPS["side"])):
        frame = pd.DataFrame({target: np.sin(t / 5), **turbine, "t": t}).rename(columns={"TSR": ratio})
        frame = frame[(samples % gap != 1) | (samples == 1) | (samples == 6000)]
        both.append(frame.to_csv(sep="\t", index=False).replace("\tt\n", " t\n", 1).encode())
    return both


@pytest.fixture(scope="module")
def rebuilt(records):
    """Table and flags."""
    tables = preparing.wind_rebuilt(paper.WIND_REBUILT, records)
    assert list(tables) == ["wind.csv", "wind_flags.csv"]
    return [pd.read_csv(io.BytesIO(content)) for content in tables.values()]


def test_rebuilding_fills_the_gaps_of_a_smooth_record(rebuilt):
    table, _ = rebuilt
    t = 0.05 * np.arange(1, 6001)
    assert list(table) == ["V", "B", "TQ", "TSR", "target"]
    np.testing.assert_allclose(table["V"], 15 + np.sin(t / 9), atol=1e-4)
    np.testing.assert_allclose(table["target"], np.sin(t / 5), atol=1e-6)


def test_rebuilding_keeps_what_was_measured_and_says_which(rebuilt):
    table, flags = rebuilt
    samples = np.arange(1, 6001)
    lacks = {name: (samples % gap == 1) & (samples != 1) & (samples != 6000) for name, gap in GAPS.items()}
    assert (flags["target_measured"] == ~lacks["fore-aft"]).all()
    assert (flags["inputs_measured"] == ~(lacks["fore-aft"] & lacks["side"])).all()
    assert flags["row"].tolist() == list(range(6000))
    np.testing.assert_allclose(flags["t"], 0.05 * samples, atol=1e-12)
    measured = flags["target_measured"] == 1
    np.testing.assert_allclose(table["target"][measured], np.sin(0.05 * samples / 5)[measured], rtol=1e-11)


def test_the_authors_records_give_the_declared_values():
    """To 1e-9 on any SciPy; on the one of the declared hash, byte for byte."""
    raw = [DATA / "raw" / file.name for file in paper.WIND_REBUILT.raw]
    if not all(path.is_file() for path in (*raw, DATA / "wind.csv")):
        pytest.skip("wind.csv and its records are not in ../shared/data")
    tables = preparing.wind_rebuilt(paper.WIND_REBUILT, [path.read_bytes() for path in raw])
    paper.WIND_REBUILT.check(tables, "here")
    made, wanted = pd.read_csv(io.BytesIO(tables["wind.csv"])), pd.read_csv(DATA / "wind.csv")
    np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-9)
    assert sha256_of(tables["wind_flags.csv"]) == paper.WIND_REBUILT.prepared["wind_flags.csv"]


@pytest.mark.parametrize(("shift", "fine"), [(1e-11, True), (1e-7, False)])
def test_last_digits_may_differ_where_moments_are_declared(rebuilt, shift, fine):
    table, _ = rebuilt
    declared = replace(
        paper.WIND_REBUILT,
        prepared={"wind.csv": "0" * 64},
        moments=tuple(map(tuple, moments_of(table.to_numpy()))),
    )
    tables = {"wind.csv": (table + shift).to_csv(index=False, float_format="%.17g").encode()}
    if fine:
        declared.check(tables, "here")
    else:
        with pytest.raises(ValueError, match=r"expected wind\.csv with SHA-256"):
            declared.check(tables, "here")


@pytest.mark.parametrize("spoil", [lambda text: text[: len(text) // 2], lambda text: b"", lambda text: b"a,b\n1,x\n"])
def test_moments_do_not_excuse_a_broken_table(rebuilt, spoil):
    table, _ = rebuilt
    declared = replace(paper.WIND_REBUILT, prepared={"wind.csv": "0" * 64})
    with pytest.raises(ValueError, match=r"expected wind\.csv with SHA-256"):
        declared.check({"wind.csv": spoil(table.to_csv(index=False).encode())}, "here")


def test_moments_notice_rows_in_another_order():
    values = np.random.default_rng(0).normal(size=(50, 2))
    assert not np.allclose(moments_of(values), moments_of(values[::-1]))


# --- the paper's own Wind file, made up: its content has never been seen ---


def true_file(rows: int = 6000, header: str = "MFA\tV\tB\tTQ\tTSR\tddx\tddy t", falling: bool = False) -> bytes:
    values = np.random.default_rng(1).normal(size=(rows, 8))
    values[:, 7] = np.arange(rows)[::-1] if falling else np.arange(rows)
    width = len(header.split())
    lines = ["\t".join(f"{value:.9g}" for value in row[:width]) for row in values]
    return "\n".join([header, *lines, ""]).encode()


@pytest.fixture
def served(monkeypatch):
    with mirror.mirror(monkeypatch) as served:
        yield served


@pytest.fixture
def versions(monkeypatch, served, records):
    """Declare this content as that of the paper's file; the made-up records are at the mirror."""
    raw = [replace(file, sha256=sha256_of(r)) for file, r in zip(paper.WIND_REBUILT.raw, records, strict=True)]
    for file, content in zip(raw, records, strict=True):
        served.hold(file, content)
    tables = preparing.wind_rebuilt(paper.WIND_REBUILT, records)
    prepared = {file: sha256_of(content) for file, content in tables.items()}
    rebuilt = replace(paper.WIND_REBUILT, raw=tuple(raw), prepared=prepared)

    def declare(content: bytes):
        file = replace(authors.WIND, blob=blob_of(content))
        declared = (replace(paper.WIND, raw=(file,)), rebuilt)
        monkeypatch.setitem(paper.FILES, "wind", declared)
        return declared

    return declare


@pytest.mark.parametrize("header", ["MFA\tV\tB\tTQ\tTSR\tddx\tddy t", "V B TQ TSR ddx ddy MFA"])
def test_the_papers_wind_file_comes_first(versions, served, cache, header):
    content = true_file(header=header)
    served.hold(versions(content)[0].raw[0], content)
    problem = problems.load("wind")
    table = pd.read_csv(io.BytesIO(content), sep=r"\s+")
    assert problem.feature_names == ("V", "B", "TQ", "TSR", "ddx", "ddy")
    assert np.array_equal(problem.X, table[list(problem.feature_names)])
    assert np.array_equal(problem.y, table["MFA"])
    assert not problem.rebuilt
    assert problem.measured is None
    assert not any("rebuilt" in note for note in problem.notes)
    train, test = problem.split(0)
    assert (train.cases, test.cases) == (4200, 1800)
    assert len(served.asked) == 1
    assert problems.load("wind").sha256 == problem.sha256  # from the cache
    assert len(served.asked) == 1


def test_the_papers_wind_file_in_the_data_folder(versions, monkeypatch, tmp_path):
    content = true_file()
    versions(content)
    (tmp_path / "d_cart_mfa_all.txt").write_bytes(content)
    monkeypatch.setenv("EPSILEX_DATA", str(tmp_path))
    assert len(problems.load("wind").feature_names) == 6


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (true_file(rows=5999), "expected 6000 rows; got 5999"),
        (true_file(header="MFA\tV\tB\tTQ\tTSR\tx\ty t"), "got none named ddx, ddy"),
        (true_file(falling=True), "expected rows in time order"),
        (re.sub(rb"\n\S+", b"\nnan", true_file(), count=1), "expected finite numbers"),
        (b"", "No columns to parse"),
    ],
)
def test_a_wind_file_that_is_not_as_expected_gives_way_to_the_rebuilt_one(versions, served, content, reason):
    declared = versions(content)
    served.hold(declared[0].raw[0], content)
    told = []
    assert finding.find(declared, told.append).declared.rebuilt
    assert any(reason in line for line in told), told
    problem = problems.load("wind")
    assert problem.rebuilt
    assert any("rebuilt" in note for note in problem.notes)


def test_another_wind_file_at_the_address_gives_way_too(versions, served):
    served.hold(versions(true_file())[0].raw[0], b"another file")
    told = []
    assert finding.find(paper.FILES["wind"], told.append).declared.rebuilt
    assert any("git blob id" in line for line in told)


def test_only_the_rebuilt_wind_is_rebuilt():
    every = [version for versions in paper.FILES.values() for version in versions]
    assert [version for version in every if version.rebuilt] == [paper.WIND_REBUILT]
