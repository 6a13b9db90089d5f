"""Trouble as a person meets it, in a real browser: said on the page in words, and nothing is lost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
from contextlib import contextmanager

import pytest

from browsing import Server, Visit, generation, go_on, pause, phase, start_a_search, until
from epsilex.studio.lock import alive
from epsilex.studio.project import Project

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def worker(server: Server) -> int:
    """The process of the only run."""
    project = Project(server.folder)
    (id,) = project.runs()
    return json.loads((project.run(id) / "snapshot.json").read_text())["pid"]


@contextmanager
def full(*processes: int):
    """No file of these processes can grow: to them the disk is full."""
    before = {pid: resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in processes}
    for pid, (_, most) in before.items():
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))
    try:
        yield
    finally:
        for pid, limits in before.items():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)


def close_the_browser(browser, visit, page):
    """The run goes on; another browser finds it."""
    place, n = page.url.removeprefix(visit.server.address), generation(page)
    visit.context.close()
    another = Visit(browser, visit.server)
    page = another.page(place)
    page.wait_for_selector("#look-math math")
    until(lambda: generation(page) > n)
    return another, page


def fill_the_disk(visit, page) -> None:
    visit.mistaken = True
    with full(visit.server.process.pid, worker(visit.server)):
        page.get_by_role("button", name="Pause").click()
        page.wait_for_selector("#run-message:has-text('The project folder cannot be used: File too large')")
    visit.mistaken = False
    n = generation(page)
    until(lambda: generation(page) > n)  # it never stopped
    pause(page)
    assert "cannot be used" not in page.locator("#run-message").inner_text()


def replace_the_data(visit, page) -> None:
    """While the run is paused and its process has left."""
    server = visit.server
    project = Project(server.folder)
    (id,) = project.runs()
    os.kill(worker(server), signal.SIGTERM)
    until(lambda: not alive(project.run(id)))
    table = project.table(project.tables()[0]["id"])[1]
    content, n = table.read_bytes(), generation(page)
    table.write_bytes(content.replace(b"1.", b"2."))
    page.get_by_role("button", name="Continue").click()
    page.wait_for_selector("#run-message:has-text('The run failed: checkpoint: expected the data it was made with')")
    table.write_bytes(content)
    assert (generation(page), page.locator("#formulas .pick").count() > 0) == (n, True)  # what was found is still shown
    go_on(page)
    pause(page)


def delete_the_run(visit, page) -> None:
    project = Project(visit.server.folder)
    (id,) = project.runs()
    folder = project.run(id)
    visit.mistaken = True
    shutil.rmtree(folder)
    page.wait_for_selector("#banner:has-text('The folder of this run was deleted')")
    page.get_by_role("button", name="New run").click()
    page.wait_for_selector("#columns tr[data-row=y]")  # the table is still there
    assert page.locator("#runs a").count() == 0


def delete_the_project(visit, page) -> None:
    shutil.rmtree(visit.server.folder)
    page.reload()
    page.wait_for_selector("#banner:has-text('The project folder cannot be used: No such file or directory')")


def test_trouble_is_said_on_the_page_and_nothing_is_lost(browser, tmp_path):
    server = Server(tmp_path / "project")
    visit = Visit(browser, server)
    page = visit.page()
    try:
        start_a_search(page)
        page.wait_for_selector("#look-math math")
        phase(page, "searching")
        visit, page = close_the_browser(browser, visit, page)
        fill_the_disk(visit, page)
        replace_the_data(visit, page)
        delete_the_run(visit, page)
        delete_the_project(visit, page)
        assert visit.trouble == []
    finally:
        visit.context.close()
        server.end()
    assert "Traceback" not in server.said
