"""The documentation is true: every block of code runs, every command is one, every link leads somewhere.

The blocks of a page run from top to bottom in one namespace and one folder, Python and `epsilex` commands alike.
Below a `<!-- long -->` comment commands are only read, not run: those that take hours, and those with a placeholder.
A block of text right after a block of Python is what that prints; `python docs/outputs.py` puts it there.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import sys
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import naive
from command import epsilex
from epsilex.programs.operators import FEATURE
from epsilex.selection import METHODS
from places import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
TEXTS = [*PAGES, *sorted(ROOT.glob("*.md")), *sorted((DOCS / "decisions").glob("*.md"))]
NEEDS = {"own-gp.md": "deap", "cluster.md": "distributed"}

BLOCK = re.compile(r"(?ms)(?P<long><!-- long -->\n)?^```(?P<language>[\w{}-]+)\n(?P<code>.*?)^```$")
LINK = re.compile(r"(?m)(?<!`)\[[^\]]*\]\((?P<target>[^)\s]+)\)|^```\{(?:image|(?:literal)?include)\} (?P<file>\S+)$")
HEADING = re.compile(r"(?m)^#+ (.+)$")
OTHERS = {"pip", "python3", "dask"}  # commands of other programs


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int
    long: bool


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path) -> list[Block]:
    text = read(page)
    record = page.stem.startswith("reproduction")  # of runs that took hours
    found = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        found.append(Block(match["language"], match["code"], line, record or bool(match["long"])))
    return found


def commands(block: Block) -> list[list[str]]:
    lines = block.code.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def anchors(page: Path) -> list[str]:
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]


def load(name: str):
    """A script of the docs folder as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def workplace(tmp_path, monkeypatch, own_operators):
    """A folder of its own, without data files; what a page leaves behind in this process goes away."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, ""])
    monkeypatch.delenv("EPSILEX_DATA", raising=False)
    modules = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - modules:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page, workplace, capsys, monkeypatch):
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])
    monkeypatch.setenv("COLUMNS", "100")
    outputs = {block["code"]: block["output"] for block in load("outputs").SHOWN.finditer(read(page))}
    namespace = {"__name__": "__main__"}
    for number, block in enumerate(blocks(page)):
        if block.language == "python":
            capsys.readouterr()
            # As a file, at its line of the page: Numba and tracebacks want to read the source.
            script = workplace / f"{page.stem}-{number}.py"
            script.write_text("\n" * (block.line - 1) + block.code, encoding="utf-8")
            exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"), namespace)
            printed, shown = capsys.readouterr().out, outputs[block.code]
            assert shown is None or printed == shown, f"{page.name}, line {block.line}: python docs/outputs.py"
        elif block.language == "bash" and not block.long:
            for program, *words in commands(block):
                if program == "epsilex":
                    done = epsilex(*words)
                    assert done.code == 0, f"{page.name}, line {block.line}: {done.err}"
    if (workplace / "results" / "model.json").exists():  # what the tutorial says a fit writes
        assert {"front.csv", "history.csv", "report.html"} <= set(os.listdir("results"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_exist(page):
    import typer

    from epsilex.cli.app import app

    ours = typer.main.get_command(app)
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for block in blocks(page):
        known = {"python", "bash", "text", "bibtex"}
        assert block.language in known or block.language.startswith("{"), f"line {block.line}: {block.language}"
        for program, *words in commands(block) if block.language == "bash" else ():
            name = Path(program).name
            if name == "epsilex":
                if "--config" in words:  # its file is written by the page's code
                    at = words.index("--config")
                    words[at : at + 2] = []
                ours.commands[words[0]].make_context(words[0], words[1:]).close()  # an unknown option raises
            elif name == "make":
                assert set(words) <= targets, f"line {block.line}"
            else:
                assert name in OTHERS, f"line {block.line}: {program}"


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    shown = [page.read_text(encoding="utf-8")]
    load("conf").leave_out_missing(None, page.stem, shown)
    prose = re.sub(r"(?ms)^```\w+\n.*?^```$", "", shown[0])
    for found in LINK.finditer(prose):
        target, _, anchor = (found["target"] or found["file"]).partition("#")
        if target.startswith(("http://", "https://")):
            continue
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{target} is not there"
        if anchor:
            assert anchor in anchors(path), f"{target}#{anchor}"


def test_every_page_is_in_the_contents():
    listed = "\n".join(block.code for page in ("index.md", "paper.md") for block in blocks(DOCS / page))
    for page in [*DOCS.glob("*.md"), *DOCS.glob("*.rst")]:
        assert page.stem == "index" or re.search(rf"^{page.stem}$", listed, re.MULTILINE), page.name


def test_the_options_of_the_page_are_those_of_help():
    commands = load("commands")
    page = commands.PAGE.read_text(encoding="utf-8")
    assert page == commands.filled(page), "python docs/commands.py puts the new options in"
    for name, command in commands.commands().items():
        assert f"[`epsilex {name}`](#{name}) | {command.help[0].lower()}{command.help[1:].rstrip('.')} |" in page
        assert f"<!-- options {name} -->" in page
        shown = epsilex(name, "--help").out
        for word in commands.options(command):
            assert re.search(rf"^  {word}\b", shown, re.MULTILINE), word


def test_every_method_is_explained():
    text = (DOCS / "selection.md").read_text(encoding="utf-8")
    for id in METHODS:
        assert f"`{id}`" in text, id
        assert f"![]({'_static/method-' + id + '.svg'})" in text, id


def test_the_readme_says_what_was_measured():
    readme = load("readme")
    text = readme.README.read_text(encoding="utf-8")
    assert text == readme.filled(text, readme.pages()), "python docs/readme.py puts the new figures in"
    for command in readme.PAGES:
        assert readme.region(command).search(text)
        page = "# A page\n\n| figure | measured |\n| --- | ---: |\n| speed | 4 x |\n\nMore.\n"
        with_figures = readme.filled(text, {command: page})
        assert "| speed | 4 x |" in with_figures
        assert "More." not in readme.region(command).search(with_figures)[0]
        assert readme.filled(with_figures, {}) == readme.filled(text, {})


@pytest.mark.parametrize("id", ["lex", "lex_y", "lex_e", "lex_y_mad", "lex_e_mad"])
def test_the_pictures_show_the_rules(id):
    figures = load("figures")
    for order in [figures.ORDER, *list(permutations(range(6)))[::97]]:
        pool = list(range(len(figures.ERRORS)))
        for case, drawn in zip(order, figures.pools(id, figures.ERRORS, order), strict=True):
            pool = naive.survivors(naive.RULES[id], figures.ERRORS[:, case], range(len(figures.ERRORS)), pool)
            assert np.flatnonzero(drawn).tolist() == pool
    expected = naive.probabilities(id, figures.ERRORS)
    np.testing.assert_allclose(figures.probabilities([id])[0], expected, atol=0.02)


def test_the_pictures_can_be_drawn(tmp_path):
    figures = load("figures")
    errors = np.abs(np.random.default_rng(0).normal(size=(40, 15)))
    for name, figure in (
        ("pool.svg", figures.draw_pool(errors)),
        ("thresholds.png", figures.draw_thresholds(errors)),
        ("probabilities.svg", figures.draw_probabilities()),
    ):
        figures.save(figure, tmp_path, name)
        assert (tmp_path / name).stat().st_size > 5000
        assert (DOCS / "_static" / name).exists(), "python docs/figures.py draws it"


def test_the_readmes_picture_is_what_its_caption_says():
    est, front, _ = load("figures").fit_pendulum()
    used = {est.model_.feature_names[feature] for code, feature, _ in est.model_.nodes if code == FEATURE}
    assert used == {"length", "angle"}
    assert front["test_mae"][est.front_["chosen"]].item() < 0.012  # the noise alone is 0.008
