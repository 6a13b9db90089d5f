"""Where data is found, and the download, against a mirror on the loopback and with made-up files."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

import mirror
from epsilex import problems
from epsilex.problems import DataMissing, authors, finding, loading, paper
from epsilex.problems.declaration import AuthorsFile, blob_of
from mirror import CONTENT, PREPARED, thing
from places import DATA

RAW = "d_thing.txt"


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    return mirror.nowhere(monkeypatch, tmp_path)


@pytest.fixture
def served(monkeypatch):
    with mirror.mirror(monkeypatch) as served:
        yield served


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty data folder."""
    folder = tmp_path / "data"
    (folder / "raw").mkdir(parents=True)
    monkeypatch.setenv("EPSILEX_DATA", str(folder))
    return folder


def find(declared=None):
    return finding.find((declared or thing(),))


def everything_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("file", ["thing.csv", RAW, f"raw/{RAW}"])
@pytest.mark.parametrize("place", ["EPSILEX_DATA", "cache"])
def test_prepared_or_raw_it_is_found_in_each_place(folder, cache, place, file):
    path = (folder if place == "EPSILEX_DATA" else cache) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(PREPARED if file == "thing.csv" else CONTENT)
    found = find()
    assert found.tables == {"thing.csv": PREPARED}
    assert (found.place, found.paths) == (place, (path,))


def test_the_data_folder_comes_first_and_the_prepared_file_in_it(folder, cache):
    cache.mkdir()
    for path in (cache / "thing.csv", folder / "thing.csv"):
        path.write_bytes(PREPARED)
    (folder / RAW).write_bytes(b"not looked at")
    assert find().paths == (folder / "thing.csv",)


@pytest.mark.parametrize("file", ["thing.csv", RAW])
def test_a_file_with_another_hash_is_refused(folder, served, file):
    (folder / file).write_bytes(CONTENT + b"3\t4\t5\n")
    with pytest.raises(ValueError, match=r"expected .* with SHA-256 \w+; got \w+$"):
        find()
    assert not served.asked


def test_a_spoilt_file_of_the_cache_may_be_deleted(cache):
    cache.mkdir()
    (cache / "thing.csv").write_bytes(PREPARED[:-3])
    with pytest.raises(ValueError, match="delete it to fetch it anew"):
        find()


def test_a_data_folder_that_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv("EPSILEX_DATA", str(tmp_path / "missing"))
    with pytest.raises(ValueError, match="EPSILEX_DATA: expected a folder"):
        find()


# --- downloads ---


def test_a_download_is_prepared_and_kept(served, cache):
    served.hold(thing().raw[0], CONTENT)
    found = find()
    assert found.tables == {"thing.csv": PREPARED}
    assert everything_in(cache) == ["thing.csv"]
    assert (cache / "thing.csv").read_bytes() == PREPARED
    assert find().place == "cache"
    assert len(served.asked) == 1


@pytest.mark.parametrize("answer", [b"", b"<html>Log in to the network</html>", CONTENT[:-5], CONTENT + b"\n"])
def test_another_file_at_the_address_is_refused_and_not_kept(served, cache, answer):
    served.hold(thing().raw[0], answer)
    with pytest.raises(ValueError, match=f"{RAW}: expected a file with SHA-256") as error:
        find()
    assert not isinstance(error.value, DataMissing)
    assert not cache.exists()


def test_a_download_that_breaks_off_is_not_kept(served, cache):
    served.hold(thing().raw[0], CONTENT)
    served.announced = lambda content: len(content) + 100
    with pytest.raises(DataMissing, match=r"d_thing\.txt gave \w+Error"):
        find()
    assert not cache.exists()


def test_a_recipe_that_makes_another_table_is_noticed(served, cache):
    served.hold(thing().raw[0], CONTENT)
    with pytest.raises(ValueError, match=r"thing, prepared here: expected thing\.csv with SHA-256"):
        find(thing(prepared=b"something else"))
    assert not cache.exists()


def test_a_file_the_server_does_not_have(served):
    with pytest.raises(DataMissing, match=r"not here, and http\S+/some/one/c0ffee/in/d_thing.txt gave status 404"):
        find()


