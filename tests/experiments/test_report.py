"""Tables, claims and page, from a results file alone."""

from __future__ import annotations

import base64
import hashlib
import html
import importlib
import linecache
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest

import experiments_standin as standin
from epsilex import problems
from epsilex.experiments import claims, differences, discussion, methods, report, results, statistics, studies, tables
from epsilex.experiments import page as page_room
from epsilex.experiments.methods import PAPER, arrange
from epsilex.experiments.store import FILE, ResultsError, Store
from epsilex.experiments.trials import Outcome

SCALE = studies.Scale(trials=8, generations=6, population_size=10)
PAPER_IDS = [method.id for method in PAPER]
NASTY = "<script>alert(1)</script>"


def named(name: str, title: str | None = None) -> problems.Problem:
    """A problem of this name, with UBall5D's data."""
    return replace(problems.load("uball5d"), name=name, title=title or name.upper(), raw_errors=False)


def fill(out, plans, loaded) -> None:
    with Store.open(out / FILE) as store:
        for study, cells, scale in plans:
            run = store.begin(study, scale, cells, loaded.values(), "2 processes")
            for trial in studies.plan(cells, scale.trials):
                store.add(trial, standin.work(trial, loaded[trial.problem]), 1)
            store.end(run)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A folder with both studies, one user's method, one failed trial, and its report."""
    out = tmp_path_factory.mktemp("report")
    loaded = {name: named(name) for name in ("housing", "tower")} | {"mine": named("mine", NASTY)}
    own = "experiments_standin:my_select"
    plans = [
        ("table", studies.cells("table", list(loaded), [*PAPER_IDS, own], SCALE), SCALE),
        ("epsilon", studies.cells("epsilon", ["tower"], ["lex_e", "lex_y"], SCALE), SCALE),
        ("discussion", studies.cells("discussion", ["housing", "tower"], discussion.METHODS, SCALE), SCALE),
    ]
    fill(out, plans, loaded)
    with Store.open(out / FILE) as store:
        store.add(plans[0][1][0].trial(1), Outcome(error=f"ValueError: {NASTY}"), 3)
    report(out)
    return out


def test_every_file_is_written(out):
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {"table.md", "table.tex", "table.csv", "cells.csv", "index.html", FILE} <= names
    drawn = (
        "test_mae", "training_mae", "cases_used", "diversity", "friedman_intervals", "critical_difference",
        "epsilon_e_test_mae", "epsilon_y_test_mae", "epsilon_e_cases_used", "epsilon_e_diversity",
    )  # fmt: skip
    assert {f"figures/{name}.{kind}" for name in drawn for kind in ("svg", "png", "pdf")} <= names


def test_the_same_results_give_the_same_files(out):
    before = {
        path: path.read_bytes() for path in out.rglob("*") if path.suffix in (".md", ".tex", ".csv", ".html", ".svg")
    }
    report(out)
    assert all(path.read_bytes() == content for path, content in before.items())


def test_the_csv_is_in_the_papers_layout(out):
    table = pd.read_csv(out / "table.csv")
    assert table["method"].tolist() == [*PAPER_IDS, "experiments_standin:my_select"]
    assert "".join(table["letter"]) == "abcdefghi"
    rows = results.read(out, "table").trials
    expected = rows[(rows["method"] == "lex") & (rows["problem"] == "tower")]["test_mae"].median()
    assert table.set_index("method").loc["lex", "tower"] == pytest.approx(expected, rel=1e-5)
    assert table.set_index("method").loc["tournament", "time_ratio"] == 1.0


def test_the_markdown_has_a_row_a_method_and_the_published_beside_ours(out):
    text = (out / "table.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0].startswith("| Method | HOUSING | TOWER | &lt;script>")
    assert sum(line.startswith("| <sup>") for line in lines) == 9
    assert len({line.count("|") for line in lines[:11]}) == 1
    assert re.search(r"\| HOUSING \| Lex ε_eλ \| 0\.309 \| 0\.\d{3} \| 0\.\d{3} to 0\.\d{3} \|", text)
    assert "| reproduced |" in text


def test_the_summary_counts_every_trial_cell_and_claim_once(out):
    text = (out / "summary.md").read_text(encoding="utf-8")
    assert NASTY not in text
    sections = {part.split("\n", 1)[0]: part for part in text.split("## ")}
    sizes = {name: len(results.read(out, name).trials) for name in ("table", "epsilon", "discussion")}
    counted = [line.split("|") for line in sections["What was run"].splitlines() if line.startswith("|")][2:]
    assert {name: sum(int(row[5]) for row in counted if row[1].strip() == name) for name in sizes} == sizes
    verdicts = [int(n) for n in re.findall(r"\| (\d+) \|$", sections["Cells of the table, by verdict"], re.M)]
    assert sum(verdicts) == len(pd.read_csv(out / "cells.csv"))
    verdicts = [int(n) for n in re.findall(r"\| (\d+) \|$", sections["Claims of the paper, by verdict"], re.M)]
    assert sum(verdicts) == len(claims.CLAIMS)
    assert all(claim.text in text for claim in claims.CLAIMS)
    assert len(re.findall(r"^\| [\d.]+ \| [\d.]+ \|", text, re.M)) == 14  # values of epsilon


def test_the_latex_is_one_tabular_with_even_rows(out):
    text = (out / "table.tex").read_text(encoding="utf-8")
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(body) == 10
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body} == {6}
    assert r"my\_select" in text
    assert r"$\epsilon_{e\lambda}$" in text


