"""The studio in a real browser: Chromium without a window, a real server, real processes."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys

import pytest

from browsing import WAIT, Server, Visit, generation, go_on, pause, phase, start_a_search, until
from epsilex import load_model
from epsilex.studio.lock import alive
from epsilex.studio.project import Project
from processes import environment
from studios import ask, decays, new_project, new_run, pendulums, work

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def formulas(page) -> list[str]:
    """Those of the table, read at once: the next moment it may have others."""
    return page.locator("#formulas .pick").evaluate_all("picks => picks.map((pick) => pick.ariaLabel)")


def look_at(page, row) -> str:
    """Click a row of the table and wait until its formula is shown in full; returns its label."""
    pick, exact = row.locator(".pick"), row.get_attribute("data-exact")
    pick.click()
    page.wait_for_function("exact => document.querySelector('#look').dataset.formula === exact", arg=exact)
    return pick.get_attribute("aria-label")


def see_points_arrive(page) -> None:
    page.wait_for_selector("#front .point")
    page.wait_for_selector("#look-math math")
    first, n = page.locator("#front").inner_html(), generation(page)
    until(lambda: generation(page) > n + 5 and page.locator("#front").inner_html() != first)
    until(lambda: any("sin" in formula for formula in formulas(page)))
    assert page.locator("#curve .dot").count() == 600
    assert 100 < page.locator("#curve .dot.test").count() < 200


def pause_and_continue(page) -> None:
    pause(page)
    n = generation(page)
    page.wait_for_timeout(500)  # in which a search would go on
    assert generation(page) == n
    go_on(page)


def ban_sin(page) -> None:
    page.locator("[data-operator=sin]").click()
    page.wait_for_selector("#log li:has-text('forbade sin'):not(.waiting)")
    page.wait_for_selector("[data-operator=sin][aria-pressed=false]")
    n = generation(page)
    until(lambda: generation(page) > n + 3)
    assert formulas(page)
    assert not any("sin(" in formula for formula in formulas(page))


def add_guesses(visit, page) -> None:
    visit.mistaken = True
    page.fill("#guess", "sin(a)")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("#log li.refused:has-text('sin is forbidden')")
    page.fill("#guess", "2*wave")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("#steer-error:has-text('expected a feature among a, b')")
    visit.mistaken = False
    page.fill("#guess", "2*cos(a + 4.7) + b")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("#log li:has-text('added the guess 2*cos(a + 4.7) + b'):not(.waiting):not(.refused)")
    playwright.expect(page.locator("#guess")).to_have_value("", timeout=WAIT)
    until(lambda: any("cos(" in formula for formula in formulas(page)))


def set_bounds(visit, page) -> None:
    """While the search is paused: the front is judged at once."""
    visit.mistaken = True
    page.fill("#bounds", "f >= 0\nf <= -1")
    page.get_by_role("button", name="Set", exact=True).click()
    page.wait_for_selector("#bounds-error:has-text('expected statements that can hold together')")
    visit.mistaken = False
    before = formulas(page)
    page.fill("#bounds", "increasing in b\nf <= 2.5")
    page.get_by_role("button", name="Set", exact=True).click()
    page.wait_for_selector("#log li:has-text('set the bounds increasing in b; f <= 2.5'):not(.waiting):not(.refused)")
    page.wait_for_selector("#bounds-error", state="hidden")
    go_on(page)
    n = generation(page)
    until(lambda: generation(page) > n + 3)
    assert formulas(page)
    assert formulas(page) != before
    pause(page)


def reject_a_form(page) -> None:
    """While the search is paused, so that the front does not move on meanwhile."""

    def bare(formula: str) -> str:
        return re.sub(r"[\d.e-]+", "#", formula.partition(": ")[2])

    first = look_at(page, page.locator("#formulas tbody tr").first)
    page.get_by_role("button", name="Reject this form").click()
    page.wait_for_selector("#log li:has-text('rejected the form'):not(.waiting)")
    go_on(page)
    n = generation(page)
    until(lambda: generation(page) > n + 3)
    assert bare(first) not in map(bare, formulas(page))
    pause(page)


def move_a_slider(page) -> None:
    look_at(page, page.locator("#formulas tbody tr:has(.pick[aria-label*=cos])").first)
    before, text = page.locator("#curve-line").get_attribute("d"), page.locator("#look-badges").inner_text()
    page.locator("#constants input").first.focus()
    page.keyboard.press("PageUp")
    page.wait_for_selector(".badge.moved")
    assert page.locator("#curve-line").get_attribute("d") != before
    assert page.locator("#curve .ghost").count() == 1
    assert page.locator("#look-badges").inner_text() != text
    page.get_by_role("button", name="Reset").click()
    page.wait_for_selector(".badge.moved", state="detached")
    assert page.locator("#curve-line").get_attribute("d") == before


def pin_compare_and_write(page) -> None:
    page.locator("#pin").click()
    page.wait_for_selector("#pin[aria-pressed=true]")
    page.fill("#note", "<b>a wave</b>")
    page.wait_for_selector("#pinned li:has-text('<b>a wave</b>')")
    page.select_option("#other", index=1)
    page.wait_for_selector("#curve .second", state="attached")
    page.wait_for_selector("#compare table")
    go_on(page)


def reload_and_open_a_second_tab(visit, page) -> None:
    selected = page.locator("#look-math").inner_text()
    page.reload()
    page.wait_for_selector("#look-math math")
    assert page.locator("#look-math").inner_text() == selected
    assert page.locator("#note").input_value() == "<b>a wave</b>"
    second = visit.page(page.url.removeprefix(visit.server.address))
    second.wait_for_selector("#look-math math")
    until(lambda: second.locator("#log").inner_text() == page.locator("#log").inner_text())
    n = generation(second)
    until(lambda: generation(second) > n)
    second.get_by_role("button", name="Pause").click()
    phase(page, "paused")
    phase(second, "paused")
    page.get_by_role("button", name="Continue").click()
    phase(second, "searching")
    page.wait_for_selector("#log li:first-child:has-text('continued'):not(.waiting)")
    second.close()


def kill_the_server_and_start_it_again(visit, page) -> None:
    page.wait_for_selector("#log li.waiting", state="detached")
    n, log = generation(page), page.locator("#log").inner_text()
    visit.away = True
    visit.server.kill()
    page.wait_for_selector("#banner:has-text('does not answer')")
    project = Project(visit.server.folder)
    (id,) = project.runs()
    assert alive(project.run(id))  # the search goes on
    visit.server.begin()
    page.wait_for_selector("#banner", state="hidden")
    visit.away = False
    until(lambda: generation(page) > n)
    assert page.locator("#log").inner_text() == log
    assert page.locator("#pinned li").count() == 1


def stop_and_export(page, tmp_path) -> None:
    page.get_by_role("button", name="Stop").click()
    phase(page, "done")
    for kind in ("model", "notebook", "latex", "python", "report", "front", "log"):
        with page.expect_download() as download:
            page.locator(f"[data-export={kind}]").click()
        download.value.save_as(tmp_path / kind)
    assert load_model(tmp_path / "model").feature_names == ("a", "b")
    assert json.loads((tmp_path / "notebook").read_text())["nbformat"] == 4
    assert "<!doctype html>" in (tmp_path / "report").read_text()
    kinds = [entry["act"]["kind"] for entry in json.loads((tmp_path / "log").read_text())["log"]]
    assert {"pause", "continue", "forbid", "guess", "bounds", "stop"} <= set(kinds)


def test_from_upload_to_export(browser, tmp_path):
    server = Server(tmp_path / "project")
    visit = Visit(browser, server)
    page = visit.page()
    try:
        start_a_search(page)
        see_points_arrive(page)
        pause_and_continue(page)
        ban_sin(page)
        add_guesses(visit, page)
        pause(page)
        set_bounds(visit, page)
        reject_a_form(page)
        move_a_slider(page)
        pin_compare_and_write(page)
        reload_and_open_a_second_tab(visit, page)
        kill_the_server_and_start_it_again(visit, page)
        stop_and_export(page, tmp_path)
        assert visit.trouble == []
    finally:
        visit.context.close()
        assert server.end() == 0
    assert server.said == ""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A server with two finished runs, one of a table with a wicked name and one with groups; and their ids."""
    project = new_project(tmp_path_factory.mktemp("shown"))
    id = new_run(project, name="<b>bold</b>")
    ask(project, id, kind="forbid", operator="cos")
    assert work(project, id)["phase"] == "done"
    options = {"generations": 4, "population": 60, "max_length": 6, "guesses": ["a*exp(-b*t)"], "per_group": ["a"]}
    grouped = new_run(project, ("decays.csv", decays()), target="y", roles={"sample": "group"}, **options)
    assert work(project, grouped)["phase"] == "done"
    header, rest = pendulums().split(b"\n", 1)
    project.add_table("<i>x</i>.csv", header.replace(b"mass", b"<img src=x onerror=alert(1)>") + b"\n" + rest)
    server = Server(project.folder)
    yield server, id, grouped
    server.end()


