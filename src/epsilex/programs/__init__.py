"""Programs: formulas as arrays in postfix order, and the operator table they are made of.

operators   the table: one row per operator; `operator(...)` adds your own
programs    `Programs`, a struct of arrays
start       `random_programs`
evaluation  `evaluate`: outputs of all programs on all rows, float32
fold        the traversal of a program's nodes that all others share
numeric     float64 values by the table's NumPy functions
gradient    their derivatives
derivative  the derivative of a program, as a program
machine     machine code of the operators
formula     infix text
parser      infix text to programs, by a whitelist
written     a person's own formula, with named constants
structure   limits of nesting, exponents and features
costs       operators that count as several nodes
export      every other notation, from LaTeX to PyTorch
algebra     every rewriting: the shortest and most usual form of a formula
length      the length of a formula as it is printed
constants   numbers as a scientist writes them: fractions, pi, e, and the user's own constants
rounding    sums, products and quotients of floats, and what rounding took away
intervals   enclosures that prove a formula finite on a box
poles       branch and bound with intervals
"""

from epsilex.programs.evaluation import evaluate
from epsilex.programs.operators import TABLE, Operator, operator
from epsilex.programs.programs import Programs
from epsilex.programs.start import random_programs

__all__ = ["TABLE", "Operator", "Programs", "evaluate", "operator", "random_programs"]
