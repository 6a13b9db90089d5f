"""Formulas in SymPy's hands: their size in one common form, and whether one is the formula that made the data.

SymPy may take for ever, so `examine` does it in a process of its own that can be given up.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence

from benchmarks.feynman_list import FORMULAS
from epsilex.programs.export import sympy_expression
from epsilex.programs.fold import Node

DIGITS = 4
PATIENCE = 60.0


def expression(nodes: Iterable[Node], n_features: int):
    """The program as SymPy writes it: nested sums and products flat, constants put together. Symbols x0, x1, ... are
    positive, as all variables of the formulas are."""
    import sympy as sp

    names = [f"x{j}" for j in range(n_features)]
    positive = {sp.Symbol(name, real=True): sp.Symbol(name, positive=True) for name in names}
    return sympy_expression(nodes, names).xreplace(positive).doit()


def size(expr) -> int:
    """Number of nodes of a SymPy expression."""
    from sympy import preorder_traversal

    return sum(1 for _ in preorder_traversal(expr))


def is_formula(expr, name: str) -> bool:
    """Whether the difference to the formula is zero once constants are rounded to four digits.

    Constants may hide in several places (2 x / 4 is x / 2), so both are brought to one fraction first and compared,
    term by term, across; numbers inside of functions are rounded too. It is for programs that predict nearly the same
    values: the square of a formula does not tell its sign.
    """
    import sympy as sp

    formula = FORMULAS[name]
    symbols = [sp.Symbol(f"x{j}", positive=True) for j in range(len(formula.ranges))]
    truth = formula.sympy(symbols)
    return any(_equal(form(expr), form(truth)) for form in (_plain, _without_roots, sp.simplify))


def _plain(expr):
    return expr


def _without_roots(expr):
    """The square: sqrt(a) c and sqrt(a c^2) are then alike."""
    return expr**2


def _equal(a, b) -> bool:
    import sympy as sp

    (a_over, a_under), (b_over, b_under) = (sp.fraction(sp.together(_expanded(e))) for e in (a, b))
    left, right = _terms(a_over * b_under), _terms(b_over * a_under)
    largest = max((abs(c) for c in (*left.values(), *right.values())), default=0.0)
    return all(abs(left.get(t, 0.0) - right.get(t, 0.0)) <= 10.0**-DIGITS * largest for t in {*left, *right})


def _expanded(expr):
    import sympy as sp

    return sp.expand_log(sp.expand(expr), force=True)


def _terms(expr) -> dict:
    """Coefficients of the terms of the expanded expression, the constants inside of a term rounded."""
    import sympy as sp

    found: dict = {}
    for term in sp.Add.make_args(_expanded(expr)):
        factor, rest = term.as_independent(*term.free_symbols) if term.free_symbols else (term, sp.Integer(1))
        rest = rounded(rest)
        found[rest] = found.get(rest, 0.0) + float(factor)
    return found


def rounded(expr):
    """Every number with four significant digits; those that are then whole are whole numbers."""
    import sympy as sp

    def near(number):
        short = float(f"{float(number):.{DIGITS - 1}e}")
        return sp.Integer(int(short)) if short.is_integer() else sp.Float(short)

    numbers = [number for number in expr.atoms(sp.Number, sp.NumberSymbol) if not number.is_Integer]
    return expr.xreplace({number: near(number) for number in numbers})


def examine(nodes: Sequence[Node] | None, n_features: int, name: str | None = None, patience: float = PATIENCE) -> dict:
    """`sympy_length` of a program and, with the `name` of a formula, whether it is `recovered`.

    None where SymPy gave up. Only for a program that predicts well: see `is_formula`.
    """
    if nodes is None:
        return {"sympy_length": None, "recovered": None}
    question = json.dumps({"nodes": list(nodes), "n_features": n_features, "name": name})
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.expressions"],
            input=question, text=True, capture_output=True, timeout=patience,
        )  # fmt: skip
        out = done.stdout
    except subprocess.TimeoutExpired as late:
        out = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
    answers = {"sympy_length": None, "recovered": None}
    for line in out.splitlines():
        answers |= json.loads(line)
    return answers


def _answer(nodes: list, n_features: int, name: str | None) -> None:
    expr = expression([tuple(node) for node in nodes], n_features)
    print(json.dumps({"sympy_length": size(expr)}), flush=True)
    if name is not None:
        print(json.dumps({"recovered": is_formula(expr, name)}), flush=True)


if __name__ == "__main__":
    _answer(**json.load(sys.stdin))
