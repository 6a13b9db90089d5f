"""One HTML page about a fit.

fit     `Fit`, the record a page is made of, kept as fit.json
mathml  formulas typeset, from programs
page    `render`: the record as a page that loads nothing and trusts nothing
"""

from epsilex.report.fit import FILE, Fit, load_fit, some_generations, some_rows
from epsilex.report.page import render

__all__ = ["FILE", "Fit", "load_fit", "render", "some_generations", "some_rows"]
