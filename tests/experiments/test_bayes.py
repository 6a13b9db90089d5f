"""The Bayesian signed-rank test against brute force, closed forms and obvious cases; the comparisons made of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex.experiments import bayes, comparisons


def by_brute_force(differences, rope: float, seed: int = 1, samples: int = 4000) -> tuple[float, float, float]:
    """The same by its definition: gamma weights, every pair in turn."""
    rng = np.random.default_rng(seed)
    z = [0.0, *differences]
    wins = [0, 0, 0]
    for _ in range(samples):
        gammas = [rng.gamma(bayes.STRENGTH if i == 0 else 1.0) for i in range(len(z))]
        theta = [0.0, 0.0, 0.0]
        for i in range(len(z)):
            for j in range(len(z)):
                mean = (z[i] + z[j]) / 2
                place = 0 if mean < -rope else 2 if mean > rope else 1
                theta[place] += gammas[i] * gammas[j] / sum(gammas) ** 2
        wins[theta.index(max(theta))] += 1
    return tuple(count / samples for count in wins)


@pytest.mark.parametrize("differences", [[0.2, -0.1], [0.3, 0.02, -0.2], [0.06, 0.07, 0.01, -0.3]])
def test_a_few_pairs_by_brute_force(differences):
    found = bayes.signed_rank(np.array(differences), 0.05)
    expected = by_brute_force(differences, 0.05)
    # 4 standard errors of the brute force's 4000 samples
    assert (found.below, found.inside, found.above) == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(4000))


def test_one_pair_in_closed_form():
    """One difference above: above wins where the prior's weight, Beta(1/2, 1), squared is below 1/2: P = 2^(-1/4)."""
    found = bayes.signed_rank(np.array([1.0]), 0.1)
    assert found.above == pytest.approx(2**-0.25, abs=4 * 0.5 / np.sqrt(bayes.SAMPLES))
    assert found.below == 0


def test_the_mean_chances_in_closed_form():
    """E w_i w_j = a_i a_j / (A (A + 1)), and a_i (a_i + 1) / (A (A + 1)) for i = j."""
    z, rope = np.array([0.0, 0.2, 0.3, -0.4]), 0.05
    a = np.array([bayes.STRENGTH, 1, 1, 1])
    products = (np.outer(a, a) + np.diag(a)) / (a.sum() * (a.sum() + 1))
    means = (z[:, None] + z) / 2
    expected = [products[means < -rope].sum(), products[np.abs(means) <= rope].sum(), products[means > rope].sum()]
    theta = bayes.thetas(z[1:], rope, np.random.default_rng(3))
    assert theta.sum(axis=1) == pytest.approx(np.ones(bayes.SAMPLES))
    assert theta.mean(axis=0) == pytest.approx(expected, abs=0.01)


def test_obvious_cases():
    rng = np.random.default_rng(0)
    assert bayes.signed_rank(rng.normal(0.5, 0.1, 30), 0.05).above > 0.999
    assert bayes.signed_rank(rng.normal(-0.5, 0.1, 30), 0.05).below > 0.999
    assert bayes.signed_rank(rng.normal(0, 0.01, 30), 0.05).inside > 0.999
    undecided = bayes.signed_rank(rng.normal(0, 0.5, 30), 0.05)
    assert max(undecided.below, undecided.inside, undecided.above) < 0.95


def test_it_is_seeded_and_mirrored():
    z = np.array([0.1, 0.2, -0.05, 0.3, 0.01])
    one, mirrored = bayes.signed_rank(z, 0.05), bayes.signed_rank(-z, 0.05)
    assert one == bayes.signed_rank(z, 0.05)
    assert (one.below, one.inside, one.above) == (mirrored.above, mirrored.inside, mirrored.below)
    assert one.below + one.inside + one.above == pytest.approx(1)


def test_infinite_differences_are_far_not_undefined():
    found = bayes.signed_rank(np.array([np.inf, np.inf, np.inf, np.inf, -np.inf]), 0.05)
    assert found.above > 0.8


# --- comparisons ---


def rows_of(levels: dict[str, dict[str, float]], trials: int = 20) -> pd.DataFrame:
    """Rows of {problem: {method: level}}; all methods of a trial share its luck."""
    luck = np.random.default_rng(0).normal(0, 0.3, trials)
    return pd.DataFrame(
        [
            {"problem": problem, "method": method, "trial": k, "test_mae": level * np.exp(luck[k])}
            for problem, methods in levels.items()
            for method, level in methods.items()
            for k in range(trials)
        ]
    )


def test_differences_are_paired_by_trial_and_relative_to_the_other():
    ours, theirs = pd.Series({1: 0.9, 2: 1.8, 3: 1.0}), pd.Series({2: 2.0, 1: 1.0, 4: 9.0})
    assert sorted(comparisons.differences(ours, theirs)) == pytest.approx(sorted([0.1 / 1.5, 0.2 / 1.5]))
    assert comparisons.relative([np.inf, 1.0], [np.inf, np.inf], 1.0).tolist() == [0.0, np.inf]


def test_pairing_finds_what_luck_hides():
    """A tenth better in every trial: the unpaired test sees nothing in the noise, the paired one does."""
    rows = rows_of({"tower": {"lex_e_mad": 0.9, "tournament": 1.0}})
    found = comparisons.adaptive(rows).set_index("problem")
    assert found.loc["tower", "p"] > 0.05
    assert found.loc["tower", "better"] > 0.95


def test_pairs_problems_and_rebuilt_data():
    levels = {"lex_e_mad": 1.0, "lex_y_mad": 1.01, "tournament": 1.5, "mine:select": 0.1}
    rows = rows_of({"tower": levels, "enh": levels, "enc": levels, "wind": {**levels, "tournament": 0.1}})
    found = comparisons.adaptive(rows, {"wind"}).set_index(["problem", "method", "other"])
    pairs = {("lex_e_mad", "tournament"), ("lex_y_mad", "tournament"), ("lex_e_mad", "lex_y_mad")}
    assert {key[1:] for key in found.index} == pairs
    over = found.loc[comparisons.OVER_PROBLEMS]
    assert (over["pairs"] == 3).all()  # Wind is left out
    assert over.loc[("lex_e_mad", "tournament"), "better"] > 0.9
    assert over.loc[("lex_e_mad", "lex_y_mad"), "alike"] > 0.9
    assert found.loc[("wind", "lex_e_mad", "tournament"), "worse"] > 0.9
