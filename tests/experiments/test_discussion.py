"""The paper's open questions: variants against the method itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex import selection
from epsilex.experiments import discussion, methods


def rows(factor: float, trials: int = 10, noise: float = 0.02, name: str = "lex_e_mad(pool_size=20)") -> pd.DataFrame:
    """Trials of the method and of a variant whose errors are `factor` times as large."""
    rng = np.random.default_rng(1)
    found = []
    for problem in ("housing", "tower", "enh"):
        for trial in range(1, trials + 1):
            base = 0.3 * rng.lognormal(0, 0.1)
            found.append((problem, discussion.REFERENCE, trial, base))
            found.append((problem, name, trial, base * factor * rng.lognormal(0, noise)))
    return pd.DataFrame(found, columns=["problem", "method", "trial", "test_mae"])


@pytest.mark.parametrize(
    ("factor", "verdict", "better", "worse"), [(0.6, "helps", 3, 0), (1.6, "hurts", 0, 3), (1.0, "no difference", 0, 0)]
)
def test_verdicts_follow_the_differences(factor, verdict, better, worse):
    (variants,) = discussion.judge(rows(factor)).values()
    (one,) = variants
    assert one.verdict == verdict
    assert (len(one.better), len(one.worse)) == (better, worse)
    assert one.pairs == 30
    assert one.posterior.above + one.posterior.inside + one.posterior.below == pytest.approx(1.0)


def test_few_noisy_trials_decide_nothing():
    (variants,) = discussion.judge(rows(0.97, trials=3, noise=0.3)).values()
    assert variants[0].verdict == "undecided"


def test_nothing_is_judged_without_the_method_itself():
    own = rows(1.0)
    assert discussion.judge(own[own["method"] != discussion.REFERENCE]) == {}


def test_holm_by_hand():
    """Of two variants the smaller p is doubled, the larger taken as it is, and never below the smaller."""
    from scipy.stats import mannwhitneyu

    both = pd.concat([rows(0.8), rows(1.02, name="lex_e_mad(pool_size=100)")]).drop_duplicates(
        ["problem", "method", "trial"]
    )
    own = both[both["method"] == discussion.REFERENCE]
    found = discussion._holm(both, own)
    for problem in ("housing", "tower", "enh"):
        part = both[both["problem"] == problem].groupby("method")["test_mae"]
        raw = {m: mannwhitneyu(g, part.get_group(discussion.REFERENCE)).pvalue for m, g in part}
        small, large = sorted(raw[m] for m in raw if m != discussion.REFERENCE)
        got = sorted(found[problem, m] for m in raw if m != discussion.REFERENCE)
        assert got == pytest.approx([min(1, 2 * small), max(min(1, 2 * small), large)])


@pytest.mark.parametrize("text", discussion.METHODS)
def test_every_variant_can_be_run(text):
    methods.check(text)
    name, options = methods.parts(text)
    selection.check_contract(name, **options)
