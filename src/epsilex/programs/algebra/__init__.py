"""Algebra: every rewriting of formulas.

shortest    a program to the shortest and most usual program of the same function
search      best-first search over rewritings
expression  the tree: n-ary sums and products of powers
facts       signs and domains on a box, by form and by intervals
arithmetic  the normal form of sums and functions
powers      the normal form of products
reading     from a program to its normal form
writing     from an expression to a program, in the usual order
expanding   products multiplied out, fractions put together
sums        rewritings of sums: common factors, squares, logarithms
products    rewritings of products and functions
angles      identities of sine and cosine
numbers     how hard a number is to read
simplify    programs made shorter by a few cheap rules, for every form that is tried while a front is made
terms       sums and products of programs, for `simplify`
gathering   factors moved up, for the same forms
clearing    fractions within sums put together, for the same forms
pruning     numbers that do not matter
"""

from epsilex.programs.algebra.shortest import shortest
from epsilex.programs.algebra.simplify import simplify

__all__ = ["shortest", "simplify"]
