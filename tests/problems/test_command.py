"""`epsilex data`: the list, fetching, and one line for what goes wrong."""

from __future__ import annotations

import pytest

import mirror
from command import epsilex, refused
from epsilex.cli import problem_data as data
from epsilex.problems import further, loading, paper
from mirror import CONTENT, PREPARED, thing
from places import DATA


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    return mirror.nowhere(monkeypatch, tmp_path)


@pytest.fixture
def served(monkeypatch):
    with mirror.mirror(monkeypatch) as served:
        yield served


@pytest.fixture
def two(monkeypatch):
    """Two problems alone, made up: `housing` and `airfoil` by name."""
    for module, name in ((paper, "housing"), (further, "airfoil")):
        monkeypatch.setattr(module, "FILES", {name: (thing(),)})
    monkeypatch.setattr(data, "ALL", ("housing", "airfoil"))


def lines(text: str) -> dict[str, list[str]]:
    """Rows of the list, by name."""
    return {words[0]: words[1:] for line in text.splitlines() if (words := line.split())}


def test_the_list_without_any_data():
    done = epsilex("data")
    listed = lines(done.out)
    assert done.code == 0
    assert done.err == ""
    assert list(listed) == ["name", *loading.ALL]
    assert listed["uball5d"] == ["6024", "5", "built", "in", "-"]
    assert listed["housing"] == ["506", "13", "not", "here", "to", "fetch", "it:", "epsilex", "data", "housing"]


def test_fetching_tells_file_and_hash_and_then_the_list_has_it(two, served, cache):
    served.hold(thing().raw[0], CONTENT)
    done = epsilex("data", "housing")
    assert done.code == 0
    assert done.err == "thing: downloading d_thing.txt\n"
    told = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert told["file"] == str(cache / "thing.csv")
    assert told["sha256"] == f"{mirror.sha256_of(PREPARED)}, verified"
    again = epsilex("data", "housing")
    assert (again.out, again.err) == (done.out, "")
    assert lines(epsilex("data").out)["housing"] == ["12", "2", "cache", "verified"]


def test_the_list_names_the_place_and_what_is_spoilt(two, monkeypatch, tmp_path):
    (tmp_path / "thing.csv").write_bytes(PREPARED)
    monkeypatch.setenv("EPSILEX_DATA", str(tmp_path))
    assert lines(epsilex("data").out)["airfoil"] == ["12", "2", "EPSILEX_DATA", "verified"]
    (tmp_path / "thing.csv").write_bytes(PREPARED[:-2])
    done = epsilex("data")
    assert lines(done.out)["airfoil"] == ["12", "2", "unusable", "differs"]
    assert "airfoil: " in done.err


def test_all_are_fetched(served):
    if not (DATA / "raw").is_dir():
        pytest.skip("the authors' files are not in ../shared/data/raw")
    for version in (version for name in loading.ALL for version in loading.declarations(name)):
        for file in version.raw:
            if (DATA / "raw" / file.name).is_file():
                served.hold(file, (DATA / "raw" / file.name).read_bytes())
    done = epsilex("data", "--all")
    assert done.code == 0
    listed = lines(done.out)
    assert all(listed[name][2].startswith("cache") for name in loading.ALL)
    assert listed["wind"][-2:] == ["verified,", "rebuilt"]
    assert len(served.asked) == len(set(served.asked))  # nothing twice


def test_all_without_a_network_is_a_line_for_each():
    done = epsilex("data", "--all")
    assert done.code == 2
    failed = [line for line in done.err.splitlines() if line.startswith("epsilex: ")]
    assert [line.split()[1] for line in failed] == [f"{n}:" for n in (*loading.NAMES, *loading.FURTHER)]
    assert list(lines(done.out)) == ["name", *loading.ALL]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "gave status 404"),
        (b"<html>another file</html>", "expected a file with SHA-256"),
        (CONTENT[:-9], "expected a file with SHA-256"),
    ],
)
def test_what_a_server_does_wrong_is_one_line(two, served, cache, answer, said):
    if answer is not None:
        served.hold(thing().raw[0], answer)
    assert said in last_line(epsilex("data", "housing"))
    assert not cache.exists()


def test_a_download_that_breaks_off_is_one_line(two, served, cache):
    served.hold(thing().raw[0], CONTENT)
    served.announced = lambda content: len(content) + 1
    assert "d_thing.txt gave " in last_line(epsilex("data", "housing"))
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_is_one_line(two, served, cache):
    served.hold(thing().raw[0], CONTENT)
    cache.write_text("")
    assert "expected a cache folder that can be written" in last_line(epsilex("data", "housing"))


def test_uball5d_that_cannot_be_fetched_draws_its_rows():
    assert last_line(epsilex("data", "uball5d")).endswith("until then uball5d draws its own rows\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["boston"], "problem: expected one of housing, tower"),
        (["housing", "--all"], "expected a problem or --all; got housing and --all"),
    ],
)
def test_a_bad_call_is_one_line(arguments, said):
    assert said in refused(epsilex("data", *arguments))


@pytest.mark.parametrize("arguments", [[], ["housing"], ["--all"]])
def test_a_data_folder_that_is_none_is_one_line(monkeypatch, tmp_path, arguments):
    monkeypatch.setenv("EPSILEX_DATA", str(tmp_path / "missing"))
    assert "EPSILEX_DATA: expected a folder" in refused(epsilex("data", *arguments))


def last_line(done) -> str:
    """The error's line; before it, what was being done."""
    assert done.code == 2, done
    assert done.out == ""
    *before, last = done.err.splitlines(keepends=True)
    assert last.startswith("epsilex: ")
    assert all("downloading" in line for line in before)
    return last
