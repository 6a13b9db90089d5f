"""Claims on the number of cases that a selection event uses: Section 4.4, Figure 8.

A generation's number is the median over its selection events, as in the caption of Figure 2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from epsilex.experiments.claims.claim import (
    FAILS,
    HOLDS,
    IN_PART,
    INCONCLUSIVE,
    Claim,
    Found,
    Outcome,
    counted,
    interval,
    seen,
    told,
    within,
)
from epsilex.experiments.claims.held_out import over_problems
from epsilex.experiments.claims.rows import (
    ADAPTIVE,
    EPSILON,
    LABELS,
    LEXICASE,
    TITLES,
    Rows,
    draws,
    over_generations,
    with_cases,
)

PLACE = "Section 4.4, Figure 8"
ONE = 0.95  # share of generations in which the median event uses one case
SMALL = 3.0  # a larger factor is not a small increase
STRONG = 3.0  # factor between shares across problems that counts as strong variation


def usage(rows: Rows, problem: str, column: str = "cases_used") -> dict[str, np.ndarray]:
    """Method -> mean over generations and trials, for each bootstrap resample of the trials."""
    history = rows.history[(rows.history["problem"] == problem) & rows.history["method"].isin(LEXICASE)]
    return draws(over_generations(history, column, ["method"]), "method", column)


def one_case_share(history: pd.DataFrame) -> float:
    """Share of trials and generations in which the median event uses one case."""
    cases = with_cases(history[history["generation"] > 0])["cases"].dropna()
    return float((cases.round() == 1).mean())


def _one_case(rows: Rows) -> Found:
    shares = {}
    for problem in rows.problems:
        if rows.has(problem, "lex"):
            mine = (rows.history["problem"] == problem) & (rows.history["method"] == "lex")
            shares[TITLES[problem]] = one_case_share(rows.history[mine])
    outcomes: dict[str, Outcome] = {TITLES[problem]: None for problem in rows.problems}
    outcomes |= {title: share >= ONE for title, share in shares.items()}
    figures = ", ".join(f"{title} {share:.0%}" for title, share in shares.items())
    return counted(outcomes), f"generations with one case: {figures}"


def _extreme(problem: str, most: bool) -> Callable[[Rows], Found]:
    def judge(rows: Rows) -> Found:
        found = usage(rows, problem)
        others = [found[method] for method in EPSILON if method != "lex_e"]
        outcome = seen(found["lex_e"] > np.max(others, axis=0) if most else found["lex_e"] < np.min(others, axis=0))
        return {True: HOLDS, False: FAILS, None: INCONCLUSIVE}[outcome], _shares_told(found)

    return judge


def _shares_told(found: dict[str, np.ndarray]) -> str:
    order = sorted((method for method in found if method in EPSILON), key=lambda method: -float(np.mean(found[method])))
    return "share of the cases: " + ", ".join(f"{LABELS[method]} {np.mean(found[method]):.2%}" for method in order)


def _higher_share(than: str) -> Callable[[Rows], Found]:
    def judge(rows: Rows) -> Found:
        means = {name: np.mean([usage(rows, name)[m] for m in EPSILON], axis=0) for name in ("enh", "enc", than)}
        outcomes = {TITLES[name]: seen(means[name] > means[than]) for name in ("enh", "enc")}
        figures = ", ".join(f"{TITLES[name]} {np.mean(value):.2%}" for name, value in means.items())
        return counted(outcomes), f"mean share over the ε methods: {figures}"

    return judge


def _nearly_same(rows: Rows, problem: str) -> Outcome:
    if not rows.has(problem, *ADAPTIVE):
        return None
    found = usage(rows, problem)
    low, high = interval(found["lex_e_mad"] / found["lex_y_mad"])
    verdict = within((low, high), (1 / 1.25, 1.25), (1 / 1.25, 1.25))
    return {HOLDS: True, FAILS: False}.get(verdict)


def _small_increase(problem: str) -> Callable[[Rows], Found]:
    def judge(rows: Rows) -> Found:
        history = rows.history[rows.history["problem"] == problem]
        ratios = {method: growth(history[history["method"] == method]) for method in EPSILON}
        outcomes = {LABELS[method]: seen(ratio > 1) for method, ratio in ratios.items()}
        verdict = counted(outcomes)
        if verdict == HOLDS and max(float(np.median(ratio)) for ratio in ratios.values()) > SMALL:
            verdict = IN_PART
        figures = ", ".join(f"{LABELS[method]} x {np.median(ratio):.2f}" for method, ratio in ratios.items())
        return verdict, f"last tenth of the generations over the first: {figures}; increase: {told(outcomes)}"

    return judge


def growth(history: pd.DataFrame) -> np.ndarray:
    """Cases used in the last tenth of the generations over those in the first, for each resample of the trials."""
    last = history["generation"].max()
    early = history[(history["generation"] > 0) & (history["generation"] <= max(1, last / 10))]
    late = history[history["generation"] > 0.9 * last]
    ends = pd.DataFrame({"early": _by_trial(early), "late": _by_trial(late)}).to_numpy()
    resampled = ends[np.random.default_rng(0).integers(0, len(ends), (2000, len(ends)))].mean(axis=1)
    return resampled[:, 1] / resampled[:, 0]


def _by_trial(history: pd.DataFrame) -> pd.Series:
    return history.groupby("trial")["cases_used"].mean()


def _varies(rows: Rows) -> Found:
    found = {name: usage(rows, name) for name in rows.problems}
    shares = {method: np.array([found[name][method] for name in found]) for method in EPSILON}
    spread = {method: values.max(axis=0) / values.min(axis=0) for method, values in shares.items()}
    steady = np.max([spread[method] for method in ADAPTIVE], axis=0)
    outcomes = {LABELS[m]: seen((spread[m] > steady) & (spread[m] > STRONG)) for m in ("lex_e", "lex_y")}
    figures = ", ".join(f"{LABELS[method]} x {np.median(value):.1f}" for method, value in spread.items())
    return counted(outcomes), f"largest over smallest share across {len(found)} problems: {figures}"


def _extreme_claim(problem: str, most: bool) -> Claim:
    text = f"On {TITLES[problem]} Lex ε_e uses the {'most' if most else 'fewest'} cases of the ε-lexicase methods."
    rule = (
        f"{'Above' if most else 'Below'} the three others in 9 of 10 bootstrap resamples of the mean over generations."
    )
    return Claim(
        f"{'most' if most else 'fewest'}_cases_{problem}", text, PLACE, rule, _extreme(problem, most),
        methods=EPSILON, problems=(problem,),
    )  # fmt: skip


def _higher_claim(than: str) -> Claim:
    return Claim(
        f"higher_share_than_{than}",
        f"A higher share of the cases is used on ENH and on ENC than on {TITLES[than]}.",
        PLACE,
        "Mean share over the four ε methods, higher in 9 of 10 bootstrap resamples; one of the two problems: in part.",
        _higher_share(than),
        methods=EPSILON,
        problems=("enh", "enc", than),
    )


def _increase_claim(problem: str) -> Claim:
    return Claim(
        f"small_increase_{problem}",
        f"On {TITLES[problem]} the ε-lexicase methods use slightly more cases as evolution goes on.",
        PLACE,
        "More in the last tenth of the generations than in the first, for all four methods; by more than a factor of 3 "
        "it is not small and holds in part.",
        _small_increase(problem),
        methods=EPSILON,
        problems=(problem,),
    )


CLAIMS = (
    Claim(
        "lex_one_case",
        "Lex uses only one case for each parent.",
        PLACE + "; Section 2",
        "The median event of a generation uses one case in 95% of the generations of all trials of a problem.",
        _one_case,
        methods=("lex",),
    ),
    _extreme_claim("tower", most=True),
    _extreme_claim("wind", most=True),
    _extreme_claim("enh", most=False),
    _extreme_claim("enc", most=False),
    _higher_claim("tower"),
    _higher_claim("wind"),
    Claim(
        "adaptive_alike",
        "Lex ε_eλ and Lex ε_yλ use nearly the same number of cases on each problem.",
        PLACE,
        "'Nearly' is a factor of 1.25, as for the times: the 95% interval of the ratio inside it on every problem.",
        lambda rows: over_problems(rows, _nearly_same),
        methods=ADAPTIVE,
    ),
    _increase_claim("tower"),
    _increase_claim("wind"),
    Claim(
        "fixed_vary",
        "Lex ε_e and Lex ε_y vary strongly across problems in the cases they use; the adaptive methods do not.",
        PLACE,
        "Largest over smallest share above 3 and above that of both adaptive methods, for each of the two.",
        _varies,
        methods=EPSILON,
        whole=True,
    ),
)
