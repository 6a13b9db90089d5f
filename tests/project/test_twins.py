"""Every kernel has a twin: plain Python or NumPy that computes the same, or laws that its result must keep.

The table names the tests that compare them. A kernel that is added without a line here fails.
"""

from __future__ import annotations

import ast

import numpy as np
import pytest

from epsilex.kernels.evaluating import mark, one_nan
from epsilex.kernels.fitting import copy_rows
from epsilex.kernels.postfix import well_formed
from epsilex.programs.operators import FIRST_OPERATOR, TABLE
from places import ROOT

KERNELS = ROOT / "src" / "epsilex" / "kernels"
HERE = "project/test_twins.py"
TWINS = {  # kernel: file and test
    "batches.select_batches": ("selection/test_methods.py", "oracle.select"),
    "complements.complements": ("selection/test_methods.py", "test_mates_are_the_best_complements"),
    "describing.structures": ("evolution/test_structures.py", "test_prices_are_those_of_the_language"),
    "dominance.front_ranks": ("selection/test_methods.py", "test_ranks_and_crowding"),
    "dominance.strengths": ("selection/test_methods.py", "test_spea2_survival"),
    "dominance.truncate": ("selection/test_methods.py", "test_spea2_survival"),
    "evaluating.mark": (HERE, "test_mark"),
    "evaluating.one_nan": (HERE, "test_one_nan"),
    "fitting.copy_rows": (HERE, "test_copy_rows"),
    "fitting.measure": ("project/test_registries.py", "test_the_kernel_computes_it"),
    "form_tuning.tune": (
        "forms/test_filling.py",
        "test_tuning_finds_constants_that_occur_in_several_places",
    ),
    "forms.fill": ("forms/test_filling.py", "test_the_kernel_writes_the_same_formulas"),
    "forms.cores": ("forms/test_filling.py", "test_starts_and_children_fill_the_form"),
    "forms.exchange": ("forms/test_filling.py", "test_starts_and_children_fill_the_form"),
    "grafting.stocks": ("evolution/test_grafting.py", "test_the_best_scion_as_least_squares_finds_it"),
    "grafting.begin_with_factors": ("evolution/test_grafting.py", "test_where_a_program_begins_with_a_factor"),
    "grafting.graft": ("evolution/test_grafting.py", "test_the_best_scion_as_least_squares_finds_it"),
    "growing.random_start": ("evolution/test_variation.py", "test_any_start_and_its_children_are_well_formed"),
    "jacobian.jacobian": ("evolution/test_modern.py", "test_kernel_against_float64"),
    "jacobian.tune": ("evolution/test_modern.py", "test_finds_the_constants"),
    "lexicase.select_static": ("selection/test_selection.py", "naive.select"),
    "lexicase.select_pooled": ("selection/test_selection.py", "naive.select"),
    "orders.case_orders": ("selection/test_orders.py", "test_replaying_an_event_case_by_case_gives_its_parent"),
    "pairs.best_partners": ("planting/test_sums.py", "test_best_partners_are_those_of_least_squares"),
    "pareto.front_ranks": ("evolution/test_evolution.py", "naive.front_ranks"),
    "passing.case_major": ("kernels/test_passing.py", "test_case_major"),
    "passing.pass_bits": ("kernels/test_passing.py", "test_bits_and_verdicts"),
    "postfix.well_formed": (HERE, "test_well_formed"),
    "recursion.simulate": ("regressor/test_dynamic.py", "naive.evaluate"),
    "sharing.share": ("programs/test_evaluation.py", "test_programs_against_the_oracle"),
    "sharing.assign": ("programs/test_evaluation.py", "test_programs_against_the_oracle"),
    "sharing.run": ("programs/test_evaluation.py", "test_programs_against_the_oracle"),
    "splitting.split_limits": ("selection/test_methods.py", "test_the_cut_is_one_of_least_variance"),
    "streams.uniform_integers": ("kernels/test_streams.py", "test_uniform_integers_reach_both_ends"),
    "structure.violations": ("programs/test_structure.py", "test_the_kernel_agrees_with_the_rule"),
    "typed.check": ("dimensions/test_rule.py", "test_the_kernel_agrees_with_the_rule"),
    "typed.ids_of_roots": ("dimensions/test_rule.py", "test_programs_of_a_wanted_dimension"),
    "typed.start": ("dimensions/test_rule.py", "test_starts_and_children_are_consistent_and_varied"),
    "typed_variation.vary": ("dimensions/test_rule.py", "test_starts_and_children_are_consistent_and_varied"),
    "variation.vary": ("evolution/test_variation.py", "test_children_are_made_of_both_parents"),
    "variation.perturb_constants": ("evolution/test_evolution.py", "test_size_of_the_steps"),
}