def test_a_cache_that_cannot_be_written(served, cache):
    served.hold(thing().raw[0], CONTENT)
    cache.write_text("a file in the place of the folder")
    with pytest.raises(DataMissing, match="expected a cache folder that can be written; got File exists"):
        find()


def test_files_are_kept_all_or_none(served, cache, monkeypatch):
    served.hold(thing().raw[0], CONTENT)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(DataMissing, match="No space left on device"):
        find()
    assert everything_in(cache) == []


def test_an_address_that_is_none(monkeypatch):
    monkeypatch.setenv("EPSILEX_DATA_URL", "nonsense")
    with pytest.raises(ValueError, match="EPSILEX_DATA_URL: expected an http"):
        find()


def test_the_public_address_is_the_authors_at_a_pinned_commit(monkeypatch):
    from epsilex.problems.fetching import address

    monkeypatch.delenv("EPSILEX_DATA_URL")
    for versions in (loading.declarations(name) for name in loading.ALL):
        for file in (file for version in versions for file in version.raw):
            owner, _, commit, rest = address(file).removeprefix("https://raw.githubusercontent.com/").split("/", 3)
            assert (owner, len(commit), rest) == ("lacava", 40, file.path)


# --- without data and network ---


@pytest.mark.parametrize("name", [name for name in loading.ALL if name not in loading.BUILT_IN])
def test_without_a_network_one_line_says_what_to_do(name):
    with pytest.raises(DataMissing) as error:
        problems.load(name)
    said = str(error.value)
    assert said.startswith(f"{name}: not here, and http://127.0.0.1:9/lacava/")
    assert f"With a network run: epsilex data {name}; without one put {name}.csv" in said
    assert "EPSILEX_DATA" in said
    assert "\n" not in said
    assert len(said) < 500


def test_uball5d_needs_no_network_and_never_asks(served):
    assert problems.load("uball5d").name == "uball5d"
    assert problems.load("uball5d_z").name == "uball5d_z"
    assert not served.asked


# --- all problems from the authors' files ---


@pytest.fixture
def authors_files(served):
    if not (DATA / "raw").is_dir():
        pytest.skip("the authors' files are not in ../shared/data/raw")
    files = [value for value in vars(authors).values() if isinstance(value, AuthorsFile)]
    for file in files:
        if (DATA / "raw" / file.name).is_file():
            served.hold(file, (DATA / "raw" / file.name).read_bytes())
    return files


def test_the_declared_blobs_are_those_of_the_files(authors_files):
    for file in authors_files:
        if (DATA / "raw" / file.name).is_file():
            assert blob_of((DATA / "raw" / file.name).read_bytes()) == file.blob


@pytest.mark.parametrize("name", [*paper.FILES, *problems.FURTHER])
def test_a_downloaded_problem_equals_the_one_of_the_data_folder(authors_files, monkeypatch, name):
    downloaded = problems.load(name)
    monkeypatch.setenv("EPSILEX_DATA", str(DATA))
    same_problem(downloaded, problems.load(name))


def test_a_downloaded_uball5d_equals_the_one_of_the_data_folder(authors_files, monkeypatch, cache):
    finding.find(loading.declarations("uball5d"))
    assert everything_in(cache) == ["raw/d_uball5d.txt"]
    downloaded = problems.load("uball5d")
    monkeypatch.setenv("EPSILEX_DATA", str(DATA))
    same_problem(downloaded, problems.load("uball5d"))


def same_problem(one, other):
    assert one.X.tobytes() == other.X.tobytes()
    assert one.y.tobytes() == other.y.tobytes()
    fields = ("sha256", "feature_names", "rebuilt", "notes", "dynamic", "source")
    assert [getattr(one, name) for name in fields] == [getattr(other, name) for name in fields]
    assert one.measured is other.measured is None or (one.measured == other.measured).all()


def test_the_sha256_stands_in_for_the_blob_only_where_it_is_known():
    file = replace(thing().raw[0], sha256=None)
    file.check(CONTENT, "here")
    with pytest.raises(ValueError, match=f"here: expected a file with git blob id {file.blob}; got"):
        file.check(CONTENT + b"1", "here")
