"""Statistics on rows: hand-computed examples, and the paper's own table."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epsilex.experiments import published, statistics, verdicts
from epsilex.experiments.methods import PAPER
from places import SHARED

PAPER_TEXT = SHARED / "paper" / "epsilon-lexicase-2016.tex"


def rows_of(cells: dict[tuple[str, str], list[float]]) -> pd.DataFrame:
    """Tidy rows from {(problem, method): test errors}."""
    return pd.DataFrame(
        [
            {"problem": problem, "method": method, "trial": k, "test_mae": value, "cpu_seconds": 1.0}
            for (problem, method), values in cells.items()
            for k, value in enumerate(values, 1)
        ]
    )


# --- the paper's own table ---


def test_the_papers_mean_ranks_with_its_order_of_ties():
    medians = published.medians()
    # On Wind the paper has AFP before Lex e-lambda and Lex e before Lex y, which print the same.
    medians.loc[["afp", "lex_e"], "wind"] -= 1e-6
    ranks = statistics.mean_ranks(medians)
    for method, row in published.TABLE.items():
        assert ranks[method] == pytest.approx(row.mean_rank, abs=0.005), method


def test_the_papers_mean_ranks_with_ties_shared():
    ranks = statistics.mean_ranks(published.medians())
    for method, row in published.TABLE.items():
        assert ranks[method] == pytest.approx(row.mean_rank, abs=0.09), method
    assert ranks.sum() == pytest.approx(36)


def test_the_papers_friedman_findings():
    """Both adaptive methods differ from tournament, lex and random; AFP and lex_e overlap them."""
    test = statistics.friedman(published.medians())
    apart = test.p_pairs < 0.05
    for method in ("lex_e_mad", "lex_y_mad"):
        assert set(apart.columns[apart.loc[method]]) == {"tournament", "lex", "random"}
    low_high = test.intervals
    assert low_high.loc["lex_e_mad", "high"] < low_high.loc["tournament", "low"]
    assert low_high.loc["lex_e_mad", "high"] > low_high.loc["lex_e", "low"]
    assert test.problems == 6
    assert test.p < 1e-4


def test_the_papers_time_ratios():
    """Section 4.4: 96, 82, 120 and 120% of tournament for the epsilon methods, 41% for Lex."""
    ratio = {method: published.time_ratio(method) for method in published.TABLE}
    assert [round(100 * ratio[m]) for m in ("lex_y", "lex_e", "lex_y_mad", "lex_e_mad", "lex")] == [
        96,
        83,
        120,
        120,
        41,
    ]


def test_the_published_table_is_the_papers():
    if not PAPER_TEXT.is_file():
        pytest.skip("the paper's source is not here")
    found = {}
    for line in PAPER_TEXT.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"\$\^([a-h])\$", line):
            cells = line.split("&")
            values = [float(re.findall(r"\d+\.\d+", cell)[-1]) for cell in cells[1:7]]
            marks = [
                "".join(re.findall(r"[a-h]", re.search(r"\^\{(.*?)\}_\{(.*?)\}", cell).group())) for cell in cells[1:7]
            ]
            hours, minutes, seconds = map(int, re.search(r"(\d\d):(\d\d):(\d\d)", cells[8]).groups())
            rank = float(re.search(r"\d\.\d\d", cells[7]).group())
            found[match[1]] = (tuple(values), tuple(marks), rank, 3600 * hours + 60 * minutes + seconds)
    for method in PAPER:
        row = published.TABLE[method.id]
        assert (row.medians, row.letters, row.mean_rank, row.seconds) == found[method.letter], method.id


# --- by hand ---


def test_medians_and_ranks_by_hand():
    rows = rows_of({("p", "a"): [1, 2, 9], ("p", "b"): [3, 5], ("q", "a"): [4.0], ("q", "b"): [4.0], ("r", "a"): [1.0]})
    medians = statistics.medians(rows)
    assert medians.loc["a"].tolist() == [2, 4, 1]
    assert medians.loc["b", "p"] == 4
    assert np.isnan(medians.loc["b", "r"])
    # p: a 1, b 2; q: 1.5 each; r counts for nobody, b has not run it.
    assert statistics.mean_ranks(medians).to_dict() == {"a": 1.25, "b": 1.75}


def test_rank_sum_and_holm_by_hand():
    """Three methods of 4 trials, fully apart: each pair has the exact p = 2 / C(8, 4) = 1/35, times 3 by Holm."""
    rows = rows_of({("p", "a"): [1, 2, 3, 4], ("p", "b"): [5, 6, 7, 8], ("p", "c"): [9, 10, 11, 12]})
    pairs = statistics.pairwise(rows)
    assert len(pairs) == 6
    assert np.allclose(pairs["p"], 3 / 35)
    assert not pairs["better"].any()


def test_better_needs_a_lower_median_and_significance():
    a, b, c = np.arange(10), np.arange(10) + 100.0, np.arange(10) + 0.5
    pairs = statistics.pairwise(rows_of({("p", "a"): a, ("p", "b"): b, ("p", "c"): c}))
    pairs = pairs.set_index(["method", "other"])
    assert pairs.loc[("a", "b"), "better"]
    assert not pairs.loc[("b", "a"), "better"]
    assert not pairs.loc[("a", "c"), "better"]
    assert pairs.loc[("a", "b"), "effect"] == 1.0
    assert pairs.loc[("b", "a"), "effect"] == 0.0


def test_letters_are_those_of_the_beaten():
    a, b, c = np.arange(10), np.arange(10) + 100.0, np.arange(10) + 1000.0
    pairs = statistics.pairwise(rows_of({("p", "x"): a, ("p", "y"): b, ("p", "z"): c}))
    assert statistics.letters(pairs, {"x": "a", "y": "b", "z": "c"}) == {
        ("p", "x"): "bc",
        ("p", "y"): "c",
        ("p", "z"): "",
    }


def test_effect_size_by_hand():
    assert statistics.effect_size([1, 2], [2, 3]) == pytest.approx((0.5 + 1 + 1 + 1) / 4)
    assert statistics.effect_size([1, 1], [1, 1]) == 0.5


@given(st.lists(st.floats(0, 10), min_size=1, max_size=8), st.lists(st.floats(0, 10), min_size=1, max_size=8))
def test_effect_sizes_of_a_pair_add_to_one(a, b):
    assert statistics.effect_size(a, b) + statistics.effect_size(b, a) == pytest.approx(1)


def test_friedman_by_hand():
    """Three methods in the same order on four problems: chi-square = 12/(n k (k+1)) sum R^2 - 3 n (k+1) = 8."""
    medians = pd.DataFrame({p: [1.0, 2.0, 3.0] for p in "wxyz"}, index=["a", "b", "c"])
    test = statistics.friedman(medians)
    assert test.statistic == pytest.approx(8)
    assert test.mean_ranks.tolist() == [1, 2, 3]
    # Demsar 2006, table 5: q = 2.343 for three methods.
    assert test.difference == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 4)), abs=1e-3)


@pytest.mark.parametrize(
    ("methods", "problems", "expected"), [(8, 6, 3.031 * np.sqrt(2)), (5, 30, 2.728 * np.sqrt(1 / 6))]
)
def test_critical_difference_by_demsars_table(methods, problems, expected):
    assert statistics.critical_difference(methods, problems) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("shape", [(2, 6), (8, 1)])
def test_no_friedman_test_on_too_little(shape):
    assert statistics.friedman(pd.DataFrame(np.random.default_rng(0).random(shape))) is None


def test_times_are_medians_over_problems_and_ratios_to_tournament():
    rows = rows_of({(p, m): [1.0, 1.0] for p in "pqr" for m in ("tournament", "lex")})
    rows["cpu_seconds"] = rows["problem"].map({"p": 1.0, "q": 5.0, "r": 100.0}) * rows["method"].map(
        {"tournament": 1.0, "lex": 0.4}
    )
    times = statistics.times(rows)
    assert times.loc["tournament", "total"] == 10
    assert times.loc["lex", "total"] == 4
    assert times["ratio"].to_dict() == {"tournament": 1.0, "lex": 0.4}


def test_times_of_a_cell_with_fewer_trials_are_scaled_up():
    rows = rows_of({("p", "tournament"): [1.0] * 4, ("p", "lex"): [1.0]})
    assert statistics.times(rows)["ratio"].to_dict() == {"tournament": 1.0, "lex": 1.0}


def test_median_interval():
    values = np.random.default_rng(1).normal(size=30)
    low, high = statistics.median_interval(values)
    assert values.min() <= low <= np.median(values) <= high <= values.max()
    assert (low, high) == statistics.median_interval(values)  # the same every time
    assert np.isnan(statistics.median_interval(values[:2])).all()


def test_median_interval_covers_as_it_says():
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(200):
        low, high = statistics.median_interval(rng.normal(size=15), resamples=400)
        hits += low <= 0 <= high
    assert 0.88 <= hits / 200 <= 0.99


def test_infinite_errors_rank_last():
    rows = rows_of({("p", "a"): [np.inf] * 5, ("p", "b"): [1.0, 2, 3, 4, 5], ("p", "c"): [0.1, 0.2, 0.3, 0.4, 0.5]})
    assert statistics.mean_ranks(statistics.medians(rows)).to_dict() == {"a": 3, "b": 2, "c": 1}
    statistics.pairwise(rows)


@pytest.mark.parametrize(("trials", "enough"), [(1, False), (6, False), (7, True), (30, True)])
def test_how_many_trials_the_papers_eight_methods_need(trials, enough):
    few = {("few", method.id): [1.0] * 2 for method in PAPER}
    rows = rows_of(few | {("p", method.id): [1.0] * trials for method in PAPER})
    assert statistics.can_be_significant(rows) == ["p"] * enough


@pytest.mark.parametrize(
    ("effect", "word"),
    [(0.5, "negligible"), (0.559, "negligible"), (0.56, "small"), (0.36, "medium"), (0.64, "medium"), (0.71, "large"),
     (0.29, "large"), (0.0, "large"), (np.nan, "")],
)  # fmt: skip
def test_words_for_effect_sizes(effect, word):
    assert statistics.magnitude(effect) == word


def test_ranks_leave_out_rebuilt_data_unless_there_is_nothing_else():
    medians = pd.DataFrame({"tower": [1.0, 2.0], "wind": [2.0, 1.0]}, index=["a", "b"])
    problems = pd.DataFrame({"rebuilt": [False, True]}, index=["tower", "wind"])
    assert statistics.rebuilt(problems) == {"wind"}
    assert statistics.rebuilt(problems.drop(columns="rebuilt")) == set()
    assert list(statistics.counted_medians(medians, {"wind"})) == ["tower"]
    assert list(statistics.counted_medians(medians[["wind"]], {"wind"})) == ["wind"]


# --- verdicts ---


def verdict_of(values: dict[str, list[float]], method: str, problem: str = "housing") -> str:
    cells = verdicts.cells(rows_of({(problem, name): errors for name, errors in values.items()}))
    return cells.set_index("method").loc[method, "verdict"]


def around(value: float, spread: float = 0.015) -> list[float]:
    return [value * (1 + spread * step) for step in np.linspace(-1, 1, 15)]


# Housing in the paper: tournament 0.408, random 0.469, lex 0.402 (no significant difference), lex_e_mad 0.309.


def test_reproduced_needs_the_whole_interval_within_a_tenth():
    assert verdict_of({"lex_e_mad": around(0.309)}, "lex_e_mad") == "reproduced"
    assert verdict_of({"lex_e_mad": around(0.335)}, "lex_e_mad") == "reproduced"
    for value, spread in ((0.339, 0.05), (0.279, 0.05), (0.309, 0.9)):
        verdict = verdict_of({"tournament": around(0.408), "lex_e_mad": around(value, spread)}, "lex_e_mad")
        assert verdict != "reproduced", value


@pytest.mark.parametrize("spread", [0.01, 0.1, 0.3, 0.6, 0.9])
def test_more_noise_never_makes_a_cell_reproduced(spread):
    """The published value lies in every one of these intervals; that alone is no success."""
    found = verdict_of({"tournament": around(0.408), "lex_e_mad": around(0.309, spread)}, "lex_e_mad")
    assert (found == "reproduced") == (spread <= 0.1)


def test_same_direction_is_an_interval_on_the_papers_side_of_tournament():
    assert verdict_of({"tournament": around(0.3), "lex_e_mad": around(0.2)}, "lex_e_mad") == "same direction"
    assert verdict_of({"tournament": around(0.2), "lex_e_mad": around(0.25)}, "lex_e_mad") == "differs"


def test_an_interval_across_tournaments_median_is_inconclusive():
    wide = {"tournament": around(0.2), "lex_e_mad": around(0.19, 0.8)}
    assert verdict_of(wide, "lex_e_mad") == "inconclusive"


def test_few_trials_are_inconclusive_however_near_they_are():
    assert verdict_of({"lex_e_mad": [0.309, 0.309, 0.309, 0.309]}, "lex_e_mad") == "inconclusive"


def test_what_cannot_be_judged():
    assert verdict_of({"lex_e_mad": around(0.2)}, "lex_e_mad") == "not judged"  # no tournament to hold it against
    assert verdict_of({"tournament": around(0.2), "my.own:select": around(0.2)}, "my.own:select") == "not judged"


def test_tournament_is_held_against_random():
    assert verdict_of({"tournament": around(0.2), "random": around(0.3)}, "tournament") == "same direction"
    assert verdict_of({"tournament": around(0.3), "random": around(0.2)}, "tournament") == "differs"


def test_no_difference_here_and_there_is_the_same_direction():
    worse_but_not_significantly = {"tournament": around(0.2), "lex": around(0.2001)}
    assert verdict_of(worse_but_not_significantly, "lex") == "same direction"
    assert verdict_of({"tournament": around(0.2), "lex": around(0.25)}, "lex") == "differs"


def test_cells_carry_effect_words_and_the_mark_of_rebuilt_data():
    rows = rows_of({(p, m): around(v) for p in ("tower", "wind") for m, v in (("tournament", 0.4), ("lex", 0.3))})
    cells = verdicts.cells(rows, {"wind"}).set_index(["problem", "method"])
    assert cells.loc[("tower", "lex"), "magnitude"] == "large"
    assert cells.loc[("tower", "tournament"), "magnitude"] == ""
    assert cells["rebuilt"].groupby("problem").all().to_dict() == {"tower": False, "wind": True}
