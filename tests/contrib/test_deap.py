"""Selectors for DEAP: they do what their names say."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

import naive
from epsilex.contrib import deap as ours
from epsilex.selection import METHODS

deap = pytest.importorskip("deap", reason="DEAP is not installed")
from deap import base, creator, tools  # noqa: E402

ERRORS = np.array([[0.0, 3.0, 2.0], [1.0, 0.0, 4.0], [2.0, 2.0, 0.0], [1.1, 1.0, 1.0], [5.0, 5.0, 5.0]])
N = 4000


@pytest.fixture
def individuals():
    """One individual a row of ERRORS, the row its fitness."""
    creator.create("Errors", base.Fitness, weights=(-1.0,) * ERRORS.shape[1])
    creator.create("Individual", list, fitness=creator.Errors)
    yield make(creator.Individual, ERRORS)
    del creator.Errors, creator.Individual


def make(kind, values):
    found = []
    for i, row in enumerate(values):
        found.append(kind([i]))
        found[-1].fitness.values = tuple(row)
    return found


def shares(selected):
    counts = Counter(individual[0] for individual in selected)
    return np.array([counts[i] / len(selected) for i in range(len(ERRORS))])


def expected(id, errors=ERRORS):
    return naive.probabilities(id, errors)


@pytest.mark.parametrize(
    ("function", "id"),
    [
        (lambda individuals, k: ours.selLexicase(individuals, k), "lex"),
        (lambda individuals, k: ours.selEpsilonLexicase(individuals, k, epsilon=0.10), "lex_y"),
        (lambda individuals, k: ours.selAutomaticEpsilonLexicase(individuals, k), "lex_y_mad"),
        *((ours.selector(id), id) for id in ("lex", "lex_e", "lex_e_mad", "lex_semi", "lex_dynamic")),
    ],
)
def test_each_selector_is_its_rule(individuals, function, id):
    random.seed(7)
    np.testing.assert_allclose(shares(function(individuals, N)), expected(id), atol=0.03)


def test_epsilon_is_the_largest_error_that_passes(individuals):
    random.seed(1)
    everyone = shares(ours.selEpsilonLexicase(individuals, N, epsilon=10.0))
    np.testing.assert_allclose(everyone, 0.2, atol=0.03)
    few = shares(ours.selEpsilonLexicase(individuals, N, epsilon=1.1))
    assert few[3] == 1.0  # it alone has no error above 1.1


def test_plain_lexicase_agrees_with_deaps_own(individuals):
    random.seed(3)
    np.testing.assert_allclose(
        shares(ours.selLexicase(individuals, N)), shares(tools.selLexicase(individuals, N)), atol=0.03
    )


def test_individuals_themselves_come_back_and_a_seed_repeats_them(individuals):
    random.seed(5)
    first = ours.selLexicase(individuals, 10)
    assert all(any(chosen is individual for individual in individuals) for chosen in first)
    random.seed(5)
    assert ours.selLexicase(individuals, 10) == first
    assert ours.selLexicase(individuals, 0) == []


def test_it_works_in_a_toolbox(individuals):
    toolbox = base.Toolbox()
    toolbox.register("select", ours.selector("lex_e_mad"))
    assert len(toolbox.select(individuals, 7)) == 7
    toolbox.register("select", ours.selEpsilonLexicase, epsilon=0.1)
    assert len(toolbox.select(individuals, k=7)) == 7


def test_cases_may_be_kept_apart_from_the_fitness(individuals):
    for individual, row in zip(individuals, ERRORS, strict=True):
        individual.errors = -row  # residuals: their size is the error
        individual.fitness.values = (0.0,) * 3
    np.testing.assert_allclose(ours.case_errors(individuals), ERRORS)
    random.seed(7)
    np.testing.assert_allclose(shares(ours.selLexicase(individuals, N)), expected("lex"), atol=0.03)


def test_what_is_maximised_is_selected_for(individuals):
    creator.create("Mixed", base.Fitness, weights=(-1.0, 1.0, 2.0))
    creator.create("Maximiser", list, fitness=creator.Mixed)
    mixed = make(creator.Maximiser, ERRORS * [1.0, -1.0, -1.0])
    random.seed(7)
    for id in ("lex", "lex_e_mad", "lex_semi", "lex_dynamic"):
        np.testing.assert_allclose(shares(ours.selector(id)(mixed, N)), expected(id), atol=0.03)
    for id in ours.ABSOLUTE:
        with pytest.raises(ValueError, match="negative weights"):
            ours.selector(id)(mixed, 2)
    del creator.Mixed, creator.Maximiser


def test_what_is_not_finite_is_selected_last(individuals):
    individuals[0].fitness.values = (np.nan, 0.0, 0.0)
    individuals[1].fitness.values = (np.inf, np.inf, np.inf)
    random.seed(1)
    assert 1 not in {individual[0] for individual in ours.selLexicase(individuals, 500)}


@pytest.mark.parametrize("id", [id for id in METHODS if id not in ours.WITHOUT_CASES])
def test_every_method_can_be_had(individuals, id):
    assert len(ours.selector(id)(individuals, 3)) == 3


def test_bad_arguments_are_named(individuals):
    with pytest.raises(ValueError, match="selection: expected one of"):
        ours.selector("best")
    with pytest.raises(ValueError, match="options of lex: expected"):
        ours.selector("lex", epsilon=1.0)
    with pytest.raises(ValueError, match="expected a method that needs errors alone; got 'afp'"):
        ours.selector("afp")
    with pytest.raises(ValueError, match="individuals: expected at least one"):
        ours.selLexicase([], 3)
    individuals[0].errors = [1.0]
    with pytest.raises(AttributeError):
        ours.selLexicase(individuals, 1)
    for individual, n in zip(individuals, (1, 2, 2, 2, 2), strict=True):
        individual.errors = [0.0] * n
    with pytest.raises(ValueError, match="errors: expected as many for each individual"):
        ours.selLexicase(individuals, 1)
