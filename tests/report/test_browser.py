"""`report.html` in a real browser: Chromium without a window."""

from __future__ import annotations

import shutil

import pytest

from epsilex.report import render
from fits import FORMULAS, some_fit

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open a fit's page; at the end nothing may have been said on the console, asked of the network, or refused."""
    trouble = []
    contexts = []

    def open_(fit, **options):
        path = tmp_path / "report.html"
        path.write_text(render(fit), encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("dialog", lambda dialog: trouble.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: request.url == path.as_uri() or trouble.append(f"request: {request.url}"))
        page.goto(path.as_uri())
        page.wait_for_selector("#front .point")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert trouble == []


def shown_formula(page) -> str:
    return page.locator(".model:visible .formula").inner_text()


def test_the_chosen_model_is_shown_first_and_a_click_shows_another(open_page):
    fit = some_fit()
    page = open_page(fit)
    assert page.locator(".model:visible").count() == 1
    first = shown_formula(page)
    assert "chosen" in page.locator(".model:visible .badges").inner_text()
    fit_plot = page.locator("#fit svg").inner_html()

    page.locator('#front .point.train[data-model="2"]').click()
    assert shown_formula(page) != first
    assert "sin" in shown_formula(page)
    assert page.locator("#fit svg").inner_html() != fit_plot
    assert page.locator("#models tr.selected td").first.inner_text() == str(fit.models[2].length)

    page.locator("#models tr[data-model]").first.click()
    assert page.locator(".model:visible").get_attribute("data-model") == "0"
    assert page.locator("#front .point.train.selected").get_attribute("data-model") == "0"


def test_a_model_is_reached_by_the_keyboard(open_page):
    page = open_page(some_fit())
    page.locator('#front .point.train[data-model="2"]').focus()
    page.keyboard.press("Enter")
    assert page.locator(".model:visible").get_attribute("data-model") == "2"
    page.locator("#models .pick").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".model:visible").get_attribute("data-model") == "0"


@pytest.mark.parametrize("clipboard", [True, False])
def test_copying(open_page, clipboard):
    fit = some_fit()
    page = open_page(fit)
    if not clipboard:  # the old way, for browsers that keep the clipboard from files
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('kept')); }")
    for name, expected in (("LaTeX", fit.model.latex()), ("Python", fit.model.python()), ("text", fit.model.formula)):
        button = page.locator(".model:visible").get_by_role("button", name=f"Copy {name}")
        button.click()
        page.wait_for_selector(".model:not([hidden]) button:has-text('Copied')")
        assert page.evaluate("navigator.clipboard.readText()").strip() == expected.strip()
    page.locator(".command button").click()
    page.wait_for_selector(".command button:has-text('Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == fit.command


def test_a_model_of_the_front_can_be_saved_and_loaded(open_page, tmp_path):
    from epsilex import load_model

    fit = some_fit()
    page = open_page(fit)
    page.locator("#models tr[data-model]").last.click()
    with page.expect_download() as download:
        page.locator(".model:visible [data-download]").click()
    assert download.value.suggested_filename == "model.json"
    download.value.save_as(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json") == fit.models[2]


def test_a_column_named_like_a_script_is_shown_as_text(open_page):
    name = "<script>alert(1)</script>"
    page = open_page(some_fit((name, "</script><img src=x onerror=alert(2)>", "c"), target=name))
    assert name in page.locator("h1").inner_text()
    assert name in shown_formula(page)
    assert name in page.locator("#models").inner_text()
    assert page.locator("img").count() == 0


def test_plots_explain_themselves(open_page):
    page = open_page(some_fit())
    page.locator('#front .point.train[data-model="0"]').hover()
    assert page.locator("#tip").inner_text().startswith("length")
    page.locator("[data-history=error] svg").hover()
    assert "generation" in page.locator("#tip").inner_text()
    page.locator("#fit .dot").first.hover(force=True)
    assert "measured" in page.locator("#tip").inner_text()
    assert page.locator("#fit .dot").count() == 40
    assert page.locator("#fit .dot.test").count() == 10


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_it_fits_a_phone_and_follows_light_and_dark(open_page, width, scheme):
    page = open_page(some_fit(), viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    red, *_ = (int(part) for part in page.evaluate("getComputedStyle(document.body).backgroundColor")[4:-1].split(","))
    assert (red < 128) == (scheme == "dark")
    assert len(FORMULAS) == page.locator("#models tr[data-model]").count()


def test_a_front_of_one_model_and_no_held_back_rows(open_page):
    import numpy as np

    fit = some_fit()
    page = open_page(some_fit(models=fit.models[:1], chosen=0, held_back=np.zeros(40, bool)))
    assert page.locator("#front .point.train").count() == 1
    assert page.locator("#fit .dot.test").count() == 0