@pytest.mark.parametrize("width", [390, 1280])
def test_no_accessibility_fault_in_any_light_on_any_screen(browser, shown, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    server, id, grouped = shown
    visit = Visit(browser, server, viewport={"width": width, "height": 844})
    runs = [(f"/#run={each}", "#look-math math") for each in (id, grouped)]
    for place, ready in (("/", "#columns tbody tr"), *runs):
        page = visit.page(place)
        page.wait_for_selector(ready)
        page.wait_for_selector("#curve .dot" if "run" in place else "#operators input", state="attached")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = axe.Axe().run(page).response["violations"]
        page.emulate_media(color_scheme="dark")  # which changes colours, and nothing else
        found += axe.Axe().run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")] == []
        page.close()
    visit.context.close()
    assert visit.trouble == []


def test_names_from_files_are_text(browser, shown):
    visit = Visit(browser, shown[0])
    page = visit.page()
    page.wait_for_selector("#columns tbody tr")
    assert "<img src=x onerror=alert(1)>" in page.locator("#columns").inner_text()
    assert "<b>bold</b>" in page.locator("#runs").inner_text()
    assert page.locator("main img").count() == 0
    visit.mistaken = True
    script = b"<script>alert(1)</script>"
    page.locator("#file").set_input_files({"name": "x.csv", "mimeType": "text/csv", "buffer": script})
    page.wait_for_selector("#drop-error:not([hidden])")
    visit.context.close()
    assert visit.trouble == []


def test_by_the_keyboard_alone(browser, shown):
    server, id, _ = shown
    visit = Visit(browser, server)
    page = visit.page(f"/#run={id}")
    page.wait_for_selector("#look-math math")
    page.locator("#formulas .pick").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#formulas tr.selected .pick[aria-pressed=true]")
    shown_first = page.locator("#formulas .pick").first.get_attribute("aria-label")
    page.wait_for_function(
        "n => document.querySelector('#look-badges').textContent.startsWith(`length ${n}`)",
        arg=re.match(r"length (\d+)", shown_first)[1],
    )
    visit.context.close()
    assert visit.trouble == []


def test_a_run_is_replayed_to_the_same_front(browser, shown):
    server, id, _ = shown
    visit = Visit(browser, server)
    page = visit.page(f"/#run={id}")
    page.wait_for_selector("#look-math math")
    before = page.locator("#runs a").count()
    page.get_by_role("button", name="Replay this run").click()
    page.wait_for_selector("#phase:has-text('the same front, bit for bit')")
    assert "forbade cos" in page.locator("#log").inner_text()
    assert page.locator("#runs a").count() == before + 1
    visit.context.close()
    assert visit.trouble == []


def test_groups_have_curves_and_constants_of_their_own(browser, shown, tmp_path):
    server, _, grouped = shown
    visit = Visit(browser, server)
    page = visit.page(f"/#run={grouped}")
    page.wait_for_selector("#look-math math")
    look_at(page, page.locator("#formulas tbody tr:has(.pick[aria-label*='a[sample]*exp('])").first)
    assert page.locator("#curve .path.main").count() == 4
    assert page.locator("#own tbody tr th").all_inner_texts() == ["A", "B", "C", "D"]
    assert page.locator("#curve .band").count() == 0
    page.locator("#groups").get_by_role("button", name="B").click()
    assert page.locator("#curve .path.main.faint").count() == 3
    assert page.locator("#curve .band").count() == 1
    with page.expect_download() as download:
        page.locator("[data-export=model]").click()
    download.value.save_as(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").own.labels == ("A", "B", "C", "D")
    visit.context.close()
    assert visit.trouble == []


def test_what_is_known_already_is_entered_and_refused_in_words(browser, shown):
    visit = Visit(browser, shown[0])
    page = visit.page()
    page.get_by_role("button", name="decays.csv").click()
    page.wait_for_selector("#columns tr[data-row=sample]")
    page.locator("#known summary").click()
    assert page.locator("#per-group").is_hidden()
    page.select_option("select[data-column=sample]", "group")
    assert page.locator("#per-group").is_visible()
    page.fill("#form", "f(t)")
    visit.mistaken = True
    page.locator("#known summary").click()  # folded away, it opens by itself where something is wrong
    page.get_by_role("button", name="Start the search").click()
    page.wait_for_selector("label:has(#form) .field-error:has-text('expected no column of groups beside it')")
    assert page.evaluate("document.activeElement.id") == "form"
    page.fill("#form", "")
    page.fill("#constraints", "f >= 0\nincreasing in time")
    page.get_by_role("button", name="Start the search").click()
    page.wait_for_selector("label:has(#constraints) .field-error:has-text(\"expected a column among 't'\")")
    assert page.locator("#form[aria-invalid]").count() == 0
    visit.context.close()
    assert visit.trouble == []


def test_units_are_entered_and_refused_at_their_field(browser, shown):
    visit = Visit(browser, shown[0])
    page = visit.page()
    headed = pendulums().replace(b"length,mass,angle,period", b"length [m],mass [stones],angle,period [s]")
    page.locator("#file").set_input_files({"name": "headed.csv", "mimeType": "text/csv", "buffer": headed})
    page.wait_for_selector("#columns tr[data-row='period [s]']")
    assert page.locator("#constant-units").is_hidden()
    page.get_by_role("button", name="Units from the headers").click()
    units = [page.get_by_label(f"Unit of {name}") for name in ("length [m]", "mass [stones]", "angle", "period [s]")]
    assert [unit.input_value() for unit in units] == ["m", "stones", "1", "s"]
    units[1].fill("pebbles")
    visit.mistaken = True
    page.get_by_role("button", name="Start the search").click()
    page.wait_for_selector("tr[data-row='mass [stones]'] + tr .field-error:has-text('a unit that pint knows')")
    playwright.expect(units[1]).to_be_focused()
    playwright.expect(units[1]).to_have_attribute("aria-invalid", "true")
    page.select_option("select[data-column='mass [stones]']", "ignore")
    playwright.expect(units[1]).to_be_hidden()
    page.get_by_role("button", name="Start the search").click()
    page.wait_for_selector("tr[data-row='period [s]'] + tr .field-error:has-text('no column has time')")
    visit.mistaken = False
    page.select_option("#constant-units", "overall")
    page.locator("#more summary").click()
    page.fill("#generations", "5")
    page.fill("#population", "100")
    page.fill("#max-length", "10")
    page.get_by_role("button", name="Start the search").click()
    phase(page, "done")
    look_at(page, page.locator("#formulas tbody tr").last)
    assert "[s" in page.locator("#constants").inner_text()  # a constant carries a unit
    visit.context.close()
    assert visit.trouble == []


def test_an_interrupted_server_saves_its_runs(tmp_path):
    project = new_project(tmp_path)
    server = Server(project.folder)
    id = new_run(project, generations=None, seconds=600)
    worker = subprocess.Popen([sys.executable, "-m", "epsilex.studio.worker", project.folder, id], env=environment())
    snapshot = project.run(id) / "snapshot.json"
    until(lambda: snapshot.exists() and json.loads(snapshot.read_text())["phase"] == "searching")
    assert server.end() == 0
    assert worker.wait(60) == 0
    assert json.loads(snapshot.read_text())["phase"] == "interrupted"
    assert (project.run(id) / "search-0.checkpoint").exists()
    assert "1 run" in server.said


def test_a_port_that_is_taken_and_a_project_that_is_open(tmp_path):
    server = Server(tmp_path / "project")
    for folder, words in (("other", "port: expected a free one"), ("project", "another studio serves it")):
        port = str(server.port) if folder == "other" else "0"
        options = ["--no-browser", *(["--port", port] if port != "0" else []), "--project", str(tmp_path / folder)]
        done = subprocess.run(
            [sys.executable, "-m", "epsilex", "studio", *options], env=environment(), capture_output=True, text=True,
            timeout=180,
        )  # fmt: skip
        assert done.returncode == 2
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1
    secret, host = Project(server.folder).secret(), f"127.0.0.1:{server.port}"
    own = (
        f"Origin: http://{host}\r\nCookie: epsilex-studio-{server.port}={secret['cookie']}\r\n"
        f"X-Csrf: {secret['csrf']}\r\nX-Name: big.csv\r\n"
    )
    for more, status in (
        ("", b" 403 "),
        (own, b" 413 "),
    ):  # a gigabyte is refused before it is sent
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            head = f"POST /api/tables HTTP/1.1\r\nHost: {host}\r\nContent-Length: {2**30}\r\n{more}\r\n"
            raw.sendall(head.encode())
            assert status in raw.recv(1000).splitlines()[0]
    assert os.path.isdir(tmp_path / "project")
    assert server.end() == 0
