"""Where data files are found, and the download, against a server on the loopback."""

from __future__ import annotations

import hashlib
import http.server
import threading
from functools import partial

import pytest

from epsilex.problems import DataMissing, finding, problem
from epsilex.problems.loading import load

CONTENT = b"a,target\n1,2\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """No data folder, no server, an empty cache."""
    for name in ("EPSILEX_DATA", "EPSILEX_DATA_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    cache = tmp_path / "cache"
    monkeypatch.setattr(finding, "cache_folder", lambda: cache)
    return cache


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        self.server.requests += 1


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A web folder on the loopback: (its folder, the server)."""
    folder = tmp_path / "web"
    folder.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    server.requests = 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("EPSILEX_DATA_URL", f"http://127.0.0.1:{server.server_port}/")
    yield folder, server
    server.shutdown()
    server.server_close()


def find():
    return finding.find("thing.csv", SHA256, "the thing's authors")


def test_nothing_anywhere_says_what_to_do():
    with pytest.raises(DataMissing) as error:
        find()
    for part in ("thing.csv", SHA256, "EPSILEX_DATA", "EPSILEX_DATA_URL", "the thing's authors"):
        assert part in str(error.value)


def test_the_declared_problems_say_so_too():
    with pytest.raises(DataMissing, match=r"housing\.csv: not found"):
        load("housing")
    assert isinstance(load("uball5d"), problem.Problem)  # needs no file


def test_the_data_folder_comes_first(monkeypatch, tmp_path, nowhere):
    nowhere.mkdir()
    (nowhere / "thing.csv").write_bytes(CONTENT)
    (tmp_path / "thing.csv").write_bytes(CONTENT)
    assert find() == nowhere / "thing.csv"
    monkeypatch.setenv("EPSILEX_DATA", str(tmp_path))
    assert find() == tmp_path / "thing.csv"


def test_a_file_with_another_hash_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("EPSILEX_DATA", str(tmp_path))
    (tmp_path / "thing.csv").write_bytes(CONTENT + b"3,4\n")
    with pytest.raises(ValueError, match=f"expected a file with SHA-256 {SHA256}; got"):
        find()


def test_a_data_folder_that_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv("EPSILEX_DATA", str(tmp_path / "missing"))
    with pytest.raises(ValueError, match="EPSILEX_DATA: expected a folder"):
        find()


def test_a_download_is_checked_and_kept(server, nowhere):
    folder, http_server = server
    (folder / "thing.csv").write_bytes(CONTENT)
    assert find().read_bytes() == CONTENT
    asked = http_server.requests
    assert asked > 0
    assert find() == nowhere / "thing.csv"
    assert http_server.requests == asked  # from the cache now


def test_a_download_with_another_hash_is_refused_and_not_kept(server, nowhere):
    folder, _ = server
    (folder / "thing.csv").write_bytes(b"something else")
    with pytest.raises(ValueError, match="expected a file with SHA-256") as error:
        find()
    assert not isinstance(error.value, DataMissing)
    assert not (nowhere / "thing.csv").exists()


def test_a_file_the_server_does_not_have(server):
    with pytest.raises(DataMissing, match="status 404"):
        find()


def test_a_server_that_does_not_answer(monkeypatch):
    monkeypatch.setenv("EPSILEX_DATA_URL", "http://127.0.0.1:9")
    with pytest.raises(DataMissing, match="ConnectionError"):
        find()


def test_an_address_that_is_none(monkeypatch):
    monkeypatch.setenv("EPSILEX_DATA_URL", "nonsense")
    with pytest.raises(ValueError, match="EPSILEX_DATA_URL: expected an http"):
        find()
