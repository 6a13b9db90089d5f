"""Intervals of constants: how often they cover the true one, in simulated fits of known laws."""

from __future__ import annotations

from textwrap import fill

import numpy as np

from benchmarks.law_list import LAWS
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Figure, Section, table
from epsilex.data.noise import Noise
from epsilex.data.rows import Rows
from epsilex.models.polish import polish, with_constants
from epsilex.models.uncertainty import estimate

KEY = ("problem", "method")
FITS, LEVEL = 50, 0.95
APART = 1.2345678  # a factor that makes no constant a whole number


def names() -> list[str]:
    """Laws with constants, measured in a simulated experiment."""
    return [law.name for law in LAWS.values() if law.constants and not law.data]


def tasks() -> list[Row]:
    return [{"problem": name, "method": "intervals"} for name in names()]


def measure(problem: str, method: str) -> Row:
    """Of the constants of many fits, how many intervals cover the true one."""
    law = LAWS[problem]
    kind = law.noise[0]
    constants = np.array(list(law.constants.values()))
    start, truth = law.program(list(APART * constants)), law.nodes
    places = [k for k, (a, b) in enumerate(zip(start, truth, strict=True)) if a[2] != b[2]]
    covered, intervals = 0, 0
    for seed in range(FITS):
        X, y = law.measured(seed)
        noise = Noise.of(kind, Rows(X, y, np.ones(len(y))))
        begin = with_constants(truth, places, np.array([1.01 * truth[k][2] for k in places]))
        nodes = polish(begin, X, noise, places, steps=50)
        known = estimate(nodes, X, noise)
        if known is None or not set(places) <= set(known.fitted):
            continue
        half = known.quantile(LEVEL) * known.errors
        for k in places:
            covered += abs(nodes[k][2] - truth[k][2]) <= half[known.places.index(k)]
            intervals += 1
    return {"covered": int(covered), "intervals": intervals, "fits": FITS}


def section(results: Results) -> Section:
    rows = results.rows()
    if not rows:
        return Section("Intervals of constants", "No runs yet.\n")
    note = (
        f"{FITS} simulated experiments of each law with constants; these are fitted under the noise that was made, and "
        f"their {LEVEL:.0%} intervals compared with the true values."
    )
    lines = [[row["problem"], row["intervals"], f"{row['covered'] / row['intervals']:.0%}"] for row in rows]
    text = f"{fill(note, 120)}\n\n{made(rows)}" + table(["law", "intervals", "cover"], lines)
    return Section("Intervals of constants", text, figures(rows))


def figures(rows: list[Row]) -> list[Figure]:
    covered, intervals = (sum(row[name] for row in rows) for name in ("covered", "intervals"))
    fits = sum(row["fits"] for row in rows)
    said = f"{covered / intervals:.1%} of {intervals} intervals in {fits} fits"
    return [("95% intervals of constants that cover the true one", "90 to 98%", said)]


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    results = carry_out("coverage", KEY, tasks()[:2] if options.quick else tasks(), options)
    print(section(results))
    if not options.quick:
        from benchmarks.fit import write_page

        write_page(options.results)


if __name__ == "__main__":
    main()
