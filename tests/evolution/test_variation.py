"""Random start, crossover and mutation: well-formed programs within the limits, and children of the right parents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilex import programs
from epsilex.evolution import Settings
from epsilex.evolution.settings import MUTATIONS
from epsilex.evolution.survival.age_fitness import age_of_children
from epsilex.evolution.variation import pairs
from epsilex.evolution.variation.start import start
from epsilex.programs import Programs
from epsilex.programs.operators import BUILT_IN_NAMES, CONSTANT, FEATURE, lookup, opcode, opcodes

OPERATORS = st.lists(st.sampled_from(BUILT_IN_NAMES), min_size=1, max_size=8)


def is_clean(p):
    """Places that are not in use are zero, so that equal programs are equal arrays."""
    rest = np.arange(p.width) >= p.length[:, None]
    return not (p.opcode[rest].any() or p.feature[rest].any() or p.constant[rest].any())


def only(p, names):
    used = np.arange(p.width) < p.length[:, None]
    return set(p.opcode[used]) <= {CONSTANT, FEATURE, *opcodes(names)}


def possible(length, names):
    """Whether operators of these arities can make a program of this length."""
    arities = {lookup(opcode(name)).arity for name in names}
    return 1 in arities or length % 2 == 1


@st.composite
def some_settings(draw):
    names = draw(OPERATORS)
    low = draw(st.integers(1, 30))
    high = low + draw(st.integers(0, 30))
    if not any(possible(n, names) for n in range(low, high + 1)):
        high += 1
    weights = {name: 1.0 for name in draw(st.sets(st.sampled_from(MUTATIONS), min_size=1))}
    return Settings(
        operators=names, min_length=low, max_length=high, mutations=weights,
        crossover=draw(st.sampled_from([0.0, 0.5, 1.0])), point_rate=draw(st.sampled_from([0.0, 0.2, 1.0])),
        retries=draw(st.integers(0, 3)), subtree_size=draw(st.integers(1, 40)),
        coefficients=draw(st.booleans()), constant_share=draw(st.sampled_from([0.0, 0.3, 1.0])),
        seed=draw(st.integers(0, 2**31)),
    )  # fmt: skip


def children_of(p, s, n_features, parents=None, fitness=None, generation=0, n_jobs=1, limit=None):
    fitness = np.arange(len(p), dtype=float) if fitness is None else fitness
    parents = np.arange(len(p)) if parents is None else parents
    offspring = pairs.children_of(p, fitness, parents, s, n_features, generation, n_jobs, limit)
    return offspring.programs, offspring.origin


def mates_of(p, s, n_features, fitness=None):
    fitness = np.arange(len(p), dtype=float) if fitness is None else fitness
    return pairs.children_of(p, fitness, np.arange(len(p)), s, n_features, 0).mate


@settings(max_examples=150, deadline=None)
@given(s=some_settings(), n=st.integers(0, 30), n_features=st.integers(1, 5))
def test_any_start_and_its_children_are_well_formed(s, n, n_features):
    p = start(s, n, n_features)
    p.validate(n_features)
    assert len(p) == n
    assert ((p.length >= s.min_length) & (p.length <= s.max_length)).all()
    for generation in range(4):
        assert is_clean(p)
        assert only(p, s.operators)
        before = p.copy()
        p, origin = children_of(p, s, n_features, generation=generation)
        p.validate(n_features)
        assert ((p.length >= 1) & (p.length <= s.max_length)).all()
        for i in np.flatnonzero(origin >= 0):
            assert p.nodes(i) == before.nodes(origin[i])


@settings(max_examples=50, deadline=None)
@given(names=OPERATORS, low=st.integers(1, 20), more=st.integers(1, 20), seed=st.integers(0, 1000))
def test_random_programs(names, low, more, seed):
    p = programs.random_programs(30, 2, np.random.default_rng(seed), low, low + more, names)
    p.validate(2)
    assert is_clean(p)
    assert only(p, names)
    assert ((p.length >= low) & (p.length <= low + more)).all()


class TestRandomPrograms:
    def test_lengths_are_uniform(self):
        p = programs.random_programs(4000, 3, np.random.default_rng(0), 3, 12)
        assert np.bincount(p.length)[3:] == pytest.approx([400] * 10, abs=100)

    def test_leaves(self):
        p = programs.random_programs(500, 4, np.random.default_rng(0), constant_share=0.25, constant_range=(2.0, 3.0))
        used = np.arange(p.width) < p.length[:, None]
        constants, features = used & (p.opcode == CONSTANT), used & (p.opcode == FEATURE)
        assert constants.sum() / (constants.sum() + features.sum()) == pytest.approx(0.25, abs=0.02)
        assert p.constant[constants].min() >= 2.0
        assert p.constant[constants].max() <= 3.0
        assert (p.constant[features] == 1.0).all()
        assert np.bincount(p.feature[features]) == pytest.approx([features.sum() / 4] * 4, rel=0.1)

    def test_same_generator_same_programs(self):
        a, b, c = (programs.random_programs(50, 3, np.random.default_rng(seed)) for seed in (1, 1, 2))
        assert a.opcode.tobytes() == b.opcode.tobytes()
        assert a.constant.tobytes() == b.constant.tobytes()
        assert a.opcode.tobytes() != c.opcode.tobytes()

    @pytest.mark.parametrize(
        ("changes", "named"),
        [
            ({"n": -1}, "n, n_features"),
            ({"n_features": 0}, "n, n_features"),
            ({"min_length": 0}, "min_length"),
            ({"min_length": 9, "max_length": 8}, "expected 1 <= min_length <= max_length; got 9 and 8"),
            ({"rng": 7}, "rng: expected a numpy.random.Generator"),
            ({"operators": ["add", "plus"]}, "operators: expected names among .*; got 'plus'"),
            ({"operators": []}, "operators: expected at least one"),
        ],
    )
    def test_bad_input(self, changes, named):
        with pytest.raises(ValueError, match=named):
            programs.random_programs(**{"n": 5, "n_features": 2, "rng": np.random.default_rng(0), **changes})


def a_population(s, n=400, n_features=3):
    return start(s, n, n_features), n_features


def settings_of(kind, **changes):
    fixed = {"mutations": {kind: 1.0}, "crossover": 0.0, "retries": 0, "max_length": 40, "seed": 3}
    return Settings(**{**fixed, **changes})


class TestMutations:
    def test_point_keeps_the_shape(self):
        s = settings_of("point")
        p, n_features = a_population(s)
        children, _ = children_of(p, s, n_features)
        assert (children.length == p.length).all()
        changed = (children.opcode != p.opcode) | (children.feature != p.feature) | (children.constant != p.constant)
        assert (changed.sum(axis=1) <= 1).all()  # a rate of 0 changes one node
        assert changed.any(axis=1).mean() > 0.9

    def test_point_rate(self):
        s = settings_of("point", point_rate=0.025, coefficients=False, constant_share=0.5)
        p, n_features = a_population(s, 3000)
        children, _ = children_of(p, s, n_features)
        used = np.arange(p.width) < p.length[:, None]
        changed = (children.opcode != p.opcode) | (children.feature != p.feature) | (children.constant != p.constant)
        assert changed.sum() / used.sum() == pytest.approx(0.025, abs=0.003)

    def test_point_keeps_the_arity(self):
        s = settings_of("point", point_rate=1.0)
        p, n_features = a_population(s)
        children, _ = children_of(p, s, n_features)
        used = np.arange(p.width) < p.length[:, None]
        leaf = used & (p.opcode <= FEATURE)
        assert (children.opcode[leaf] == p.opcode[leaf]).all()
        operator = used & (p.opcode > FEATURE)
        assert (children.opcode[operator] != p.opcode[operator]).all()
        for before, after in zip(p.opcode[operator], children.opcode[operator], strict=True):
            assert lookup(before).arity == lookup(after).arity

    def test_a_constant_becomes_half_of_itself_give_or_take_another_half(self):
        s = settings_of("point", point_rate=1.0, operators=("add",), min_length=1, max_length=1, constant_share=1.0)
        p, n_features = a_population(s, 4000)
        children, _ = children_of(p, s, n_features)
        ratio = children.constant[:, 0] / p.constant[:, 0]
        assert [ratio.mean(), ratio.std()] == pytest.approx([0.5, 0.5], abs=0.03)

    def test_a_constant_of_zero_can_leave_zero(self):
        s = settings_of("point", point_rate=1.0)
        p = Programs.from_nodes([[(CONSTANT, 0, 0.0)] + [(opcode("sin"), 0, 0.0)] * 39] * 20, np.float32)
        children, _ = children_of(p, s, 1)
        assert (children.constant[:, 0] != 0).all()

    def test_the_only_feature_and_the_only_operator_stay(self):
        s = settings_of("point", point_rate=1.0, operators=("add", "add"), coefficients=False, constant_share=0.0)
        p, _ = a_population(s, 50, 1)
        children, origin = children_of(p, s, 1)
        assert children.opcode.tobytes() == p.opcode.tobytes()
        assert (origin >= 0).all()

    def test_insertion_adds_and_deletion_removes(self):
        for kind, sign in (("insertion", 1), ("deletion", -1)):
            s = settings_of(kind)
            p, n_features = a_population(s)
            children, origin = children_of(p, s, n_features)
            growth = (children.length - p.length)[origin < 0] * sign
            assert len(growth) > 200
            assert growth.min() >= 1
        s = settings_of("insertion")
        p, n_features = a_population(s)
        children, origin = children_of(p, s, n_features)
        assert set((children.length - p.length)[origin < 0]) == {1, 2}

    def test_a_leaf_cannot_be_deleted(self):
        s = settings_of("deletion", min_length=1, max_length=1)
        p, n_features = a_population(s, 10)
        _, origin = children_of(p, s, n_features)
        assert (origin == np.arange(10)).all()

    def test_subtree_size(self):
        s = settings_of("subtree", subtree_size=1)
        p, n_features = a_population(s)
        children, _ = children_of(p, s, n_features)
        assert (children.length <= p.length).all()

    def test_constants_change_alone(self):
        s = settings_of("constants", constant_share=0.5)
        p, n_features = a_population(s)
        children, _ = children_of(p, s, n_features)
        assert (children.opcode == p.opcode).all()
        assert (children.feature == p.feature).all()
        used = (np.arange(p.width) < p.length[:, None]) & (p.opcode <= FEATURE)
        assert (children.constant[used] != p.constant[used]).all()


class TestCrossover:
    def settings(self, **changes):
        return Settings(**{"crossover": 1.0, "retries": 0, "max_length": 40, "seed": 5, **changes})

    def test_children_are_made_of_both_parents(self):
        s = self.settings()
        a = [(FEATURE, 0, 1.0)] + [(opcode("exp"), 0, 0.0)] * 39
        b = [(FEATURE, 1, 1.0)] + [(opcode("cos"), 0, 0.0)] * 39
        p = Programs.from_nodes([a, b] * 50, np.float32)
        children, origin = children_of(p, s, 2)
        for i in np.flatnonzero(origin < 0):
            assert children.feature[i, 0] != p.feature[i, 0]  # the donor's leaf came along with its subtree
            assert children.opcode[i, children.length[i] - 1] in (opcode("exp"), opcode("cos"))
        assert (origin < 0).sum() > 30

    def test_equal_fitness_mutates_instead(self):
        """The authors' program: a pair of equal fitness does not cross over."""
        s = self.settings(mutations={"point": 1.0}, point_rate=1e-9)
        p, n_features = a_population(s)
        _, origin = children_of(p, s, n_features, fitness=np.ones(len(p)))
        assert (origin == np.arange(len(p))).all()
        _, origin = children_of(p, s, n_features)
        assert (origin < 0).mean() > 0.5

    def test_a_child_too_long_is_a_copy_of_its_parent(self):
        s = self.settings(min_length=40)
        p, n_features = a_population(s)
        children, origin = children_of(p, s, n_features)
        copies = np.flatnonzero(origin >= 0)
        assert 0.2 < len(copies) / len(p) < 0.8
        assert (origin[copies] == copies).all()
        assert (children.length <= 40).all()

    def test_retries_leave_fewer_copies(self):
        p, n_features = a_population(self.settings(min_length=40))
        none, three = (self.settings(min_length=40, retries=retries) for retries in (0, 3))
        copies = [(children_of(p, s, n_features)[1] >= 0).sum() for s in (none, three)]
        assert copies[1] < copies[0] / 2

    def test_share_of_pairs(self):
        s = self.settings(crossover=0.8, mutations={"constants": 1.0}, constant_share=1.0, min_length=15)
        p, n_features = a_population(s, 4000)
        children, _ = children_of(p, s, n_features)
        leaf = (np.arange(p.width) < p.length[:, None]) & (p.opcode == CONSTANT)
        mutated = (children.opcode == p.opcode).all(axis=1) & ((children.constant != p.constant) | ~leaf).all(axis=1)
        assert mutated.mean() == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize("n_jobs", [2, 8])
