"""Textbook formulas, scrambled into equivalent programs: is the printed form the textbook's again?

*Recovered*: the printed form has at most one name, number or symbol more than the textbook's. *The same*: it is, letter
by letter, what the textbook's own program is printed as, so that the way a search took does not show.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np

from benchmarks.formula_list import FORMULAS, RANGES, USUAL
from benchmarks.timing import Section, table
from epsilex.programs.algebra import shortest
from epsilex.programs.fold import Node, fold
from epsilex.programs.formula import text
from epsilex.programs.intervals import Interval
from epsilex.programs.length import count
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, opcode
from epsilex.programs.parser import parse

TIMES = 25  # scrambled programs per formula
STEPS = (5, 15)  # rewritings of one, at least and at most
CLOSE = 1e-9  # relative difference that scrambling itself may make by rounding
SCRAMBLED = "The scrambler is ours, as the rules are: it knows no rewriting that the algebra cannot undo in principle."
WORDS = {"sin", "cos", "exp", "log", "sqrt", "tanh", "pi"}

Tree = tuple  # (operator name, *arguments), ("c", value) or ("x", column)


@dataclass(frozen=True)
class Formula:
    text: str
    names: tuple[str, ...]
    nodes: list[Node]

    @classmethod
    def of(cls, written: str) -> Formula:
        names = tuple(sorted({*re.findall(r"[A-Za-z]\w*", written)} - WORDS))
        return cls(written, names, parse(written, names))

    @property
    def box(self) -> list[Interval]:
        return [Interval(*RANGES.get(name, USUAL)) for name in self.names]

    @property
    def tokens(self) -> int:
        """Names, numbers and symbols; a number of several factors, such as 4*pi, is one."""
        return count(flat(folded(tree(self.nodes)))).tokens

    def rows(self, n: int = 100) -> np.ndarray:
        low, high = (np.array([getattr(b, end) for b in self.box]) for end in ("lo", "hi"))
        return low + (high - low) * np.random.default_rng(0).random((n, len(low)))


def tree(nodes: Sequence[Node]) -> Tree:
    def leaf(code, feature, constant):
        if code == CONSTANT:
            return ("c", constant)
        return ("x", feature) if constant == 1.0 else ("mul", ("c", constant), ("x", feature))

    return fold(nodes, leaf, lambda row, *parts: (row.name, *parts))


def flat(t: Tree) -> list[Node]:
    if t[0] == "c":
        return [(CONSTANT, 0, float(t[1]))]
    if t[0] == "x":
        return [(FEATURE, t[1], 1.0)]
    return [node for part in t[1:] for node in flat(part)] + [(opcode(t[0]), 0, 0.0)]


def folded(t: Tree) -> Tree:
    """Parts without features as numbers."""
    if t[0] in ("c", "x"):
        return t
    t = (t[0], *map(folded, t[1:]))
    numbers = all(part[0] == "c" for part in t[1:])
    if t[0] == "mul" and t[1][0] == "c" and t[2][0] == "mul" and t[2][1][0] == "c":
        return ("mul", ("c", t[1][1] * t[2][1][1]), t[2][2])
    if t[0] == "div" and t[2][0] == "mul" and t[2][1][0] == "c" and t[1][0] == "c":
        return ("div", ("c", t[1][1] / t[2][1][1]), t[2][2])
    return ("c", float(evaluate64(flat(t), np.zeros((1, 1)))[0])) if numbers else t


class Scrambler:
    """Random rewritings, each true on the box of the formula."""

    def __init__(self, formula: Formula, rng: np.random.Generator):
        self.rng, self.X = rng, formula.rows(50)
        self.rules: list[Callable[[Tree], Tree | None]] = [
            self.multiplied_out, self.divided_out, self.squared_out, self.by_logarithms, self.turned, self.split_number,
            self.doubled, self.by_parts, self.swapped, self.cancelled, self.exponentials, self.angles, self.roots,
            self.over_number,
        ]  # fmt: skip

    def scrambled(self, t: Tree) -> Tree:
        for _ in range(int(self.rng.integers(*STEPS, endpoint=True))):
            for _ in range(20):
                places = list(_places(t))
                place = places[int(self.rng.integers(len(places)))]
                rule = self.rules[int(self.rng.integers(len(self.rules)))]
                new = rule(_at(t, place))
                if new is not None and len(flat(new)) < 60:
                    t = _put(t, place, new)
                    break
        return t

    def positive(self, t: Tree) -> bool:
        values = evaluate64(flat(t), self.X)
        return bool((values > 1e-3).all() and (values < 1e3).all() and all(p[0] in POSITIVE for p in _parts(t)))

    def multiplied_out(self, t):
        if t[0] == "mul" and t[2][0] in ("add", "sub"):
            return (t[2][0], ("mul", t[1], t[2][1]), ("mul", t[1], t[2][2]))
        return None

    def divided_out(self, t):
        if t[0] == "div" and t[1][0] in ("add", "sub"):
            return (t[1][0], ("div", t[1][1], t[2]), ("div", t[1][2], t[2]))
        return None

    def squared_out(self, t):
        if t[0] != "square":
            return None
        a = t[1]
        if a[0] not in ("add", "sub"):
            return ("mul", a, a)
        cross = ("mul", ("c", 2.0), ("mul", a[1], a[2]))
        return ("add", (a[0], ("square", a[1]), cross), ("square", a[2]))

    def by_logarithms(self, t):
        """Products, quotients and powers of positive numbers by logarithms."""
        if t[0] in ("mul", "div") and self.positive(t[1]) and self.positive(t[2]):
            return ("exp", ("add" if t[0] == "mul" else "sub", ("log", t[1]), ("log", t[2])))
        if t[0] == "log" and t[1][0] in ("mul", "div") and self.positive(t[1][1]) and self.positive(t[1][2]):
            return ("add" if t[1][0] == "mul" else "sub", ("log", t[1][1]), ("log", t[1][2]))
        return None

    def turned(self, t):
        if t[0] == "sub":
            return (
                ("neg", ("sub", t[2], t[1])) if self.rng.random() < 0.5 else ("add", t[1], ("mul", ("c", -1.0), t[2]))
            )
        return ("neg", ("neg", t)) if t[0] == "x" else None

    def split_number(self, t):
        if t[0] != "c":
            return None
        part = float(self.rng.integers(2, 6))
        return ("mul", ("c", part), ("c", t[1] / part)) if self.rng.random() < 0.5 else (
            "add", ("c", part), ("c", t[1] - part))  # fmt: skip

    def doubled(self, t):
        if t[0] == "mul" and t[1] == ("c", 2.0):
            return ("add", t[2], t[2])
        return None

    def by_parts(self, t):
        if t[0] == "add" and t[1][0] == "add":
            return ("add", t[1][1], ("add", t[1][2], t[2]))
        if t[0] == "mul" and t[1][0] == "mul":
            return ("mul", t[1][1], ("mul", t[1][2], t[2]))
        if t[0] == "div" and t[2][0] == "mul":
            return ("div", ("div", t[1], t[2][1]), t[2][2])
        return ("mul", t[1], ("inv", t[2])) if t[0] == "div" else None

    def swapped(self, t):
        return (t[0], t[2], t[1]) if t[0] in ("add", "mul") else None

    def cancelled(self, t):
        x = ("x", int(self.rng.integers(self.X.shape[1])))
        if t[0] in ("mul", "div", "x"):
            return ("div", ("mul", t, x), x)
        return ("sub", ("add", t, x), x) if t[0] in ("add", "sub") else None

    def exponentials(self, t):
        if t[0] == "exp" and t[1][0] in ("add", "sub"):
            return ("mul" if t[1][0] == "add" else "div", ("exp", t[1][1]), ("exp", t[1][2]))
        return ("inv", ("exp", t[1][1])) if t[0] == "exp" and t[1][0] == "neg" else None

    def angles(self, t):
        if t[0] == "square" and t[1][0] in ("sin", "cos"):
            sign = "sub" if t[1][0] == "sin" else "add"
            return ("mul", ("c", 0.5), (sign, ("c", 1.0), ("cos", ("mul", ("c", 2.0), t[1][1]))))
        if t[0] == "cos" and self.rng.random() < 0.5:
            return ("sub", ("c", 1.0), ("mul", ("c", 2.0), ("square", ("sin", ("mul", ("c", 0.5), t[1])))))
        if t[0] == "sin":
            return ("neg", ("sin", ("neg", t[1])))
        return None

    def roots(self, t):
        if t[0] == "sqrt" and self.positive(t[1]):
            return ("exp", ("mul", ("c", 0.5), ("log", t[1])))
        if t[0] == "sqrt" and t[1][0] in ("mul", "div") and self.positive(t[1][1]) and self.positive(t[1][2]):
            return (t[1][0], ("sqrt", t[1][1]), ("sqrt", t[1][2]))
        if t[0] in ("pow", "square") and self.positive(t[1]):
            n = ("c", 2.0) if t[0] == "square" else t[2]
            return ("exp", ("mul", n, ("log", t[1]))) if n[0] == "c" else None
        return None

    def over_number(self, t):
        if t[0] != "div":
            return None
        k = ("c", float(self.rng.integers(2, 9)))
        return ("div", ("mul", k, t[1]), ("mul", k, t[2]))


POSITIVE = {"x", "c", "mul", "div", "square", "sqrt", "exp", "pow", "inv", "add"}  # of positive numbers


def _parts(t: Tree):
    yield t
    for part in t[1:] if t[0] not in ("c", "x") else ():
        yield from _parts(part)


def _places(t: Tree, path: tuple[int, ...] = ()):
    yield path
    for k, part in enumerate(t[1:] if t[0] not in ("c", "x") else ()):
        yield from _places(part, (*path, k + 1))


def _at(t: Tree, path: tuple[int, ...]) -> Tree:
    for k in path:
        t = t[k]
    return t


def _put(t: Tree, path: tuple[int, ...], new: Tree) -> Tree:
    if not path:
        return new
    return (*t[: path[0]], _put(t[path[0]], path[1:], new), *t[path[0] + 1 :])


def programs(formula: Formula, times: int = TIMES, seed: int = 0) -> list[list[Node]]:
    """Scrambled programs of the same values."""
    rng = np.random.default_rng([seed, len(formula.text), *map(ord, formula.text[:8])])
    scrambler, t, X = Scrambler(formula, rng), tree(formula.nodes), formula.rows()
    expected = evaluate64(formula.nodes, X)
    found: list[list[Node]] = []
    while len(found) < times:
        nodes = flat(scrambler.scrambled(t))
        if np.allclose(evaluate64(nodes, X), expected, rtol=CLOSE, atol=CLOSE * np.abs(expected).max()):
            found.append(nodes)
    return found


def run(times: int = TIMES, show: bool = False) -> Section:
    """All formulas, scrambled and rewritten."""
    more, added, seconds, worse, alike = [], [], [], 0, 0
    for formula in map(Formula.of, FORMULAS):
        known = formula.tokens
        usual = text(shortest(formula.nodes, formula.box), formula.names, 6, {})
        for nodes in programs(formula, times):
            start = time.process_time()
            found = shortest(nodes, formula.box)
            seconds.append(time.process_time() - start)
            more.append(count(found).tokens - known)
            added.append(count(nodes).tokens - known)
            shown = text(found, formula.names, 6, {})
            alike += shown == usual
            worse += shortest(found, formula.box) != found
            if show and (more[-1] > 1 or shown != usual):
                print(f"{more[-1]:+d} {formula.text}\n   {text(nodes, formula.names, 6)}\n   {shown}\n   {usual}")
    share, n = np.mean(np.array(more)[:, None] <= [1, 0], axis=0), len(more)
    figures = [
        (
            f"{len(FORMULAS)} formulas, {n} programs: at most one symbol more than the textbook",
            "95%",
            f"{share[0]:.1%}",
        ),
        ("no symbol more", "", f"{share[1]:.1%}"),
        ("printed letter by letter as the textbook's own program is", "", f"{alike / n:.1%}"),
        ("a second rewriting changes something", "0", f"{worse} of {n}"),
        ("CPU time per program, median", "< 20 ms", f"{1e3 * np.median(seconds):.1f} ms"),
        ("CPU time per program, worst", "< 1 s", f"{1e3 * max(seconds):.0f} ms"),
    ]
    note = f"Scrambling adds {np.median(added):.0f} names, numbers and symbols (median). {SCRAMBLED}"
    return Section("Textbook formulas, scrambled", fill(note, 120) + "\n", figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--show", action="store_true", help="print what is not recovered")
    options = parser.parse_args()
    section = run(options.times, options.show)
    print(section, table(["figure", "aim", "measured"], section.figures), sep="\n")


if __name__ == "__main__":
    main()
