"""Fillings and the formulas they make; the kernels beside the same in Python."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import Form, Settings
from epsilex.evolution.tuning.levenberg_marquardt import tune_fillings
from epsilex.evolution.variation.formed import Formed
from epsilex.forms.filled import filled, formula, jacobian, tidied, values
from epsilex.forms.filling import in_user_units, is_filling, joined, parts
from epsilex.forms.knowledge import scaled
from epsilex.forms.reading import outline
from epsilex.forms.slopes import DIFFERENTIABLE
from epsilex.forms.tables import WIDTH, Tables
from epsilex.kernels.evaluating import in_blocks, vector_in_blocks
from epsilex.programs import Programs
from epsilex.programs.evaluation import evaluate
from epsilex.programs.gradient import constant_places
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse

NAMES = ["x", "z", "t"]
FORMS = (
    "f(x)",
    "f(x, z)*exp(-g(t)) + c",
    "f(x) - f(z)",
    "g(f(x) + b*z) + 2*f(t)",
    "f(f(x))*a",
    "f(x, z) - k*d(f, x) + d(f, z)*t",
    "-d(V(x), x)/m",
)
OPERATORS = tuple(sorted(DIFFERENTIABLE))
X = np.random.default_rng(0).uniform(0.3, 2.0, (40, 3))


def read(text, functions=None, max_length=50, operators=OPERATORS):
    return outline(Form(text, functions or {}), NAMES, operators, max_length)


def fill(known, *texts, constants=()):
    inner = [parse(text, function.arguments) for function, text in zip(known.functions, texts, strict=True)]
    return joined(inner, constants)


def started(known, n=60, max_length=50):
    settings = Settings(population_size=n, max_length=max_length, operators=OPERATORS, min_length=1)
    return Formed(Tables(known, known), settings).start(n)


def test_parts_come_back():
    known = read("f(x, z)*exp(-g(t)) + c")
    nodes = fill(known, "x*sin(z) + 1", "2*t", constants=[3.5])
    inner, constants = parts(nodes, known)
    assert inner == [parse("x*sin(z) + 1", ["x", "z"]), parse("2*t", ["t"])]
    assert constants == [3.5]


@pytest.mark.parametrize(
    ("form", "inner", "constants", "expected"),
    [
        ("f(x, z)*exp(-g(t)) + c", ("x^2 + z", "3*t"), (2.0,), "(x^2 + z)*exp(-(3*t)) + 2"),
        ("f(x) - f(z)", ("sin(2*x) + 1",), (), "sin(2*x) + 1 - (sin(2*z) + 1)"),
        ("g(f(x) + b*z) + 2*f(t)", ("u^2", "x + 1"), (0.5,), "(x + 1 + 0.5*z)^2 + 2*(t + 1)"),
        ("f(f(x))*a", ("2*x + 1",), (3.0,), "(2*(2*x + 1) + 1)*3"),
        ("f(x, z) - k*d(f, x)", ("x^2*z + sin(x)",), (4.0,), "x^2*z + sin(x) - 4*(2*x*z + cos(x))"),
        ("-d(V(x), x)/m", ("exp(-(x^2))",), (2.0,), "2*x*exp(-(x^2))/2"),
        ("d(f(x, z), z)*t", ("x^2",), (), "0*t"),
    ],
)
def test_the_formula_is_the_form_with_its_functions(form, inner, constants, expected):
    known = read(form)
    found = values(fill(known, *inner, constants=constants), X, known)
    np.testing.assert_allclose(found, evaluate64(parse(expected, NAMES), X), rtol=1e-12)


@pytest.mark.parametrize("name", sorted(DIFFERENTIABLE))
def test_the_derivative_of_every_operator(name):
    known = read("d(f(x, z), x)")
    call = {"add": "{} + {}", "sub": "{} - {}", "mul": "{}*{}", "div": "{}/{}", "pow": "{}^{}", "neg": "-({})"}
    binary = name in ("add", "sub", "mul", "div", "pow")
    for a, b in (("0.3*x*z", "z"), ("z", "x + 1"), ("0.4*x*z + 1", "0.5*x")) if binary else (("0.3*x*z", ""),):
        text = call.get(name, name + "({})").format(f"({a})", f"({b})")
        nodes = fill(known, text)
        plain = parse(text, ["x", "z"])
        up, down = X.copy(), X.copy()
        up[:, 0] += 1e-6
        down[:, 0] -= 1e-6
        slope = (evaluate64(plain, up) - evaluate64(plain, down)) / 2e-6
        np.testing.assert_allclose(values(nodes, X, known), slope, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("form", FORMS)
def test_jacobian_by_differences(form):
    known, compared = read(form, max_length=30), 0
    programs = started(known, 20, 30)
    for i in range(len(programs)):
        nodes = programs.nodes(i)
        places = constant_places(nodes)
        out, slopes = jacobian(nodes, X, places, known)
        np.testing.assert_array_equal(out, values(nodes, X, known))
        for j, k in enumerate(places):
            with np.errstate(all="ignore"):
                rough, fine = (difference(nodes, k, step, known) for step in (1e-5, 1e-6))
                tame = np.abs(rough - fine) < 1e-4 * (1.0 + np.abs(fine))  # not so near a pole
                compared += tame.sum()
                np.testing.assert_allclose(slopes[tame, j], fine[tame], rtol=1e-3, atol=1e-3)
    assert compared > 500


def difference(nodes, k, step, known):
    code, column, value = nodes[k]
    up, down = (
        values([*nodes[:k], (code, column, value + sign * step), *nodes[k + 1 :]], X, known) for sign in (1.0, -1.0)
    )
    return (up - down) / (2.0 * step)


@pytest.mark.parametrize("form", FORMS)
def test_the_kernel_writes_the_same_formulas(form):
    known = scaled(read(form), X * 7.0, 4.0)
    programs = started(known)
    found = Tables(known, known).formulas(programs)
    for i in range(len(programs)):
        expected = formula(programs.nodes(i), known)
        if len(expected) > WIDTH:
            assert found.length[i] == 1
            assert np.isnan(found.constant[i, 0])
            continue
        assert [node[:2] for node in found.nodes(i)] == [node[:2] for node in expected]
        np.testing.assert_allclose([n[2] for n in found.nodes(i)], [n[2] for n in expected], rtol=1e-6)
    assert (found.length > 1).mean() > 0.5
    outputs = evaluate(found, X)
    assert outputs.shape == (len(programs), len(X))


@pytest.mark.parametrize("form", FORMS)
def test_factors_of_arguments_move_into_the_functions(form):
    plain = read(form)
    known = scaled(plain, X * 7.0, 4.0)
    programs = started(known, 20)
    for i in range(len(programs)):
        nodes = programs.nodes(i)
        ours = values(in_user_units(nodes, known), X, plain) / 4.0
        theirs = values(nodes, X, known)
        finite = np.isfinite(ours) & np.isfinite(theirs)
        np.testing.assert_allclose(ours[finite], theirs[finite], rtol=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_tidying_changes_no_value(form):
    known = read(form, max_length=30)
    programs = started(known, 20, 30)
    for i in range(len(programs)):
        whole = filled(programs.nodes(i), known)
        tidy = tidied(whole)
        assert len(tidy) <= len(whole)
        np.testing.assert_array_equal(
            evaluate64([item.node for item in tidy], X), evaluate64([item.node for item in whole], X)
        )


@pytest.mark.parametrize(
    ("form", "inner", "constants", "begin"),
    [
        ("f(x) - f(z)", ("sin(1.3*x) + 2*x",), (), ("sin(1.2*x) + 1.5*x",)),
        ("f(x)*t - k*d(f, x)", ("exp(-0.7*x) + 3*x",), (0.4,), ("exp(-0.6*x) + 2*x",)),
        ("g(f(x) + b*z)", ("sin(u)", "1.5*x^2"), (0.5,), ("sin(0.9*u)", "1.2*x^2")),
    ],
)
def test_tuning_finds_constants_that_occur_in_several_places(form, inner, constants, begin):
    known = read(form)
    y = values(fill(known, *inner, constants=constants), X, known)
    nodes = fill(known, *begin, constants=[0.7 * value for value in constants])
    programs = Programs.from_nodes([nodes], np.float32)
    settings = Settings(tuning_steps=60)
    drawn = in_blocks(X), vector_in_blocks(y), vector_in_blocks(np.ones(len(X)))
    drawn[2][len(X) :] = 0.0
    before = np.abs(values(nodes, X, known) - y).max()
    tune_fillings(programs, drawn, settings, 1, Tables(known, known))
    after = np.abs(values(programs.nodes(0), X, known) - y).max()
    assert after < 1e-3 < before
    assert [node[:2] for node in programs.nodes(0)] == [node[:2] for node in nodes]


@pytest.mark.parametrize("form", FORMS)
def test_starts_and_children_fill_the_form(form):
    from epsilex.evolution.measuring import Cases
    from epsilex.evolution.run import Run

    known = read(form, max_length=30)
    settings = Settings(population_size=80, max_length=30, operators=OPERATORS)
    cases = Cases.from_arrays(X, X[:, 0])
    cases.prior = type(cases.prior)(form=Tables(known, known))
    run = Run(cases, settings)
    state = run.start()
    for _ in range(2):
        parents = state.population.programs
        broods = run.select(state)
        children = run.vary(state, broods)
        for i in range(len(children)):
            nodes, origin = children.programs.nodes(i), int(children.origin[i])
            assert is_filling(nodes, known)
            assert len(nodes) <= children.limits[i]
            if origin >= 0:
                assert nodes == parents.nodes(origin)
            mother, own = parts(parents.nodes(int(children.parents[i])), known), parts(nodes, known)
            changed = [a != b for a, b in zip(mother[0], own[0], strict=True)]
            assert sum(changed) <= 1
            assert mother[1] == own[1]
        from epsilex.evolution.step import step

        state = step(state, run)
    Tables(known, known).check(state.population.programs)


def test_a_program_that_does_not_fill_the_form_is_noticed():
    known = read("f(x, z) + g(t)", {"f": {"operators": ["sin"]}, "g": {"operators": ["sin"]}})
    good = fill(known, "x + z", "t")
    assert is_filling(good, known)
    for bad in (fill(known, "x", "t")[:-1][:1], [*good[:-1], (parse("x - z", NAMES)[-1])], good[:3]):
        assert not is_filling(bad, known)
    beyond = [(1, 2, 1.0), *good[1:]]
    assert not is_filling(beyond, known)
    with pytest.raises(ValueError, match="expected fillings of the form"):
        Tables(known, known).check(Programs.from_nodes([good, beyond]))
