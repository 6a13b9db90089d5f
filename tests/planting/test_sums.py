"""Sums, polynomials, quadrics and power laws to start from, and factors gathered in what comes out."""

from itertools import chain

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.evolution import Cases, Run, Settings
from epsilex.planting import Limits
from epsilex.planting.polynomials import polynomials, rationals
from epsilex.planting.powers import powers
from epsilex.planting.products import products
from epsilex.planting.quadrics import quadrics
from epsilex.planting.sums import Correlations, long_sums, sums
from epsilex.planting.terms import all_monomials, correlated, library, unit_length
from epsilex.programs import Programs
from epsilex.programs.algebra.gathering import gather
from epsilex.programs.algebra.pruning import prune
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import opcodes
from epsilex.programs.parser import parse

X = np.random.default_rng(7).uniform(1.0, 4.0, (256, 4))
a, b, c, d = X.T


def limits(**changes):
    """Those of the default settings."""
    settings = Settings(**changes)
    return Limits(settings.operators, settings.max_length, settings.population_size)


LIMITS = limits()


def left(nodes, X, y):
    """Share of the variance left after linear scaling."""
    columns = np.column_stack([evaluate64(nodes, X), np.ones(len(y))])
    rest = y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
    return (rest**2).sum() / ((y - y.mean()) ** 2).sum()


def test_best_partners_are_those_of_least_squares():
    rng = np.random.default_rng(0)
    terms = rng.normal(size=(30, 60))
    terms[7] = -2.0 * terms[3]  # as good as one: never a pair
    y = terms[3] + 0.5 * terms[11] + rng.normal(size=60)
    unit, t = unit_length(terms), unit_length(y[None])[0]
    best, partner = Correlations(unit).best_partners(unit @ t)
    for i in range(30):
        r2 = [
            1.0 - np.linalg.lstsq(unit[[i, j]].T, t, rcond=None)[1].sum() if i != j and {i, j} != {3, 7} else 0.0
            for j in range(30)
        ]
        assert best[i] == pytest.approx(max(r2), abs=1e-5)
        assert r2[partner[i]] == pytest.approx(max(r2), abs=1e-5)


@pytest.mark.parametrize("size", [1e3, 1e12, -1e12])
def test_a_single_row_that_dwarfs_the_others(size, rng):
    y = np.abs(rng.normal(size=256)) + 1.0
    y[17] = size
    found = [f(X, y, LIMITS) for f in (sums, long_sums, polynomials, rationals, quadrics, powers)]
    assert any(found)
    for nodes in chain(*found):
        assert np.isfinite(evaluate64(nodes, X)).all()


class TestPowers:
    @pytest.mark.parametrize(
        ("y", "length"),
        [
            (a**1.7, 5),
            (3.1 * a**1.7 * b**-0.6 * c**0.33, 15),
            (-2.0 * np.exp(0.3 * a) * b**-1.3, 8),
            (np.exp(-2.5 / a) * b**0.5, 9),
            (np.exp(-0.3 * a**2 + b), 7),
        ],
    )
    def test_finds_them(self, y, length):
        found = powers(X, y, LIMITS)
        assert left(found[0], X, y) < 1e-8
        assert len(found[0]) <= length

    def test_noise_counts_less_where_the_target_is_large(self):
        y = 3.1 * a**1.7 * b**-0.6 * c**0.33
        found = powers(X, y + 0.05 * y.std() * np.random.default_rng(0).normal(size=len(y)), LIMITS)
        assert min(left(nodes, X, y) for nodes in found) < 1e-3

    def test_a_power_law_of_few_rows_whose_terms_look_alike(self):
        """Beside each other log x, x and 1 / x fit nearly as well, and the best of them first is a wrong one."""
        rng = np.random.default_rng(5)
        R, S, n = rng.uniform([0.2, 1e-4, 0.01], [3.0, 1e-2, 0.05], (25, 3)).T
        law = R ** (2 / 3) * np.sqrt(S) / n
        X = np.column_stack([R, S, n])
        found = powers(X, law * (1.0 + 0.02 * rng.normal(size=25)), LIMITS)
        assert min(left(nodes, X, law) for nodes in found) < 5e-5

    def test_what_is_beyond_its_domain_is_left_out(self):
        centred = X - X.mean(axis=0)
        found = powers(centred, np.exp(0.5 * centred[:, 0]) + 0.1 * centred[:, 1] ** 2, LIMITS)
        assert found
        assert np.isfinite([evaluate64(nodes, centred) for nodes in found]).all()

    def test_nothing_without_an_exponential_rows_or_a_sign(self):
        assert powers(X, a**1.7, limits(operators=("add", "sub", "mul", "div", "log"))) == []
        assert powers(X[:5], a[:5] ** 1.7, LIMITS) == []
        assert powers(X, a - a.mean(), LIMITS) == []

    def test_a_power_law_with_noise_is_chosen(self):
        y = 3.1 * a**1.7 * b**-0.6 * c**0.33
        noisy = y + 0.05 * y.std() * np.random.default_rng(0).normal(size=len(y))
        est = SymbolicRegressor(generations=20, time_limit=None, population_size=500, random_state=0).fit(X, noisy)
        assert est.model_.length <= 15
        assert left(est.model_.nodes, X, y) < 1e-3


