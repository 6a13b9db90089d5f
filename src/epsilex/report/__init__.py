"""One HTML page about a fit.

fit        `Fit`, what a page tells, saved as fit.json
record     from a fitted estimator, or a search that runs, to a `Fit`
agreement  whether held-back rows agree with the choice
drawn      what the page draws of each model: its curve, or its partial dependence
page       `render`: the record as a page that loads nothing and escapes everything
"""

from epsilex.report.fit import FILE, Fit, load_fit, some_generations, some_rows
from epsilex.report.page import render
from epsilex.report.record import REASONS, Course, Measurements, record, record_of

__all__ = [
    "FILE", "REASONS", "Course", "Fit", "Measurements", "load_fit", "record", "record_of", "render", "some_generations",
    "some_rows",
]  # fmt: skip
