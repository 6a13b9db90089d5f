"""Hostile names of columns, categories and targets: inert in every page, file and line of the terminal."""

from __future__ import annotations

import html.parser
import json
import random
from pathlib import Path

import numpy as np
import pandas as pd

from drills.command import QUICK, call
from drills.drill import Outcome, drill

NAMES = (
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>", "javascript:alert(1)",
    "{{7*7}}", "{% include '/etc/passwd' %}", "${7*7}", "<!--", "-->", "]]>", "&lt;b&gt;", "&#x3c;", "\x1b[31mred",
    "\x1b]0;title\x07", "\u202egnp", "\u2028",
    "\\", "`", "``", "a`b", "'", '"', "a b", "a+b", "2x", "sin", "x0", "exp(x)", "__import__('os')",
    "\\input{/etc/passwd}", "\\write18{id}", "$x$", "%", "#", "_^",
    "a" * 300, "é" * 50, "🙂", "名前", "אבג", "a\tb", "../../etc/passwd", "CON", "nul.json", "=cmd|' /C calc'!A0",
    "@SUM(1)", "-1+1", "; DROP TABLE trials", "None", "nan",
)  # fmt: skip


class Tags(html.parser.HTMLParser):
    """Counts scripts and handlers, and what would be loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts, self.suspects = 0, []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.scripts += tag == "script"
        for name, value in attrs:
            if name.startswith("on") or (name in ("src", "href") and not str(value).startswith(("data:", "#"))):
                self.suspects.append(f"{tag} {name}={value}")


def look(page: str) -> Tags:
    found = Tags()
    found.feed(page)
    return found


@drill(
    "Hostile names are shown as text: no page gets a script, a handler or an address from data",
    full=150,
    unit="tables of hostile names",
    least=2,
)
def hostile_names(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    usual = None
    for k in range(n):
        one, two, target = ("a", "b", "y") if k == 0 else rng.sample(NAMES, 3)
        values = np.random.default_rng(k).normal(size=(30, 2))
        categories = ["red", "blue"] if k == 0 else rng.sample(NAMES, 2)
        kind = np.array(categories, dtype=object)[np.arange(30) % 2]
        frame = pd.DataFrame({one: values[:, 0], two: values[:, 1], "kind": kind, target: values.sum(axis=1)})
        frame.to_csv(folder / "d.csv", index=False)
        out = folder / "out"
        done = call("fit", folder / "d.csv", f"--target={target}", *QUICK, "--out", out, "--overwrite", "--json")
        outcome.count += 1
        if done.code == 2:
            outcome.add("refused")
            outcome.expect(done.one_line, f"{one!r} {two!r} {target!r}: {done.err[-300:]}")
            continue
        outcome.expect(done.code == 0, f"{one!r} {two!r} {target!r}: code {done.code} {done.err[-300:]}")
        if done.code:
            continue
        json.loads(done.out)
        notation = rng.choice(("text", "latex", "python", "sympy", "c", "json"))
        shown = call("show", out / "model.json", "--format", notation, terminal=True)
        outcome.expect(shown.code == 0, f"show {one!r} {two!r}: {shown.err[-200:]}")
        outcome.expect("\x1b" not in done.err + shown.out, f"{one!r} {two!r}: an escape reached the terminal")
        outcome.expect(call("predict", out / "model.json", folder / "d.csv").code == 0, f"predict {one!r} {two!r}")
        page = look((out / "report.html").read_text(encoding="utf-8"))
        usual = usual or page.scripts
        outcome.expect(
            page.scripts == usual, f"{one!r} {two!r} {target!r} {categories}: {page.scripts} scripts, not {usual}"
        )
        outcome.expect(not page.suspects, f"{one!r} {two!r} {target!r}: {page.suspects[:2]}")
        outcome.add("pages")
        for left in out.iterdir():
            left.unlink()