class TestLongSums:
    @pytest.mark.parametrize(
        "y",
        [
            10.0 / (5.0 + ((X - 2.5) ** 2).sum(axis=1)),
            np.exp(0.1 * (a * b - c * d + a - d)),
            np.sin(a) + np.log(b) - c * 3.0 + np.sqrt(d) + 2.0 * np.cos(b),
        ],
    )
    def test_finds_what_many_terms_make(self, y):
        assert left(long_sums(X, y, LIMITS)[0], X, y) < 1e-9

    def test_what_is_no_sum_is_approached(self):
        y = a * b * c / d + np.sin(a * d)
        found = long_sums(X, y, LIMITS)
        assert min(left(nodes, X, y) for nodes in found) < 0.05
        assert max(map(len, found)) <= 50

    def test_noise_keeps_them_short_enough(self, rng):
        y = rng.normal(size=256)
        found = long_sums(X, y, limits(max_length=20))
        assert found
        assert all(len(nodes) <= 20 for nodes in found)

    def test_none_on_few_rows_or_without_arithmetic(self):
        assert long_sums(X[:5], a[:5], LIMITS) == []
        assert long_sums(X, np.ones(256), LIMITS) == []
        assert long_sums(X, a, limits(operators=("add", "sin"))) == []


class TestQuadrics:
    @pytest.mark.parametrize(
        "y",
        [
            a / ((b - c) ** 2 + d**2),
            3.0 * b / d * (a * c + 2.0 * c**2 - a),
            np.sqrt((a - b) ** 2 + (c - d) ** 2),
            a * b / np.sqrt(c**2 + 2.0 * c * d + 7.0),
            -c / (a * b + b * c + a * c),
        ],
    )
    def test_finds_them_times_or_over_a_monomial(self, y):
        assert left(quadrics(X, y, LIMITS)[0], X, y) < 1e-9

    @pytest.mark.parametrize("shift", [-2.0, 0.0, 3.0])
    @pytest.mark.parametrize(
        "y",
        [
            10.0 / (5.0 + ((X - 2.5) ** 2).sum(axis=1)),
            -3.0 * np.exp(-((a - 2.0) ** 2) - 0.5 * (b - 3.0) ** 2),
            np.sqrt(7.0 + a * b + (c - d) ** 2),
        ],
    )
    def test_finds_them_beside_a_number(self, y, shift):
        assert left(quadrics(X, y + shift, LIMITS)[0], X, y) < 1e-9

    def test_a_law_of_gravity(self):
        Z = np.random.default_rng(0).uniform(1.0, 2.0, (512, 9)) + np.array([0, 0, 0, 2, 0, 2, 0, 2, 0])
        y = Z[:, 0] * Z[:, 1] * Z[:, 2] / sum((Z[:, k] - Z[:, k + 1]) ** 2 for k in (3, 5, 7))
        assert left(quadrics(Z, y, LIMITS)[0], Z, y) < 1e-9

    def test_nothing_else(self):
        assert quadrics(X, np.sin(3.0 * a) * np.cos(5.0 * b), LIMITS) == []
        assert quadrics(X[:5], a[:5], LIMITS) == []
        assert quadrics(X, a, limits(operators=("add", "sin"))) == []


