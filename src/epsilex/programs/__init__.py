"""Programs: formulas as arrays in postfix order, and the operator table they are made of.

operators   the table: one row an operator; `operator(...)` adds one of your own
programs    `Programs`, a struct of arrays
start       `random_programs`
evaluation  `evaluate`: outputs of all programs on all rows, float32
fold        the one walk over a program's nodes that the rest shares
numeric     float64 values by the table's NumPy functions
gradient    their derivatives
machine     the table as machine code
formula     infix text
parser      the way back, by a whitelist
export      SymPy and LaTeX, built from the program
source      Python and C source code that stands alone
simplify    shorter programs of the same values
algebra     normal forms of sums and products, for `simplify`
intervals   enclosures that prove a formula defined on a box
poles       branch and bound with them
"""

from epsilex.programs.evaluation import evaluate
from epsilex.programs.operators import TABLE, Operator, operator
from epsilex.programs.programs import Programs
from epsilex.programs.start import random_programs

__all__ = ["TABLE", "Operator", "Programs", "evaluate", "operator", "random_programs"]
