"""The open questions of the paper's discussion (Section 5), each as variants of Lex eps_e-lambda.

Each variant is compared with the method itself, trial by trial on the same partitions: by the rank-sum test with Holm's
correction on each problem, and over all problems by the Bayesian signed-rank test, in which up to 5% of the method's
median counts as practically equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from epsilex.experiments import bayes, comparisons, statistics
from epsilex.experiments.results import Results

REFERENCE = "lex_e_mad"
SURE = 0.95  # of a posterior probability
HELPS, HURTS, ALIKE, OPEN = "helps", "hurts", "no difference", "undecided"

QUESTIONS: dict[str, tuple[str, ...]] = {
    "Pools of fewer individuals than the population": (
        "lex_e_mad(pool_size=20)",
        "lex_e_mad(pool_size=100)",
        "lex_e_mad(pool_size=500)",
    ),
    "Geographic pools: neighbours on a ring": ("lex_e_mad(neighbourhood=10)", "lex_e_mad(neighbourhood=50)"),
    "Other orders of cases: hard ones first, or easy ones": (
        "lex_e_mad(case_order='difficulty')",
        "lex_e_mad(case_order='easiness')",
    ),
    "Clusters of cases in the place of cases": ("lex_e_mad(clusters=10)", "lex_e_mad(clusters=50)"),
    "Mating of parents chosen by different or by similar cases": (
        "lex_e_mad(mating='different')",
        "lex_e_mad(mating='similar')",
    ),
}
METHODS = (REFERENCE, *(variant for variants in QUESTIONS.values() for variant in variants))


@dataclass(frozen=True)
class Variant:
    """One variant against the method itself.

    medians   by problem
    better    problems on which it is significantly better; worse: significantly worse
    posterior of its relative improvement over all paired trials: above, inside or below the region of equivalence
    """

    name: str
    medians: dict[str, float]
    better: tuple[str, ...]
    worse: tuple[str, ...]
    pairs: int
    posterior: bayes.Posterior
    verdict: str


def judge(rows: pd.DataFrame) -> dict[str, list[Variant]]:
    """The variants of each question that were run; empty without trials of the method itself."""
    own = rows[rows["method"] == REFERENCE]
    if own.empty:
        return {}
    found = {
        question: [_variant(name, rows, own) for name in variants if name in set(rows["method"])]
        for question, variants in QUESTIONS.items()
    }
    return {question: variants for question, variants in found.items() if variants}


def reference_medians(rows: pd.DataFrame) -> dict[str, float]:
    return rows[rows["method"] == REFERENCE].groupby("problem")["test_mae"].median().to_dict()


def _variant(name: str, rows: pd.DataFrame, own: pd.DataFrame) -> Variant:
    theirs = rows[rows["method"] == name]
    better: list[str] = []
    worse: list[str] = []
    z = []
    p_values = _holm(rows, own)
    for problem, part in theirs.groupby("problem"):
        reference = own[own["problem"] == problem].set_index("trial")["test_mae"]
        errors = part.set_index("trial")["test_mae"]
        z.append(comparisons.differences(errors, reference))
        if p_values.get((problem, name), 1.0) < statistics.SIGNIFICANT:
            (better if errors.median() < reference.median() else worse).append(str(problem))
    differences = np.concatenate(z)
    posterior = bayes.signed_rank(differences, comparisons.ROPE)
    medians = theirs.groupby("problem")["test_mae"].median().to_dict()
    return Variant(name, medians, tuple(better), tuple(worse), len(differences), posterior, verdict(posterior))


def verdict(posterior: bayes.Posterior) -> str:
    """The verdict of the differences over all problems that has SURE probability, if any."""
    for chance, word in ((posterior.above, HELPS), (posterior.below, HURTS), (posterior.inside, ALIKE)):
        if chance >= SURE:
            return word
    return OPEN


def _holm(rows: pd.DataFrame, own: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Rank-sum p-values of each variant against the method itself, Holm-corrected over the variants of a problem."""
    from scipy.stats import mannwhitneyu

    found = {}
    for problem, part in rows[rows["method"] != REFERENCE].groupby("problem"):
        reference = own.loc[own["problem"] == problem, "test_mae"].to_numpy()
        if not len(reference):
            continue
        raw = {m: mannwhitneyu(g["test_mae"].to_numpy(), reference).pvalue for m, g in part.groupby("method")}
        largest = 0.0
        for place, (method, p) in enumerate(sorted(raw.items(), key=lambda item: item[1])):
            largest = max(largest, min(1.0, float(p) * (len(raw) - place)))
            found[str(problem), str(method)] = largest
    return found


def markdown(results: Results) -> str:
    """The answers as a Markdown table."""
    rows, problems = results.trials, results.problem_names
    lines = [
        "| Variant | " + " | ".join(map(results.title, problems)) + " | Better, alike, worse | Verdict |",
        "| --- |" + " ---: |" * len(problems) + " --- | --- |",
        "| `lex_e_mad` | " + " | ".join(_number(reference_medians(rows).get(name)) for name in problems) + " | | |",
    ]
    for question, variants in judge(rows).items():
        lines.append(f"| **{question}** |" + " |" * (len(problems) + 2))
        for one in variants:
            marked = [_number(one.medians.get(name)) + _mark(one, name) for name in problems]
            chances = f"{one.posterior.above:.2f}, {one.posterior.inside:.2f}, {one.posterior.below:.2f}"
            lines.append(f"| `{one.name}` | " + " | ".join(marked) + f" | {chances} | {one.verdict} |")
    lines += [
        "",
        "Median test MAE; + significantly better than `lex_e_mad`, - significantly worse (rank-sum test, Holm). "
        f"Better, alike, worse: posterior probabilities over all paired trials, alike within {comparisons.ROPE:.0%}.",
    ]
    return "\n".join(lines) + "\n"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _mark(one: Variant, problem: str) -> str:
    return " +" if problem in one.better else " -" if problem in one.worse else ""