@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_number_of_threads_does_not_matter(n_jobs, n):
    s = Settings(seed=2)
    p, n_features = a_population(s, 300)
    parents = np.random.default_rng(0).integers(0, 300, n)
    one, origin = children_of(p, s, n_features, parents)
    many, same_origin = children_of(p, s, n_features, parents, n_jobs=n_jobs)
    for name in ("opcode", "feature", "constant", "length"):
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes()
    assert (origin == same_origin).all()


def test_generations_differ():
    s = Settings(seed=2)
    p, n_features = a_population(s)
    first, _ = children_of(p, s, n_features, generation=1)
    second, _ = children_of(p, s, n_features, generation=2)
    assert first.opcode.tobytes() != second.opcode.tobytes()


@pytest.mark.parametrize("kind", MUTATIONS)
def test_short_parents_have_short_children(kind):
    s = Settings(seed=2, mutations={kind: 1.0}, max_length=40, min_length=1)
    p, n_features = a_population(s)
    short = np.flatnonzero(p.length <= 7)
    children, _ = children_of(p, s, n_features, parents=short, limit=7)
    children.validate(n_features)
    assert len(short) > 30
    assert children.length.max() <= 7
    assert is_clean(children)


def test_parents_are_not_changed():
    s = Settings(seed=2)
    p, n_features = a_population(s)
    before = p.copy()
    children_of(p, s, n_features)
    for name in ("opcode", "feature", "constant", "length"):
        assert (getattr(p, name) == getattr(before, name)).all()


