"""Cases drawn anew: by address, with honest survivors and archive, and the same after any resume or on any island."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from epsilex.data.shadow import shadow_rows
from epsilex.evolution import Cases, Checkpoint, Islands, Run, Settings, Stop, continued, evolve, search
from epsilex.evolution.islands.search import search_islands
from epsilex.evolution.measuring.redrawing import draw_of, drawn, from_rows, redrawn
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.renewing import take_in, watch
from epsilex.evolution.steering import without
from epsilex.pools import HerePool

RNG = np.random.default_rng(0)
X = RNG.uniform(1.0, 2.0, (900, 2))
Y = X[:, 0] * X[:, 1] + 0.1 * RNG.normal(size=900)
WEIGHT = RNG.uniform(0.5, 2.0, 900)
N, EVERY = 60, 3
SETTINGS = Settings(population_size=60, max_length=15, max_cases=N, fresh_cases=EVERY, planters=(), seed=5)


def many(shadow: bool = True) -> Cases:
    rows = shadow_rows(X, 0, 128) if shadow else None
    return from_rows(X, Y, WEIGHT, "mae", rows, rows, 0.0, N, 7)


def states(n: int, settings: Settings = SETTINGS) -> list:
    run = Run(many(), settings)
    found = []
    for state in evolve(run):
        found.append(state)
        if state.generation == n:
            return found


def front_of(found) -> bytes:
    return b"".join(array.tobytes() for array in found.archive.arrays().values())


class TestDraws:
    def test_generations(self):
        assert [draw_of(generation, 3) for generation in range(9)] == [0, 0, 0, 0, 1, 1, 1, 2, 2]
        assert [draw_of(generation, 1) for generation in range(4)] == [0, 0, 1, 2]

    def test_rows_by_address(self):
        one = drawn(900, N, 7, 1)
        assert len(set(one.tolist())) == N
        assert (np.diff(one) > 0).all()
        np.testing.assert_array_equal(one, drawn(900, N, 7, 1))
        assert one.tolist() != drawn(900, N, 7, 2).tolist() != drawn(900, N, 8, 2).tolist()

    def test_every_row_has_its_turn(self):
        assert len(np.unique(np.concatenate([drawn(900, N, 7, k) for k in range(120)]))) > 890

    @pytest.mark.parametrize("shadow", [True, False])
    def test_a_draw_is_what_cases_of_its_rows_would_be(self, shadow):
        first = many(shadow)
        who = drawn(900, N, 7, 4)
        rows = first.shadow
        expected = Cases.from_arrays(X[who], Y[who], WEIGHT[who], "mae", rows)
        found = redrawn(first, 4)
        for name in ("X", "y", "centred", "weight", "padded_y", "root_weight", "inputs"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        assert (found.y_mean, found.n_shadow, found.zero) == (expected.y_mean, expected.n_shadow, expected.zero)
        assert found.limits == first.limits
        assert found.error_buffers is first.error_buffers

    def test_cases_that_are_all_rows(self):
        with pytest.raises(ValueError, match="cases: expected cases that were drawn"):
            redrawn(Cases.from_arrays(X, Y), 1)


class TestSearch:
    def test_errors_are_those_on_the_cases_of_the_generation(self):
        first = many()
        for state in states(2 * EVERY + 1):
            cases = redrawn(first, draw_of(state.generation, EVERY))
            again = Run(cases, SETTINGS).measured(state.population.programs)
            np.testing.assert_array_equal(state.population.errors, again.errors)
            np.testing.assert_array_equal(state.population.fitness, again.fitness)

    def test_never_is_the_first_draw(self):
        fixed = states(EVERY + 2, replace(SETTINGS, fresh_cases=None))
        fresh = states(EVERY + 2)
        for one, other in zip(fixed[: EVERY + 1], fresh, strict=False):
            np.testing.assert_array_equal(one.population.errors, other.population.errors)
        assert not np.array_equal(fixed[-1].population.fitness, fresh[-1].population.fitness)

    def test_threads_do_not_matter(self):
        one, two = (search(many(), SETTINGS, Stop(generations=8), n_jobs=n) for n in (1, 2))
        assert front_of(one) == front_of(two)

    def test_an_old_lucky_error_protects_no_program(self):
        run = Run(many(), SETTINGS)
        archive = Archive(SETTINGS.max_length)
        watch(archive, run)
        for state in evolve(run):
            take_in(archive, state, run)
            if state.generation == EVERY:
                archive.standing[archive.taken] = 1e-9  # as if they had been lucky
                archive.fitness[archive.taken] = 1e-9
                for shelf in archive.shelves:
                    shelf.score[shelf.taken] = -1e9
            if state.generation == EVERY + 1:
                break
        assert archive.standing[archive.taken].min() > 1e-3
        measured = run.measured(archive.programs.take(archive.taken))
        np.testing.assert_array_equal(archive.fitness[archive.taken], measured.fitness)
        assert all(shelf.score[shelf.taken].min() > -1e9 for shelf in archive.shelves if len(shelf.taken))
        assert len(archive.shelves[2].taken)

    def test_what_selection_remembers_of_old_cases_is_forgotten(self):
        settings = SETTINGS.changed(selection="lex_e_mad(downsample=20, informed=True)")
        run = Run(many(), settings)
        found = {state.generation: state for state in _up_to(evolve(run), EVERY)}
        assert found[EVERY].memory
        assert not run.renewed(found[EVERY]).memory


class TestResume:
    @pytest.mark.parametrize("at", [EVERY - 1, EVERY, EVERY + 1])
    def test_bit_for_bit(self, tmp_path, at):
        path = tmp_path / "search.checkpoint"
        whole = search(many(), SETTINGS, Stop(generations=3 * EVERY))
        search(many(), SETTINGS, Stop(generations=at), checkpoint=Checkpoint(path, 1e9))
        rest = search(many(), SETTINGS, Stop(generations=3 * EVERY), resume=path)
        assert front_of(whole) == front_of(rest)
        np.testing.assert_array_equal(whole.state.population.errors, rest.state.population.errors)

    def test_other_rows_beyond_the_first_draw_are_other_data(self, tmp_path):
        path = tmp_path / "search.checkpoint"
        search(many(), SETTINGS, Stop(generations=1), checkpoint=Checkpoint(path, 1e9))
        others = many()
        others.rows_y = others.rows_y + 1.0
        with pytest.raises(ValueError, match="checkpoint: expected the data it was made with"):
            search(others, SETTINGS, Stop(generations=2), resume=path)

    def test_a_continued_search_goes_on_with_its_cases(self):
        half = search(many(), SETTINGS, Stop(generations=EVERY + 1))
        begin = continued(half, many(), SETTINGS)
        np.testing.assert_array_equal(begin.state.population.fitness, half.state.population.fitness)

    def test_steering_measures_on_the_cases_of_the_state(self):
        found = search(many(), SETTINGS, Stop(generations=EVERY + 1))
        steered = without(found, lambda programs: np.zeros(len(programs), bool), Run(many(), SETTINGS))
        np.testing.assert_array_equal(steered.archive.standing, found.archive.standing)


def test_islands_share_the_draws():
    plan, first = Islands(2, every=4), many()
    found = search_islands(first, SETTINGS, plan, Stop(generations=8), HerePool())
    assert len(found.islands) == 2
    cases = redrawn(first, draw_of(8, EVERY))
    for packed, own in zip(found.islands, plan.settings_of(SETTINGS), strict=True):
        island = packed.island()
        measured = Run(cases, own).measured(island.state.population.programs)
        np.testing.assert_array_equal(island.state.population.fitness, measured.fitness)
        best = Run(cases, own).measured(island.archive.programs.take(island.archive.taken))
        np.testing.assert_array_equal(island.archive.fitness[island.archive.taken], best.fitness)


def _up_to(found, generation: int):
    for state in found:
        yield state
        if state.generation == generation:
            return
