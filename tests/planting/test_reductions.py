"""Symmetries of the data, the surfaces that show them, and the formulas they lead to."""

import numpy as np
import pytest

from epsilex.evolution import Settings
from epsilex.planting import Limits
from epsilex.planting.few_columns import formulas
from epsilex.planting.monomials import Group, power
from epsilex.planting.planter import plant
from epsilex.planting.reductions import reductions
from epsilex.planting.surfaces import fitted
from epsilex.planting.symmetries import Problem, reduced
from epsilex.planting.terms import apply, feature
from epsilex.programs import Programs, evaluate
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import COMMON, opcode

RNG = np.random.default_rng(3)
X = RNG.uniform(1.0, 3.0, (400, 5))
a, b, c, d, e = X.T
ONES = np.ones(len(X))


def limits(**changes):
    settings = Settings(**changes)
    return Limits(settings.operators, settings.max_length, settings.population_size)


def left(nodes, y, rows=X):
    """Share of the variance left after linear scaling, infinite if the program is undefined somewhere."""
    with np.errstate(all="ignore"):
        columns = np.column_stack([evaluate64(nodes, rows) + np.zeros(len(y)), np.ones(len(y))])
    if not np.isfinite(columns).all():
        return np.inf
    rest = y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
    return (rest**2).sum() / ((y - y.mean()) ** 2).sum()


def noisy(y, share):
    return y + share * y.std() * np.random.default_rng(5).normal(size=len(y))


def problem(y, columns, roots=True):
    groups = tuple(Group.of(feature(j)) for j in columns)
    return Problem(groups, X[:, columns].T.copy(), Group(), np.ones(len(y)), y, roots)


class TestSurfaces:
    def test_a_polynomial_and_its_gradient(self):
        surface = fitted(X[:, :2].T, a**3 * b - 2.0 * a + 1.0, ONES, gradient=True)
        assert surface.share < 1e-12
        np.testing.assert_allclose(surface.gradient, [3.0 * a**2 * b - 2.0, a**3], rtol=1e-4, atol=1e-4)

    def test_the_factor_is_outside_of_the_polynomial(self):
        surface = fitted(X[:, :1].T, 1.0 + a, np.sqrt(b))
        np.testing.assert_allclose(surface.values, 1.0 + a, rtol=1e-5)

    def test_terms_that_only_fit_noise_cost_more_than_they_explain(self):
        y = noisy(a + b, 0.2)
        assert fitted(X[:, :2].T, y, ONES).score < fitted(X.T, y, ONES).score

    def test_no_column_is_a_number(self):
        surface = fitted(np.empty((0, len(a))), a, ONES)
        np.testing.assert_allclose(surface.values, a.mean(), rtol=1e-9)


class TestGroups:
    def test_equal_terms_cancel(self):
        x, z = Group.of(feature(0)), Group.of(feature(1))
        assert x.times(z).times(x, -1.0) == z
        assert x.times(x, -1.0) == Group()

    @pytest.mark.parametrize("exponent", [0.5, 1.0, 1.5, 2.0, 3.0, 3.5, 4.0, 5.0, 6.0])
    @pytest.mark.parametrize("square", [True, False])
    def test_powers(self, exponent, square):
        nodes = power(feature(0), exponent, square)
        np.testing.assert_allclose(evaluate64(nodes, X), a**exponent, rtol=1e-12)
        assert square or opcode("square") not in {code for code, _, _ in nodes}

    def test_a_program_is_the_product(self):
        group = Group.of(feature(0)).times(Group.of(feature(1)), -2.5)
        inner = apply("sin", feature(2))
        np.testing.assert_allclose(evaluate64(group.program(inner), X), a * b**-2.5 * np.sin(c), rtol=1e-12)

    def test_what_two_groups_share(self):
        x, z, w = (Group.of(feature(j)) for j in range(3))
        assert x.times(w).shared(z.times(w)) == w


class TestSymmetries:
    @pytest.mark.parametrize("share", [0.0, 0.05])
    @pytest.mark.parametrize(
        ("y", "columns", "left"),
        [
            (a * b**2 / np.sqrt(c), [0, 1, 2], 0),  # nothing but powers
            (a**2 * np.exp(-b * c / d), [0, 1, 2, 3], 1),
            (np.sin(a - b) / c, [0, 1, 2], 1),
            (a / (1.0 + (b**2 + c**2) / 5.0), [0, 1, 2], 1),
            (d * np.log(1.0 + a * b) / np.exp(c), [0, 1, 2, 3], 2),
        ],
    )
    def test_fewer_columns_are_enough(self, y, columns, left, share):
        last = [problem(y, columns), *reduced(problem(noisy(y, share), columns))][-1]
        assert len(last.columns) <= left

    def test_columns_and_factor_are_what_their_programs_say(self):
        path = list(reduced(problem(a**2 * np.cos((b - c) * d / 3.0), [0, 1, 2, 3])))
        assert path
        for smaller in path:
            for group, values in zip(smaller.columns, smaller.values, strict=True):
                np.testing.assert_allclose(evaluate64(group.program(), X), values, rtol=1e-9)
            factor = evaluate64(smaller.factor.program(), X)
            np.testing.assert_allclose(np.broadcast_to(factor, len(X)), smaller.factor_values, rtol=1e-9)
            np.testing.assert_allclose(smaller.target * smaller.factor_values, smaller.y, rtol=1e-9)

    def test_no_root_without_its_operator(self):
        path = list(reduced(problem(np.sqrt(a) * np.exp(b / 3.0), [0, 1], roots=False)))
        exponents = [p for smaller in path for group in (smaller.factor, *smaller.columns) for _, p in group.powers]
        assert all(float(p).is_integer() for p in exponents)

    def test_what_has_none_stays(self):
        y = np.sin(a) + np.log(1.0 + b * b) * c + d
        assert all(len(p.columns) > 1 for p in reduced(problem(y, [0, 1, 2, 3])))


