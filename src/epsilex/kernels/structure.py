"""Structural limits: which programs break them.

Legend: `k` a node; `inside[k]` a bit for each function that occurs in the subtree of node k; `bit[op]` that of an
operator, 0 if no limit names it; `barred[op]` the bits that may not occur in its arguments.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import jit
from epsilex.kernels.postfix import CONSTANT, FEATURE


@jit
def violations(opcode, feature, constant, length, arity, bit, barred, power, required, forbidden, result):
    """Whether each program nests functions that may not be, has an exponent of the operator `power` (0: any will do)
    that is not a whole number, lacks a required feature, or has a forbidden one."""
    inside = np.empty(opcode.shape[1] + 1, np.uint64)
    for i in range(length.size):
        depth = 0
        bad = False
        for k in range(length[i]):
            op = opcode[i, k]
            n = np.int64(arity[op])
            within = np.uint64(0)
            for j in range(depth - n, depth):
                within |= inside[j]
            bad |= (within & barred[op]) != 0
            if op == FEATURE:
                bad |= forbidden[feature[i, k]]
            if power != 0 and op == power:
                last = constant[i, k - 1]
                bad |= opcode[i, k - 1] != CONSTANT or last != np.floor(last)
            depth -= n
            inside[depth] = within | bit[op]
            depth += 1
        for f in required:
            found = False
            for k in range(length[i]):
                found |= opcode[i, k] == FEATURE and feature[i, k] == f
            bad |= not found
        result[i] = bad