class TestPolynomials:
    @pytest.mark.parametrize(
        ("y", "length"),
        [
            (a**4 - a**3 + 0.5 * b**2 - b, 15),
            (a * b * c + d**3 - a * d, 14),
            (1.0 / (1.0 + a**3 + b * c**2), 13),
            (np.exp(0.01 * (a**3 - b * c * d)), 12),
            (np.sqrt(a**4 + b * c), 9),
        ],
    )
    def test_finds_them_and_what_is_made_of_one(self, y, length):
        best = polynomials(X, y, LIMITS)[0]
        assert left(best, X, y) < 1e-9
        assert len(best) <= length

    @pytest.mark.parametrize("degree", [3, 4, 5, 6])
    def test_twenty_rows_are_enough_for_a_feature(self, degree):
        x = np.linspace(-1.0, 1.0, 20)[:, None]
        y = sum(x[:, 0] ** k for k in range(1, degree + 1))
        assert left(polynomials(x, y, LIMITS)[0], x, y) < 1e-9

    def test_noise_leaves_few_terms(self, rng):
        y = a**3 - 8.0 * b * c
        best = polynomials(X, y + 0.5 * rng.normal(size=256), LIMITS)[0]
        assert len(best) <= 20  # of 34 terms; powers of a feature stand for each other
        assert left(best, X, y) < 1e-3

    def test_without_a_square(self):
        few = limits(operators=("add", "sub", "mul", "div"))
        y = a**4 - b**3
        best = polynomials(X, y, few)[0]
        assert left(best, X, y) < 1e-9
        assert {code for code, _, _ in best} <= {0, 1, *opcodes(few.operators)}

    def test_nothing_else(self):
        assert polynomials(X, np.sin(30.0 * a), LIMITS) == []
        assert polynomials(X[:5], a[:5], LIMITS) == []
        assert polynomials(np.ones((256, 2)), a, LIMITS) == []

    def test_as_long_as_allowed(self):
        found = polynomials(X, a**3 + b**3 + c**3 + d**3, limits(max_length=9))
        assert found
        assert all(len(nodes) <= 9 for nodes in found)


class TestRationals:
    @pytest.mark.parametrize(
        ("y", "length"),
        [
            (30.0 * (a - 1.0) * (c - 1.0) / (b**2 * (a - 10.0)), 21),
            (a * b / (c * (1.0 + 0.5 * d) + b), 13),
            ((a + b) / (1.0 + a * b / c**2), 16),
            ((2.0 * a + 3.0) / (a**2 + 1.0), 10),
            (7.0 - a - a * b / (1.0 + 0.5 * a**2), 25),
            (a * np.sqrt((b + 2.0 * c) / (d + 3.0)), 16),
        ],
    )
    def test_finds_them(self, y, length):
        best = rationals(X, y, LIMITS)[0]
        assert left(best, X, y) < 1e-9
        assert len(best) <= length

    def test_nothing_else(self, rng):
        assert rationals(X, a * b / (c + b) + 0.01 * rng.normal(size=256), LIMITS) == []
        assert rationals(X[:19], a[:19], LIMITS) == []
        assert rationals(np.ones((256, 2)), a, LIMITS) == []
        assert rationals(X, a, limits(operators=("add", "sin"))) == []


