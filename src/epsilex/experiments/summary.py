"""The results in brief, as Markdown: how much was run, cells and claims by verdict, the epsilon study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from epsilex.experiments import claims
from epsilex.experiments.claims import Judged
from epsilex.experiments.progress import duration
from epsilex.experiments.results import Results
from epsilex.experiments.tables import ResultsTable, grid
from epsilex.experiments.verdicts import VERDICTS


def markdown(results: Mapping[str, Results], table: ResultsTable | None, judged: list[Judged]) -> str:
    """The parts for which there are rows."""
    parts = ["## What was run", _trials(results)]
    if table is not None:
        parts += ["## Cells of the table, by verdict", _counts(Counter(table.cells["verdict"]), VERDICTS)]
    if judged:
        parts += ["## Claims of the paper, by verdict", _counts(Counter(j.verdict for j in judged), claims.VERDICTS)]
        for section, members in claims.SECTIONS.items():
            lines = [_claim(one) for one in judged if one.claim in members]
            if lines:
                parts += [f"### {section}", grid(["Claim", "Place", "Verdict", "Evidence"], lines)]
    if "epsilon" in results:
        parts += ["## The effect of epsilon", *_epsilon(results["epsilon"])]
    return "\n\n".join(parts) + "\n"


def _trials(results: Mapping[str, Results]) -> str:
    """One row per study and problem."""
    body = []
    for study, found in results.items():
        for problem in found.problem_names:
            rows = found.trials[found.trials["problem"] == problem]
            sizes = rows.groupby(["method", "epsilon"]).size()
            each = str(sizes.min()) if sizes.min() == sizes.max() else f"{sizes.min()} to {sizes.max()}"
            spent = duration(float(rows["cpu_seconds"].sum()))
            scale = [str(found.run["generations"]), str(found.run["population_size"])]
            body.append([study, found.title(problem), str(len(sizes)), each, str(len(rows)), *scale, spent])
    head = ["Study", "Problem", "Methods", "Trials each", "Trials", "Generations", "Individuals", "CPU time"]
    return grid(head, body)


def _counts(counts: Counter, order: tuple[str, ...]) -> str:
    shown = [verdict for verdict in order if counts[verdict]]
    return grid(["Verdict", "Number"], [[verdict, str(counts[verdict])] for verdict in shown])


def _claim(one: Judged) -> list[str]:
    verdict = one.verdict + (" (rebuilt data)" if one.rebuilt else "")
    return [one.claim.text, one.claim.place, verdict, one.evidence]


def _epsilon(results: Results) -> list[str]:
    """Median test error, and cases used in the median event, by value of epsilon."""
    used = results.history.assign(cases=results.history["cases_used"] * results.history["training_cases"])
    parts = []
    for one in results.methods:
        rows = results.trials[results.trials["method"] == one.id].groupby("epsilon")["test_mae"].agg(["median", "size"])
        cases = used[used["method"] == one.id].groupby("epsilon")["cases"].median()
        body = [
            [f"{epsilon:g}", f"{row['median']:.3f}", _cases(cases, epsilon), f"{row['size']:.0f}"]
            for epsilon, row in rows.iterrows()
        ]
        parts += [
            f"### {one.label}",
            grid(["Epsilon", "Median test MAE", "Median cases used", "Trials"], body),
        ]
    return parts


def _cases(cases: pd.Series, epsilon: float) -> str:
    return f"{cases[epsilon]:.3g}" if epsilon in cases else ""
