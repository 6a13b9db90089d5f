"""Random programs of a given length.

Legend: `s` a random stream; `k` a node; `budget` the nodes that each waiting argument may use.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.postfix import CONSTANT, FEATURE
from epsilex.kernels.streams import below, key, normal, unit


@inner
def random_leaf(s, opcode, feature, constant, k, n_features, constant_share, low, high, coefficients):
    """A constant or a feature at node `k`; with `coefficients`, a feature carries a random coefficient."""
    if unit(s) < constant_share:
        opcode[k] = CONSTANT
        feature[k] = 0
        constant[k] = low + (high - low) * unit(s)
    else:
        opcode[k] = FEATURE
        feature[k] = below(s, n_features)
        constant[k] = normal(s) if coefficients else 1.0


@inner
def grow(
    s, opcode, feature, constant, first, size, unary, binary, n_features, constant_share, low, high, coefficients,
    budget,
):
    """A random program of exactly `size` nodes at first.., or one less if the operators cannot make that size.

    Operators are forced while the budget lasts, and the budget is split at random between the arguments. Nodes are
    written from the root backwards, which is postfix order read from its end. Returns the number of nodes.
    """
    if unary.size == 0 and size % 2 == 0:
        size -= 1
    if binary.size == 0 and unary.size == 0:
        size = 1
    budget[0] = size
    waiting = 1
    k = first + size - 1
    while waiting > 0:
        waiting -= 1
        nodes = budget[waiting]
        if nodes == 1:
            random_leaf(s, opcode, feature, constant, k, n_features, constant_share, low, high, coefficients)
        else:
            # Without unary operators every budget is odd; a budget of two can only be unary.
            choices = unary.size + (binary.size if nodes > 2 else 0)
            c = below(s, choices)
            feature[k] = 0
            constant[k] = 0.0
            if c < unary.size:
                opcode[k] = unary[c]
                budget[waiting] = nodes - 1
                waiting += 1
            else:
                opcode[k] = binary[c - unary.size]
                if unary.size == 0:
                    left = 1 + 2 * below(s, (nodes - 1) // 2)
                else:
                    left = 1 + below(s, nodes - 2)
                budget[waiting] = left
                budget[waiting + 1] = nodes - 1 - left
                waiting += 2
        k -= 1
    return size


@jit
def random_start(
    seed, generation, purpose, slots, lengths, opcode, feature, constant, length, unary, binary, n_features,
    constant_share, low, high, coefficients, first, last,
):
    """Random programs of the given lengths, one stream per slot."""
    s = np.empty(1, np.uint64)
    budget = np.empty(opcode.shape[1] + 1, np.int64)
    for i in range(first, last):
        s[0] = key(seed, generation, purpose, slots[i])
        length[i] = grow(
            s, opcode[i], feature[i], constant[i], 0, lengths[i], unary, binary, n_features, constant_share, low, high,
            coefficients, budget,
        )