def kernels() -> set[str]:
    """The functions that the package calls from Python: those decorated with `jit`."""
    found = set()
    for path in KERNELS.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = {ast.unparse(d).partition("(")[0] for d in getattr(node, "decorator_list", ())}
            if isinstance(node, ast.FunctionDef) and "jit" in names:
                found.add(f"{path.stem}.{node.name}")
    return found


def test_every_kernel_has_a_twin():
    assert kernels() == set(TWINS)


@pytest.mark.parametrize("kernel", TWINS)
def test_the_twin_is_there(kernel):
    file, test = TWINS[kernel]
    text = (ROOT / "tests" / file).read_text(encoding="utf-8")
    assert (f"def {test}(" if test.startswith("test_") else f"{test}(") in text


def test_mark(rng):
    codes = rng.integers(0, 40, 200).astype(np.uint8)
    present = np.zeros(50, bool)
    mark(codes, present)
    assert present.tolist() == [code in codes.tolist() for code in range(50)]


def test_one_nan():
    bits = np.array([[0x7FC00000, 0xFFC00000], [0xFFC00001, 0x3F800000], [0x7F800000, 0xFFC00000]], np.uint32)
    expected = bits.copy()
    expected[1, 0] = expected[2, 1] = np.float32(np.nan).view(np.uint32)
    out = bits.view(np.float32)
    one_nan(out, 1, 3)
    np.testing.assert_array_equal(out.view(np.uint32), expected)


def test_copy_rows(rng):
    target, source = rng.normal(size=(9, 5)).astype(np.float32), rng.normal(size=(7, 5)).astype(np.float32)
    places, which = np.array([8, 0, 3, 4]), np.array([1, 1, 6, 0])
    expected = target.copy()
    expected[places[1:3]] = source[which[1:3]]
    copy_rows(target, places, source, which, 1, 3)
    np.testing.assert_array_equal(target, expected)


def postfix(codes: list[int], arity: np.ndarray) -> bool:
    """Whether codes are one program in postfix order, by rewriting it from the left."""
    stack = 0
    for code in codes:
        if code >= len(arity) or stack < arity[code]:
            return False
        stack += 1 - int(arity[code])
    return stack == 1


def test_well_formed(rng):
    arity = np.array([0] * FIRST_OPERATOR + [row.arity for row in TABLE], np.uint8)
    unary = FIRST_OPERATOR + next(i for i, row in enumerate(TABLE) if row.arity == 1)
    binary = FIRST_OPERATOR + next(i for i, row in enumerate(TABLE) if row.arity == 2)
    seen = set()
    for _ in range(500):
        codes = rng.choice([0, 1, unary, binary, 255], rng.integers(1, 6), p=[0.3, 0.3, 0.19, 0.2, 0.01])
        opcode, feature = np.zeros((1, 6), np.uint8), np.zeros((1, 6), np.int32)
        opcode[0, : len(codes)] = codes
        feature[0, : len(codes)] = rng.integers(0, 3, len(codes))
        right = postfix(codes.tolist(), arity) and not ((codes == 1) & (feature[0, : len(codes)] >= 2)).any()
        assert well_formed(opcode, feature, np.array([len(codes)]), arity, 2) == right
        seen.add(right)
    assert seen == {True, False}
