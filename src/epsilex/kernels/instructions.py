"""What Numba's own code cannot express, as LLVM instructions: memory and calls by address, bits of words.

Each has its plain form beside it, which runs where compiling is switched off (`NUMBA_DISABLE_JIT=1`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from numba import config, types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic


def instruction(plain: Callable):
    """Decorator of an intrinsic, with its plain form."""
    return lambda typed: plain if config.DISABLE_JIT else intrinsic(typed)


def values_at(address, n: int, kind) -> np.ndarray:
    """The `n` values at an address."""
    size = n * np.dtype(kind).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(int(address)), kind)


def block_function(n_arguments: int):
    """The C type of a block kernel: integers in, nothing out."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * n_arguments)


class PlainBlock:
    """A Python function as a block kernel, called by its address."""

    def __init__(self, function: Callable, n_arguments: int):
        self.callback = block_function(n_arguments)(function)  # the address is valid as long as this lives
        self.address = ctypes.cast(self.callback, ctypes.c_void_p).value


@instruction(lambda address, i: values_at(address + 4 * i, 1, np.float32)[0])
def load(typing_context, address, i):
    """The `i`-th float32 after an address. An array at the address would take longer to compile and give no better
    vector code."""

    def generate(context, builder, signature, args):
        return builder.load(_place(context, builder, *args))

    return types.float32(types.intp, types.intp), generate


def _store(address, i, value) -> None:
    values_at(address + 4 * i, 1, np.float32)[0] = value


@instruction(_store)
def store(typing_context, address, i, value):
    """Write a float32 where `load` would read it."""

    def generate(context, builder, signature, args):
        builder.store(args[2], _place(context, builder, *args[:2]))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.float32), generate


def _place(context, builder, address, i):
    return builder.gep(builder.inttoptr(address, context.get_value_type(types.CPointer(types.float32))), [i])


@instruction(lambda v: v.view(f"i{v.itemsize}"))
def as_integers(typing_context, v):
    """The bits of a float array, as signed integers of the same width. Numba's `v.view` makes many checks, which take
    long to compile."""
    bits = v.copy(dtype=types.Integer.from_bitwidth(v.dtype.bitwidth))

    def generate(context, builder, signature, args):
        source = context.make_array(v)(context, builder, args[0])
        target = context.make_array(bits)(context, builder)
        for name in ("meminfo", "parent", "nitems", "itemsize", "shape", "strides"):
            setattr(target, name, getattr(source, name))
        target.data = builder.bitcast(source.data, target.data.type)
        return impl_ret_borrowed(context, builder, bits, target._getvalue())

    return bits(v), generate


def _word_at_most(v, w, limit):
    return np.packbits(v[64 * w : 64 * w + 64] <= limit, bitorder="little").view(np.uint64)[0]


@instruction(_word_at_most)
def word_at_most(typing_context, v, w, limit):
    """Bit j tells whether v[64 w + j] <= limit. Numba's own loops cannot express this: they would pack bytes."""

    def generate(context, builder, signature, args):
        from llvmlite import ir

        data = context.make_array(v)(context, builder, args[0]).data
        lanes = ir.VectorType(data.type.pointee, 64)  # LLVM splits it to fit the machine
        values = builder.load(
            builder.gep(builder.bitcast(data, lanes.as_pointer()), [args[1]]), align=v.dtype.bitwidth // 8
        )
        single = builder.insert_element(lanes(ir.Undefined), args[2], ir.IntType(32)(0))
        limits = builder.shuffle_vector(single, lanes(ir.Undefined), ir.VectorType(ir.IntType(32), 64)(None))
        compare = builder.fcmp_ordered if isinstance(v.dtype, types.Float) else builder.icmp_signed
        return builder.bitcast(compare("<=", values, limits), context.get_value_type(types.uint64))

    return types.uint64(v, types.intp, v.dtype), generate


def _transpose_eight(like, rows, offset, target, stride) -> None:
    values = np.array([values_at(row + offset, 8, like.dtype) for row in rows])
    for c in range(8):
        values_at(target + c * stride, 8, like.dtype)[:] = values[:, c]


@instruction(_transpose_eight)
def transpose_eight(typing_context, like, rows, offset, target, stride):
    """The eight values `offset` bytes past each of eight addresses `rows` become a column at address `target`, where
    rows are `stride` bytes apart; the values have the type of those of `like`."""

    def generate(context, builder, signature, args):
        from llvmlite import ir

        size = like.dtype.bitwidth // 8
        lanes, mask = ir.VectorType(context.get_value_type(like.dtype), 8), ir.VectorType(ir.IntType(32), 8)
        starts = context.make_array(rows)(context, builder, args[1]).data

        def place(address):
            return builder.inttoptr(address, lanes.as_pointer())

        def start(i):
            return builder.load(builder.gep(starts, [ir.IntType(64)(i)]))

        values = [builder.load(place(builder.add(start(i), args[2])), align=size) for i in range(8)]
        halves = [mask([j // 2 + 8 * (j % 2) + 4 * half for j in range(8)]) for half in (0, 1)]
        for _ in range(3):  # each step moves one bit of a value's place from row to column, and one back
            values = [builder.shuffle_vector(values[i], values[i + 4], half) for i in range(4) for half in halves]
        for c, value in enumerate(values):
            down = builder.mul(args[4], ir.IntType(64)(c))
            builder.store(value, place(builder.add(args[3], down)), align=size)
        return context.get_dummy_value()

    return types.void(like, rows, types.intp, types.intp, types.intp), generate


@instruction(lambda word: np.uint64(int(word).bit_count()))
def popcount(typing_context, word):
    """Number of set bits of a uint64."""

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@instruction(lambda word: np.uint64((int(word) & -int(word)).bit_length() - 1))
def trailing_zeros(typing_context, word):
    """Position of the lowest set bit of a nonzero uint64."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), generate


def _call(n_arguments: int):
    """An intrinsic that calls the machine code at `address` with `n_arguments` integers."""
    from llvmlite import ir

    integer = ir.IntType(64)
    kind = ir.FunctionType(ir.VoidType(), [integer] * n_arguments)

    def generate(context, builder, signature, args):
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), list(args[1:]))
        return context.get_dummy_value()

    return types.void(*[types.intp] * (n_arguments + 1)), generate


def _call_plain(address, *arguments) -> None:
    block_function(len(arguments))(int(address))(*map(int, arguments))


@instruction(_call_plain)
def call4(typing_context, address, dst, a, b, n):
    return _call(4)


@instruction(_call_plain)
def call7(typing_context, address, da, db, dv, a, b, v, n):
    return _call(7)