def test_a_child_of_two_knows_its_mate_and_a_mutated_one_has_none():
    s = Settings.paper(crossover=1.0, min_length=3, max_length=30, seed=4)
    p, n_features = a_population(s)
    n = len(p)
    partner = np.minimum(np.arange(n) ^ 1, n - 1)
    _, origin = children_of(p, s, n_features)
    mate = mates_of(p, s, n_features)
    assert (mate[origin < 0] == partner[origin < 0]).all()
    assert (origin < 0).sum() > n / 2
    for alone in (replace(s, crossover=0.0), s):
        fitness = np.ones(n) if alone is s else None  # equal parents are mutated
        assert (mates_of(p, alone, n_features, fitness) == np.arange(n)).all()


def test_a_refused_child_is_a_copy_of_its_one_parent():
    s = Settings.paper(crossover=1.0, min_length=30, max_length=30, seed=4)
    p, n_features = a_population(s)
    _, origin = children_of(p, s, n_features)
    alone = mates_of(p, s, n_features) == np.arange(len(p))
    assert alone.sum() > 5
    assert (origin[alone] == np.flatnonzero(alone)).all()


@pytest.mark.parametrize("least", [1, 3, 7])
def test_a_child_below_the_least_length_is_refused(least):
    s = Settings.paper(min_length=7, max_length=20, min_child_length=least, seed=1)
    p, n_features = a_population(s)
    shortest = min(children_of(p, replace(s, seed=k), n_features)[0].length.min() for k in range(5))
    assert shortest == least if least < 7 else shortest >= 7


def test_redraw_leaves_some_symbols_as_they_are():
    s = Settings.paper(crossover=0.0, point_rate=1.0, seed=1)
    p, n_features = a_population(s)
    used = (np.arange(p.width) < p.length[:, None]) & (p.opcode != CONSTANT)
    for redraw in (False, True):
        children, _ = children_of(p, replace(s, redraw=redraw), n_features)
        same = ((children.opcode == p.opcode) & (children.feature == p.feature))[used].mean()
        assert 0.1 < same < 0.5 if redraw else same == 0.0


def test_a_child_is_as_old_as_its_older_parent():
    age = np.array([5, 1, 7, 2, 9])
    parents, mate = np.array([0, 1, 2, 3, 4]), np.array([1, 0, 2, 2, 4])
    assert age_of_children(age, parents, mate).tolist() == [5, 5, 7, 7, 9]
    assert age_of_children(age, parents, parents).tolist() == age.tolist()  # mutated: of its own parent
