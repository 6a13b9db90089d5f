"""The `jit` decorator, block kernels made from NumPy functions, and calls by address.

A block kernel computes `dst[i] = f(a[i], b[i])` for the `n` rows of a block. It is compiled from the plain NumPy
function of the operator table, with the name `np` bound to `epsilex.kernels.math32` so that `np.exp` is the fast
float32 one. The interpreter holds kernels as an array of machine addresses: a new operator compiles
only its own kernel, never the interpreter.
"""

from __future__ import annotations

import hashlib
import types as pytypes
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numba import cfunc, njit, types
from numba.core.errors import NumbaError
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from epsilex.kernels.caching import forgiving
from epsilex.kernels.inlining import InnerCompiler
from epsilex.kernels.meaning import digest, global_names

# FMA and signed zeros only: infinities and NaN keep their meaning, sums keep their order.
FASTMATH = {"contract", "nsz"}
OPTIONS = {"error_model": "numpy", "fastmath": FASTMATH, "no_cfunc_wrapper": True}  # no C entry, to save compile time


@cache
def sources() -> str:
    """Short hash of all kernel files."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:12]


def jit(function: Callable | None = None, **options):
    """`numba.njit` with our options, cached on disk if possible.

    A literal integer argument makes Numba compile the callee again, so kernels write np.int64(0).
    Numba caches a function under its name, and checks for changes only in its own file. The hash in the name keeps a
    kernel from loading machine code that was compiled with other versions of its callees in other files.
    """
    if function is None:
        return lambda f: jit(f, **options)
    options = {"nogil": True, **OPTIONS, **options}
    function.__qualname__ = f"{function.__qualname__}_{sources()}"
    try:
        return forgiving(njit(cache=True, **options)(function))
    except (RuntimeError, OSError):  # no writable folder: costs only compile time
        return njit(**options)(function)


def inner(function: Callable | None = None, **options):
    """As `jit`, for functions that only kernels call: without the entry from Python, which takes as long to compile,
    and without a cache file, because the machine code of the callers contains them."""
    if function is None:
        return lambda f: inner(f, **options)
    from_kernels = {"no_cpython_wrapper": True, "pipeline_class": InnerCompiler}
    return njit(**{"nogil": True, **from_kernels, **OPTIONS, **options})(function)


@intrinsic
def load(typing_context, address, i):
    """The `i`-th float32 after an address. An array at the address would take longer to compile and give no better
    vector code."""

    def generate(context, builder, signature, args):
        return builder.load(_place(context, builder, *args))

    return types.float32(types.intp, types.intp), generate


@intrinsic
def store(typing_context, address, i, value):
    """Write a float32 where `load` would read it."""

    def generate(context, builder, signature, args):
        builder.store(args[2], _place(context, builder, *args[:2]))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.float32), generate


def _place(context, builder, address, i):
    return builder.gep(builder.inttoptr(address, context.get_value_type(types.CPointer(types.float32))), [i])


@intrinsic
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


@intrinsic
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


@intrinsic
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


@intrinsic
def popcount(typing_context, word):
    """Number of set bits of a uint64."""

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@intrinsic
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


@intrinsic
def call4(typing_context, address, dst, a, b, n):
    return _call(4)


@intrinsic
def call7(typing_context, address, da, db, dv, a, b, v, n):
    return _call(7)


def _value1(dst, a, b, n):
    for i in range(n):
        store(dst, i, f(load(a, i)))


def _value2(dst, a, b, n):
    for i in range(n):
        store(dst, i, f(load(a, i), load(b, i)))


def _slope1(da, db, dv, a, b, v, n):
    for i in range(n):
        store(da, i, load(dv, i) * f(load(a, i), load(v, i)))


def _slope2(da, db, dv, a, b, v, n):
    for i in range(n):
        store(da, i, load(dv, i) * f(load(a, i), load(b, i), load(v, i)))
    for i in range(n):
        store(db, i, load(dv, i) * g(load(a, i), load(b, i), load(v, i)))


def f(*_):  # stand-ins: `_build` binds the names `f` and `g` of a template to compiled functions
    raise NotImplementedError


g = f


def _numeric1(value, h):
    return lambda a, v: (value(a + h) - value(a - h)) / (h + h)


def _numeric_left(value, h):
    return lambda a, b, v: (value(a + h, b) - value(a - h, b)) / (h + h)


def _numeric_right(value, h):
    return lambda a, b, v: (value(a, b + h) - value(a, b - h)) / (h + h)


def _single(value):
    """The value of a name inside a kernel: NumPy in its float32 form, numbers as float32, functions compiled."""
    from epsilex.kernels import math32

    if value is np:
        return math32
    if type(value) is float:
        return np.float32(value)
    return _scalar(value) if isinstance(value, (pytypes.FunctionType, np.ufunc)) else value


def _scalar(function: Callable):
    """`function` compiled for float32 scalars, with NumPy's functions in their float32 form."""
    from epsilex.kernels import math32

    if isinstance(function, np.ufunc):
        return getattr(math32, function.__name__)
    code = function.__code__
    single = tuple(np.float32(c) if type(c) is float else c for c in code.co_consts)
    names = {key: _single(function.__globals__[key]) for key in global_names(code) & function.__globals__.keys()}
    closure = None
    if function.__closure__ is not None:
        closure = tuple(pytypes.CellType(_single(c.cell_contents)) for c in function.__closure__)
    bound = pytypes.FunctionType(code.replace(co_consts=single), names, function.__name__, None, closure)
    bound.__module__ = __name__  # cached machine code refers to the module of its functions, which must exist
    return inner(bound)


def _build(template: Callable, name: str, scalars: dict[str, Callable]):
    """A C function from a template whose names `f` and `g` are bound to compiled `scalars`.

    Numba caches a function under its name and line, and ignores globals. The digest in the name keeps a changed
    operator from loading its old machine code.
    """
    key = "_".join(digest(s) for s in scalars.values())
    names = {**globals(), **{key: _scalar(s) for key, s in scalars.items()}}
    function = pytypes.FunctionType(template.__code__, names, f"{template.__name__}_{name}_{key}")
    function.__qualname__ = function.__name__
    function.__module__ = __name__
    signature = types.void(*[types.intp] * template.__code__.co_argcount)
    try:
        return cfunc(signature, cache=True, **OPTIONS)(function)
    except NumbaError:
        raise
    except Exception:  # no writable folder, a full disk, a damaged cache: costs only compile time
        return cfunc(signature, **OPTIONS)(function)


def value_kernel(name: str, arity: int, value: Callable):
    """Block kernel of an operator's values, called as (dst, a, b, n)."""
    try:
        return _build(_value1 if arity == 1 else _value2, name, {"f": value})
    except NumbaError as error:
        raise ValueError(f"operator {name!r}: Numba cannot compile its function: {_first_line(error)}") from None


def slope_kernel(name: str, arity: int, value: Callable, partials: tuple[Callable, ...] | None):
    """Block kernel of an operator's chain rule, called as (da, db, dv, a, b, v, n): da = dv * df/da, db likewise."""
    if partials is None:
        h = np.float32(2**-9)  # near the cube root of float32's rounding unit
        if arity == 1:
            partials = (_numeric1(value, h),)
        else:
            partials = (_numeric_left(value, h), _numeric_right(value, h))
    scalars = dict(zip("fg", partials, strict=False))
    try:
        return _build(_slope1 if arity == 1 else _slope2, name, scalars)
    except NumbaError as error:
        raise ValueError(f"operator {name!r}: Numba cannot compile its partials: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
