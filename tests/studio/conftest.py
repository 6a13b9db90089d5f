"""A studio in this process: its project, and a browser's client that came through the front door."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from starlette.testclient import TestClient

from browsing import CHROMIUM
from epsilex import Settings
from epsilex.studio import worker
from epsilex.studio.app import app
from epsilex.studio.project import Project
from epsilex.studio.publishing import Publisher
from studios import new_project, new_run, work

PORT = 8731
ORIGIN = f"http://127.0.0.1:{PORT}"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    return new_project(tmp_path_factory.mktemp("studio"))


@pytest.fixture(scope="module")
def finished(project) -> str:
    """A run that has ended."""
    id = new_run(project)
    assert work(project, id)["phase"] == "done"
    return id


@pytest.fixture
def stranger(project) -> TestClient:
    """A client without a cookie."""
    return TestClient(app(project, PORT), base_url=ORIGIN, follow_redirects=False)


@pytest.fixture
def client(project) -> TestClient:
    """A client with the cookie, whose requests carry what the page's do."""
    secret = project.secret()
    opened = TestClient(app(project, PORT), base_url=ORIGIN, headers={"origin": ORIGIN, "x-csrf": secret["csrf"]})
    assert opened.get("/enter", params={"token": secret["token"]}).status_code == 200
    return opened


@pytest.fixture
def unpolished(monkeypatch) -> None:
    """Fronts as the search leaves them, from a random start: these tests are about its bits, and planting and polishing
    take most of a short run."""
    usual, bare = worker.estimator, {"polish": False, "settings": Settings(planters=())}
    monkeypatch.setattr(worker, "estimator", lambda *arguments: usual(*arguments).set_params(**bare))


@pytest.fixture
def at(monkeypatch, unpolished):
    """Do something when a search reaches a generation, once."""
    plans: dict[int, list] = {}
    usual = Publisher.see

    def see(self, state, archive):
        for what in plans.pop(state.generation, ()):
            what()
        usual(self, state, archive)

    monkeypatch.setattr(Publisher, "see", see)
    return lambda generation, what: plans.setdefault(generation, []).append(what)


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()
