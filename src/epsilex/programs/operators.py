"""The operator table: one row per operator, and the only place an operator is named.

Everything the package knows about an operator is in its row: the NumPy function that gives its values
(`value`; the kernels compile that same function to float32 machine code), its derivatives (`partials`),
its text (`symbol`, `precedence`), its Python source (`numpy`), its SymPy form, and its enclosure in interval
arithmetic (`bounds`). A new operator is a new row here, or a call to `operator` from outside the package.

Legend: `a`, `b` the arguments, `v` the value; `sp` the sympy module, passed in so that it is imported only on use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from epsilex.programs import intervals as iv

CONSTANT = 0  # opcode of a constant leaf
FEATURE = 1  # opcode of a feature leaf, which carries a coefficient
FIRST_OPERATOR = 2

# Binding strength of the infix symbols; a function call binds tightest.
SUM, PRODUCT, NEGATION, POWER, CALL = 1, 2, 3, 4, 5


@dataclass(frozen=True, slots=True)
class Operator:
    """One row of the table.

    value     NumPy function of one or two arrays; also the source of the float32 kernel
    partials  derivative with respect to each argument, as functions of (a, v) or (a, b, v); None: numeric
    symbol    infix or prefix symbol, or the function's name in formula text
    numpy     Python source with `{0}` and `{1}` for the arguments; None: the symbol itself, as in formula text
    c         C source, likewise
    latex     LaTeX, likewise; None: the symbol of a sum or product, or the name as a function
    sympy     function of (sympy module, arguments); None: a SymPy function of the operator's name
    bounds    enclosure of the values over intervals; None: unknown, nothing can be proven
    identity  the constant `c` with `a op c == a` for every `a`, if there is one
    """

    name: str
    arity: int
    value: Callable
    partials: tuple[Callable, ...] | None
    symbol: str
    sympy: Callable | None
    bounds: Callable | None
    precedence: int = CALL
    numpy: str | None = None
    c: str | None = None
    latex: str | None = None
    commutative: bool = False
    identity: float | None = None

    @property
    def infix(self) -> bool:
        return self.arity == 2 and self.precedence < CALL

    @property
    def opcode(self) -> int:
        return _OPCODES[self.name]


def _pdiv(a, b):
    return np.where(np.abs(b) < 1e-6, 1.0, a / b)


def _plog(a):
    return np.where(np.abs(a) < 1e-6, 0.0, np.log(np.abs(a)))


_BUILT_IN = (
    Operator(
        "add", 2, np.add, (lambda a, b, v: 1.0, lambda a, b, v: 1.0), "+", lambda sp, a, b: a + b, iv.add,
        precedence=SUM, commutative=True, identity=0.0,
    ),
    Operator(
        "sub", 2, np.subtract, (lambda a, b, v: 1.0, lambda a, b, v: -1.0), "-", lambda sp, a, b: a - b, iv.sub,
        precedence=SUM, identity=0.0,
    ),
    Operator(
        "mul", 2, np.multiply, (lambda a, b, v: b, lambda a, b, v: a), "*", lambda sp, a, b: a * b, iv.mul,
        precedence=PRODUCT, commutative=True, identity=1.0,
    ),
    Operator(
        "div", 2, np.divide, (lambda a, b, v: 1.0 / b, lambda a, b, v: -v / b), "/", lambda sp, a, b: a / b, iv.div,
        precedence=PRODUCT, latex=r"\frac{{0}}{{1}}", identity=1.0,
    ),
    Operator(
        "sin", 1, np.sin, (lambda a, v: np.cos(a),), "sin", lambda sp, a: sp.sin(a), iv.sin, numpy="np.sin({0})",
        c="sin({0})", latex=r"\sin\left({0}\right)",
    ),
    Operator(
        "cos", 1, np.cos, (lambda a, v: -np.sin(a),), "cos", lambda sp, a: sp.cos(a), iv.cos, numpy="np.cos({0})",
        c="cos({0})", latex=r"\cos\left({0}\right)",
    ),
    Operator(
        "exp", 1, np.exp, (lambda a, v: v,), "exp", lambda sp, a: sp.exp(a), iv.exp, numpy="np.exp({0})",
        c="exp({0})", latex=r"e^{{0}}",
    ),
    Operator(
        "log", 1, np.log, (lambda a, v: 1.0 / a,), "log", lambda sp, a: sp.log(a), iv.log, numpy="np.log({0})",
        c="log({0})", latex=r"\log\left({0}\right)",
    ),
    Operator(
        "sqrt", 1, np.sqrt, (lambda a, v: 0.5 / v,), "sqrt", lambda sp, a: sp.sqrt(a), iv.sqrt, numpy="np.sqrt({0})",
        c="sqrt({0})", latex=r"\sqrt{{0}}",
    ),
    Operator(
        "square", 1, np.square, (lambda a, v: 2.0 * a,), "square", lambda sp, a: a**2, iv.square,
        numpy="np.square({0})", c="{0} * {0}", latex=r"{0}^{2}",
    ),
    Operator(
        "tanh", 1, np.tanh, (lambda a, v: 1.0 - v * v,), "tanh", lambda sp, a: sp.tanh(a), iv.tanh,
        numpy="np.tanh({0})", c="tanh({0})", latex=r"\tanh\left({0}\right)",
    ),
    Operator(
        "abs", 1, np.abs, (lambda a, v: np.sign(a),), "abs", lambda sp, a: sp.Abs(a), iv.absolute, numpy="np.abs({0})",
        c="fabs({0})", latex=r"\left|{0}\right|",
    ),
    Operator(
        "min", 2, np.minimum,
        (lambda a, b, v: np.where(a <= b, 1.0, 0.0), lambda a, b, v: np.where(a <= b, 0.0, 1.0)),
        "min", lambda sp, a, b: sp.Min(a, b, evaluate=False), iv.minimum, numpy="np.minimum({0}, {1})",
        c="{0} <= {1} || isnan({0}) ? {0} : {1}", latex=r"\min\left({0}, {1}\right)", commutative=True,
    ),
    Operator(
        "max", 2, np.maximum,
        (lambda a, b, v: np.where(a >= b, 1.0, 0.0), lambda a, b, v: np.where(a >= b, 0.0, 1.0)),
        "max", lambda sp, a, b: sp.Max(a, b, evaluate=False), iv.maximum, numpy="np.maximum({0}, {1})",
        c="{0} >= {1} || isnan({0}) ? {0} : {1}", latex=r"\max\left({0}, {1}\right)", commutative=True,
    ),
    Operator(
        "pow", 2, np.power, (lambda a, b, v: b * np.power(a, b - 1.0), lambda a, b, v: v * np.log(a)), "^",
        lambda sp, a, b: a**b, iv.power, precedence=POWER, numpy="np.power({0}, {1})", c="pow({0}, {1})",
        latex=r"{0}^{{1}}", identity=1.0,
    ),
    Operator(
        "inv", 1, np.reciprocal, (lambda a, v: -v * v,), "inv", lambda sp, a: 1 / a, iv.inverse,
        numpy="np.reciprocal({0})", c="1.0 / {0}", latex=r"\frac{1}{{0}}",
    ),
    Operator("neg", 1, np.negative, (lambda a, v: -1.0,), "-", lambda sp, a: -a, iv.neg, precedence=NEGATION),
    Operator(
        "pdiv", 2, _pdiv,
        (
            lambda a, b, v: np.where(np.abs(b) < 1e-6, 0.0, 1.0 / b),
            lambda a, b, v: np.where(np.abs(b) < 1e-6, 0.0, -v / b),
        ),
        "pdiv", None, iv.pdiv,
        numpy="np.where(np.abs({1}) < 1e-6, 1.0, {0} / {1})", c="fabs({1}) < 1e-6 ? 1.0 : {0} / {1}",
    ),
    Operator(
        "plog", 1, _plog, (lambda a, v: np.where(np.abs(a) < 1e-6, 0.0, 1.0 / a),), "plog", None, iv.plog,
        numpy="np.where(np.abs({0}) < 1e-6, 0.0, np.log(np.abs({0})))", c="fabs({0}) < 1e-6 ? 0.0 : log(fabs({0}))",
    ),
    Operator(
        "asin", 1, np.arcsin, (lambda a, v: 1.0 / np.sqrt(1.0 - a * a),), "asin", lambda sp, a: sp.asin(a), iv.asin,
        numpy="np.arcsin({0})", c="asin({0})", latex=r"\arcsin\left({0}\right)",
    ),
    Operator(
        "acos", 1, np.arccos, (lambda a, v: -1.0 / np.sqrt(1.0 - a * a),), "acos", lambda sp, a: sp.acos(a), iv.acos,
        numpy="np.arccos({0})", c="acos({0})", latex=r"\arccos\left({0}\right)",
    ),
)  # fmt: skip

TABLE: list[Operator] = []
_OPCODES: dict[str, int] = {}


def _register(row: Operator) -> Operator:
    if row.name in _OPCODES:
        TABLE[_OPCODES[row.name] - FIRST_OPERATOR] = row
    else:
        if len(TABLE) + FIRST_OPERATOR > 255:
            raise ValueError(f"operator: the table is full, {len(TABLE)} operators are registered")
        _OPCODES[row.name] = FIRST_OPERATOR + len(TABLE)
        TABLE.append(row)
    return row


for _row in _BUILT_IN:
    _register(_row)

BUILT_IN_NAMES = tuple(row.name for row in _BUILT_IN)
COMMON = (
    "add",
    "sub",
    "mul",
    "div",
    "sin",
    "cos",
    "exp",
    "log",
    "sqrt",
    "square",
)  # the default of a search


SYMBOLS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow", "**": "pow"}


def canonical(names: Iterable[str]) -> tuple[str, ...]:
    """Names of operators, which may be given by their symbols."""
    return tuple(SYMBOLS.get(name, name) if isinstance(name, str) else name for name in names)


def opcode(name: str) -> int:
    """The opcode of the operator called `name`, or written as this symbol."""
    try:
        return _OPCODES[SYMBOLS.get(name, name)]
    except (KeyError, TypeError):
        known = ", ".join(row.name for row in TABLE)
        raise ValueError(f"operators: expected names among {known}; got {name!r}") from None


def opcodes(names: Iterable[str]) -> np.ndarray:
    """Opcodes of several operators, as the kernels need them (uint8)."""
    return np.array([opcode(name) for name in names], dtype=np.uint8)


def lookup(code: int) -> Operator:
    """The row of an opcode."""
    return TABLE[code - FIRST_OPERATOR]


def arities() -> np.ndarray:
    """Arity by opcode (uint8), 0 for the leaves."""
    return np.array([0, 0] + [row.arity for row in TABLE], dtype=np.uint8)


def commutative() -> np.ndarray:
    """By opcode, whether the arguments may be swapped (bool)."""
    return np.array([False, False] + [row.commutative for row in TABLE])


def operator(
    name: str,
    value: Callable,
    *,
    partials: tuple[Callable, ...] | None = None,
    sympy: Callable | None = None,
    numpy: str | None = None,
    c: str | None = None,
    latex: str | None = None,
    bounds: Callable | None = None,
) -> Operator:
    """Add a function of one or two numbers to the table, compiled like the built-in ones.

    Parameters
    ----------
    name : str
        An identifier that no built-in operator has; formula text calls it `name(a)` or `name(a, b)`.
    value : callable
        Function of one or two NumPy arrays, such as `lambda x: np.exp(-x * x)`. It must be elementwise.
    partials : tuple of callable, optional
        Derivatives as functions of (a, v) or (a, b, v), where `v` is the value. By default they are numeric.
    sympy : callable, optional
        Function of (sympy, a) or (sympy, a, b). By default the SymPy form is an opaque function `name`, which
        `lambdify` can compute.
    numpy : str, optional
        Python source with `{0}` and `{1}` for the arguments, for `Model.python()`.
    c : str, optional
        C source, likewise.
    latex : str, optional
        LaTeX, likewise. By default the operator is written as a function of its name.
    bounds : callable, optional
        Enclosure over intervals, see `epsilex.programs.intervals`. Without it nothing can be proven of formulas that
        use the operator.
    """
    if not isinstance(name, str) or not name.isidentifier() or name in BUILT_IN_NAMES:
        raise ValueError(f"name: expected an identifier that is not a built-in operator; got {name!r}")
    if not callable(value) or getattr(value, "__code__", None) is None:
        raise ValueError(f"value: expected a Python function of one or two numbers; got {value!r}")
    arity = value.__code__.co_argcount
    if arity not in (1, 2):
        raise ValueError(f"value: expected a function of one or two numbers; got one of {arity}")
    if partials is not None and len(partials) != arity:
        raise ValueError(f"partials: expected {arity} functions, one per argument; got {len(partials)}")
    for argument, source in (("numpy", numpy), ("c", c), ("latex", latex)):
        if source is not None and "{0}" not in source:
            raise ValueError(f"{argument}: expected a text with {{0}} for the argument; got {source!r}")
    return _register(Operator(name, arity, value, partials, name, sympy, bounds, numpy=numpy, c=c, latex=latex))


def own_operators() -> tuple[Operator, ...]:
    """The operators that users have added, in the order of their opcodes."""
    return tuple(TABLE[len(BUILT_IN_NAMES) :])


def adopt(rows: Iterable[Operator]) -> None:
    """Make the own operators of another process those of this one, with the same opcodes."""
    for place, row in enumerate(rows, len(BUILT_IN_NAMES)):
        here = TABLE[place] if place < len(TABLE) else None
        if here is not None and here.name != row.name:
            raise ValueError(
                f"operators: expected {row.name!r} in place {place} of a worker's table; got {here.name!r}"
            )
        if here != row:
            _register(row)
