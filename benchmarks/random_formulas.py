"""Random programs on random boxes: does the shortest form keep values and domain, and is it never longer?

Values are compared in extended precision, because rounding of ill-conditioned formulas says nothing of the rewriting.
Next to a pole even the rounding of a folded constant shows; there, what float64 loses on the original is allowed.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from textwrap import fill

import numpy as np

from benchmarks.timing import Section, table
from epsilex.programs.algebra import shortest
from epsilex.programs.fold import Node, fold
from epsilex.programs.formula import text
from epsilex.programs.intervals import Interval
from epsilex.programs.length import count
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import BUILT_IN_NAMES, CONSTANT, FEATURE, lookup, opcode

PROGRAMS, ROWS, FEATURES = 10_000, 80, 3
SIZES = (3, 26)
CONSTANTS = (-2.0, -1.0, 0.5, 1.0, 2.0, 3.0)
RELATIVE, ROUNDING = 1e-12, 1e-14  # of the value, and of the largest part of the formula
LOST = 4.0  # times what float64 loses on the original
UNARY = [opcode(name) for name in BUILT_IN_NAMES if lookup(opcode(name)).arity == 1]
BINARY = [opcode(name) for name in BUILT_IN_NAMES if lookup(opcode(name)).arity == 2]
ARITHMETIC = [opcode(name) for name in ("add", "sub", "mul", "div")]


def program(size: int, rng: np.random.Generator) -> list[Node]:
    if size <= 1:
        simple, fitted = CONSTANTS[rng.integers(len(CONSTANTS))], round(rng.uniform(-10.0, 10.0), 3)
        value = simple if rng.random() < 0.7 else fitted
        if rng.random() < 0.3:
            return [(CONSTANT, 0, value)]
        return [(FEATURE, int(rng.integers(FEATURES)), 1.0 if rng.random() < 0.5 else value)]
    if size == 2 or rng.random() < 0.3:
        return [*program(size - 1, rng), (UNARY[rng.integers(len(UNARY))], 0, 0.0)]
    first = int(rng.integers(1, size - 1))
    codes = ARITHMETIC if rng.random() < 0.7 else BINARY
    return [*program(first, rng), *program(size - 1 - first, rng), (codes[rng.integers(len(codes))], 0, 0.0)]


def extended(nodes: list[Node], X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values in extended precision, and the size of the largest part; NaN where a part is undefined."""

    def leaf(code, feature, constant):
        value = np.full(len(X), constant, np.longdouble) if code == CONSTANT else constant * X[:, feature]
        return value, np.abs(value)

    def branch(row, *parts):
        value = row.value(*(value for value, _ in parts))
        return value, np.maximum.reduce([np.abs(value), *(size for _, size in parts)])

    with np.errstate(all="ignore"):
        return fold(nodes, leaf, branch)


def faults(nodes: list[Node], found: list[Node], X: np.ndarray) -> list[str]:
    """What is wrong with a rewritten program."""
    (before, size), (after, _) = extended(nodes, X), extended(found, X)
    with np.errstate(all="ignore"):
        whole = np.isfinite(size) & (size < 1e280)
        lost = np.nan_to_num(np.abs(evaluate64(nodes, X.astype(float)) - before))
        wrong = whole & ~(np.abs(after - before) <= RELATIVE * np.abs(before) + ROUNDING * size + LOST * lost)
        filled = np.isnan(before) & ~np.isinf(size) & np.isfinite(after)
    told = {"values": wrong.any(), "domain": filled.any()}
    told["longer"] = count(found).length > count(nodes).length
    told["more symbols"] = count(found).tokens > count(nodes).tokens  # exp(x/2) for sqrt(exp(x)), of smaller length
    return [name for name, is_so in told.items() if is_so]


def run(programs: int = PROGRAMS) -> Section:
    """Random programs, rewritten and compared."""
    rng, seen, seconds, shorter = np.random.default_rng(0), Counter[str](), [], 0
    for _ in range(programs):
        nodes = program(int(rng.integers(*SIZES)), rng)
        low = rng.normal(size=FEATURES) * 2.0
        high = low + rng.exponential(2.0, FEATURES) + 0.01
        box = [Interval(a, b) for a, b in zip(low, high, strict=True)] if rng.random() < 0.7 else None
        start = time.process_time()
        found = shortest(nodes, box)
        seconds.append(time.process_time() - start)
        shorter += count(found).length < count(nodes).length
        X = (low + (high - low) * rng.random((ROWS, FEATURES))).astype(np.longdouble)
        for fault in faults(nodes, found, X):
            seen[fault] += 1
            print(f"{fault}: {text(nodes)}\n   {text(found)}")
    times = 1e3 * np.quantile(seconds, [0.5, 0.99, 1.0])
    figures = [
        (f"{programs} random programs: other values", "0", str(seen["values"])),
        ("defined elsewhere", "0", str(seen["domain"])),
        ("longer", "0", str(seen["longer"])),
        ("as long or shorter, but with a symbol more: exp(x/2) for sqrt(exp(x))", "", str(seen["more symbols"])),
        ("shorter", "", f"{shorter / programs:.0%}"),
        ("CPU time per program: median, 99%, worst", "", f"{times[0]:.1f}, {times[1]:.0f}, {times[2]:.0f} ms"),
    ]
    note = (
        f"Programs of {SIZES[0]} to {SIZES[1] - 1} nodes over all operators, seven tenths of them on random boxes, the "
        f"others without one. Values are compared on {ROWS} rows in extended precision: within {RELATIVE:g} of the "
        f"value, {ROUNDING:g} of the largest part and {LOST:g} times what float64 loses on the original."
    )
    return Section("Random programs", fill(note, 120) + "\n", figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    section = run(parser.parse_args().programs)
    print(section, table(["figure", "aim", "measured"], section.figures), sep="\n")


if __name__ == "__main__":
    main()
