"""Structures of programs: their price in a language of formulas, the constants that matter, and their shapes.

Legend: `i` a program, `k` a node, `t` the top of the stack after it. Of each subtree on the stack:

    nats    its price; `power` that of exp(subtree) if it is a power or a product of powers, else NaN
    whole   the part of the price that a number costs which multiplies the whole subtree
    number  whether it is a number; `inside` whether it contains a function; `raised` whether it is a power
    free    constants that cannot be merged with others; `factor` whether one is left that multiplies the whole
    shape   a hash that ignores constants and the order of commuting arguments; a sum and a difference are alike
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.postfix import CONSTANT, FEATURE

SUM, PRODUCT, QUOTIENT, NEGATION, MONOMIAL, POWER, LOG, EXP, FUNCTION = range(1, 10)  # kinds of operators

MIX, SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


@inner
def mixed(a, b):
    """A hash of two numbers, in which they may not be swapped."""
    h = (a * MIX + b) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> SHIFT)


@inner
def price_of(
    kind, price, nested, powers, coefficient, a, b, arity, factor, nats, power, number, inside, whole, raised
):  # fmt: skip
    """Write price and power of an operator over subtree a, and b if it has two, in place of a."""
    within = inside[a] or (arity == 2 and inside[b])
    total = nats[a] + (nats[b] if arity == 2 else 0.0)
    known, known_b = power[a], power[b] if arity == 2 else np.nan
    plain, number_a, number_b = nats[a], number[a], arity == 2 and number[b]
    raised_b = arity == 2 and raised[b]
    outer = whole[a] + (whole[b] if arity == 2 else 0.0)
    power[a], number[a], whole[a], raised[a] = np.nan, False, 0.0, kind == POWER
    if kind == POWER and not number_b:  # u^v is exp(v*log(u))
        nats[a] = total + (powers[0] if number_a else powers[1]) + (nested if within else 0.0)
        inside[a], raised[a] = True, False
    elif kind == EXP and not np.isnan(known):
        nats[a], inside[a], raised[a] = known, False, True
    elif kind >= LOG:
        nats[a], inside[a] = total + price + (nested if within else 0.0), True
        if kind == LOG:
            power[a] = plain
    else:
        nats[a], inside[a] = total + price, within
        if kind == SUM:
            power[a] = known + known_b + price
        elif kind == PRODUCT and number_a and not np.isnan(known_b):
            power[a] = known_b + plain + price
        elif kind == PRODUCT and number_b and not np.isnan(known):
            power[a] = known + nats[b] + price
        if (kind == PRODUCT or kind == QUOTIENT) and (number_a or number_b):
            bit = coefficient if factor[a if number_a else b] else 0.0  # 1/x is no number times an inverse
            over = kind == QUOTIENT and number_a and not raised_b  # an inverse times a number
            nats[a] = (nats[b] if number_a else plain) + bit + (price if over else 0.0)
            whole[a] = outer + bit
        elif kind == PRODUCT or kind == QUOTIENT or kind == NEGATION:
            whole[a] = outer


@inner
def merge_constants(kind, a, b, arity, free, factor):
    """Count the constants of an operator over subtree a, and b if it has two, in place of a."""
    one, two = factor[a], arity == 2 and factor[b]
    if arity == 2:
        free[a] += free[b]
    if kind == SUM:
        free[a] += 1 if one or two else 0
        factor[a] = one and two
    elif kind == PRODUCT or kind == QUOTIENT or kind == NEGATION or kind == MONOMIAL:
        factor[a] = one or two
    elif kind == POWER:
        free[a] += 1 if two else 0
    elif kind == LOG:  # a factor within is an offset without, which most formulas have in any case
        factor[a] = False
    else:
        free[a] += (1 if one else 0) + (1 if two else 0)
        factor[a] = False


@inner
def shape_of(op, kind, commutes, a, b, arity, shape):
    """Write the hash of an operator over subtree a, and b if it has two, in place of a."""
    name = np.uint64(SUM) if kind == SUM else np.uint64(op) + np.uint64(16)
    if arity == 1:
        shape[a] = mixed(name, shape[a])
    elif commutes or kind == SUM:
        shape[a] = mixed(name, shape[a] + shape[b])
    else:
        shape[a] = mixed(name, mixed(shape[a], shape[b]))


@jit
def structures(
    opcode, feature, constant, length, arity, commutes, kinds, prices, nested, powers, coefficient, out_nats, out_free,
    out_shape,
):  # fmt: skip
    """Price, number of constants and shape of programs (programs, width), by tables (opcodes,) of arity, of who
    commutes, of kinds and of prices, the price of a function within a function, those of powers (2,) with a variable
    exponent, of a number and of all else, and that of a number that multiplies."""
    width = opcode.shape[1]
    nats, power, whole = np.empty(width + 1), np.empty(width + 1), np.empty(width + 1)
    number, inside, factor = np.empty(width + 1, np.bool_), np.empty(width + 1, np.bool_), np.empty(width + 1, np.bool_)
    raised = np.empty(width + 1, np.bool_)
    free, shape = np.empty(width + 1, np.int64), np.empty(width + 1, np.uint64)
    for i in range(length.size):
        t = -1
        for k in range(length[i]):
            op = opcode[i, k]
            n = np.int64(arity[op])
            if n == 0:
                t += 1
                nats[t], power[t], whole[t] = prices[op], np.nan, 0.0
                number[t], inside[t], raised[t], free[t] = op == CONSTANT, False, False, 0
                factor[t] = constant[i, k] != 1.0
                named = np.uint64(feature[i, k]) + np.uint64(1) if op == FEATURE else np.uint64(0)
                shape[t] = mixed(np.uint64(op), named)
                continue
            t -= n - 1
            kind, b = np.int64(kinds[op]), t + n - 1
            price_of(
                kind, prices[op], nested, powers, coefficient, t, b, n, factor, nats, power, number, inside, whole,
                raised,
            )  # fmt: skip
            merge_constants(kind, t, b, n, free, factor)
            shape_of(op, kind, commutes[op], t, b, n, shape)
        out_nats[i], out_free[i], out_shape[i] = nats[0] - whole[0], free[0], shape[0]
