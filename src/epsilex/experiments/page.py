"""The results page: one file that needs no network and runs no script."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from epsilex.experiments import claims, comparisons, discussion, laboratory, published, statistics, verdicts
from epsilex.experiments.claims import Judged
from epsilex.experiments.differences import DIFFERENCES
from epsilex.experiments.figures import FIGURES, Drawn
from epsilex.experiments.progress import duration
from epsilex.experiments.results import Results
from epsilex.experiments.tables import ResultsTable, caption

PAPER_STUDIES = ("table", "epsilon")


def render(
    out: Path, results: dict[str, Results], table: ResultsTable | None, judged: list[Judged], drawn: list[Drawn]
) -> str:
    """`index.html` as text."""
    import jinja2

    # Everything inserted is escaped; the template itself decides what is markup.
    loader = jinja2.PackageLoader("epsilex.experiments", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    style = loader.get_source(environment, "page.css")[0]
    return environment.get_template("page.html").render(
        style=style,
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        results=results,
        table=table,
        caption=caption(table) if table else "",
        criteria=(verdicts.__doc__ or "").split("\n\n", 1)[1].strip(),
        scale_note=[note for study in results.values() if (note := _scale_note(study))],
        claims=sections(judged),
        claim_counts=counted(judged),
        friedman=_friedman_note(results["table"]) if table else "",
        rows_of_pairs=comparison_rows(table) if table else [],
        over_problems=comparisons.OVER_PROBLEMS,
        questions=discussion.judge(results["discussion"].trials) if "discussion" in results else {},
        own_medians=discussion.reference_medians(results["discussion"].trials) if "discussion" in results else {},
        figures=[(figure, _inlined(out / "figures" / f"{figure.name}.svg")) for figure in drawn],
        not_drawn=sorted(
            {name for study in PAPER_STUDIES for name, *_ in FIGURES[study]} - {figure.name for figure in drawn}
        ),
        arms=[laboratory.arm(study, rows) for study, rows in results.items() if study in laboratory.TITLES],
        differences=DIFFERENCES,
        published=published,
        rerun=rerun_command,
        duration=duration,
    )


def sections(judged: list[Judged]) -> dict[str, list[Judged]]:
    """Judged claims by section, without empty sections."""
    found = {name: [one for one in judged if one.claim in members] for name, members in claims.SECTIONS.items()}
    return {name: members for name, members in found.items() if members}


def counted(judged: list[Judged]) -> dict[str, int]:
    """Number of claims by verdict, without verdicts that have no claim."""
    counts = Counter(one.verdict for one in judged)
    return {verdict: counts[verdict] for verdict in claims.VERDICTS if counts[verdict]}


def comparison_rows(table: ResultsTable) -> list[dict[str, Any]]:
    """One row per pair of methods: their labels, and the results on each problem and over all problems."""
    labels = {method.id: method.label for method in table.methods}
    found = []
    for (method, other), part in table.comparisons.groupby(["method", "other"], sort=False):
        cells = {one.problem: one for one in part.itertuples()}
        found.append({"method": labels[method], "other": labels[other], "cells": cells})
    return found


def _friedman_note(results: Results) -> str:
    """The test over the problems with the paper's data, and over all problems if there are more."""
    medians = statistics.medians(results.trials)
    counted = statistics.counted_medians(medians, statistics.rebuilt(results.problems))
    lines = []
    for chosen in [counted] if counted.shape == medians.shape else [counted, medians]:
        if test := statistics.friedman(chosen):
            names = ", ".join(results.title(name) for name in results.problem_names if name in chosen)
            lines.append(
                f"Friedman test over {test.problems} problems ({names}): p = {test.p:.2g}, critical difference of mean "
                f"ranks {test.difference:.2f}."
            )
    return " ".join(lines)


def rerun_command(problem: str, method: str, results: Results) -> str:
    """The command that repeats one cell of the table with the same numbers."""
    rows = results.trials[(results.trials["problem"] == problem) & (results.trials["method"] == method)]
    command = f"epsilex reproduce --problems {problem} --methods {method} --trials {len(rows)}"
    if results.run["generations"] != published.GENERATIONS:
        command += f" --generations {results.run['generations']}"
    return f"{command} --out rerun"


def _scale_note(results: Results) -> str | None:
    """A note for the reader if this is not the paper's scale."""
    run, full = results.run, (published.GENERATIONS, published.POPULATION_SIZE)
    if (run["generations"], run["population_size"]) == full:
        return None
    return (
        f"Study {results.study!r} was run at {run['generations']} generations and a population of "
        f"{run['population_size']}, not the paper's {full[0]} and {full[1]}: it shows that the path works, and its "
        "numbers and verdicts are not comparable."
    )


def _inlined(path: Path) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()
