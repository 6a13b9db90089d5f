"""The choice: description lengths against an oracle, noise, lean forms, poles, words."""

from __future__ import annotations

import math
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from epsilex import SymbolicRegressor
from epsilex.data.noise import Noise, possible
from epsilex.data.rows import Rows
from epsilex.evolution import Cases
from epsilex.evolution.observers.archive import FIRST, PLACES, Archive
from epsilex.evolution.settings import Settings
from epsilex.models.answer import answer
from epsilex.models.choice.choosing import Decision
from epsilex.models.choice.claims import claims
from epsilex.models.choice.description import (
    KIND,
    constant_nats,
    constants_nats,
    describe,
    is_simple,
    simple_nats,
    star,
)
from epsilex.models.choice.language import Language
from epsilex.models.choice.linear import Reference
from epsilex.models.choice.words import told
from epsilex.models.front import Scorer
from epsilex.models.lean import Bench
from epsilex.models.model import model
from epsilex.models.simpler import exponents, numbers
from epsilex.programs import Programs
from epsilex.programs.intervals import Interval
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, opcode
from epsilex.programs.parser import parse
from epsilex.programs.poles import finiteness, guarded

NAMES = ["k", "x"]
LANGUAGE = Language(Settings.operators, 2)


def squared(y, prediction):
    return (y - prediction) ** 2


def hooke(n=25, noise=0.03, seed=0) -> Rows:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.uniform(50, 300, n), rng.uniform(0.02, 0.3, n)])
    y = X[:, 0] * X[:, 1]
    return Rows(X, y + noise * y.std() * rng.normal(size=n), np.ones(n))


class TestNoise:
    def test_nats_are_the_negative_log_density(self):
        rows = hooke()
        out = rows.X[:, 0] * rows.X[:, 1]
        additive, relative = possible("auto", rows)
        spread = np.sqrt(np.mean((rows.y - out) ** 2))
        assert additive.nats(additive.residuals(out)) == pytest.approx(-norm.logpdf(rows.y, out, spread).sum())
        logs = np.log(rows.y / out)
        density = norm.logpdf(logs, 0.0, np.sqrt(np.mean(logs**2))) - np.log(rows.y)  # of log y, times d log y / dy
        assert relative.nats(relative.residuals(out)) == pytest.approx(-density.sum())

    @pytest.mark.parametrize("kind", ["additive", "relative"])
    def test_the_kind_that_made_the_data_is_the_shorter(self, kind):
        rng = np.random.default_rng(0)
        X = np.exp(rng.uniform(0, 5, (200, 1)))
        out = 2.0 * X[:, 0]
        y = out + 1.0 * rng.normal(size=200) if kind == "additive" else out * np.exp(0.1 * rng.normal(size=200))
        rows = Rows(X, y, np.ones(200))
        noises = possible("auto", rows)
        best = min(noises, key=lambda noise: noise.nats(noise.residuals(out)))
        assert best.kind == (kind if len(noises) == 2 else "additive")

    def test_relative_noise_needs_one_sign(self):
        rows = hooke()
        assert [noise.kind for noise in possible("auto", Rows(rows.X, rows.y - 20.0, rows.weight))] == ["additive"]

    def test_given_errors_are_a_floor(self):
        rows = hooke()
        noise = Noise.of("given", Rows(rows.X, rows.y, rows.weight, np.full(25, 1.0)))
        zero, small, large = (noise.nats(np.full(25, r)) for r in (0.0, 0.1, 3.0))
        assert small - zero == pytest.approx(25 * 0.5 * 0.01)
        assert large - zero == pytest.approx(25 * (0.5 + math.log(3.0)))


