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
from pathlib import Path

import numpy as np
from numba import carray, cfunc, njit, types
from numba.core.errors import NumbaError
from numba.extending import intrinsic

# FMA and signed zeros only: infinities and NaN keep their meaning, sums keep their order.
FASTMATH = {"contract", "nsz"}
OPTIONS = {"error_model": "numpy", "fastmath": FASTMATH}


def jit(function: Callable | None = None, **options):
    """`numba.njit` with our options, cached on disk where that is possible."""
    if function is None:
        return lambda f: jit(f, **options)
    options = {"nogil": True, **OPTIONS, **options}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # no folder that can be written: costs the compile time, nothing else
        return njit(**options)(function)


@intrinsic
def pointer(typing_context, address):
    """A float32 pointer from an address."""
    signature = types.CPointer(types.float32)(types.intp)

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return signature, generate


@intrinsic
def popcount(typing_context, word):
    """Number of set bits of a uint64."""

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@intrinsic
def trailing_zeros(typing_context, word):
    """Position of the lowest set bit of a uint64 that is not zero."""

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
    d, x = carray(pointer(dst), n), carray(pointer(a), n)
    for i in range(n):
        d[i] = f(x[i])


def _value2(dst, a, b, n):
    d, x, y = carray(pointer(dst), n), carray(pointer(a), n), carray(pointer(b), n)
    for i in range(n):
        d[i] = f(x[i], y[i])


def _slope1(da, db, dv, a, b, v, n):
    d, up, x, value = carray(pointer(da), n), carray(pointer(dv), n), carray(pointer(a), n), carray(pointer(v), n)
    for i in range(n):
        d[i] = up[i] * f(x[i], value[i])


def _slope2(da, db, dv, a, b, v, n):
    d, e, up = carray(pointer(da), n), carray(pointer(db), n), carray(pointer(dv), n)
    x, y, value = carray(pointer(a), n), carray(pointer(b), n), carray(pointer(v), n)
    for i in range(n):
        d[i] = up[i] * f(x[i], y[i], value[i])
    for i in range(n):
        e[i] = up[i] * g(x[i], y[i], value[i])


def f(*_):  # stand-ins: `_build` binds the names `f` and `g` of a template to compiled functions
    raise NotImplementedError


g = f


def _numeric1(value, h):
    return lambda a, v: (value(a + h) - value(a - h)) / (h + h)


def _numeric_left(value, h):
    return lambda a, b, v: (value(a + h, b) - value(a - h, b)) / (h + h)


def _numeric_right(value, h):
    return lambda a, b, v: (value(a, b + h) - value(a, b - h)) / (h + h)


def _digest(function: Callable) -> str:
    """Short hash of what a function computes: its code, constants and closure."""
    code = getattr(function, "__code__", None)
    if code is None:
        text = repr(function)
    else:
        cells = [c.cell_contents for c in function.__closure__ or ()]
        inner = [_digest(c) if callable(c) else repr(c) for c in cells]
        text = repr((code.co_code, [c for c in code.co_consts if not hasattr(c, "co_code")], code.co_names, inner))
    salt = (Path(__file__).parent / "math32.py").read_bytes()
    return hashlib.sha256(salt + text.encode()).hexdigest()[:16]


def _scalar(function: Callable):
    """`function` compiled for float32 scalars, with NumPy's functions in their float32 form."""
    from epsilex.kernels import math32

    if isinstance(function, np.ufunc):
        return getattr(math32, function.__name__)
    code = function.__code__
    single = tuple(np.float32(c) if type(c) is float else c for c in code.co_consts)
    names = {key: math32 if value is np else value for key, value in function.__globals__.items()}
    closure = function.__closure__
    if closure is not None:
        contents = [c.cell_contents for c in closure]
        closure = tuple(pytypes.CellType(_scalar(c) if callable(c) else c) for c in contents)
    bound = pytypes.FunctionType(code.replace(co_consts=single), names, function.__name__, None, closure)
    return njit(**OPTIONS)(bound)


def _build(template: Callable, name: str, scalars: dict[str, Callable]):
    """A C function from a template whose names `f` and `g` are bound to compiled `scalars`.

    Numba files a cached function under its name and line, and does not look at globals: the digest in the name
    keeps a changed operator from finding its old machine code.
    """
    digest = "_".join(_digest(s) for s in scalars.values())
    names = {**globals(), **{key: _scalar(s) for key, s in scalars.items()}}
    function = pytypes.FunctionType(template.__code__, names, f"{template.__name__}_{name}_{digest}")
    function.__qualname__ = function.__name__
    function.__module__ = __name__
    signature = types.void(*[types.intp] * template.__code__.co_argcount)
    try:
        return cfunc(signature, cache=True, **OPTIONS)(function)
    except RuntimeError:
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
