"""One HTML page about a fit.

fit     `Fit`, the record behind a page, saved as fit.json
page    `render`: the record as a page that loads nothing and escapes everything
"""

from epsilex.report.fit import FILE, Fit, load_fit, some_generations, some_rows
from epsilex.report.page import render

__all__ = ["FILE", "Fit", "load_fit", "render", "some_generations", "some_rows"]