class TestSums:
    @pytest.mark.parametrize(
        "y",
        [
            a * b,
            3.0 * a / b - 2.0 * np.sin(c),
            1.0 / (1.0 / a + c / b),
            np.sqrt((a - b) ** 2 + (c - d) ** 2),
            b * np.exp(-a * c / d),
            (a * c + b * d) / (a + b),
            a * b * c * np.log(d / a),
            -a * (np.cos(b * c) + d * np.cos(b * c) ** 2),
            1e8 * (a * a + b),
        ],
    )
    def test_finds_laws_of_this_form(self, y):
        assert left(sums(X, y, LIMITS)[0], X, y) < 1e-9

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_noise_below_zero_leaves_an_exponential(self, sign):
        law = a * np.exp(-1.5 * b * c / d)
        y = sign * (law + 0.05 * law.std() * np.random.default_rng(0).normal(size=256))
        assert y.min() < 0.0 < y.max()
        assert left(sums(X, y, LIMITS)[0], X, law) < 1e-3

    def test_within_the_settings(self):
        few = limits(operators=("add", "sub", "mul", "div", "sin"), max_length=12)
        found = sums(X, np.exp(a - b) + np.sqrt(c), few)
        assert found
        allowed = {
            0,
            1,
            *(Programs.from_nodes([parse(t, ["x"])]).opcode[0, -1] for t in ("x+x", "x-x", "x*x", "x/x", "sin(x)")),
        }
        for nodes in found:
            assert len(nodes) <= 12
            assert {code for code, _, _ in nodes} <= allowed

    def test_nothing_without_arithmetic_rows_or_a_target(self):
        assert sums(X, a, limits(operators=("sin", "add"))) == []
        assert sums(X[:5], a[:5], LIMITS) == []
        assert sums(X, np.ones(256), LIMITS) == []

    def test_few_rows_give_exact_laws_and_very_few_nothing(self, rng):
        few = X[:40]
        assert left(sums(few, few[:, 0] / few[:, 1], LIMITS)[0], few, few[:, 0] / few[:, 1]) < 1e-9
        assert sums(X[:5], rng.normal(size=5), LIMITS) == []

    def test_inverses_look_at_large_values(self):
        """Noise on small values would hide the law from 1 / y."""
        y = 8.0 * a**2 / (9.0 + a**2)
        few = slice(0, 40)
        noisy = y[few] + 0.03 * y.std() * np.random.default_rng(3).normal(size=40)
        found = sums(X[few, :1], noisy, LIMITS)
        assert min(left(nodes, X[few, :1], y[few]) for nodes in found) < 0.01

    def test_many_features_and_hopeless_ones(self, rng):
        wide = np.column_stack([X, np.zeros(256), rng.normal(size=(256, 40)), np.full(256, 3.0)])
        assert left(sums(wide, a * b, LIMITS)[0], wide, a * b) < 1e-9

    def test_features_that_matter_only_as_a_product(self, rng):
        wide = rng.normal(size=(256, 200))
        y = wide[:, 20] * wide[:, 150] + wide[:, 7]
        assert {7, 20, 150} <= set(correlated(wide, y, 8))
        assert left(sums(wide, y, LIMITS)[0], wide, y) < 1e-9
        assert len(correlated(wide, np.ones(256), 8)) == 8

    def test_terms_are_well_formed_and_simple_first(self):
        features = range(3)
        terms = library(features, all_monomials(features), ["sin", "exp", "square"], 300)
        assert len(terms) == 300
        Programs.from_nodes(terms).validate(3)
        assert [len(t) for t in terms[:6]] == [1, 3] * 3  # x, 1/x of each
        assert len(all_monomials(range(2))) == 8  # x, 1/x, y, 1/y, xy, x/y, y/x, 1/xy

    def test_in_the_first_population_and_only_if_asked(self):
        y = np.sqrt((a - b) ** 2 + (c - d) ** 2)
        both = (Settings(), Settings(planters=()))
        with_sums, without = (Run(Cases.from_arrays(X, y), settings).start().population for settings in both)
        assert with_sums.fitness.min() < 1e-4 < without.fitness.min()
        assert (with_sums.programs.opcode[:900] == without.programs.opcode[:900]).all()

    def test_the_zero_of_a_shifted_target(self):
        y = np.sqrt((a - b) ** 2 + (c - d) ** 2)
        est = SymbolicRegressor(generations=0, time_limit=None, random_state=0).fit(X, y)
        one, two = "(x0 - x1)^2", "(x2 - x3)^2"
        assert est.model_.formula in (f"sqrt({one} + {two})", f"sqrt({two} + {one})")


class TestProducts:
    @pytest.mark.parametrize("exponents", [(1, 1), (1, -2), (1.5,), (-0.5,), (0.5, -0.5), (1, 1, -1), (4, 1)])
    def test_products_of_powers_are_found_in_noise(self, exponents):
        rng = np.random.default_rng(1)
        Z = rng.uniform(1, 5, (25, 3))
        y = 2.2 * np.prod([Z[:, j] ** e for j, e in enumerate(exponents)], axis=0)
        found = products(Z, y * np.exp(0.05 * rng.normal(size=25)), LIMITS)
        assert min(left(nodes, Z, y) for nodes in found) < 1e-9

    def test_within_the_operators(self):
        Z = np.random.default_rng(1).uniform(1, 5, (25, 2))
        few = limits(operators=("add", "sub", "mul", "div"))
        allowed = {0, 1, *opcodes(few.operators)}
        found = products(Z, Z[:, 0] ** 3 / Z[:, 1], few)
        assert found
        assert all({code for code, _, _ in nodes} <= allowed for nodes in found)

    def test_no_powers_of_what_is_not_positive(self):
        Z = np.random.default_rng(1).normal(size=(50, 2))
        assert products(Z, Z[:, 0], LIMITS) == []


