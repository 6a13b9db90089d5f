"""The contract every selection method keeps, and the lexicase rules against the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from epsilex import selection
from epsilex.selection import Address, Measures

LEXICASE = tuple(naive.RULES)


def a_population(seed=0, n=60, cases=20, kind=np.float32):
    rng = np.random.default_rng(seed)
    return (rng.random((n, 1)) * rng.random((n, cases))).astype(kind)


def select(id, errors, n=40, seed=3, **options):
    return selection.select(id, errors, n, np.random.default_rng(seed), **options)


@pytest.mark.parametrize("id", selection.METHODS)
class TestContract:
    """What holds for every registered method; a new one is tested without anyone remembering."""

    def test_indices_are_valid(self, id):
        parents = select(id, a_population(), 41)
        assert parents.shape == (41,)
        assert parents.dtype.kind == "i"
        assert 0 <= parents.min() <= parents.max() < 60

    def test_same_seed_same_parents(self, id):
        errors = a_population()
        assert (select(id, errors, seed=5) == select(id, errors, seed=5)).all()
        assert (select(id, errors, 200, seed=5) != select(id, errors, 200, seed=6)).any()

    @pytest.mark.parametrize("n_jobs", [2, 8])
    def test_number_of_threads_does_not_matter(self, id, n_jobs):
        errors = a_population(n=300, cases=50)
        assert (select(id, errors, 300, n_jobs=n_jobs) == select(id, errors, 300)).all()

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_non_finite_errors_never_beat_finite_ones(self, id, bad):
        errors = a_population()
        errors[::2] = bad
        broken = select(id, errors, 200) % 2 == 0
        if id in ("random", "afp"):  # they look at nothing
            assert 60 < broken.sum() < 140
        else:
            assert not broken.any()

    def test_nobody_finite(self, id):
        parents = select(id, np.full((5, 4), np.nan), 100)
        assert set(parents) == set(range(5))

    def test_one_individual(self, id):
        assert (select(id, a_population(n=1)) == 0).all()

    def test_one_case(self, id):
        assert select(id, a_population(cases=1)).shape == (40,)

    def test_identical_individuals_are_chosen_alike(self, id):
        parents = select(id, np.ones((4, 6), np.float32), 4000)
        assert np.bincount(parents, minlength=4) == pytest.approx([1000] * 4, abs=150)

    def test_mad_of_zero(self, id):
        errors = np.ones((7, 5), np.float32)
        errors[3] = 0.5  # more than half are equal, so the deviation is 0 and only the best pass
        parents = select(id, errors, 50)
        if id in ("lex", "lex_e_mad", "lex_semi", "lex_dynamic"):
            assert (parents == 3).all()

    def test_best_error_of_zero(self, id):
        errors = a_population()
        errors[7] = 0.0
        parents = select(id, errors, 50)
        if id in ("lex", "lex_e"):
            assert (parents == 7).all()

    def test_nobody_passes(self, id):
        errors = 10.0 + a_population()
        parents = select(id, errors, 3000)
        if id == "lex_y":
            assert len(set(parents)) == 60

    def test_no_parents_wanted(self, id):
        assert select(id, a_population(), 0).shape == (0,)

    def test_errors_are_not_changed(self, id):
        errors = a_population()
        before = errors.copy()
        select(id, errors)
        assert (errors == before).all()

    def test_unknown_option(self, id):
        with pytest.raises(ValueError, match="options of"):
            select(id, a_population(), colour="blue")


@pytest.mark.parametrize("id", LEXICASE)
class TestAgainstTheOracle:
    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    @pytest.mark.parametrize("seed", range(4))
    def test_same_draws_same_parents(self, id, kind, seed):
        errors = a_population(seed, n=70 + 61 * seed, cases=33, kind=kind)
        if seed == 1:
            errors = np.round(errors, 1).astype(kind)  # ties
        if seed == 2:
            errors[5:20, 3] = np.nan
            errors[30:40, :] = np.inf
            errors[:, 7] = np.nan  # a case without any finite error
        if seed == 3:
            errors[100:200] = errors[:100]  # identical individuals
        with np.errstate(over="ignore", invalid="ignore"):
            fitness = errors.mean(axis=1, dtype=np.float64)
        got = selection.method(id).parents(Measures.of(errors, fitness), 150, Address(11, 4))
        parents, used = naive.select(id, errors, 150, 11, 4)
        assert (got.parents == parents).all()
        assert (np.rint(got.cases_used * errors.shape[1]) == used).all()

    @settings(deadline=None, max_examples=60)
    @given(data=st.data())
    def test_small_matrices(self, id, data):
        n, cases = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 5))
        value = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0, float("nan"), float("inf")])
        errors = np.array(data.draw(st.lists(st.lists(value, min_size=cases, max_size=cases), min_size=n, max_size=n)))
        with np.errstate(over="ignore", invalid="ignore"):
            fitness = errors.mean(axis=1)
        got = selection.method(id).parents(Measures.of(errors, fitness), 20, Address(1, 0))
        assert (got.parents == naive.select(id, errors, 20, 1)[0]).all()

    def test_probabilities(self, id):
        errors = np.round(np.random.default_rng(8).random((5, 5)) * 0.4, 2).astype(np.float32)
        exact = naive.probabilities(id, errors)
        n = 40_000
        observed = np.bincount(select(id, errors, n), minlength=5) / n
        assert exact.sum() == pytest.approx(1.0)
        assert observed == pytest.approx(exact, abs=5 * np.sqrt(0.25 / n))


class TestOptions:
    def test_pool_of_one_is_random_selection(self):
        errors = a_population(n=10)
        counts = np.bincount(select("lex_e_mad", errors, 10_000, pool_size=1), minlength=10)
        assert counts == pytest.approx([1000] * 10, abs=160)

    def test_small_pool_relaxes_the_pressure(self):
        errors = a_population(n=100)
        errors[42] = 0.0
        share = (select("lex", errors, 2000, pool_size=10) == 42).mean()
        assert share == pytest.approx(0.1, abs=0.035)

    def test_neighbourhood_keeps_to_the_ring(self):
        errors = a_population(n=100)
        parents = select("lex_e_mad", errors, 100, neighbourhood=3)
        distance = np.abs(parents - np.arange(100))
        assert (np.minimum(distance, 100 - distance) <= 3).all()

    def test_difficult_cases_come_first(self):
        errors = np.zeros((50, 30), np.float32)
        errors[1:, 5] = 1.0  # only individual 0 passes case 5, everyone passes the others
        easy = (select("lex_y", errors, 3000, case_order="uniform") == 0).mean()
        assert easy == pytest.approx(1.0)  # it is reached in any order, being the only one that removes anybody
        used_uniform = selection.method("lex_y").parents(Measures.of(errors), 500, Address(0, 0)).cases_used
        used_weighted = (
            selection.method("lex_y")
            .parents(Measures.of(errors), 500, Address(0, 0), case_order="difficulty")
            .cases_used
        )
        assert used_weighted.mean() < 0.6 * used_uniform.mean()

    def test_weighted_order_draws_every_case_once(self):
        errors = np.tile(np.arange(3, dtype=np.float32), (2, 1))
        used = (
            selection.method("lex_y")
            .parents(Measures.of(errors), 50, Address(0, 0), case_order="difficulty")
            .cases_used
        )
        assert (used == 1.0).all()

    def test_downsample_uses_only_a_share_of_the_cases(self):
        errors = np.ones((2, 100), np.float32)
        errors[0, :50] = 0.0
        errors[1, 50:] = 0.0
        first = {tuple(select("lex", errors, 20, seed=s, downsample=1)) for s in range(20)}
        assert all(len(set(parents)) == 1 for parents in first)  # one case decides all events of a selection
        assert len(first) == 2

    def test_epsilon(self):
        errors = np.array([[0.0], [0.3], [0.6]], np.float32)
        assert set(select("lex_y", errors, 200, epsilon=0.4)) == {0, 1}
        assert set(select("lex_e", errors + 1, 200, epsilon=0.35)) == {0, 1}

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            ({"epsilon": -1.0}, "epsilon"),
            ({"epsilon": np.nan}, "epsilon"),
            ({"pool_size": 0}, "pool_size"),
            ({"neighbourhood": 0}, "neighbourhood"),
            ({"case_order": "sorted"}, "case_order"),
            ({"downsample": 0}, "downsample"),
            ({"downsample": np.nan}, "downsample"),
        ],
    )
    def test_bad_options(self, options, named):
        with pytest.raises(ValueError, match=named):
            select("lex_y", a_population(), **options)


class TestTournament:
    def test_the_fitter_of_two(self):
        errors = np.arange(10, dtype=np.float32).reshape(10, 1)
        counts = np.bincount(select("tournament", errors, 100_000), minlength=10) / 100_000
        expected = [(2 * (9 - i) + 1) / 100 for i in range(10)]
        assert counts == pytest.approx(expected, abs=0.006)

    def test_size(self):
        errors = np.arange(10, dtype=np.float32).reshape(10, 1)
        assert (select("tournament", errors, 50, tournament_size=200) == 0).all()
        with pytest.raises(ValueError, match="tournament_size"):
            select("tournament", errors, tournament_size=0)


class TestOwnMethod:
    def test_a_function(self):
        assert (select(lambda errors, n, rng: np.zeros(n, int), a_population()) == 0).all()

    @pytest.mark.parametrize("answer", [[0.5], [60], [-1], [1, 2]])
    def test_bad_answers(self, answer):
        with pytest.raises(ValueError, match="indices"):
            select(lambda errors, n, rng: np.array(answer), a_population(), 1)


@pytest.mark.parametrize(
    ("errors", "n", "named"),
    [
        (np.zeros(3), 1, "errors"),
        (np.zeros((0, 3)), 1, "errors"),
        (np.array([["a"]]), 1, "errors"),
        (np.zeros((2, 2)), -1, "n:"),
    ],
)
def test_bad_input(errors, n, named):
    with pytest.raises(ValueError, match=named):
        select("lex", errors, n)


def test_bad_ids_and_generators():
    with pytest.raises(ValueError, match="selection: expected one of random"):
        select("lexicase", a_population())
    with pytest.raises(ValueError, match="rng"):
        selection.select("lex", a_population(), 1, 7)
