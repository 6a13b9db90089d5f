"""Units in the estimator: no formula of inconsistent dimensions is ever on a front."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from epsilex import SymbolicRegressor
from epsilex.dimensions.knowledge import rule_of
from epsilex.evolution.variation import VARIATIONS

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({name: RNG.uniform(1, 5, 150) for name in ("m", "v", "L", "t")})
UNITS = {"m": "kg", "v": "m/s", "L": "m", "t": "s"}
Y = 0.5 * TABLE.m * TABLE.v**2 * (1 + 0.3 * TABLE.L / (TABLE.v * TABLE.t)) + RNG.normal(size=150)
SMALL = {"generations": 4, "time_limit": None, "population_size": 150, "random_state": 0}


def consistent(est, names=tuple(TABLE), units=UNITS, target="J"):
    own = rule_of(units, target, est.constant_units, list(names), None)
    return all(own.allows(m.nodes) for m in est.models_)


@pytest.mark.parametrize("choose", ["description", "accuracy", "validation"])
@pytest.mark.parametrize("constants", ["none", "overall", "any"])
def test_every_model_of_the_front_is_consistent(choose, constants):
    est = SymbolicRegressor(**SMALL, choose=choose, units=UNITS, target_unit="J", constant_units=constants)
    est.fit(TABLE, Y)
    assert consistent(est)
    assert est.model_.metrics["r2"] > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_every_individual_of_every_generation_is_consistent(seed):
    own, bad = rule_of(UNITS, "J", "none", list(TABLE), None), []

    def look(state):
        programs = state.population.programs
        bad.extend(i for i in range(len(programs)) if own.dimension(programs.nodes(i)) != own.target)
        assert (state.population.intercept == 0.0).all()

    est = SymbolicRegressor(**SMALL | {"random_state": seed}, units=UNITS, target_unit="J", callbacks=[look])
    est.fit(TABLE, Y)
    assert not bad


@pytest.mark.parametrize("size", [1e-140, 1e-25, 1.0, 1e25])
def test_numbers_of_any_size(size):
    est = SymbolicRegressor(**SMALL, units=UNITS, target_unit="J").fit(TABLE * [size, 1, 1, 1], Y * size)
    assert consistent(est)
    assert est.model_.metrics["r2"] > 0.9


def test_the_paper_settings_and_age_fitness():
    est = SymbolicRegressor.paper(**SMALL, units=UNITS, target_unit="J", selection="afp")
    assert consistent(est.fit(TABLE, Y))


def test_a_variation_that_breaks_dimensions_is_mended():
    def worse(offspring, share, state, run):
        offspring.programs.put(0, [[(1, 0, 1.0)]] * 40)
        offspring.origin[:40] = -1

    VARIATIONS.add("worse", worse)
    try:
        from epsilex import Settings

        settings = Settings(population_size=150, variations={"worse": 1.0})
        seen = []
        est = SymbolicRegressor(
            generations=3, time_limit=None, random_state=0, settings=settings, units=UNITS, target_unit="J",
            callbacks=[lambda state: seen.append((state.population.programs.length == 1).sum())],
        )  # fmt: skip
        assert consistent(est.fit(TABLE, Y))
        assert not any(seen)
    finally:
        VARIATIONS.remove("worse")


def test_the_same_bits_for_any_number_of_threads_and_after_a_resume(tmp_path):
    known = {"units": UNITS, "target_unit": "J"}
    one, two = (SymbolicRegressor(**SMALL, **known, n_jobs=n).fit(TABLE, Y) for n in (1, 3))
    assert one.front_.equals(two.front_)
    path = {"checkpoint": str(tmp_path / "c")}
    SymbolicRegressor(**SMALL | {"generations": 2}, **known, **path).fit(TABLE, Y)
    resumed = SymbolicRegressor(**SMALL, **known, **path, resume=True).fit(TABLE, Y)
    assert resumed.front_.equals(one.front_)
    with pytest.raises(ValueError, match="checkpoint: expected the data"):
        SymbolicRegressor(**SMALL, **path, resume=True).fit(TABLE, Y)


def test_headers_and_the_name_of_the_target():
    headed = TABLE.rename(columns={name: f"{name} [{unit}]" for name, unit in UNITS.items()})
    est = SymbolicRegressor(**SMALL, units="header").fit(headed, Y.rename("E (J)"))
    plain = SymbolicRegressor(**SMALL, units=UNITS, target_unit="J").fit(TABLE, Y)
    assert est.model_.nodes == plain.model_.nodes


def test_guesses_must_be_consistent():
    known = {"units": UNITS, "target_unit": "J"}
    est = SymbolicRegressor(**SMALL, **known, guesses=["a*m*v^2 + b*m*v*L/t"]).fit(TABLE, Y)
    assert consistent(est)
    with pytest.raises(ValueError, match=r"guesses: expected a formula whose units are consistent; got 'a\*m\*v'"):
        SymbolicRegressor(**SMALL, **known, guesses=["a*m*v"]).fit(TABLE, Y)


def test_noise_alone_is_a_number_or_consistent():
    est = SymbolicRegressor(**SMALL, units=UNITS, target_unit="J").fit(TABLE, RNG.normal(size=150))
    assert consistent(est)


def test_parameters():
    est = SymbolicRegressor(units=UNITS, target_unit="J", constant_units="overall")
    assert clone(est).get_params()["units"] == UNITS
    for wrong in ({"units": "headers"}, {"target_unit": 3}, {"constant_units": "some"}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))}: expected"):
            SymbolicRegressor(**SMALL, **wrong).fit(TABLE, Y)
