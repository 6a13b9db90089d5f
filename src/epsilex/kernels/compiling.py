"""The `jit` decorator, and block kernels made from NumPy functions.

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
from numba import cfunc, config, njit, types
from numba.core.errors import NumbaError

from epsilex.kernels.caching import forgiving
from epsilex.kernels.inlining import InnerCompiler
from epsilex.kernels.instructions import PlainBlock, load, store
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
    if config.DISABLE_JIT:
        return PlainBlock(function, template.__code__.co_argcount)
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
