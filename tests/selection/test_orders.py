"""Orders of cases, mates and clusters: what the paper's discussion leaves to be tried."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from epsilex import selection
from epsilex.selection import Address, Measures
from epsilex.selection.clusters import derived_errors, labels
from epsilex.selection.lexicase import _orders, _static
from epsilex.selection.mating import overlap, paired

SIMILAR = {"mating": "similar"}
EVERYONE = (0, 0)  # no pool size, no neighbourhood


def some_errors(seed=0, n=80, cases=30):
    rng = np.random.default_rng(seed)
    return (rng.random((n, 1)) * rng.random((n, cases))).astype(np.float32)


def mads(errors):
    return np.array([naive.mad(column) for column in errors.T])


def events(id, errors, n=200, **options):
    """Parents, cases used, and the orders of all cases of each event."""
    measures, address = Measures.of(errors), Address(7, 2)
    found = selection.method(id).parents(measures, n, address, **options)
    cases = errors.shape[1]
    used = np.rint(found.cases_used * cases).astype(np.int64)
    limits = (options.get("pool_size", 0), options.get("neighbourhood", 0))
    pools = ((np.arange(len(errors)), len(errors)), limits)
    return found.parents, used, _orders(pools, np.empty(0), cases, used, cases, address)


@pytest.mark.parametrize("options", [{}, {"pool_size": 10}, {"neighbourhood": 5}])
def test_an_order_is_of_distinct_cases_as_many_as_were_used(options):
    _, used, orders = events("lex_e_mad", some_errors(), **options)
    assert ((orders >= 0).sum(axis=1) == used).all()
    for order, n in zip(orders, used, strict=True):
        assert len(set(order[:n])) == n
    assert len({tuple(order[:2]) for order in orders if order[1] >= 0}) > 50  # not all alike


def test_a_parent_of_plain_lexicase_is_elite_on_the_first_case_that_chose_it():
    errors = np.round(some_errors(1), 2)
    parents, used, orders = events("lex", errors)
    assert (used > 1).any()
    assert (errors[parents, orders[:, 0]] == errors[:, orders[:, 0]].min(axis=0)).all()


@pytest.mark.parametrize("id", ["lex_e", "lex_y", "lex_e_mad", "lex_y_mad"])
def test_a_parent_of_a_static_rule_passes_the_first_case_that_anyone_passes(id):
    errors = some_errors(2)
    parents, used, orders = events(id, errors)
    best, mad = errors.min(axis=0), mads(errors)
    limit = {"lex_y": 0.1 + 0 * best, "lex_e": 6 * best, "lex_y_mad": mad, "lex_e_mad": best + mad}[id]
    passes = errors <= limit.astype(np.float32)
    for parent, n, order in zip(parents, used, orders, strict=True):
        first = next((t for t in order[:n] if passes[:, t].any()), None)
        assert first is None or passes[parent, first]


def test_replaying_an_event_case_by_case_gives_its_parent():
    """The whole event by hand: the pool, filtered by the cases of its order, ends with the parent in it."""
    errors = some_errors(3)
    parents, used, orders = events("lex_e_mad", errors)
    passes = errors <= (errors.min(axis=0) + mads(errors)).astype(np.float32)
    for parent, n, order in zip(parents, used, orders, strict=True):
        pool = np.ones(len(errors), bool)
        for place, t in enumerate(order[:n]):
            assert pool.sum() > 1, "a case was used after the parent was found"
            pool = pool & passes[:, t] if (pool & passes[:, t]).any() else pool
            assert pool[parent], place
        assert pool.sum() == 1 or n == errors.shape[1]


class TestMating:
    def test_overlap_by_hand(self):
        orders = np.array([[0, 1, -1], [1, 2, 0], [3, -1, -1]])
        shared = overlap(orders, 4)
        assert shared[0, 1] == pytest.approx(0.9**0 * 0.9**2 + 0.9**1 * 0.9**0)
        assert shared[0, 2] == 0
        assert (shared == shared.T).all()

    @pytest.mark.parametrize("kind", ["similar", "different"])
    @pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
    def test_everyone_mates_once(self, kind, n):
        rng = np.random.default_rng(n)
        orders = rng.integers(-1, 12, (n, 4))
        assert sorted(paired(rng.integers(0, 9, n), orders, 12, kind)) == list(range(n))

    def test_similar_mates_share_more_cases_than_different_ones(self):
        errors = some_errors(5, n=200, cases=60)
        share = {}
        for kind in ("random", "similar", "different"):
            parents, _, orders = events("lex_e_mad", errors, mating="random")
            mates = np.arange(200) if kind == "random" else paired(parents, orders[:, :16], 60, kind)
            pairs = overlap(orders[:, :16], 60)[mates[::2], mates[1::2]]
            share[kind] = pairs.mean()
        assert share["similar"] > 2 * share["random"] > 2 * share["different"]

    def test_nobody_mates_with_itself_where_others_are_left(self):
        parents = np.array([0, 0, 1, 1])
        orders = np.zeros((4, 1), np.int64)  # all chosen by the same case
        mates = parents[paired(parents, orders, 1, "similar")]
        assert mates[0] != mates[1]
        assert mates[2] != mates[3]

    @pytest.mark.parametrize("id", ["lex_e_mad", "lex_semi"])
    def test_the_same_parents_in_another_order(self, id):
        errors = some_errors(6)
        found = {
            k: selection.select(id, errors, 100, np.random.default_rng(0), mating=k) for k in ("random", "similar")
        }
        assert sorted(found["random"]) == sorted(found["similar"])
        assert (found["random"] != found["similar"]).any()


class TestClusters:
    def test_cases_passed_by_the_same_individuals_are_one_cluster(self):
        rng = np.random.default_rng(0)
        groups = np.repeat([0, 1, 2], 20)
        passes = rng.random((3, 500))[groups] < 0.5
        found = labels(passes, 3, np.random.default_rng(1))
        assert set(found) <= {0, 1, 2}
        for group in range(3):
            assert len(set(found[groups == group])) == 1

    def test_as_many_clusters_as_cases_are_the_cases(self):
        assert labels(np.ones((4, 9), bool), 4, np.random.default_rng(0)).tolist() == [0, 1, 2, 3]
        errors = some_errors(cases=6)
        same = selection.select("lex_e_mad", errors, 50, np.random.default_rng(3), clusters=6)
        assert (same == selection.select("lex_e_mad", errors, 50, np.random.default_rng(3))).all()

    def test_identical_cases_are_no_trouble(self):
        errors = np.repeat(some_errors(cases=1), 8, axis=1)
        assert selection.select("lex", errors, 20, np.random.default_rng(0), clusters=3).shape == (20,)

    def test_derived_errors_are_means(self):
        errors = np.array([[1.0, 2.0, 6.0], [np.inf, 0.0, 1.0]])
        assert derived_errors(errors, np.array([0, 1, 0])).tolist() == [[3.5, 2.0], [np.inf, 0.0]]


def test_easy_cases_are_drawn_first_by_easiness_and_hard_ones_by_difficulty():
    errors = np.ones((50, 20), np.float32)
    errors[:, :10] = 0.0  # everyone passes
    errors[0, 10:] = 0.0  # only the first passes
    pools = ((np.arange(50), 50), EVERYONE)
    first = {}
    for order in ("difficulty", "easiness"):
        from epsilex.selection.lexicase import Rule

        chosen, used, cumulative = _static(
            errors, np.arange(50), np.arange(20), Rule(scale=0.0, best=None, epsilon=0.1), order, pools, 300,
            Address(0, 0), 1,
        )  # fmt: skip
        orders = _orders(pools, cumulative, 20, used, 1, Address(0, 0))
        first[order] = (orders[:, 0] < 10).mean()
        assert (chosen == 0).all()
    assert first["difficulty"] < 0.15
    assert first["easiness"] > 0.85


class TestOwn:
    def test_a_function_may_ask_for_more_and_tell_cases_used(self):
        seen = {}

        def mine(errors, n, rng, *, fitness, age, length, generation, address, n_jobs, k=2):
            seen.update(fitness=fitness, age=age, length=length, generation=generation, address=address, k=k)
            return np.full(n, np.argmin(fitness)), np.full(n, 0.5)

        errors = some_errors()
        method = selection.method(mine)
        assert method.options == ("k",)
        found = method.parents(Measures.of(errors, age=np.arange(80)), 5, Address(1, 9), k=3)
        assert found.cases_used.tolist() == [0.5] * 5
        assert (seen["generation"], seen["k"], seen["address"]) == (9, 3, Address(1, 9))
        assert seen["age"].tolist() == list(range(80))
        selection.check_contract(mine)

    def test_a_method_of_its_own_may_bring_survival(self):
        def survive(measures, n, address):
            return np.argsort(measures.fitness, kind="stable")[:n]

        mine = selection.Method("mine", "Mine", selection.method("tournament").parents, survive)
        selection.check_contract(mine)
        assert selection.method(mine) is mine

    @pytest.mark.parametrize(
        ("mine", "message"),
        [
            (lambda errors, n, rng: np.full(n, len(errors)), "expected .* indices below"),
            (lambda errors, n, rng: np.zeros(n + 1, int), "expected .* indices below"),
            (lambda errors, n, rng: (np.zeros(n, int), np.full(n, 2.0)), "expected .* shares of the cases"),
        ],
    )
    def test_what_makes_no_sense_is_named(self, mine, message):
        with pytest.raises(ValueError, match=message):
            selection.select(mine, some_errors(), 3, np.random.default_rng(0))

    def test_the_contract_finds_what_is_wrong(self):
        def changes(errors, n, rng):
            errors[0] = 0.0
            return rng.integers(len(errors), size=n)

        def forgets(errors, n, rng):
            return np.random.default_rng().integers(len(errors), size=n)

        with pytest.raises(AssertionError, match="to be left alone"):
            selection.check_contract(changes)
        with pytest.raises(AssertionError, match="the same parents again"):
            selection.check_contract(forgets)
        bad = selection.Method(
            "bad", "", selection.method("random").parents, lambda measures, n, address: np.zeros(n, int)
        )
        with pytest.raises(AssertionError, match="distinct indices"):
            selection.check_contract(bad)


@pytest.mark.parametrize("id", selection.METHODS)
def test_every_method_keeps_the_contract(id):
    selection.check_contract(id)


@pytest.mark.parametrize(
    "options", [{"clusters": 4}, {"mating": "similar"}, {"mating": "different"}, {"case_order": "easiness"}]
)
@pytest.mark.parametrize("id", ["lex", "lex_e_mad", "lex_semi"])
def test_lexicase_keeps_the_contract_with_options(id, options):
    selection.check_contract(id, **options)


@pytest.mark.parametrize(("name", "value"), [("clusters", 0), ("clusters", 1.5), ("mating", "often"), ("mating", None)])
def test_bad_options_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name}: expected"):
        selection.select("lex", some_errors(), 3, np.random.default_rng(0), **{name: value})