def test_the_best_of_each_problem_is_marked(out):
    table = tables.make(results.read(out, "table"))
    for problem in table.problems:
        best = [method.id for method in table.methods if table.is_best(problem, method.id)]
        assert best == [table.cells.loc[problem, "median"].idxmin()]


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


@pytest.fixture(scope="module")
def page(out):
    return (out / "index.html").read_text(encoding="utf-8")


def test_the_page_needs_no_network_and_runs_no_script(page):
    tags = Page(page).tags
    assert not [tag for tag, _ in tags if tag in ("script", "link", "iframe", "object", "form")]
    assert all(attributes["src"].startswith("data:image/svg+xml;base64,") for tag, attributes in tags if tag == "img")
    assert sum(tag == "img" for tag, _ in tags) == 10
    assert not [name for _, attributes in tags for name in attributes if name.startswith("on") or name == "style"]
    policy = next(a["content"] for tag, a in tags if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_style_is_the_one_the_policy_allows(page):
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in page


def test_what_comes_from_outside_is_shown_as_text(page):
    assert NASTY not in page
    assert page.count("&lt;script&gt;") >= 3  # the problem's title, and the failed trial's error


def test_the_page_has_verdicts_commands_deviations_and_failures(page):
    assert "epsilex reproduce --problems tower --methods lex_e_mad --trials 8 --generations 6 --out" in page
    for text in ("reproduced", "How a verdict is reached", "Where this differs from the paper", "1 trials failed"):
        assert text in page
    assert "are not comparable" in page  # 6 generations are not the paper's 1000


def test_claims_are_all_judged(out):
    found = judged(out)
    assert len(found) == len(claims.CLAIMS)
    verdicts = {judged.claim.id: judged.verdict for judged in found}
    assert set(verdicts.values()) <= set(claims.VERDICTS)
    assert verdicts["best_epsilon_e"] == verdicts["best_epsilon_y"] == claims.HOLDS  # as the stand-in has it


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def test_the_page_counts_cells_and_claims_by_verdict(out, page):
    table, said = tables.make(results.read(out, "table")), judged(out)
    top = text_of(page[: page.index("What the paper claims")])
    for verdict, count in (table.counts(rebuilt=False) | page_room.counted(said)).items():
        assert f"{count} {verdict}" in top
    assert sum(table.counts(rebuilt=False).values()) == len(table.cells)
    assert sum(page_room.counted(said).values()) == len(claims.CLAIMS)


def judged(out) -> list[claims.Judged]:
    return claims.judge_all({study: results.read(out, study) for study in ("table", "epsilon")})


def test_every_claim_is_on_the_page_once_with_its_place_and_rule(page):
    text = text_of(page)
    places = [text.index(section) for section in claims.SECTIONS]
    assert places == sorted(places)
    for claim in claims.CLAIMS:
        assert text.count(f"{claim.text} {claim.place}") == 1, claim.id
        assert claim.rule in text


def test_claims_that_need_both_studies_are_judged_with_both(out):
    both = {name: results.read(out, name) for name in ("table", "epsilon")}
    verdicts = {one.claim.id: one.verdict for one in claims.judge_all(both)}
    alone = {one.claim.id: one.verdict for one in claims.judge_all({"epsilon": both["epsilon"]})}
    assert alone["large_epsilon_y_random"] == claims.NOT_RUN
    assert verdicts["large_epsilon_y_random"] != claims.NOT_RUN


def test_the_page_compares_the_adaptive_methods_with_all_others(out, page):
    rows = page_room.comparison_rows(tables.make(results.read(out, "table")))
    assert len(rows) == 13  # two methods against six, and against each other
    assert all(set(row["cells"]) == {"housing", "tower", "mine", "over problems"} for row in rows)
    assert "practical equivalence of 5%" in text_of(page)


def test_rebuilt_data_is_apart_in_ranks_tests_and_counts(out):
    found = results.read(out, "table")
    marked = replace(found, problems=found.problems.assign(rebuilt=found.problems.index == "tower"))
    table = tables.make(marked)
    medians = statistics.medians(found.trials)
    assert table.mean_ranks.to_dict() == statistics.mean_ranks(medians.drop(columns="tower")).to_dict()
    assert table.all_ranks.to_dict() == statistics.mean_ranks(medians).to_dict()
    assert sum(table.counts(rebuilt=True).values()) == 9
    assert "other than TOWER, whose data is rebuilt; in brackets over all" in tables.caption(table)
    assert re.search(r"\| \d\.\d\d \(\d\.\d\d\) \|", tables.markdown(table))
    assert "mean_rank_all" in tables.csv(table)
    text = text_of(page_room.render(out, {"table": marked}, table, [], []))
    assert "Friedman test over 2 problems" in text
    assert "Friedman test over 3 problems" in text
    assert "on rebuilt data (TOWER):" in text


def test_ranks_without_rebuilt_data_stand_alone(out):
    table = tables.make(results.read(out, "table"))
    assert table.all_ranks is None
    assert "rebuilt" not in tables.caption(table)


# --- differences from the authors' program ---


def test_differences_are_a_table_on_the_page_and_in_markdown(page):
    lines = differences.markdown().splitlines()
    assert len(lines) == len(differences.DIFFERENCES) + 2
    assert {line.count("|") for line in lines} == {6}
    text = text_of(page)
    for row in differences.DIFFERENCES:
        assert all(part in text for part in row), row.topic
        assert all(row[:4]), row.topic
    switches = [row.switch for row in differences.DIFFERENCES if row.switch]
    assert "--set crossover=0.889" in switches
    assert len(set(switches)) == len(switches)


def test_problems_may_have_fewer_trials_or_methods_so_far(tmp_path):
    """As in a run that goes on: the caption counts, a cell's command has its own number, and all figures are drawn."""
    loaded = {"uball5d": problems.load("uball5d")}
    loaded["other"] = replace(loaded["uball5d"], name="other", title="Other")
    one = replace(SCALE, trials=1)
    few = studies.cells("table", ["other"], ["random"], one)
    many = studies.cells("table", ["uball5d"], ["random", "lex"], SCALE)
    fill(tmp_path, [("table", many, SCALE), ("table", few, one)], loaded)
    assert f"over {SCALE.trials} trials (Other 1) of" in report(tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "--problems other --methods random --trials 1 " in page
    assert f"--problems uball5d --methods lex --trials {SCALE.trials} " in page


def test_one_problem_and_one_method_are_enough_for_a_report(tmp_path):
    loaded = {"uball5d": problems.load("uball5d")}
    fill(tmp_path, [("table", studies.cells("table", ["uball5d"], ["lex"], SCALE), SCALE)], loaded)
    text = report(tmp_path)
    assert "Lex" in text
    assert not (tmp_path / "figures" / "friedman_intervals.svg").exists()
    assert "friedman_intervals" in (tmp_path / "index.html").read_text(encoding="utf-8")  # said to be missing


def test_one_trial_is_enough_for_a_report(tmp_path):
    loaded = {"uball5d": problems.load("uball5d")}
    tiny = studies.Scale(1, 1, 10)
    fill(tmp_path, [("table", studies.cells("table", ["uball5d"], ["lex", "tournament"], tiny), tiny)], loaded)
    report(tmp_path)


@pytest.mark.parametrize("made", [False, True])
def test_a_report_of_nothing(tmp_path, made):
    if made:
        with Store.open(tmp_path / FILE):
            pass
    with pytest.raises(ResultsError, match="out: expected a"):
        report(tmp_path)


# --- methods ---


def test_the_papers_methods_have_its_letters():
    assert "".join(method.letter for method in PAPER) == "abcdefgh"
    assert [method.id for method in arrange(["lex_e_mad", "random"])] == ["random", "lex_e_mad"]
    assert [method.letter for method in arrange(["lex_semi", "lex", "m:f"])] == ["d", "i", "j"]


def test_two_functions_of_one_name_keep_their_full_names():
    assert [method.label for method in arrange(["a:select", "b:select", "b:other"])] == [
        "a:select",
        "b:select",
        "other",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("roulette", "method: expected one of random, tournament"),
        ("no.such.module:select", "importable package.module:function"),
        ("experiments_standin:nothing", "importable package.module:function"),
        ("experiments_standin:CASES", "expected a function"),
        (":select", "importable package.module:function"),
        ("../x:f", "is a path, not the name of a module"),
        ("a/b.py:f", "is a path, not the name of a module"),
    ],
)
def test_a_method_that_cannot_be_run(text, message):
    with pytest.raises(ValueError, match=message):
        methods.check(text)


def test_an_edited_function_is_another_method(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "editedselection.py"
    module.write_text("def pick(errors, n, rng):\n    return rng.integers(0, len(errors), n)\n")
    before = methods.code_mark("editedselection:pick")
    module.write_text("def pick(errors, n, rng):\n    return errors.argmin(0)[:n]  # something else\n")
    importlib.invalidate_caches()
    linecache.clearcache()
    del sys.modules["editedselection"]
    assert methods.code_mark("editedselection:pick") != before
    assert methods.code_mark("lex") is None
