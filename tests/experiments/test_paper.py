"""The paper's experiment as it is written: Table 1, and what must hold of lexicase selection."""

from __future__ import annotations

import io
import json
import sqlite3

import numpy as np
import pytest
from rich.console import Console

import golden
from epsilex import experiments, problems, selection
from epsilex.evolution import Settings, engine
from epsilex.experiments import methods, reproduction, studies
from epsilex.experiments.store import FILE
from epsilex.selection import Address, Measures

PAPER = [method.id for method in methods.PAPER]
LEXICASE = [id for id in selection.METHODS if id.startswith("lex")]
STATIC = ["lex_y", "lex_e", "lex_y_mad", "lex_e_mad"]

# Table 1 of the paper, and what its authors' program does where the paper is silent.
TABLE_1 = {
    "population_size": 1000,
    "generations": 1000,
    "crossover": 0.8,
    "mutations": {"point": 1.0},
    "min_length": 3,
    "max_length": 50,
    "constant_range": [-1.0, 1.0],
    "operators": ["add", "sub", "mul", "pdiv", "sin", "cos", "exp", "plog"],
    "constant_share": 0.5,
    "point_rate": 0.025,
    "elitism": True,
    "tuning": "hill_climbing",
    "survival": "generational",
    "loss": "mae",
    "max_cases": None,
    "fresh_cases": None,
    "coefficients": False,
    "scaling": False,
    "limit_outputs": True,
    "short_share": 0.0,
    "variations": {},
    "retries": 0,
    "redraw": False,
    "min_child_length": 1,
    "shadow": False,
    "planters": [],
    "nesting": {},
    "costs": {},
    "whole_exponents": False,
    "required": [],
    "forbidden": [],
}
OPTIONS = {"lex_y": {"epsilon": 0.10}, "lex_e": {"epsilon": 5.0}}


def expected(method: str, **changes) -> dict:
    own = {"selection": method, "selection_options": OPTIONS.get(method, {})}
    return TABLE_1 | own | ({"survival": "age_fitness"} if method == "afp" else {}) | changes


def relevant(settings: dict) -> dict:
    """Without the settings of parts that Table 1 switches off."""
    return {name: value for name, value in settings.items() if name not in IDLE}


IDLE = ("subtree_size", "tuning_share", "tuning_steps", "tuning_cases")


@pytest.mark.parametrize("method", PAPER)
def test_a_trial_of_the_full_study_is_table_1(method):
    (cell,) = studies.cells("table", ["uball5d"], [method], studies.FULL["table"])
    assert relevant(json.loads(cell.settings)) == expected(method)
    assert cell.engine == engine.PAPER


def test_the_epsilon_study_changes_epsilon_alone():
    cells = studies.cells("epsilon", ["tower"], ["lex_e", "lex_y"], studies.FULL["epsilon"])
    assert len(cells) == 14
    for cell in cells:
        settings = json.loads(cell.settings)
        epsilon = settings["selection_options"]["epsilon"]
        assert relevant(settings) == expected(settings["selection"], selection_options={"epsilon": epsilon})
    assert {json.loads(cell.settings)["selection_options"]["epsilon"] for cell in cells} == set(studies.EPSILONS)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("paper")
    console = Console(file=io.StringIO())
    how = {"trials": 1, "generations": 12, "study": "table", "jobs": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproduction, "report", lambda out: "")  # tested elsewhere: figures take longer than these trials
        experiments.reproduce(["uball5d"], PAPER, out=out, console=console, **how)
    with sqlite3.connect(out / FILE) as db:
        yield db


def test_what_is_stored_is_what_was_run(run):
    """Checked by the trial itself against the settings of the search, and here against the paper's."""
    stored = {json.loads(text)["selection"]: json.loads(text) for (text,) in run.execute("SELECT settings FROM trials")}
    assert set(stored) == set(PAPER)
    for method, settings in stored.items():
        assert relevant(settings) == expected(method, generations=12), method


def test_plain_lexicase_uses_a_median_of_one_case_in_a_trial(run):
    cases = run.execute(
        "SELECT g.cases_used * t.training_cases FROM generations g JOIN trials t ON t.id = g.trial "
        "WHERE t.method = 'lex' AND g.generation > 0"
    ).fetchall()
    assert len(cases) == 12
    assert {round(value, 6) for (value,) in cases} == {1.0}


