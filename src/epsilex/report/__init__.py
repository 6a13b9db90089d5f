"""One HTML page about a fit.

fit        `Fit`, what a page tells, saved as fit.json
record     from a fitted estimator to a `Fit`
agreement  whether held-back rows agree with the choice
drawn      what the page draws of each model: its curve, or its partial dependence
page       `render`: the record as a page that loads nothing and escapes everything
"""

from epsilex.report.fit import FILE, Fit, load_fit, some_generations, some_rows
from epsilex.report.page import render
from epsilex.report.record import REASONS, Measurements, record

__all__ = ["FILE", "REASONS", "Fit", "Measurements", "load_fit", "record", "render", "some_generations", "some_rows"]
