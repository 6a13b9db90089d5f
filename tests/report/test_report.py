"""`report.html` as text: whole, closed to the world, and escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from epsilex.files import sealed
from epsilex.models.model import model
from epsilex.programs.parser import parse
from epsilex.report import load_fit, render, some_generations, some_rows
from epsilex.report.fit import SCHEMA, VERSION
from epsilex.report.page import measured
from fits import some_fit

SEAL = {"schema", "version", "sha256"}
NASTY = "</script><script>alert(1)</script>\u2028<!--&amp;'\"\\"


class Page(HTMLParser):
    """Elements with their attributes, and the text of script, style and all the rest."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self.inside = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.inside.append(tag if dict(attributes).get("type") != "application/json" else "json")

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() not in (tag, "json"):
            pass

    def handle_data(self, data):
        where = self.inside[-1] if self.inside and self.inside[-1] in ("script", "style", "json") else "shown"
        self.text[where] = self.text.get(where, "") + data


def test_the_policy_allows_this_script_and_this_style_alone():
    page = Page(render(some_fit()))
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    for kind in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.text[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "font-src data:;" in policy
    assert "unsafe" not in policy


def test_nothing_is_loaded_and_nothing_is_inline():
    page = Page(render(some_fit()))
    for tag, attributes in page.elements:
        assert tag not in {"link", "iframe", "img", "object", "embed", "base", "form"}
        assert not {"src", "href", "style"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
    assert len([tag for tag, _ in page.elements if tag == "script"]) == 2
    assert "http" not in page.text["script"].replace("http://www.w3.org/2000/svg", "")


def test_names_stay_text_wherever_they_appear():
    fit = some_fit((NASTY, "b", "c"), target=NASTY, notes=[NASTY], command=NASTY, facts={"data": NASTY, "search": ""})
    text = render(fit)
    page = Page(text)
    assert "alert(1)" not in page.text["script"]
    assert [tag for tag, _ in page.elements if tag == "script"] == ["script", "script"]
    assert NASTY in page.text["shown"]
    assert "\u2028" not in re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)[1]
    assert json.loads(page.text["json"])["target"] == NASTY


def test_the_page_has_all_that_was_asked_of_it():
    fit = some_fit()
    page = Page(render(fit))
    for m in fit.models:
        assert m.formula in page.text["shown"]
        assert m.latex() in page.text["shown"]
        assert m.python().strip() in page.text["shown"]
    for words in (fit.command, *fit.notes, *fit.settings, *fit.facts.values(), "What it depends on"):
        assert words in page.text["shown"]
    data = json.loads(page.text["json"])
    np.testing.assert_allclose(data["models"][1]["prediction"], fit.models[1].predict(fit.X), rtol=1e-5)
    assert data["history"]["median_mae"][0] is None
    assert sum(data["heldBack"]) == 10


def test_a_record_is_read_as_it_was_written(tmp_path):
    fit = some_fit()
    fit.save(tmp_path / "fit.json")
    again = load_fit(tmp_path / "fit.json")
    assert again.models == fit.models
    assert render(again) == render(fit)


def test_an_error_that_is_not_finite_survives_the_record(tmp_path):
    fit = some_fit()
    fit.models[2].metrics.update(test_mae=np.inf, test_r2=-np.inf)
    fit.save(tmp_path / "fit.json")
    assert "∞" in render(fit)
    assert render(load_fit(tmp_path / "fit.json")) == render(fit)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "other"},
        {"version": 1},
        {"version": 3},
        {"sha256": "0"},
        {"models": []},
        {"models": [{"schema": "epsilex-model"}]},
        {"chosen": 3},
        {"y": [1.0]},
        {"X": "text"},
        {"history": {"generation": ["many"]}},
        {"facts": None},
    ],
)
@pytest.mark.parametrize("with_checksum", [False, True])
def test_a_record_that_was_altered_is_refused(tmp_path, change, with_checksum):
    path = tmp_path / "fit.json"
    some_fit().save(path)
    document = json.loads(path.read_text()) | change
    if with_checksum and not SEAL & set(change):
        document = sealed(SCHEMA, VERSION, {k: v for k, v in document.items() if k not in SEAL})
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match="expected a record written by `epsilex fit`"):
        load_fit(path)


def test_a_number_that_was_altered_in_a_record_is_noticed(tmp_path):
    path = tmp_path / "fit.json"
    some_fit().save(path)
    document = json.loads(path.read_text())
    document["y"][0] += 1.0
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match="checksum"):
        load_fit(path)


@pytest.mark.parametrize(("n", "features"), [(1, 1), (50, 3), (10**6, 1), (10**6, 500), (10**6, 10**5)])
def test_rows_to_draw_are_few_and_evenly_spread(n, features):
    rows = some_rows(n, features)
    assert len(rows) <= 1000
    assert rows[0] == 0
    assert rows[-1] == n - 1
    assert len(np.unique(rows)) == len(rows)
    assert some_generations(n)[-1] == n - 1


def test_the_font_is_small_and_brings_its_licence():
    from importlib.resources import files

    folder = files("epsilex.report").joinpath("fonts")
    assert len(folder.joinpath("math.woff2").read_bytes()) < 150_000
    assert folder.joinpath("math.woff2").read_bytes().startswith(b"wOF2")
    assert "SIL OPEN FONT LICENSE" in folder.joinpath("LICENSE.txt").read_text(encoding="utf-8")


def test_a_long_formula_is_shown_in_short_in_the_table():
    from epsilex.models.model import model
    from epsilex.programs.parser import parse
    from epsilex.report.page import PREVIEW, breakable, preview

    long = model(parse(" + ".join(f"1.23456*sin({k}.5*x0)" for k in range(20))), ("x0",))
    assert len(preview(long)) == PREVIEW
    assert preview(long).endswith("…")
    assert preview(model(parse("1.23456*x0**2"), ("x0",))) == "1.23·x₀²"
    assert breakable("2·<b>/c") == "2·<wbr>&lt;b&gt;/<wbr>c"


@pytest.mark.parametrize(
    ("error", "values", "expected"),
    [
        (0.31, (24.078, 23.422), ["24.08", "23.42"]),
        (0.033, (0.036243, -0.034275), ["0.036", "-0.034"]),
        (12.0, (1234.5,), ["1234"]),
        (400.0, (1234.5,), ["1230"]),
        (0.02, (-0.0001,), ["0.000"]),
        (2e-9, (1.23456789012,), ["1.2346"]),  # so many digits are no help
        (float("nan"), (1.5,), ["1.5000"]),
        (0.0, (1.5,), ["1.5000"]),
    ],
)
def test_numbers_have_the_digits_that_their_error_warrants(error, values, expected):
    assert measured(error, *values) == expected


def test_the_knee_is_sought_where_the_axis_shows_errors():
    """Formulas through every row make the error fall without a meaning."""
    few = some_fit()
    errors = [1.0, 0.02, 0.019, 1e-15]
    names = few.model.feature_names
    models = [
        model(parse("x0" + " + sin(x1)" * n), names, mae=error) for n, error in zip((0, 1, 2, 20), errors, strict=True)
    ]
    page = render(replace(few, models=models, chosen=1))
    assert page.count('<span class="mark">knee</span>') == 1
    assert page.index('<span class="mark">knee</span>') < page.index('<tr data-model="2">')


def test_columns_that_a_formula_does_not_use_are_named():
    fit = some_fit()
    unused = [name for name in fit.model.feature_names if name not in fit.model.formula]
    assert f"It does not depend on {', '.join(unused[:8])}" in render(fit)