def test_case_counts_never_exceed_the_cases_and_differ_between_methods(run):
    counts = {}
    for method, used, mean in run.execute(
        "SELECT t.method, g.cases_used, g.cases_used_mean FROM generations g JOIN trials t ON t.id = g.trial "
        "WHERE g.generation > 0"
    ):
        assert 0 <= used <= 1
        assert 0 <= mean <= 1
        counts.setdefault(method.partition("(")[0], []).append(mean)
    for method, values in counts.items():
        assert (max(values) > 0) == method.startswith("lex"), method
        assert not method.startswith("lex") or len(set(values)) > 1, f"{method}: the same number in every generation"


def continuous_errors(seed: int, n: int = 120, cases: int = 40) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((n, 1)) * rng.random((n, cases))).astype(np.float32)


def selected(id: str, errors: np.ndarray, n: int = 300, seed: int = 0, **options):
    fitness = errors.mean(axis=1, dtype=np.float64)
    return selection.method(id).parents(Measures.of(errors, fitness), n, Address(seed, 0), 1, **options)


@pytest.mark.parametrize("seed", range(3))
def test_plain_lexicase_uses_one_case_on_continuous_errors_without_duplicates(seed):
    found = selected("lex", continuous_errors(seed))
    assert (found.cases_used * 40 == 1).all()


@pytest.mark.parametrize("id", LEXICASE)
def test_no_event_uses_more_than_all_cases(id):
    errors = np.repeat(continuous_errors(0, n=30), 3, axis=0)  # clones go through every case
    used = selected(id, errors).cases_used
    assert used.max() <= 1.0
    assert used.min() > 0.0


def dominated(errors: np.ndarray, i: int) -> bool:
    return bool(((errors <= errors[i]).all(axis=1) & (errors < errors[i]).any(axis=1)).any())


def test_parents_of_plain_lexicase_are_nondominated_and_elite_on_some_case():
    errors = np.round(continuous_errors(4, n=60, cases=8), 1)  # ties, so that later cases matter
    for i in set(selected("lex", errors).parents):
        assert not dominated(errors, i)
        assert (errors[i] == errors.min(axis=0)).any()


@pytest.mark.parametrize("id", STATIC)
def test_parents_of_a_static_rule_pass_some_case_that_can_be_passed(id):
    errors = continuous_errors(5)
    best, median = errors.min(axis=0), np.median(errors, axis=0)
    mad = np.median(np.abs(errors - median), axis=0)
    threshold = {"lex_y": 0.1 + 0 * best, "lex_e": 6 * best, "lex_y_mad": mad, "lex_e_mad": best + mad}[id]
    passes = errors <= threshold.astype(np.float32)
    assert passes.any()
    assert passes[selected(id, errors).parents].any(axis=1).all()


def test_the_modern_default_is_in_plain_sight():
    assert Settings().selection_options == {"downsample": 100}
    assert Settings(selection="lex_e_mad").selection_options == {}
    assert Settings(selection="tournament").selection_options == {}
    assert Settings.paper().selection_options == {}


def test_trials_of_another_engine_are_not_taken_for_done(tmp_path):
    (cell,) = studies.cells("table", ["uball5d"], ["lex"], studies.Scale(1, 1, 10))
    from dataclasses import replace

    assert replace(cell, engine=cell.engine - 1).trial(1) != cell.trial(1)
    assert replace(cell, engine=cell.engine - 1).trial(1).seed == cell.trial(1).seed


@pytest.mark.parametrize("name", golden.FITS)
def test_golden_fits(name):
    """Other bits are another engine: raise its version, record the hashes anew by `python tests/support/golden.py`."""
    recorded = golden.record_of(golden.kind_of(name))
    if recorded is None:
        pytest.skip("not recorded on this processor with this Numba and this engine")
    assert golden.fitted(name) == recorded[name]


def test_the_last_record_is_of_the_present_engines():
    assert json.loads(golden.FILE.read_text())[0]["engines"] == golden.ENGINES, "record the golden fits anew"


def test_uball5d_is_searched_in_raw_units():
    problem = problems.load("uball5d")
    train, test = problem.split(1)
    assert train.y.min() > 0
    assert np.allclose(10.0 / (5.0 + ((test.X - 3.0) ** 2).sum(axis=1)), test.y, rtol=1e-5)
    assert problem.target_scale == 1.0