class TestDescription:
    def test_against_an_oracle(self):
        """Every part from its definition, by other means: numeric derivatives, scipy's density."""
        rows, language = hooke(), Language(Settings.operators, 2)
        theta = np.array([1.0123, 0.4567])

        def values(c):
            return c[0] * rows.X[:, 0] * rows.X[:, 1] + c[1]

        found = describe(parse("1.0123*k*x + 0.4567", NAMES), rows.X, [Noise.of("additive", rows)], language)
        variance = np.mean((rows.y - values(theta)) ** 2)
        residuals = -norm.logpdf(rows.y, values(theta), np.sqrt(variance)).sum()
        leaf, arithmetic = 1 / 6, 3 / 8 / 6  # of six arithmetic operators
        structure = -3 * math.log(leaf) - 2 * math.log(arithmetic) + 2 * math.log(2)
        a, b = (
            theta[j] * (values(theta + step) - values(theta - step)) / (2e-6 * theta[j]) / np.sqrt(12.0 * variance)
            for j, step in enumerate(np.diag(1e-6 * theta))
        )
        determinant = (1.0 + a @ a) * (1.0 + b @ b) - (a @ b) ** 2
        constants = 2.0 * (math.log(6.0) + 0.5) + 0.5 * math.log(determinant)
        assert found.residuals == pytest.approx(residuals)
        assert found.structure == pytest.approx(structure)
        assert found.constants == pytest.approx(constants, rel=1e-6)
        assert found.total == pytest.approx(residuals + structure + constants)

    def test_bare_features_are_free_and_simple_numbers_cheap(self):
        rows, language = hooke(), Language(Settings.operators, 2)
        noise = [Noise.of("additive", rows)]
        cost = [
            describe(parse(text, NAMES), rows.X, noise, language).constants for text in ("k*x", "1.5*k*x", "1.01*k*x")
        ]
        assert cost[0] == 0.0 < cost[1] < cost[2]

    def test_the_code_of_whole_numbers_is_one(self):
        """Kraft's inequality, which makes it a code; Rissanen's constant makes the sum 1."""
        total = sum(math.exp(-star(n)) for n in range(1, 200_000))
        assert 0.7 < total < 1.0

    @given(st.integers(1, 9), st.integers(1, 4))
    def test_simple_fractions_are_known(self, p, q):
        assert math.isfinite(simple_nats(p / q))
        assert simple_nats(p / q) == simple_nats(-p / q)
        assert math.isinf(simple_nats(p / q + 1e-9))

    @given(st.floats(0.1, 1e3), st.floats(1.0, 1e6))
    def test_more_information_costs_more_digits(self, value, information):
        assert constant_nats(value, information) <= constant_nats(value, 4.0 * information) + 1e-12

    @given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.floats(-3.0, 3.0))
    def test_together_constants_cost_at_most_what_they_cost_apart(self, seed, k, size):
        slopes = 10.0**size * np.random.default_rng(seed).normal(size=(k, 20)).cumsum(axis=0)
        values = [math.pi + j for j in range(k)]
        apart = sum(constant_nats(1.0001, float(slope @ slope) / 1.0001**2) for slope in slopes)
        assert constants_nats(values, list(slopes)) <= apart + 1e-9

    def test_constants_that_do_not_interact_cost_the_same_apart(self):
        slopes = [np.array([30.0, 0.0]), np.array([0.0, 5.0])]
        apart = constant_nats(1.0001, 900.0 / 1.0001**2) + constant_nats(1.0001, 25.0 / 1.0001**2)
        assert constants_nats([math.pi, math.e], slopes) == pytest.approx(apart)

    def test_a_constant_that_another_makes_up_for_has_no_digits(self):
        slope = np.linspace(1.0, 90.0, 20)
        one, two = constants_nats([math.pi], [slope]), constants_nats([math.pi, math.e], [slope, slope])
        assert two - one == pytest.approx(KIND + 0.5 + 0.5 * math.log(2.0), abs=1e-3)

    def test_more_constants_than_rows_have_a_price(self):
        slopes = list(1e12 * np.random.default_rng(0).normal(size=(14, 12)))
        apart = sum(constants_nats([math.pi], [slope]) for slope in slopes[:12])
        assert 0.5 * apart < constants_nats([math.pi + j for j in range(14)], slopes) < 2.0 * apart

    def test_the_same_law_costs_the_same_however_it_is_written(self):
        language = Language(Settings.operators, 2)
        for texts in (("2.1*x^-0.3", "2.1/x^0.3", "2.1*exp(-0.3*log(x))"), ("3.3/x", "3.3*inv(x)", "inv(0.3*x)")):
            assert len({round(language.structure(parse(text, NAMES)), 9) for text in texts}) == 1

    def test_a_number_of_no_influence_costs_next_to_nothing(self):
        assert constant_nats(0.123, 0.0) == pytest.approx(math.log(6.0) + 0.5)

    def test_a_sine_costs_more_than_a_product_and_a_power_is_one(self):
        language = Language(Settings.operators, 2)
        texts = ("x*x", "sin(x)*x", "exp(1.5*log(x))", "exp(1.5*log(x) + 2.5*log(k))")
        square, sine, power, powers = (language.structure(parse(text, NAMES)) for text in texts)
        assert square < sine
        assert power == pytest.approx(square - math.log(2))  # one column less to name
        assert powers == pytest.approx(2.0 * power + math.log(16))
        assert language.structure(parse("exp(1.5*x)", NAMES)) > language.structure(parse("1.5*x", NAMES))

    @pytest.mark.parametrize("text", ["sin(x)", "k + x", "k^0.66*sqrt(x)", "1/(k + x)", "exp(0.5*log(x))"])
    def test_a_factor_of_the_whole_costs_no_node(self, text):
        language = Language((*Settings.operators, "pow"), 2)
        alone = language.structure(parse(text, NAMES))
        for written in (f"3*({text})", f"({text})/4", f"({text})*2*k", f"-(3*({text}))"):
            nodes = parse(written, NAMES)
            more = 0.0 if "*k" not in written else language.structure(parse(f"({text})*k", NAMES)) - alone
            minus = language.structure(parse(f"-({text})", NAMES)) - alone if written.startswith("-") else 0.0
            assert language.structure(nodes) == pytest.approx(alone + more + minus), written

    def test_a_factor_within_costs_a_bit(self):
        language = Language(Settings.operators, 2)
        plain = language.structure(parse("k + sin(x)", NAMES))
        for text in ("k + 3*sin(x)", "k + sin(x)/3", "k - 3*sin(x)"):
            assert language.structure(parse(text, NAMES)) == pytest.approx(plain + math.log(2.0))

    @pytest.mark.parametrize(("plain", "scaled"), [("k + 1/x", "k + 3/x"), ("k + x^-1.7", "k + 3/x^1.7")])
    def test_a_number_over_something_is_no_node(self, plain, scaled):
        language = Language((*Settings.operators, "pow"), 2)
        more = language.structure(parse(scaled, NAMES)) - language.structure(parse(plain, NAMES))
        assert more == pytest.approx(math.log(2.0))

    def test_a_coefficient_inside_a_square_costs_as_much_as_outside(self):
        """Its square needs one binary digit less, and costs the bit that there is one."""
        rng = np.random.default_rng(4)
        v = np.linspace(2.0, 16.0, 200)
        rows = Rows(v[:, None], (2.1 * v + 0.34 * v**2) * (1.0 + 0.01 * rng.normal(size=200)), np.ones(200), None)
        inside, outside = (
            describe(parse(text, ["v"]), rows.X, possible("relative", rows), Language(Settings.operators, 1)).total
            for text in ("2.1013*v + (0.58321*v)^2", f"2.1013*v + {0.58321**2}*v^2")
        )
        assert inside == pytest.approx(outside, abs=1e-3)

    def test_more_columns_make_a_leaf_dearer(self):
        nodes = parse("k*x", NAMES)
        assert Language(Settings.operators, 100).structure(nodes) - Language(Settings.operators, 2).structure(
            nodes
        ) == pytest.approx(2 * math.log(50))


