"""The selection methods of the related work and since: each against its oracle, its probabilities, its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_selection as oracle
from epsilex import selection
from epsilex.selection import Address, Measures, bts, cosolvability, doc, fronts, ifs, novelty, nsga2, plexicase, spea2
from epsilex.selection import dalex as dalex_room
from epsilex.selection.rules import solved
from epsilex.selection.sampling import farthest_first

N = 30_000  # draws for probabilities
NEAR = 5 * np.sqrt(0.25 / N)
SPLITS = ("mvt", "mvt_semi", "mvt_dynamic")
FILTERS = (*naive.RULES, *SPLITS)


def some_errors(seed=0, n=60, cases=20, kind=np.float32, ties=False):
    rng = np.random.default_rng(seed)
    errors = rng.random((n, 1)) * rng.random((n, cases))
    return (np.round(errors, 1) if ties else errors).astype(kind)


def small(seed=8):
    return np.round(np.random.default_rng(seed).random((5, 5)) * 0.4, 2).astype(np.float32)


def chosen(id, errors, n=300, seed=11, generation=4, length=None, memory=None, **options):
    measures = Measures.of(errors, length=length, memory=memory)
    return selection.method(id).parents(measures, n, Address(seed, generation), **options)


def shares(id, errors, **options):
    found = chosen(id, errors, N, **options).parents
    return np.bincount(found, minlength=len(errors)) / N


class TestSplits:
    @pytest.mark.parametrize("id", SPLITS)
    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    @pytest.mark.parametrize("seed", range(3))
    def test_same_draws_same_parents(self, id, kind, seed):
        errors = some_errors(seed, n=40, cases=23, kind=kind, ties=seed == 1)
        if seed == 2:
            errors[5:20, 3] = np.nan
            errors[30:35] = np.inf
            errors[:, 7] = np.nan
        found = chosen(id, errors, 25)
        parents, used = oracle.select(id, errors, 25, 11, 4)
        assert (found.parents == parents).all()
        assert (np.rint(found.cases_used * 23) == used).all()

    @pytest.mark.parametrize("id", SPLITS)
    def test_probabilities(self, id):
        np.testing.assert_allclose(shares(id, small()), oracle.probabilities(id, small()), atol=NEAR)

    @pytest.mark.parametrize("id", SPLITS)
    def test_two_clear_groups_are_split_between_them(self, id):
        errors = np.concatenate([np.linspace(0.0, 0.1, 5), np.linspace(5.0, 5.1, 20)])[:, None]
        assert set(chosen(id, errors, 500).parents) == set(range(5))

    @settings(deadline=None, max_examples=80)
    @given(st.lists(st.floats(0.0, 2.0**99, width=32), min_size=1, max_size=12))
    def test_the_cut_is_one_of_least_variance(self, values):
        from epsilex.kernels.splitting import split_limits

        limit = np.empty(1)
        split_limits(np.sort([values]), limit)
        at = limit[0]
        assert at in values

        def within(cut):
            groups = [[v for v in values if v <= cut], [v for v in values if v > cut]]
            return sum(float(np.var(g)) * len(g) for g in groups if g)

        if min(values) < max(values):
            assert at < max(values)
            best = min(within(cut) for cut in set(values) - {max(values)})
            assert within(at) <= best * (1 + 1e-6) + 1e-9 * max(values) ** 2


class TestEnds:
    @pytest.mark.parametrize("id", ["lex", "lex_e_mad", "lex_semi", "mvt"])
    def test_an_event_uses_no_more_cases_than_it_may(self, id):
        errors = some_errors(3, ties=True)
        found = chosen(id, errors, 200, truncate=0.1)
        parents, used = oracle.select(id, errors, 200, 11, 4, most=[2] * 200)
        assert (found.parents == parents).all()
        assert (np.rint(found.cases_used * 20) == used).all()

    @pytest.mark.parametrize("after", [1, 2, 4])
    def test_truncated_probabilities(self, after):
        exact = oracle.probabilities("lex_e_mad", small(), after)
        np.testing.assert_allclose(shares("truncated", small(), truncate=after / 5), exact, atol=NEAR)

    def test_randomly_truncated_is_a_mixture(self):
        exact = np.mean([oracle.probabilities("lex_e_mad", small(), after) for after in range(1, 6)], axis=0)
        np.testing.assert_allclose(shares("truncated", small(), truncate="random"), exact, atol=NEAR)

    def test_toggled_cases_are_a_binomial_number_of_them(self):
        weight = [np.prod(range(5, 5 - k, -1)) / np.prod(range(1, k + 1)) * 0.3**k * 0.7 ** (5 - k) for k in range(6)]
        exact = sum(w * oracle.probabilities("lex_e_mad", small(), k) for k, w in enumerate(weight))
        np.testing.assert_allclose(shares("toggle", small(), toggle=0.3), exact, atol=NEAR)

    def test_slippage(self):
        exact = sum(0.2 * 0.8**k * oracle.probabilities("lex_e_mad", small(), k) for k in range(5))
        exact = exact + 0.8**5 * oracle.probabilities("lex_e_mad", small(), 5)
        np.testing.assert_allclose(shares("leaky", small(), slip=0.2), exact, atol=NEAR)

    @pytest.mark.parametrize("options", [{"truncate": 1.0}, {"toggle": 1.0}, {"slip": 0.0}])
    def test_all_cases_are_the_rule_itself(self, options):
        plain = chosen("lex_e_mad", some_errors())
        found = chosen("lex_e_mad", some_errors(), **options)
        assert (found.parents == plain.parents).all()
        assert (found.cases_used == plain.cases_used).all()

    @pytest.mark.parametrize("options", [{"toggle": 0.0}, {"slip": 1.0}])
    def test_no_case_is_a_random_choice(self, options):
        np.testing.assert_allclose(shares("lex", small(), **options), 0.2, atol=NEAR)


class TestBatches:
    @pytest.mark.parametrize("id", FILTERS)
    def test_a_batch_of_one_is_the_rule_itself(self, id):
        for seed in range(2):
            errors = some_errors(seed, ties=seed == 1)
            errors[3:9, 5] = np.nan
            errors[20:24] = np.inf
            plain, found = chosen(id, errors), chosen(id, errors, batch=1)
            assert (found.parents == plain.parents).all()
            assert (found.cases_used == plain.cases_used).all()

    @pytest.mark.parametrize("id", FILTERS)
    @pytest.mark.parametrize("size", [3, 20, 50])
    def test_same_draws_same_parents(self, id, size):
        errors = some_errors(5, n=40, kind=np.float64)
        errors[4, 3] = np.nan
        found = chosen(id, errors, 30, batch=size)
        parents, used = oracle.select(id, errors, 30, 11, 4, batch=min(size, 20))
        assert (found.parents == parents).all()
        assert (np.rint(found.cases_used * 20) == used).all()

    def test_a_batch_of_all_cases_takes_the_fittest(self):
        errors = some_errors(kind=np.float64)
        assert (chosen("lex", errors, batch=20).parents == errors.mean(axis=1).argmin()).all()


class TestComplexity:
    def test_the_shortest_of_the_last_survivors(self):
        errors, length = some_errors(2, ties=True), np.random.default_rng(0).integers(1, 5, 60)
        for id in ("lex_y", "lex_e_mad", "lex_semi"):
            found = chosen(id, errors, length=length, complexity="last")
            assert (found.parents == oracle.select(id, errors, 300, 11, 4, length=length)[0]).all()
        default = chosen("lexi2", errors, length=length).parents
        assert (default == chosen("lex_e_mad", errors, length=length, complexity="last").parents).all()

    @pytest.mark.parametrize("place", ["shuffled", "first"])
    def test_length_as_a_case(self, place):
        errors, length = some_errors(2), np.random.default_rng(0).integers(1, 30, 60)
        longer = np.column_stack([errors, length.astype(np.float32)])
        for id in ("lex", "lex_e_mad", "lex_semi"):
            found = chosen(id, errors, length=length, complexity=place)
            expected = oracle.select(id, longer, 300, 11, 4, first=place == "first")[0]
            assert (found.parents == expected).all(), id

    def test_first_by_plain_lexicase_takes_only_the_shortest(self):
        length = np.arange(60) % 7 + 1
        found = chosen("lex", some_errors(), length=length, complexity="first")
        assert (length[found.parents] == 1).all()

    def test_length_decides_among_equal_errors(self):
        found = chosen("lexi2", np.ones((6, 4), np.float32), length=[4, 2, 3, 2, 9, 9])
        assert set(found.parents) == {1, 3}

    def test_double_lexicase_prefers_short_winners(self):
        exact = np.array([4.0, 1.0]) / 5.0  # weights max + min - length, both win alike
        found = shares("double", np.ones((2, 3), np.float32), length=[1, 4], winners=2)
        # both copies of two: a half of the draws has one of each
        np.testing.assert_allclose(found, 0.25 * np.array([1.0, 0.0]) + 0.25 * np.array([0.0, 1.0]) + 0.5 * exact,
                                   atol=NEAR)  # fmt: skip
        assert (
            chosen("double", some_errors(), winners=1).parents == chosen("lex_dynamic", some_errors()).parents
        ).all()


class TestSamples:
    @pytest.mark.parametrize("id", ["lex_e_mad", "lex_semi", "tournament", "dalex", "plexicase", "ifs", "bts"])
    @pytest.mark.parametrize("informed", [False, True])
    def test_all_cases_are_no_sample(self, id, informed):
        errors = some_errors()
        found = chosen(id, errors, downsample=20, informed=informed)
        assert (found.parents == chosen(id, errors).parents).all()

    def test_a_tournament_on_a_sample(self):
        errors = np.ones((2, 100), np.float32)
        errors[0, :50] = errors[1, 50:] = 0.0
        winners = set()
        for seed in range(20):
            found = chosen("tournament", errors, 20, seed=seed, downsample=1, tournament_size=20).parents
            assert len(set(found)) == 1  # one case decides
            winners.add(found[0])
        assert winners == {0, 1}

    def test_farthest_first(self):
        profiles = np.random.default_rng(1).integers(0, 2, (7, 3))
        found = {tuple(farthest_first(profiles, 3, np.random.default_rng(s))) for s in range(300)}
        allowed = set().union(*(oracle.farthest_first(profiles, first, 3) for first in range(7)))
        assert found == allowed

    def test_an_informed_sample_has_no_case_twice_while_others_differ(self):
        errors = np.repeat(np.eye(12), 5, axis=1)  # groups of five cases that the same individual solves
        for seed in range(5):
            sample = selection.sampling.drawn_cases(Measures.of(1 - errors), 12, True, Address(seed, 0))[0]
            assert len(set(sample // 5)) >= 10  # ten of twelve individuals are looked at

    def test_profiles_are_kept_for_ten_generations(self):
        errors, memory = some_errors(), {}
        for generation in range(12):
            found = chosen("lex_semi", errors * (1 + generation), generation=generation, memory=memory,
                           downsample=5, informed=True)  # fmt: skip
            anew = generation % 10 == 0
            assert (not memory or not np.array_equal(found.memory["profiles"], memory["profiles"])) == anew
            memory = dict(found.memory)

    def test_other_data_is_noticed(self):
        memory = dict(chosen("lex", some_errors(), downsample=5, informed=True, generation=3).memory)
        found = chosen("lex", some_errors(cases=9), downsample=5, informed=True, generation=4, memory=memory)
        assert found.memory["profiles"].shape[0] == 9


class TestCohorts:
    def test_one_cohort_is_everyone(self):
        assert (chosen("cohort", some_errors(), cohorts=1).parents == chosen("lex_e_mad", some_errors()).parents).all()

    def test_each_cohort_has_as_many_parents(self):
        errors = np.zeros((6, 6))
        np.testing.assert_allclose(shares("cohort", errors, cohorts=3), 1 / 6, atol=NEAR)

    def test_individuals_meet_only_their_cohort(self):
        errors = np.arange(6.0)[:, None] * np.ones((6, 6))  # individual 0 is best on all cases
        worst = [chosen("cohort", errors, 6, seed=s, cohorts=6).parents for s in range(20)]
        assert all(sorted(parents) == list(range(6)) for parents in worst)  # alone in its cohort, each is a parent
        two = np.bincount(np.concatenate([chosen("lex", errors, 6, seed=s, cohorts=2).parents for s in range(40)]))
        assert two[0] == 40 * 3

    def test_more_cohorts_than_cases_or_individuals(self):
        assert chosen("cohort", some_errors(cases=3), cohorts=50).parents.shape == (300,)


class TestComplementary:
    def test_mates_are_the_best_complements(self):
        errors = some_errors(4, n=12, cases=9, kind=np.float64)
        found = chosen("complementary", errors, 60).parents
        mothers = chosen("lex_e_mad", errors, 60).parents
        assert (found[::2] == mothers[::2]).all()
        for mother, father in found.reshape(-1, 2):
            assert father in oracle.complement(errors, mother)

    def test_specialists_complement_each_other(self):
        errors = np.array([[0.0, 0.0, 9.0], [9.0, 9.0, 0.0], [4.0, 4.0, 4.0]])
        pairs = chosen("complementary", errors, 100).parents.reshape(-1, 2)
        assert all(set(pair) == {0, 1} for pair in pairs if 2 not in pair[:1])


class TestAggregation:
    def test_dalex_with_a_large_particularity_is_lexicase(self):
        errors = np.random.default_rng(3).random((5, 5))
        np.testing.assert_allclose(shares("dalex", errors, particularity=300.0), naive.probabilities("lex", errors),
                                   atol=NEAR + 0.005)  # fmt: skip

    def test_dalex_without_particularity_takes_the_best_mean(self):
        errors = some_errors(kind=np.float64)
        best = dalex_room.standardised(errors).mean(axis=1).argmin()
        assert (chosen("dalex", errors, particularity=0.0).parents == best).all()

    @pytest.mark.parametrize("alpha", [0.0, 1.0, 2.5])
    @pytest.mark.parametrize("seed", range(4))
    def test_plexicase(self, alpha, seed):
        errors = some_errors(seed, n=14, cases=6, ties=True)
        exact = oracle.plexicase(oracle.passes(errors), alpha)
        elite = solved(Measures.of(errors))
        assert (elite.astype(bool) == oracle.passes(errors)).all()
        np.testing.assert_allclose(plexicase.probabilities(elite, alpha), exact, atol=1e-12)
        np.testing.assert_allclose(shares("plexicase", errors, alpha=alpha), exact, atol=NEAR)

    def test_plexicase_selects_only_whom_lexicase_can_select(self):
        errors = small(2)
        exact = naive.probabilities("lex_e_mad", errors)
        assert not shares("plexicase", errors)[exact == 0.0].any()


class TestTournaments:
    def test_shared_fitness(self):
        errors = some_errors(1, n=9, cases=7, ties=True)
        np.testing.assert_allclose(ifs.shared_fitness(errors), oracle.shared_fitness(errors), rtol=1e-12)
        exact = oracle.tournament(-ifs.shared_fitness(small()), 2)
        np.testing.assert_allclose(shares("ifs", small()), exact, atol=NEAR)

    def test_a_case_that_only_one_is_good_at_is_worth_more(self):
        errors = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
        assert ifs.shared_fitness(errors).argmax() == 3

    def test_pairs_of_cases(self):
        errors = some_errors(1, n=15, cases=8, ties=True)
        solves = solved(Measures.of(errors))
        np.testing.assert_allclose(cosolvability.pair_fitness(solves), oracle.pair_fitness(solves), rtol=1e-5)

    def test_hardness_remembers_the_last_population(self):
        errors = some_errors(6, n=8, cases=5, kind=np.float64)
        first = chosen("hardness", errors, N)
        np.testing.assert_allclose(np.bincount(first.parents, minlength=8) / N,
                                   oracle.tournament(errors.sum(axis=1), 2), atol=NEAR)  # fmt: skip
        rate = oracle.passes(errors).mean(axis=0)
        np.testing.assert_allclose(first.memory["solved"], rate)
        exact = oracle.tournament(errors[::-1] @ (1.01 - rate), 2)
        np.testing.assert_allclose(shares("hardness", errors[::-1], memory=dict(first.memory)), exact, atol=NEAR)

    def test_interleaved(self):
        errors = small().astype(np.float64)
        assert (chosen("interleaved", errors, generation=2).cases_used == 1.0).all()
        assert (chosen("interleaved", errors, generation=3).cases_used == 0.2).all()
        exact = np.mean([oracle.tournament(errors[:, t], 2) for t in range(5)], axis=0)
        found = [chosen("interleaved", errors, 50, seed=s, generation=1).parents for s in range(600)]
        np.testing.assert_allclose(np.bincount(np.concatenate(found), minlength=5) / N, exact, atol=0.03)
        assert (chosen("interleaved", errors, single=1.0).cases_used == 0.2).all()
        assert (chosen("interleaved", errors, single=0.0).cases_used == 1.0).all()

    def test_bts_is_a_tournament_on_each_batch(self):
        errors = some_errors(3, n=7, cases=6, kind=np.float64)
        order = np.argsort(-errors[errors.mean(axis=1).argmin()])
        found = chosen("bts", errors, 3 * 4000, batch=2, tournament_size=2).parents.reshape(-1, 3)
        for k in range(3):
            exact = oracle.tournament(errors[:, order[2 * k : 2 * k + 2]].mean(axis=1), 2)
            np.testing.assert_allclose(np.bincount(found[:, k], minlength=7) / 4000, exact, atol=0.04)

    def test_bts_on_one_batch_is_a_tournament(self):
        exact = oracle.tournament(small().astype(float).mean(axis=1), 3)
        for shuffle in (False, True):
            found = shares("bts", small(), batch=9, tournament_size=3, shuffle=shuffle)
            np.testing.assert_allclose(found, exact, atol=NEAR)
        means = bts.batch_means(np.arange(10.0).reshape(5, 2), np.array([4, 0, 1, 2, 3]), np.array([0, 2, 4]))
        assert means.tolist() == [[4.0, 5.0], [3.0, 4.0], [6.0, 7.0]]

    def test_novelty(self):
        bits = np.random.default_rng(0).integers(0, 2, (9, 6)).astype(np.float32)
        archive = np.random.default_rng(1).integers(0, 2, (4, 6)).astype(np.float32)
        for k in (1, 3, 50):
            np.testing.assert_allclose(novelty.mean_distance(bits, archive, k), oracle.novelty(bits, archive, k))

    def test_the_archive_of_novelty_grows_to_its_limit(self, monkeypatch):
        monkeypatch.setattr(novelty, "ARCHIVE", 4)
        memory = {}
        for generation in range(6):
            memory = dict(chosen("novelty", some_errors(generation), 5, generation=generation, memory=memory).memory)
            assert len(memory["archive"]) == min(generation + 1, 4)


class TestSubsets:
    def test_dss_draws_hard_and_old_cases(self):
        difficulty, age = np.array([0.0, 90.0, 0.0, 0.0]), np.array([1.0, 1.0, 4.0, 1.0])
        weight = difficulty + age**3.5
        rng = np.random.default_rng(0)
        drawn = np.mean([selection.dss.subset(difficulty, age, 1.0, rng) for _ in range(20_000)], axis=0)
        alone = np.prod(1 - weight / weight.sum())  # of an empty subset one case is taken
        assert (drawn >= weight / weight.sum() - 0.02).all()
        assert drawn.sum() == pytest.approx(1.0 + alone, abs=0.02)

    def test_dss_remembers(self):
        errors, memory = some_errors(cases=40), {}
        for generation in range(5):
            before = memory
            found = chosen("dss", errors, 10, generation=generation, memory=memory)
            memory = dict(found.memory)
            inside = memory["age"] == 1.0
            assert found.cases_used[0] == pytest.approx(inside.mean())
            if before:
                assert (memory["age"][~inside] == before["age"][~inside] + 1).all()
                assert (memory["difficulty"][~inside] == before["difficulty"][~inside]).all()
            expected = (~oracle.passes(errors)).sum(axis=0)
            assert (memory["difficulty"][inside] == expected[inside]).all()

    def test_predictors_learn_to_predict(self):
        rng = np.random.default_rng(0)
        # Of a hundred cases ten tell everything about the mean error, the others are noise.
        quality = rng.random((60, 1))
        errors = np.where(np.arange(100) < 10, 5 * quality, 5 * quality.mean() + rng.random((60, 100)))
        cases = rng.integers(100, size=(300, 8))
        by_chance = np.abs(errors[:, cases].mean(axis=2) - errors.mean(axis=1)[:, None]).mean()
        memory, wrong = {}, []
        for generation in range(60):
            found = chosen("predictors", errors, 60, generation=generation, memory=memory, cases=8)
            memory = dict(found.memory)
            best = memory["predictors"][0]
            wrong.append(np.abs(errors[:, best].mean(axis=1) - errors.mean(axis=1)).mean())
            assert memory["trainers"].shape == (min(generation + 1, 10), 100)
        assert np.mean(wrong[-10:]) < 0.7 * by_chance


class TestFronts:
    @pytest.mark.parametrize("n_objectives", [1, 2, 3, 6])
    @pytest.mark.parametrize("seed", range(3))
    def test_ranks_and_crowding(self, n_objectives, seed):
        values = np.random.default_rng(seed).integers(0, 6, (25, n_objectives)).astype(float)
        rank = fronts.ranks(values)
        assert rank.tolist() == oracle.fronts(values)
        np.testing.assert_allclose(fronts.crowding(values, rank), oracle.crowding(values, rank.tolist()))

    def test_more_objectives_than_individuals(self):
        values = np.random.default_rng(0).random((3, 9))
        assert fronts.ranks(values).tolist() == [0, 0, 0]
        assert chosen("nsga2", values, 30, cases=9).parents.shape == (30,)
        assert chosen("doc", values, 30, clusters=50).parents.shape == (30,)

    def test_tournaments_by_front_and_crowding(self):
        errors = np.array([[1.0], [2.0], [3.0], [3.0], [2.5]])
        length = [5, 3, 1, 6, 3]
        values = np.column_stack([errors[:, 0], length])
        rank = oracle.fronts(values)
        crowd = oracle.crowding(values, rank)
        exact = oracle.tournament([(r, -c) for r, c in zip(rank, crowd, strict=True)], 2)
        np.testing.assert_allclose(shares("nsga2", errors, length=length), exact, atol=NEAR)

    def test_doc_finds_the_groups(self):
        """Two groups of cases, each with its specialist: nobody else is on the front."""
        errors = np.full((20, 30), 5.0) + np.random.default_rng(0).random((20, 30))
        errors[0, :15] = errors[1, 15:] = 0.0
        errors[2:10, :15] -= 3.0
        errors[10:, 15:] -= 3.0
        found = shares("doc", errors, clusters=2)
        assert found[:2].sum() > 0.15  # of tournaments of two, each best is in a tenth
        assert doc.METHOD.options == ("clusters",)

    def test_clusters_of_identical_cases(self):
        errors = np.repeat(some_errors(cases=2), 10, axis=1)
        assert chosen("doc", errors, clusters=7).parents.shape == (300,)

    @pytest.mark.parametrize("seed", range(5))
    def test_nsga2_survival(self, seed):
        rng = np.random.default_rng(seed)
        fitness, length = rng.integers(0, 8, 24) / 8, rng.integers(1, 8, 24)
        seen = Measures.of(np.empty((24, 0), np.float32), fitness, length=length)
        values = np.column_stack([fitness, length])
        rank = oracle.fronts(values)
        crowd = oracle.crowding(values, rank)
        kept = nsga2.survive(seen, 10, Address(0, 0))
        order = sorted(range(24), key=lambda i: (rank[i], -crowd[i], i))
        assert kept.tolist() == order[:10]

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("n", [4, 9, 15])
    def test_spea2_survival(self, seed, n):
        rng = np.random.default_rng(seed)
        fitness, length = rng.integers(0, 9, 24) / 8, rng.integers(1, 12, 24)
        fitness[:2], length[:2] = (0.0, 1.0), (11, 1)
        seen = Measures.of(np.empty((24, 0), np.float32), fitness, length=length)
        points = spea2.scaled(np.column_stack([fitness, length]).astype(float))
        assert sorted(spea2.survive(seen, n, Address(0, 0)).tolist()) == oracle.spea2(points, n)

    def test_paretogp_keeps_its_archive_and_begins_cascades(self):
        rng = np.random.default_rng(0)
        fitness, length = rng.random(90), rng.integers(1, 9, 90)
        seen = Measures.of(np.empty((90, 0), np.float32), fitness, length=length)
        method = selection.method("paretogp")
        front = np.flatnonzero(np.array(oracle.fronts(np.column_stack([fitness, length]))) == 0)
        kept = method.survive(seen, 30, Address(0, 48))
        assert set(front) <= set(kept)
        assert (np.setdiff1d(kept, front) >= 30).all()  # children only
        assert method.newcomers(49, 30) == 30
        kept = method.survive(seen, 30, Address(0, 49))
        assert (np.setdiff1d(kept, front) >= 60).all()  # newcomers only

    def test_every_pair_of_paretogp_has_a_parent_from_the_front(self):
        errors, length = some_errors(kind=np.float64), np.random.default_rng(0).integers(1, 9, 60)
        front = np.flatnonzero(np.array(oracle.fronts(np.column_stack([errors.mean(axis=1), length]))) == 0)
        found = chosen("paretogp", errors, 100, length=length).parents
        assert set(found[::2]) == set(front)

    def test_alps_layers(self):
        from epsilex.selection import alps

        assert alps.layer_of(np.array([0, 10, 11, 20, 21, 40, 41, 90, 91, 900]), 5, 10).tolist() == [
            0, 0, 1, 1, 2, 2, 3, 3, 4, 4,
        ]  # fmt: skip
        age = np.repeat([0, 15, 30, 60, 200], 20)
        fitness = np.concatenate([np.linspace(k, k + 1, 20) for k in (9.0, 7.0, 5.0, 3.0, 1.0)])
        seen = Measures.of(np.empty((100, 0), np.float32), fitness, age)
        kept = alps.survive(seen, 50, Address(0, 0))
        assert np.bincount(alps.layer_of(age[kept], 5, 10)).tolist() == [10] * 5  # the young are not beaten by the old
        parents = (
            selection.method("alps")
            .parents(Measures.of(fitness[:, None], fitness, age), 200, Address(0, 0))
            .parents.reshape(-1, 2)
        )
        layer = alps.layer_of(age, 5, 10)[parents]
        assert (np.abs(layer[:, 0] - layer[:, 1]) <= 1).all()
        assert set(layer.ravel()) == set(range(5))


@pytest.mark.parametrize(
    ("id", "options", "named"),
    [
        ("lex", {"truncate": 1.5}, "truncate"),
        ("lex", {"truncate": "often"}, "truncate"),
        ("lex", {"toggle": -0.1}, "toggle"),
        ("lex", {"slip": np.nan}, "slip"),
        ("lex", {"batch": 0}, "batch"),
        ("lex", {"cohorts": 2.5}, "cohorts"),
        ("lex", {"complexity": "middle"}, "complexity"),
        ("lex", {"complexity": "first", "case_order": "difficulty"}, "case_order"),
        ("lex", {"informed": True}, "informed"),
        ("tournament", {"informed": 1, "downsample": 3}, "informed"),
        ("tournament", {"downsample": -1}, "downsample"),
        ("dalex", {"particularity": -1.0}, "particularity"),
        ("plexicase", {"alpha": np.inf}, "alpha"),
        ("bts", {"batch": 0}, "batch"),
        ("bts", {"shuffle": 2}, "shuffle"),
        ("double", {"winners": 0}, "winners"),
        ("ifs", {"tournament_size": 0}, "tournament_size"),
        ("dss", {"share": 2.0}, "share"),
        ("interleaved", {"single": 1.1}, "single"),
        ("predictors", {"cases": 0}, "cases"),
        ("novelty", {"neighbours": 0}, "neighbours"),
        ("doc", {"clusters": 0}, "clusters"),
        ("nsga2", {"cases": 0}, "cases"),
        ("spea2", {"cases": -1}, "cases"),
        ("alps", {"layers": 0}, "layers"),
        ("alps", {"age_gap": 0}, "age_gap"),
        ("paretogp", {"cascade": 0}, "cascade"),
    ],
)
def test_options_out_of_range_are_named(id, options, named):
    with pytest.raises(ValueError, match=f"{named}: expected"):
        chosen(id, some_errors(), 5, **options)


@pytest.mark.parametrize(
    ("id", "options"),
    [
        ("lex_semi", {"downsample": 0.3, "informed": True}),
        ("tournament", {"downsample": 0.3, "informed": True}),
        ("dalex", {"downsample": 0.5}),
        ("lex_e_mad", {"cohorts": 3, "batch": 2}),
        ("mvt_dynamic", {"case_order": "difficulty", "clusters": 4}),
        ("lex_semi", {"complexity": "shuffled", "truncate": "random", "mating": "complementary"}),
        ("lex", {"complexity": "first", "toggle": 0.5}),
        ("double", {"downsample": 5, "complexity": "last"}),
        ("bts", {"shuffle": True, "downsample": 0.5}),
        ("nsga2", {"cases": 3}),
        ("spea2", {"cases": 3}),
        ("interleaved", {"single": 0.5}),
        ("alps", {"layers": 1}),
        ("cohort", {"downsample": 0.5, "informed": True}),
    ],
)
def test_options_compose_within_the_contract(id, options):
    selection.check_contract(id, **options)


class TestMemory:
    def test_select_keeps_it_in_the_callers_dictionary(self):
        memory: dict = {}
        rng = np.random.default_rng(0)
        for _ in range(3):
            selection.select("hardness", some_errors(), 5, rng, memory=memory)
        assert set(memory) == {"solved"}
        selection.select("lex", some_errors(), 5, rng, memory=memory)
        assert memory == {}

    @pytest.mark.parametrize("id", selection.METHODS)
    def test_other_data_is_no_error(self, id):
        memory: dict = {}
        rng = np.random.default_rng(0)
        for shape in ((30, 8), (30, 5), (12, 8), (1, 1), (40, 9)):
            assert selection.select(id, rng.random(shape), 7, rng, memory=memory).shape == (7,)

    def test_a_function_of_ones_own(self):
        def turns(errors, n, rng, *, memory):
            memory["turn"] = memory.get("turn", np.array(0)) + 1
            return np.full(n, int(memory["turn"]) % len(errors))

        memory: dict = {}
        rng = np.random.default_rng(0)
        found = [selection.select(turns, some_errors(), 1, rng, memory=memory)[0] for _ in range(3)]
        assert found == [1, 2, 3]
        selection.check_contract(turns)

    def test_what_cannot_be_kept_is_named(self):
        def bad(errors, n, rng, *, memory):
            memory["names"] = np.array(["a"])
            return np.zeros(n, int)

        with pytest.raises(ValueError, match="in its memory; got 'names'"):
            selection.select(bad, some_errors(), 1, np.random.default_rng(0))

    def test_the_contract_finds_a_memory_that_is_changed(self):
        def parents(measures, n, address, n_jobs=1):
            if "count" in measures.memory:
                measures.memory["count"][0] += 1
            return selection.Selected(np.zeros(n, int), np.zeros(n), {"count": np.zeros(1)})

        with pytest.raises(AssertionError, match="expected the memory it was given to be left alone"):
            selection.check_contract(selection.Method("bad", "", parents))
