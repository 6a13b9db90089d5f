"""Hypothesis strategies: programs as lists of nodes, over every built-in operator."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from epsilex.programs.fold import fold
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import BUILT_IN_NAMES, CONSTANT, FEATURE, lookup, opcode

# The same examples each time, and no failure because the machine was busy.
settings.register_profile("programs", deadline=None, derandomize=True)
settings.load_profile("programs")

N_FEATURES = 3

finite = st.floats(allow_nan=False, allow_infinity=False)
tame = st.one_of(
    st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0]),
    st.floats(0.01, 10.0).map(lambda value: round(value, 3)),
    st.floats(-10.0, -0.01).map(lambda value: round(value, 3)),
)


def programs(constants=tame, operators=BUILT_IN_NAMES, max_leaves=10):
    """Lists of (opcode, feature, constant) in postfix order."""
    leaves = st.one_of(
        constants.map(lambda value: [(CONSTANT, 0, value)]),
        st.tuples(st.integers(0, N_FEATURES - 1), st.one_of(st.just(1.0), constants)).map(
            lambda pair: [(FEATURE, *pair)]
        ),
    )
    codes = [opcode(name) for name in operators]
    unary = st.sampled_from([code for code in codes if lookup(code).arity == 1] or [None])
    binary = st.sampled_from([code for code in codes if lookup(code).arity == 2] or [None])

    def grown(parts):
        one = st.tuples(parts, unary).map(lambda p: [*p[0], (p[1], 0, 0.0)])
        two = st.tuples(parts, parts, binary).map(lambda p: [*p[0], *p[1], (p[2], 0, 0.0)])
        return st.one_of(one, two)

    return st.recursive(leaves, grown, max_leaves=max_leaves)


def well_conditioned(nodes, X):
    """Where all parts of a program are finite and float64 has not lost its digits to cancellation: (rows,) bool."""
    finite_parts = np.ones(len(X), bool)

    def seen(value):
        nonlocal finite_parts
        finite_parts = finite_parts & np.isfinite(value)
        return value

    def leaf(code, feature, constant):
        value = np.longdouble(constant)
        return seen(value if code == CONSTANT else value * X[:, feature].astype(np.longdouble))

    with np.errstate(all="ignore"):
        exact = fold(nodes, leaf, lambda row, *parts: seen(row.value(*parts)))
        return finite_parts & (abs(evaluate64(nodes, X) - exact) <= 1e-12 * abs(exact))