class TestGather:
    @pytest.mark.parametrize(
        ("text", "gathered"),
        [
            ("2.0*sqrt(square(0.5*x0 - 0.5*x1) + square(0.5*x2 - 0.5*x3))", "sqrt((x0 - x1)^2 + (x2 - x3)^2)"),
            ("0.25*x0*(square(2.0*x1) + square(2.0*x2))", "x0*(x1^2 + x2^2)"),
            ("3.0*x0*(0.5*x2 - 0.5*x3)/(1.5*x0 + 1.5*x1) + x3", "x0*(x2 - x3)/(x0 + x1) + x3"),
            ("2.0/(2.0*x2/x1 + 2.0/x0)", "1/(x2/x1 + 1/x0)"),
            ("2.5/(square(0.5*x0) - 1.5*x0 + square(0.5*x1) + 2.5)", "10/(x0^2 - 6*x0 + x1^2 + 10)"),
            ("0.3*x0 - (0.6*x2 - 0.3*sin(x1))", "0.3*(x0 - 2*x2 + sin(x1))"),
            ("exp(-2.0*x0 - 2.0*x1)*(-3.0)", "-3*exp(-2*x0 - 2*x1)"),
            ("0.5*sqrt(16.0*x0)/cos(x1)", "2*sqrt(x0)/cos(x1)"),
            ("2.0*x0 + 3.0*x1", "2*x0 + 3*x1"),
            ("sin(2.0*x0)*3.0", "3*sin(2*x0)"),
            ("exp(-2.0*x0) - 0.5*x1", "exp(-2*x0) - 0.5*x1"),
            ("2.0*exp(log(0.5*x0) - x1*x2/x3)", "x0*exp(-x1*x2/x3)"),
            ("2.0*exp(x1*x2 - log(4.0*x0))", "exp(x1*x2)/(2*x0)"),
            ("exp(log(x0*x1) - log(x2))", "x0*x1/x2"),
            ("-10.0/(6.0*x0 - square(x0) - x1 - 50.0)", "10/(x0^2 + x1 + 50 - 6*x0)"),
            ("-3.0*(x3 - 2.0*x2)/(x0 - x1)", "(3*x3 - 6*x2)/(x1 - x0)"),
            ("-2.0/(x0 + x1)", "-2/(x0 + x1)"),
            ("exp(0.5*log(x0) - 2.0*x1 + 0.6931471805599453)", "2*exp(0.5*log(x0) - 2*x1)"),
            ("exp(0.5*log(4.0*x0) - 0.25*log(16.0*x1))", "exp(0.5*log(x0) - 0.25*log(x1))"),
            ("exp(0.5*log(16.0*x0) - 0.25*log(16.0*x1))", "exp(0.5*log(4*x0) - 0.25*log(x1))"),
            ("exp(x2 + 0.25*x1 - 0.5*log(16.0*x0))", "exp(x2 + 0.25*x1 - 0.5*log(16*x0))"),
            ("exp(1.5*x2 - 0.5*log(4.0*x0))*x1", "0.5*x1*exp(1.5*x2 - 0.5*log(x0))"),
        ],
    )
    def test_texts(self, text, gathered):
        names = ["x0", "x1", "x2", "x3"]
        nodes = gather(parse(text, names), X, evaluate64)
        assert Programs.from_nodes([nodes]).formula(0, names) == gathered

    @pytest.mark.parametrize("text", ["1e300*x0*exp(x1)*1e300", "log(-1.0*x0)", "3.0"])
    def test_undefined_and_constant_programs_stay(self, text):
        nodes = parse(text, ["x0", "x1"])
        assert gather(nodes, X, evaluate64) == nodes == prune(nodes, X, evaluate64)

    def test_unequal_coefficients_stay(self):
        nodes = parse("0.5*x0 + 0.500001*x1", ["x0", "x1"])
        assert left(gather(nodes, X, evaluate64), X, evaluate64(nodes, X)) < 1e-20