class TestFewColumns:
    @pytest.mark.parametrize(
        "y",
        [
            1.0 / (np.exp(0.7 * a) - 1.0),
            a / (np.exp(0.3 * a) - 1.0),
            3.0 - np.cos(2.3 * a),
            (1.0 - a * b / 9.0) / np.sqrt(1.0 + b * b),
            np.sqrt(a) * np.cos(b) + a,
            np.log(1.0 + 0.37 * a) ** 2,
        ],
    )
    def test_finds_them(self, y):
        Z = X[:, :2]
        assert min(left(nodes, y, Z) for nodes in formulas(Z, y, COMMON)) < 1e-9

    def test_inverse_functions_where_they_are_allowed(self):
        y = np.arcsin(np.sin(a) * b / 3.0)
        found = [min(left(n, y) for n in formulas(X[:, :2], y, names)) for names in (COMMON, (*COMMON, "asin"))]
        assert found[1] < 1e-12 < found[0]


LAWS = {
    "bell": np.exp(-(((a - b) / c) ** 2)) * d,
    "lorentz": (a - b * c / 9.0) / np.sqrt(1.0 - b**2 / (c + 9.0) ** 2),
    "planck": a**3 / (np.exp(a * b / (c * d)) - 1.0),
    "distance": e * np.sqrt((a - b) ** 2 + (c - d) ** 2),
    "resonance": a / ((b + 3.0) ** 2 - c**2) ** 2,
    "sinc": d * (np.sin((a - b) * c) / ((a - b) * c)) ** 2,
    "saturation": a * b * c / (d + b * c),
}


class TestReductions:
    @pytest.mark.parametrize("name", ["bell", "planck", "distance", "sinc", "saturation"])
    def test_finds_laws(self, name):
        found = reductions(X, LAWS[name], limits())
        assert min(left(nodes, LAWS[name]) for nodes in found) < 1e-8

    @pytest.mark.parametrize("name", LAWS)
    def test_comes_close_in_noise(self, name):
        y = noisy(LAWS[name], 0.05)
        found = reductions(X, y, limits())
        assert min(left(nodes, LAWS[name]) for nodes in found) < 3e-3

    @pytest.mark.parametrize(
        "changes",
        [{"operators": ("add", "sub", "mul", "div")}, {"operators": (*COMMON[:-2],)}, {"max_length": 12}],
    )
    def test_within_the_settings(self, changes):
        allowed = limits(**changes)
        codes = {0, 1, *map(opcode, allowed.operators)}
        for name in ("bell", "planck", "resonance", "saturation"):
            for nodes in reductions(X, LAWS[name], allowed):
                assert len(nodes) <= allowed.max_length
                assert {code for code, _, _ in nodes} <= codes

    def test_nothing_from_noise_few_rows_or_a_constant(self):
        assert reductions(X, RNG.normal(size=len(X)), limits()) == []
        assert reductions(X[:20], LAWS["bell"][:20], limits()) == []
        assert reductions(X, ONES, limits()) == []

    def test_among_columns_that_do_not_matter(self):
        y = a**2 * b / c
        found = reductions(np.hstack([X[:, :3], RNG.normal(size=(len(X), 12))]), y, limits())
        assert min(left(nodes, y) for nodes in found) < 1e-12


class TestUnits:
    def test_planters_see_the_users_units_and_programs_run_in_the_searchs(self):
        seen = []

        def planter(rows, y, limits):
            seen.append(rows)
            return [[*feature(0), *feature(1), (opcode("add"), 0, 0.0)]]

        scale = np.array([0.25, 1024.0])
        programs = Programs.from_nodes([[*feature(0), *feature(1), (opcode("mul"), 0, 0.0)]] * 20, np.float32)
        plant(programs, X[:, :2], a, [planter], limits(), scale)
        np.testing.assert_allclose(seen[0], X[:, :2] * [0.25, 1.0])  # the other is not of order one
        got = evaluate(programs.take(np.array([19])), X[:, :2])[0]
        np.testing.assert_allclose(got, 0.25 * a + b, rtol=1e-6)

    def test_a_planter_that_does_not_converge_plants_nothing(self):
        def broken(rows, y, limits):
            raise np.linalg.LinAlgError

        programs = Programs.from_nodes([list(feature(0))] * 20, np.float32)
        plant(programs, X, a, [broken], limits())
        assert (programs.length == 1).all()


class TestNearlyNothing:
    """Data on which symmetries have little to hold on to."""

    @pytest.mark.parametrize(
        "rows",
        [
            RNG.integers(0, 2, (100, 4)).astype(float),
            np.hstack([X[:, :2], X[:, :2]]),
            X[:, :3] * [1e-20, 1e20, 0.0],
            RNG.normal(size=(80, 3)),
        ],
        ids=["binary", "twice the same", "extreme and constant", "both signs"],
    )
    def test_whatever_is_found_is_defined(self, rows):
        y = rows[:, 0] * rows[:, 1] + rows[:, 0]
        for nodes in reductions(rows, y, limits()):
            assert np.isfinite(left(nodes, y, rows))