class TestLean:
    def lean(self, text, rows, names=NAMES):
        bench = Bench(rows.X, possible("auto", rows), Language(Settings.operators, len(names)))
        *_, last = bench.descend(bench.best(parse(text, names)))
        return last

    @pytest.mark.parametrize(
        "text", ["1.00525*k*x", "1.004*k*x + 0.03", "-3.242*x*(cos(exp(3.822*x)) - 0.308*k)", "x*(k + 0.4*sin(k))"]
    )
    def test_hooke_is_k_times_x(self, text):
        rows = hooke()
        lean = self.lean(text, rows)
        np.testing.assert_array_equal(evaluate64(lean.nodes, rows.X), rows.X[:, 0] * rows.X[:, 1])
        assert len(lean.nodes) == 3

    def test_every_step_is_shorter(self):
        rows = hooke()
        bench = Bench(rows.X, possible("auto", rows), Language(Settings.operators, 2))
        totals = [form.total for form in bench.descend(bench.best(parse("1.1*k*x + 0.2*sin(k) + 0.1", NAMES)))]
        assert len(totals) > 1
        assert totals == sorted(totals, reverse=True)

    def test_equal_constants_are_shared(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(1, 9, (60, 2))
        rows = Rows(X, 1.37 * (X[:, 0] - X[:, 1]) + 0.1 * rng.normal(size=60), np.ones(60))
        lean = self.lean("1.36*k - 1.372*x", rows)
        assert len({abs(value) for _, _, value in lean.nodes} - {0.0, 1.0}) == 1

    def test_constants_that_no_data_tells_apart_are_shared(self):
        X = np.random.default_rng(0).uniform(1, 3, (80, 2))
        rows = Rows(X, 1.0 + np.cos(2.7 * X[:, 0]), np.ones(80))
        lean = self.lean("1 + 0.5*cos(2.69999998*k) + 0.5*cos(2.70000002*k)", rows)
        assert len(lean.nodes) == 4

    @pytest.mark.parametrize(
        ("text", "expected"),
        [("k^1.7 + 2.3*x", [1.7]), ("2.1*exp(1.7*log(k) - 0.3*x)", [1.7]), ("1.3*log(x) + 2.6", [])],
    )
    def test_exponents_are_told_from_other_constants(self, text, expected):
        nodes = parse(text, NAMES)
        assert sorted(nodes[k][2] for k in exponents(nodes)) == expected

    def test_an_exponent_is_not_shared_with_a_shift(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(1, 12, (16, 2))
        rows = Rows(X, 0.003 * (X[:, 0] + 3.7) ** 3.7 * (1.0 + 0.01 * rng.normal(size=16)), np.ones(16))
        bench = Bench(rows.X, possible("auto", rows), Language((*Settings.operators, "pow"), 2))
        form = bench.best(parse("0.003*(k + 3.71)^3.69", NAMES))
        (exponent,) = exponents(form.nodes)
        for nodes, _ in numbers(form.nodes, form.description, rows.X):
            assert [abs(value) for _, _, value in nodes].count(abs(nodes[exponent][2])) == 1

    @pytest.mark.parametrize(
        ("start", "law"),
        [
            ("5.1/sqrt(26.3 + k^2)", "1/sqrt(1 + (k/5.1)^2)"),
            ("26.4*x/(k^2 + 26.3)", "x/(1 + (k/5.1)^2)"),
            ("26.4*x/square(k + 5.1)", "x/(1 + k/5.1)^2"),
            ("x + 0.038*(5.1 + k)^2", "x + (1 + k/5.1)^2"),
        ],
    )
    def test_a_power_of_a_sum_begins_at_one(self, start, law):
        rng = np.random.default_rng(0)
        X = rng.uniform(0.4, 20, (30, 2))
        y = evaluate64(parse(law, NAMES), X)
        lean = self.lean(start, Rows(X, y + 0.003 * y.std() * rng.normal(size=30), np.ones(30)))
        assert evaluate64(lean.nodes, np.array([[0.0, 1.0]])) == evaluate64(parse(law, NAMES), np.array([[0.0, 1.0]]))
        np.testing.assert_allclose(evaluate64(lean.nodes, X), y, atol=0.01 * y.std())

    def test_a_power_of_a_sum_that_does_not_begin_at_one_stays(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(0.4, 20, (30, 2))
        y = evaluate64(parse("1.2/sqrt(1 + (k/5.1)^2)", NAMES), X)
        lean = self.lean("6.1/sqrt(26.3 + k^2)", Rows(X, y + 0.003 * y.std() * rng.normal(size=30), np.ones(30)))
        np.testing.assert_allclose(evaluate64(lean.nodes, X), y, atol=0.01 * y.std())

    def test_saturation_passes_through_zero(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(0.4, 10, (20, 2))
        k = X[:, 0]
        rows = Rows(X, 3.2 * k / (0.7 + k) + 0.03 * rng.normal(size=20), np.ones(20))
        lean = self.lean("3.2 - 2.25/(0.72 + k)", rows)
        assert evaluate64(lean.nodes, np.array([[0.0, 1.0]])) == 0.0
        np.testing.assert_allclose(evaluate64(lean.nodes, X), 3.2 * k / (0.7 + k), atol=0.05)

    @pytest.mark.parametrize("start", ["0.34*(k + 3.1)^2 - 3.2", "-3.3 + (1.8 + 0.58*k)^2"])
    def test_a_completed_square_passes_through_zero(self, start):
        rng = np.random.default_rng(0)
        X = rng.uniform(2, 16, (20, 2))
        k = X[:, 0]
        rows = Rows(X, 2.1 * k + 0.34 * k**2 + 0.3 * rng.normal(size=20), np.ones(20))
        lean = self.lean(start, rows)
        assert evaluate64(lean.nodes, np.array([[0.0, 1.0]])) == 0.0
        assert len(lean.nodes) < len(parse(start, NAMES))
        np.testing.assert_allclose(evaluate64(lean.nodes, X), 2.1 * k + 0.34 * k**2, atol=0.6)

    def test_an_offset_that_the_data_asks_for_stays(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(0.4, 10, (40, 2))
        k = X[:, 0]
        rows = Rows(X, 3.2 - 1.2 / (0.7 + k) + 0.01 * rng.normal(size=40), np.ones(40))
        lean = self.lean("3.2 - 1.25/(0.72 + k)", rows)
        np.testing.assert_allclose(evaluate64(lean.nodes, X), 3.2 - 1.2 / (0.7 + k), atol=0.02)

    def test_what_the_data_asks_for_stays(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(1, 9, (60, 2))
        rows = Rows(X, 1.37 * X[:, 0] / X[:, 1] + 0.8 + 0.01 * rng.normal(size=60), np.ones(60))
        lean = self.lean("1.3*k/x + 0.7", rows)
        np.testing.assert_allclose(evaluate64(lean.nodes, X), 1.37 * X[:, 0] / X[:, 1] + 0.8, atol=0.02)


class TestVariablePowers:
    def test_a_power_with_a_variable_exponent_is_an_exponential_of_a_product(self):
        power, written = (LANGUAGE.structure(parse(text, NAMES)) for text in ("k^x", "exp(x*log(k))"))
        assert power == pytest.approx(written)

    def test_a_power_of_a_number_is_an_exponential(self):
        number, written = (LANGUAGE.structure(parse(text, NAMES)) for text in ("2^x", "exp(x)"))
        assert number == pytest.approx(written + math.log(6.0))  # and the number

    def test_a_power_with_a_number_as_exponent_is_arithmetic(self):
        assert LANGUAGE.structure(parse("k^1.7", NAMES)) < LANGUAGE.structure(parse("k^x", NAMES)) - 5.0


class TestClaims:
    X = np.column_stack([np.linspace(1.0, 100.0, 30), np.linspace(0.1, 1.5, 30)])

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("3.7*sin(0.26*sqrt(k))", 1),  # 0.26 to 2.6: less than half a period
            ("3.7*sin(0.26*k)", 0),  # four periods
            ("3.7*sin(x)", 0),  # an angle
            ("3.7*sin(cos(k))", 1),  # a wave of a wave
            ("3.7*sin(k + 0.3*cos(x))", 1),
            ("3.7*sin(k)*cos(x)", 0),
            ("3.7*sin(2*x)", 0),
            ("3.7*cos(1.1*x + 0.3)", 1),
            ("2.1*k^18.35", 1),
            ("2.1*k^18", 0),
            ("2.1*k^-0.66", 1),
            ("2.1*k^-0.75", 0),
            ("2.1*exp(0.75*log(k) - 0.66*log(x))", 1),
            ("2.1*k^0.31*x^0.69", 1),  # said once of the whole
            ("2.1*(k + 3.6)^3.75", 1),  # a quarter is simple for one quantity, not for a shifted one
            ("2.1*(k + 3.6)^3.5", 0),
            ("2.1*(k + 3.6)^-2", 0),
            ("2.1*(3.1*x/(k + x))^0.75", 1),
            ("2.1*k*sqrt(x)^0.75", 0),
            ("2.1*exp(-0.66*x)^0.75", 0),
            ("2.1*exp(1.75*log(k + 3.6))", 1),
            ("2.1*exp(1.5*log(k + 3.6) - 0.75*log(x))", 0),
            ("exp(0.66*log(k) + 0.3*x)", 2),
            ("exp(0.3 + 0.66*log(k))", 1),
            ("2.1*exp(-7.3*log(k))", 1),
            ("log(1.5*k)", 1),
            ("2.1*log(1.5*k)", 0),
            ("square(log(1.5*k))", 1),
            ("exp(1.5*log(k))", 0),
            ("k*exp(-0.3*x)", 0),
            ("k^1.5", 0),
            ("sin(0.26*x)", 2),
        ],
    )
    def test_what_the_rows_do_not_show(self, text, expected):
        assert claims(parse(text, NAMES), self.X, is_simple).count == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("3.7*sin(0.9*k)", False),  # a step of 3.1 from row to row
            ("3.7*sin(0.94*k)", True),
            ("3.7*cos(17.5*k)*exp(x)", True),
            ("3.7*sin(exp(0.06*k))", True),
            ("3.7*sin(exp(0.04*k))", False),
            ("sqrt(40*k)", False),
            ("3.7*sin(1e300*k)*sin(1e300*k)", True),
        ],
    )
    def test_waves_faster_than_the_rows(self, text, expected):
        assert claims(parse(text, NAMES), self.X, is_simple).hidden == expected

    def test_repeated_rows_show_no_faster_waves(self):
        for X in (self.X, np.repeat(self.X, 5, axis=0)):
            assert claims(parse("3.7*sin(0.94*k)", NAMES), X, is_simple).hidden
            assert not claims(parse("3.7*sin(0.9*k)", NAMES), X, is_simple).hidden

    def test_a_fast_wave_must_leave_a_tenth_of_the_squares(self):
        rows = Rows(self.X, np.cos(0.3 * self.X[:, 0]), np.ones(30))
        slow, fast = (
            describe(parse(f"cos({w!r}*k)", NAMES), self.X, [Noise.of("additive", rows)], LANGUAGE)
            for w in (0.3, float(0.3 + 2.0 * math.pi / (self.X[1, 0] - self.X[0, 0])))
        )
        assert slow.hidden == 0.0
        assert fast.hidden == pytest.approx(15.0 * math.log(10.0))
        assert fast.total == pytest.approx(fast.structure + fast.constants + fast.residuals + fast.hidden)

    def test_a_peak_on_an_even_grid_is_no_fast_wave(self):
        rng = np.random.default_rng(3)
        x = np.linspace(-4.0, 6.0, 30)
        y = 5.0 * np.exp(-((x - 1.3) ** 2) / 1.62) + 0.7 + 0.12 * rng.normal(size=30)
        est = SymbolicRegressor(time_limit=None, generations=25, population_size=500, random_state=1).fit(x[:, None], y)
        between = np.linspace(-3.9, 5.9, 400)
        law = 5.0 * np.exp(-((between - 1.3) ** 2) / 1.62) + 0.7
        assert np.abs(est.predict(between[:, None]) - law).max() < 0.5
        assert est.choice_.warning == ""

    def test_each_costs_what_a_nested_function_does(self):
        rows = Rows(self.X, 4.4 * self.X[:, 0] / (5.6 + self.X[:, 0]), np.ones(30))
        noise = [Noise.of("additive", rows)]
        nodes = parse("3.7*sin(0.26*sqrt(k))", NAMES)
        found = describe(nodes, self.X, noise, LANGUAGE)
        assert found.structure - LANGUAGE.structure(nodes) == pytest.approx(math.log(16.0))


class TestPoles:
    BOX = (Interval(0.0, 1.0), Interval(0.0, 1.0))

    def rows(self, n=200):
        X = np.random.default_rng(0).random((n, 2))
        return X[np.abs(X[:, 0] - 0.5) > 0.02]

    @pytest.mark.parametrize(
        "text", ["1/(k + 0.01)", "log(k + x + 0.01)", "1/(k*k - k + 0.26)", "sqrt(k*k - k + 0.2504)"]
    )
    def test_finite_ones_are_proven(self, text):
        X = self.rows()
        assert finiteness(parse(text, NAMES), self.BOX, X, 500) == "finite"

    @pytest.mark.parametrize(
        "text",
        [
            "1/(k*k - k + 0.2498)", "sqrt(square(k - 0.5) - 0.0001)", "log(k + x - 0.05)", "1/(x + exp(k) - 1.01)",
            "asin(k + x - 0.97)", "acos(1.03 - k - x)",
        ],
    )  # fmt: skip
    def test_narrow_poles_are_found(self, text):
        X = self.rows()
        X = X[np.isfinite(evaluate64(parse(text, NAMES), X)) & (X.sum(axis=1) > 0.06)]
        nodes = parse(text, NAMES)
        signs = [np.sign(evaluate64(guard, X)) for guard in guarded(nodes)]
        assert all((s == s[0]).all() for s in signs)  # the data itself shows nothing
        assert finiteness(nodes, self.BOX, X, 2000) == "pole"

    def test_places_that_the_data_avoids_do_not_count(self):
        X = np.sort(np.random.default_rng(0).random((200, 2)), axis=1)
        assert finiteness(parse("1/(x - k)", NAMES), self.BOX, X) == "unknown"

    def test_a_formula_with_a_pole_is_chosen_only_where_nothing_else_explains_the_data(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(0.0, 1.0, (60, 2))
        X = X[(X[:, 0] > 0.04) | (X[:, 1] > 0.04)]
        wild, smooth = parse("1/(k + x - 0.03)", NAMES), parse("1/(k + x + 0.03)", NAMES)
        for law, warned in ((smooth, False), (wild, True)):
            y = evaluate64(law, X) * (1.0 + 0.01 * rng.normal(size=len(X)))
            rows = Rows(X, y, np.ones(len(X)))
            told = answer([wild, smooth], [], Scorer(NAMES, squared, rows), "description", True, 50)
            assert bool(told.choice.warning) == warned
            assert ("pole" in told.choice.text) == warned


class TestWords:
    def test_two_sentences_say_why(self):
        rows = hooke()
        programs = [parse(text, NAMES) for text in ("100*x", "k*x", "1.01*k*x + 0.1*sin(k)", "16.1")]
        told = answer(programs, [], Scorer(NAMES, squared, rows), "description", True, 50)
        choice = told.choice
        assert told.models[told.chosen].formula == "k*x"
        assert choice.odds > 10.0
        assert choice.noise == "additive"
        assert choice.closest.formula not in ("k*x", "x*k")
        assert "shortest description" in choice.text
        assert "ridge" in choice.text
        assert "odds" in choice.text
        assert choice.text.count(". ") <= 2

    def test_a_shorter_description_that_the_gate_refused_is_named(self):
        line, curve = (
            model(parse(text, ["k"]), ["k"], residuals=r) for text, r in (("0.2*k + 5.7", 9.0), ("2.4*sqrt(k)", 5.0))
        )
        forms = [SimpleNamespace(nodes=m.nodes, description=SimpleNamespace(hidden=0.0)) for m in (line, curve)]
        decision = Decision(line.nodes, forms[0], False, Reference(line.nodes, np.zeros(25)), 0.1, forms[1], 0.02)
        text = told(decision, [curve, line], 1, curve, ("additive", 0.8), 25).text
        assert "by a formula that is better than ridge regression" in text
        assert f"{curve.formula} describes the data in fewer nats, odds of 50 to one, but" in text
        assert "The odds are" not in text

    def test_the_linear_model_says_that_it_is(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(30, 6))
        rows = Rows(X, X @ np.arange(1.0, 7.0) + 3.0 * rng.normal(size=30), np.ones(30))
        names = list("abcdef")
        told = answer([parse("f*exp(0.1*e)", names)], [], Scorer(names, squared, rows), "description", True, 50)
        assert told.choice.linear
        assert "linear model" in told.choice.text
        assert told.choice.closest is not None
        assert told.choice.closest.formula in told.choice.text


class TestNoiseParameter:
    X = np.random.default_rng(0).uniform(1, 3, (30, 2))

    def fit(self, y, **how):
        settings = {"generations": 1, "time_limit": None, "population_size": 100, "random_state": 0}
        return SymbolicRegressor(**settings | how).fit(self.X, y)

    @pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
    def test_standard_errors_are_above_zero(self, bad):
        sigma = np.ones(30)
        sigma[4] = bad
        with pytest.raises(ValueError, match=r"noise: expected standard errors above 0; got .* at row 4, 1 of 30"):
            self.fit(self.X[:, 0], noise=sigma)

    def test_one_for_each_row(self):
        with pytest.raises(ValueError, match="noise: expected one standard error per row"):
            self.fit(self.X[:, 0], noise=np.ones(7))

    def test_relative_noise_of_both_signs(self):
        with pytest.raises(ValueError, match="noise: expected a target of one sign"):
            self.fit(self.X[:, 0] - 2.0, noise="relative")

    @pytest.mark.parametrize("bad", ["loud", None, 3.0])
    def test_other_words(self, bad):
        with pytest.raises(ValueError, match="noise: expected one of auto, additive, relative"):
            self.fit(self.X[:, 0], noise=bad)

    def test_rows_count_by_their_errors(self):
        """Wild rows of large standard errors do not move the constant."""
        rng = np.random.default_rng(0)
        sigma = np.where(np.arange(30) < 20, 0.01, 10.0)
        y = 2.345 * self.X[:, 0] * self.X[:, 1] + sigma * rng.normal(size=30)
        est = self.fit(y, noise=sigma)
        assert est.choice_.noise == "given"
        np.testing.assert_allclose(est.predict(self.X), 2.345 * self.X[:, 0] * self.X[:, 1], rtol=0.01)

    def test_relative_noise_is_found(self):
        rng = np.random.default_rng(0)
        X = np.exp(rng.uniform(0, 5, (40, 2)))
        y = 3.21 * X[:, 0] / X[:, 1] * np.exp(0.1 * rng.normal(size=40))
        est = SymbolicRegressor(generations=2, time_limit=None, random_state=0).fit(X, y)
        assert est.choice_.noise == "relative"
        assert est.model_.length == 3


class TestFewRows:
    def test_kepler(self):
        a = np.array([0.3871, 0.7233, 1.0, 1.5237, 5.2028, 9.5388, 19.1914, 30.0611])
        T = np.array([0.2408, 0.6152, 1.0, 1.8808, 11.862, 29.457, 84.011, 164.79])
        est = SymbolicRegressor(time_limit=20, random_state=0).fit(pd.DataFrame({"a": a}), T)
        np.testing.assert_allclose(est.predict(pd.DataFrame({"a": [4.0]})), 8.0, rtol=1e-2)
        assert est.stopped_by_ != "exact"  # measured data is never met exactly

    def test_noise_gets_a_number_though_long_formulas_meet_every_row(self):
        rng = np.random.default_rng(3)
        X, y = rng.uniform(0.5, 10, (12, 2)), rng.normal(5, 1, 12)
        est = SymbolicRegressor(generations=25, time_limit=None, random_state=1).fit(X, y)
        assert max(m.metrics["r2"] for m in est.models_) > 0.9
        assert est.model_.length == 1

    def test_ten_rows_of_an_enzyme(self):
        """No straight line describes a saturation, but the target's mean must not be the answer."""
        s = np.array([0.5, 1, 2, 3, 5, 8, 12, 20, 30, 50])
        rate = np.array([0.4729, 0.8833, 1.472, 1.818, 2.296, 2.901, 3.347, 3.526, 3.638, 3.978])
        found = SymbolicRegressor(generations=3, time_limit=None, random_state=0).fit(pd.DataFrame({"S": s}), rate)
        assert re.fullmatch(r"4\.\d+\*S/\(3\.\d+ \+ S\)", found.model_.formula)
        assert "better than the target's mean" in found.choice_.text

    def test_two_rows_are_fitted_by_a_number(self):
        est = SymbolicRegressor(generations=1, time_limit=None, random_state=0).fit([[1.0], [2.0]], [3.0, 4.0])
        assert np.isfinite(est.predict([[1.5]])).all()

    def test_a_model_made_by_hand_knows_no_uncertainty(self):
        with pytest.raises(ValueError, match="model: expected one fitted to data"):
            _ = model(parse("2*k", NAMES), NAMES).constants


class TestSettling:
    def test_a_search_on_few_rows_ends_by_itself(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(1, 3, (20, 2))
        y = X[:, 0] / X[:, 1] + 0.05 * rng.normal(size=20)
        settings = {"time_limit": 300, "population_size": 50, "random_state": 0}
        est = SymbolicRegressor(**settings).fit(X, y)
        assert est.stopped_by_ in ("settled", "interpolation")
        assert est.history_["seconds"].iloc[-1] < 200


def test_a_whole_exponent_is_paid_for():
    """Printed as T^18 or found as exp(18*log(T)), it is one formula."""
    X = np.random.default_rng(0).uniform(1.0, 2.0, (30, 2))
    rows = Rows(X, X[:, 0] ** 18, np.ones(30))
    power = [(FEATURE, 0, 1.0), (CONSTANT, 0, 18.0), (opcode("pow"), 0, 0.0)]
    found = describe(power, X, possible("additive", rows), LANGUAGE)
    assert found.constants == pytest.approx(KIND + simple_nats(18.0))


class TestShelves:
    def test_a_short_law_is_kept_beside_its_rivals(self):
        """Of one length several shapes are kept, each once, and the law first."""
        cases = Cases.from_arrays(*(lambda rows: (rows.X, rows.y))(hooke(40)))
        texts = ["k*x", "1.1*k*x", "k*sin(x)", "x*sin(k)", "k*k", "x*x", "k + x", "x + k", "k*x"]
        programs = Programs.from_nodes([parse(text, NAMES) for text in texts], np.float32)
        population = cases.measure(programs, scaling=True, limited=False)
        archive = Archive(programs.width)
        archive.watch(cases.y, 0.0, LANGUAGE)
        archive.update(population)
        archive.update(population)
        kept = [nodes for nodes, _, _ in archive.programs_kept()]
        shapes = [tuple((code, feature) for code, feature, _ in nodes) for nodes in kept if len(nodes) == 3]
        assert len(set(shapes)) >= 4
        first = archive.shelves[0].programs.nodes(int(3 * PLACES[0]))
        assert [node[:2] for node in first] == [node[:2] for node in parse("k*x", NAMES)]

    def test_the_first_population_keeps_its_places(self):
        """By additive or relative errors, whichever are better; later programs take none of them."""
        X = np.random.default_rng(0).uniform(0.1, 9.0, (40, 2))
        cases = Cases.from_arrays(X, X[:, 0] ** 2 * X[:, 1])
        texts = ["k*k", "x*x", "k + x", "k*x", "k*k*x"]
        programs = Programs.from_nodes([parse(text, NAMES) for text in texts], np.float32)
        first, later = (
            cases.measure(programs.take(which), scaling=True, limited=False) for which in ([0, 1, 2], [3, 4])
        )
        archive = Archive(programs.width)
        archive.watch(cases.y, 0.0, LANGUAGE)
        archive.update(first)
        archive.update(later)
        shelf = archive.shelves[FIRST]
        kept = {tuple(node[:2] for node in shelf.programs.nodes(int(i))) for i in shelf.taken}
        assert kept == {tuple(node[:2] for node in parse(text, NAMES)) for text in texts[:3]}
        (by_error, by_share, either), _ = archive._scores(first, LANGUAGE)
        assert np.isfinite(by_share).all()
        assert (either == np.minimum(by_error, by_share)).all()

    def test_they_survive_a_checkpoint(self):
        archive = Archive(5)
        archive.watch(np.ones(3), 0.0, LANGUAGE)
        again = Archive.from_arrays(archive.arrays())
        for one, other in zip(archive.shelves, again.shelves, strict=True):
            assert one.arrays().keys() == other.arrays().keys()
            assert all(np.array_equal(a, other.arrays()[name]) for name, a in one.arrays().items())


def test_residuals_whose_squares_overflow_or_are_undefined_cost_infinitely_much():
    rows = Rows(np.ones((3, 1)), np.array([1.0, 2.0, 4.0]), np.ones(3))
    for kind in ("additive", "relative"):
        for worst in (1e200, np.inf, np.nan):
            assert Noise.of(kind, rows).nats(np.array([0.0, 1.0, worst])) == np.inf


def test_the_linear_model_is_not_said_to_be_close_to_itself():
    line, curve = (model(parse(formula, NAMES), NAMES) for formula in ("2*k + 1", "k*exp(x)"))
    decision = Decision(line.nodes, None, odds=1.0)
    itself = told(decision, [line], 0, line, ("additive", 0.1), 19)
    assert "closest" not in itself.text
    assert "additive noise" in itself.text
    assert f"The closest was {curve.formula}" in told(decision, [line], 0, curve, ("additive", 0.1), 19).text
