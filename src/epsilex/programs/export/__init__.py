"""Every notation of a formula, from its program.

symbolic   SymPy objects
latex      LaTeX
mathml     MathML, for reports
unicode    text with superscripts and Greek letters
source     standalone Python and C source code
languages  other programming languages, by the printers of SymPy
excel      a formula for a spreadsheet
modules    PyTorch and JAX, with trainable constants
names      names of columns as they are read
table      a front as a LaTeX table

Formula text is in `epsilex.programs.formula`, because the parser reads it back.
"""

from epsilex.programs.export.latex import latex
from epsilex.programs.export.source import c_source, python_source
from epsilex.programs.export.symbolic import sympy_expression

__all__ = ["c_source", "latex", "python_source", "sympy_expression"]
