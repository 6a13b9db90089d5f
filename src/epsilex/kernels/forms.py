"""Fillings of a form: the formulas they make, and their inner programs.

Legend: `form` the tuple `forms.tables.Tables.arrays`; `k` a node of a filling, `e` a node of the formula it makes;
`source[e]` the node of the filling whose constant node e has, times `gain[e]`, -1 for a fixed number; `h` a function,
[begin[h], end[h]] its inner program, `own` the nodes of the form's own constants. The formula is written by a stack of
tasks: the rest of a script, the rest of an inner program, the derivative of a subtree, or a single node.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.postfix import CONSTANT, FEATURE, clear_rest

NODE, NAMED = 0, 1  # kinds of tokens; another is a call
RUN, COPY, SLOPE, SINGLE, TIMES = 0, 1, 2, 3, 4  # kinds of tasks
A, B, DA, DB, SELF, NUMBER = -1, -2, -3, -4, -5, -10  # items of `forms.slopes`
TASKS = 4000


@inner
def spans(form, opcode, length, starts, begin, end, own):
    """Where the parts of a filling are."""
    arity, functions, constants = form[11], form[13], form[14]
    for k in range(length):
        start = k
        for _ in range(arity[opcode[k]]):
            start = starts[start - 1]
        starts[k] = start
    last = length - 1
    for i in range(constants - 1, -1, -1):
        own[i] = last - 1
        last -= 2
    for h in range(functions - 1, 0, -1):
        begin[h], end[h] = starts[last - 1], last - 1
        last = starts[last - 1] - 1
    begin[0], end[0] = 0, last


@inner
def depends(opcode, feature, first, last, argument):
    for k in range(first, last + 1):
        if opcode[k] == FEATURE and feature[k] == argument:
            return True
    return False


@inner
def write(
    form, opcode, feature, constant, starts, begin, end, own, tasks,
    o_opcode, o_feature, o_constant, source, gain,
):
    """The formula of one filling; its length, 0 if it is too long."""
    kinds, values, columns, numbers, first, last, functions, slopes = form[:8]
    scripts, factors, templates, arity, mul = form[8:13]
    width, most = o_opcode.size, tasks.shape[0] - templates.shape[2] - 4
    length, waiting = 0, 1
    tasks[0, 0], tasks[0, 1], tasks[0, 2], tasks[0, 3] = RUN, first[0], last[0], 0
    while waiting > 0:
        if waiting > most:
            return 0
        waiting -= 1
        kind, a, b, c = tasks[waiting, 0], tasks[waiting, 1], tasks[waiting, 2], tasks[waiting, 3]
        if length + (2 if kind == TIMES else 1) > width:
            return 0
        if kind == RUN:
            if a + 1 < b:
                tasks[waiting, 1] = a + 1
                waiting += 1
            if kinds[a] == NODE:
                o_opcode[length], o_feature[length], o_constant[length] = values[a], columns[a], numbers[a]
                source[length], gain[length] = -1, 1.0
                length += 1
            elif kinds[a] == NAMED:
                k = own[values[a]]
                o_opcode[length], o_feature[length], o_constant[length] = CONSTANT, 0, constant[k]
                source[length], gain[length] = k, 1.0
                length += 1
            else:
                call = values[a]
                h = functions[call]
                tasks[waiting, 1], tasks[waiting, 2], tasks[waiting, 3] = begin[h], end[h], call
                tasks[waiting, 0] = COPY
                if slopes[call] >= 0:
                    if depends(opcode, feature, begin[h], end[h], slopes[call]):
                        tasks[waiting, 0], tasks[waiting, 1] = SLOPE, end[h]
                    else:
                        tasks[waiting, 0], tasks[waiting, 1], tasks[waiting, 2] = SINGLE, CONSTANT, 0
                waiting += 1
        elif kind == COPY:
            k = a
            while k <= b:
                if length + 1 > width:
                    return 0
                if opcode[k] != FEATURE:
                    o_opcode[length], o_feature[length], o_constant[length] = opcode[k], 0, constant[k]
                    source[length], gain[length] = k if opcode[k] == CONSTANT else -1, 1.0
                    length += 1
                    k += 1
                    continue
                script = scripts[c, feature[k]]
                factor = factors[functions[c], feature[k]]
                at = first[script]
                if last[script] == at + 1 and kinds[at] == NODE and values[at] == FEATURE:
                    factor *= numbers[at]
                    o_opcode[length], o_feature[length] = FEATURE, columns[at]
                    o_constant[length] = constant[k] * factor
                    source[length], gain[length] = k, factor
                    length += 1
                    k += 1
                    continue
                if k < b:
                    tasks[waiting, 0], tasks[waiting, 1], tasks[waiting, 2], tasks[waiting, 3] = COPY, k + 1, b, c
                    waiting += 1
                tasks[waiting, 0], tasks[waiting, 1], tasks[waiting, 3] = TIMES, k, c
                tasks[waiting + 1, 0], tasks[waiting + 1, 1], tasks[waiting + 1, 2] = RUN, at, last[script]
                waiting += 2
                break
        elif kind == TIMES:
            factor = factors[functions[c], feature[a]]
            o_opcode[length], o_feature[length], o_constant[length] = CONSTANT, 0, constant[a] * factor
            source[length], gain[length] = a, factor
            o_opcode[length + 1], o_feature[length + 1], o_constant[length + 1] = mul, 0, 0.0
            source[length + 1], gain[length + 1] = -1, 1.0
            length += 2
        elif kind == SINGLE:
            o_opcode[length], o_feature[length], o_constant[length] = a, 0, b
            source[length], gain[length] = -1, 1.0
            length += 1
        elif opcode[a] == FEATURE:
            factor = factors[functions[c], slopes[c]]
            o_opcode[length], o_feature[length], o_constant[length] = CONSTANT, 0, constant[a] * factor
            source[length], gain[length] = a, factor
            length += 1
        else:
            right = a - 1
            left = right
            case = 0
            if arity[opcode[a]] == 2:
                left = starts[right] - 1
                in_left = depends(opcode, feature, starts[left], left, slopes[c])
                in_right = depends(opcode, feature, starts[right], right, slopes[c])
                case = 2 if in_left and in_right else 0 if in_left else 1
            items = templates[opcode[a], case]
            n = 0
            while items[n] != 0:
                n += 1
            for i in range(n - 1, -1, -1):  # the first item is on top
                item = items[i]
                tasks[waiting, 3] = c
                if item == A or item == B or item == SELF:
                    node = left if item == A else right if item == B else a
                    tasks[waiting, 0], tasks[waiting, 1], tasks[waiting, 2] = COPY, starts[node], node
                elif item == DA or item == DB:
                    tasks[waiting, 0], tasks[waiting, 1] = SLOPE, left if item == DA else right
                elif item < NUMBER:
                    tasks[waiting, 0], tasks[waiting, 1], tasks[waiting, 2] = SINGLE, CONSTANT, NUMBER - item
                else:
                    tasks[waiting, 0], tasks[waiting, 1], tasks[waiting, 2] = SINGLE, item, 0
                waiting += 1
    return length


@jit
def fill(form, opcode, feature, constant, length, o_opcode, o_feature, o_constant, o_length, first, last):
    """The formulas of fillings first..last-1, into arrays of zeros; an undefined number where one is too long."""
    width = o_opcode.shape[1]
    starts, tasks = np.empty(opcode.shape[1], np.int64), np.empty((TASKS, 4), np.int64)
    begin, end, own = np.empty(form[13], np.int64), np.empty(form[13], np.int64), np.empty(form[14], np.int64)
    source, gain = np.empty(width, np.int64), np.empty(width)
    for i in range(first, last):
        spans(form, opcode[i], length[i], starts, begin, end, own)
        size = write(
            form, opcode[i], feature[i], constant[i], starts, begin, end, own, tasks,
            o_opcode[i], o_feature[i], o_constant[i], source, gain,
        )
        if size == 0:
            size = 1
            o_opcode[i, 0], o_feature[i, 0], o_constant[i, 0] = CONSTANT, 0, np.nan
            clear_rest(o_opcode[i], o_feature[i], o_constant[i], 1)
        o_length[i] = size


@jit
def cores(form, h, tail, opcode, feature, constant, length, o_opcode, o_feature, o_constant, o_length):
    """The inner program of function h in each filling, without the `tail` nodes that scale it."""
    starts = np.empty(opcode.shape[1], np.int64)
    begin, end, own = np.empty(form[13], np.int64), np.empty(form[13], np.int64), np.empty(form[14], np.int64)
    for i in range(length.size):
        spans(form, opcode[i], length[i], starts, begin, end, own)
        size = end[h] - tail - begin[h] + 1
        for k in range(size):
            o_opcode[i, k], o_feature[i, k] = opcode[i, begin[h] + k], feature[i, begin[h] + k]
            o_constant[i, k] = constant[i, begin[h] + k]
        o_length[i] = size
        clear_rest(o_opcode[i], o_feature[i], o_constant[i], size)


@jit
def exchange(
    form, h, tail, slots, parents, limit, opcode, feature, constant, length, d_opcode, d_feature, d_constant, d_length,
    o_opcode, o_feature, o_constant, o_length, origin, mate,
):
    """Children at `slots`: their parents with another core of function h, the parent itself where that is too long."""
    starts = np.empty(opcode.shape[1], np.int64)
    begin, end, own = np.empty(form[13], np.int64), np.empty(form[13], np.int64), np.empty(form[14], np.int64)
    for j in range(slots.size):
        i, p = slots[j], parents[slots[j]]
        spans(form, opcode[p], length[p], starts, begin, end, own)
        first, last = begin[h], end[h] - tail
        total = length[p] - (last - first + 1) + d_length[j]
        if total > limit:
            total = length[p]
            origin[i] = mate[i] = p
        for k in range(total):
            if origin[i] == p or k < first:
                o_opcode[i, k], o_feature[i, k], o_constant[i, k] = opcode[p, k], feature[p, k], constant[p, k]
            elif k < first + d_length[j]:
                o_opcode[i, k], o_feature[i, k] = d_opcode[j, k - first], d_feature[j, k - first]
                o_constant[i, k] = d_constant[j, k - first]
            else:
                t = k - first - d_length[j] + last + 1
                o_opcode[i, k], o_feature[i, k], o_constant[i, k] = opcode[p, t], feature[p, t], constant[p, t]
        o_length[i] = total
        clear_rest(o_opcode[i], o_feature[i], o_constant[i], total)
