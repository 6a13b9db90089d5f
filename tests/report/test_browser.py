"""`report.html` in a real browser: Chromium without a window."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from epsilex import Model
from epsilex.report import Measurements, record, render
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
    return page.locator(".answer .model:visible .formula").inner_text()


def test_the_chosen_model_is_shown_first_and_a_click_shows_another(open_page):
    fit = some_fit()
    page = open_page(fit)
    assert page.locator(".answer .model:visible").count() == 1
    first = shown_formula(page)
    assert "chosen" in page.locator(".answer .model:visible .badges").inner_text()
    fit_plot = page.locator("#fit svg").inner_html()

    page.locator('#front .point.train[data-model="2"]').click()
    assert shown_formula(page) != first
    assert "sin" in shown_formula(page)
    assert page.locator("#fit svg").inner_html() != fit_plot
    assert page.locator("#models tr.selected td").first.inner_text() == str(fit.models[2].length)

    page.locator("#models tr[data-model]").first.click()
    assert page.locator(".answer .model:visible").get_attribute("data-model") == "0"
    assert page.locator("#front .point.train.selected").get_attribute("data-model") == "0"


def test_a_model_is_reached_by_the_keyboard(open_page):
    page = open_page(some_fit())
    page.locator('#front .point.train[data-model="2"]').focus()
    page.keyboard.press("Enter")
    assert page.locator(".answer .model:visible").get_attribute("data-model") == "2"
    page.locator("#models .pick").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".answer .model:visible").get_attribute("data-model") == "0"


@pytest.mark.parametrize("clipboard", [True, False])
def test_copying(open_page, clipboard):
    fit = some_fit()
    page = open_page(fit)
    if not clipboard:  # the old way, for browsers that keep the clipboard from files
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('kept')); }")
    for name, expected in (("LaTeX", fit.model.latex()), ("Python", fit.model.python()), ("text", fit.model.formula)):
        button = page.locator(".answer .model:visible").get_by_role("button", name=f"Copy {name}")
        button.click()
        page.wait_for_selector(".answer .model:not([hidden]) button:has-text('Copied')")
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
        page.locator(".answer .model:visible [data-download]").click()
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
    assert page.locator("#tip").inner_text().startswith("2·RM\nlength 1")
    page.get_by_text("The search, generation by generation").click()
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
    fit = some_fit()
    page = open_page(some_fit(models=fit.models[:1], chosen=0, held_back=np.zeros(40, bool)))
    assert page.locator("#front .point.train").count() == 1
    assert page.locator("#fit .dot.test").count() == 0


def line_fit(n=40, **changes):
    """A fit of one feature: a line, and a curve with its uncertainty."""
    x = np.linspace(0.0, 5.0, n)
    y = 2.0 * np.exp(-0.5 * x) + 0.01 * np.cos(40.0 * x)
    X = x.reshape(-1, 1)
    models = [Model.from_formula(text, X, y) for text in ("a*x0 + b", "a*exp(-b*x0)", "a*exp(-b*x0 + c*x0^2)")]
    models = [replace(m, metrics={"mae": error}) for m, error in zip(models, (0.2, 0.006, 1e-13), strict=True)]
    held_back = np.zeros(n, bool)
    return some_fit(("x0",), "y", models=models, X=X, y=y, held_back=held_back, **changes)


def test_the_formula_comes_first_in_the_fonts_own_letters(open_page):
    page = open_page(some_fit())
    assert page.evaluate("document.fonts.check('20px \"epsilex math\"')")
    assert page.evaluate("[...document.fonts].map((face) => face.status)") == ["loaded"]
    places = (".formula:visible", ".why:visible", ".look")
    formula, why, look = (page.locator(name).bounding_box()["y"] for name in places)
    assert formula < why < look
    assert page.locator(".engine [data-history]").first.is_hidden()


def test_a_formula_of_one_feature_is_drawn_over_the_data(open_page):
    page = open_page(line_fit())
    assert page.locator("#curves figure").count() == 1
    assert page.locator("#curves .dot").count() == 40
    assert page.locator("#curves .curve").count() == 1
    assert page.locator("#curves .band").count() == 1
    assert "y over x0" in page.locator("#curves figcaption").inner_text()
    low, high = (page.locator("#curves .grid").first.get_attribute(name) for name in ("y1", "y2"))
    line = page.locator("#curves .curve").get_attribute("d")
    heights = [float(part.split(" ")[1]) for part in line[1:].split("L")]
    assert heights[0] < heights[-1]  # it falls
    assert float(low) - 20 < min(heights) < max(heights) < float(high) + 20
    assert page.locator(".look .model:visible .constants tbody tr").count() == 2
    assert "a" in page.locator(".look .model:visible .constants tbody td").first.inner_text()
    assert " to " in page.locator(".look .model:visible .constants tbody td").nth(3).inner_text()


def test_a_formula_of_several_features_is_drawn_over_each(open_page):
    page = open_page(some_fit())
    assert page.locator("#curves figure").all_inner_texts()[0].startswith("RM")
    assert page.locator("#curves figure").count() == 2
    page.locator("#models tr[data-model]").last.click()
    assert page.locator("#curves figure").count() == 3


def grouped_fit():
    """Three samples that decay alike, from different beginnings."""
    from epsilex import SymbolicRegressor

    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"sample": np.repeat(["A", "B", "C"], 10), "t": np.tile(np.linspace(0, 4, 10), 3)})
    start = rows["sample"].map({"A": 8.0, "B": 5.0, "C": 2.0})
    y = pd.Series(start * np.exp(-0.5 * rows["t"]) + rng.normal(0, 0.02, 30), name="y")
    est = SymbolicRegressor(
        groups="sample", guesses=["a*exp(-b*t)"], per_group=["a"], generations=0, time_limit=None, random_state=0,
        population_size=60, max_length=6,
    ).fit(rows, y)  # fmt: skip
    law = next(k for k, m in enumerate(est.models_) if m.formula.startswith("a[sample]*exp("))
    every = Measurements(
        rows[["t"]].to_numpy(), y.to_numpy(), np.arange(30) % 5 == 4, groups=("sample", [*rows["sample"]])
    )
    return replace(record(est, every, "y", "", []), chosen=law)


def test_each_group_has_its_own_curve_and_constants(open_page):
    page = open_page(grouped_fit())
    assert page.locator("#curves .curve").count() == 3
    assert page.locator("#curves .dot").count() == 30
    assert page.locator("#curves .dot.held").count() == 6
    table = page.locator(".model:visible .own")
    assert table.locator("tbody th").all_inner_texts() == ["A", "B", "C"]
    starts = [float(text) for text in table.locator("tbody td:nth-child(2)").all_inner_texts()]
    np.testing.assert_allclose(starts, [8, 5, 2], rtol=0.02)
    assert page.locator("#curves .band").count() == 0
    page.get_by_role("button", name="B", exact=True).click()
    assert page.locator("#curves .curve.faint").count() == 2
    assert page.locator("#curves .band").count() == 1
    assert page.evaluate("document.activeElement.dataset.group") == "B"
    page.keyboard.press("Enter")
    assert page.locator("#curves .faint").count() == 0


def test_a_formula_through_every_row_does_not_stretch_the_axis(open_page):
    page = open_page(line_fit())
    labels = [
        float(text) for text in page.locator("#front text").all_text_contents() if text.replace(".", "").isdigit()
    ]
    assert min(label for label in labels if label > 0) >= 0.0005
    assert page.locator("#front path.point.train").count() == 1  # a triangle at the edge
    page.locator("#front path.point.train").click()
    assert page.locator(".answer .model:visible").get_attribute("data-model") == "2"


def test_choice_and_knee_are_marked(open_page):
    page = open_page(line_fit())
    assert page.locator("#front .ring").count() == 1
    assert page.locator("#front .knee").count() == 1
    marks = page.locator("#models tr").filter(has_text="chosen")
    assert marks.get_attribute("data-model") == "1"
    assert "knee" in page.locator("#models").inner_text()


@pytest.mark.parametrize("size", [{"width": 1280, "height": 600}, {"width": 390, "height": 700}])
def test_the_row_of_a_clicked_point_is_in_view(open_page, size):
    few = some_fit()
    models = [replace(few.models[k % 3], metrics={"mae": 1.0 / (k + 1), "test_mae": 1.0}) for k in range(40)]
    page = open_page(some_fit(models=models, chosen=35), viewport=size)

    def in_view():
        row, box = (page.locator(name).bounding_box() for name in ("#models tr.selected", ".tall"))
        return box["y"] <= row["y"] and row["y"] + row["height"] <= box["y"] + box["height"] + 1

    assert in_view()
    page.locator('#front .point.train[data-model="0"]').focus()
    page.keyboard.press("Enter")
    assert page.locator("#models tr.selected").get_attribute("data-model") == "0"
    assert in_view()


def test_a_narrow_page_tells_which_formula_is_shown(open_page):
    page = open_page(some_fit(), viewport={"width": 390, "height": 700})
    assert page.locator("#now").is_hidden()
    page.locator("#models tr[data-model]").last.click()
    page.locator("#about-title").scroll_into_view_if_needed()
    page.wait_for_selector("#now:not([hidden])")
    assert "sin" in page.locator("#now").inner_text()
    page.locator("#now button").click()
    page.wait_for_selector("#now", state="hidden")
    page.get_by_role("button", name="Back to the choice").locator("visible=true").click()
    assert page.locator(".answer .model:visible").get_attribute("data-model") == "1"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(open_page, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    for fit in (some_fit(), line_fit()):
        page = open_page(fit, color_scheme=scheme)
        page.evaluate("document.querySelectorAll('details').forEach((folded) => (folded.open = true))")
        found = axe.Axe().run(page).response["violations"]
        serious = [(v["id"], v["nodes"][0]["html"][:120]) for v in found if v["impact"] in ("serious", "critical")]
        assert serious == []


def test_it_prints_on_paper(open_page):
    page = open_page(some_fit(), color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".buttons").first.is_hidden()
    assert page.locator("#models tr[data-model]").count() == len(FORMULAS)
    assert page.pdf(format="A4").startswith(b"%PDF")
