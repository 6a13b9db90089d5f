"""Automatic epsilon: an error of at most the population's MAD passes (Eq. 6).

La Cava, Spector, Danai, "Epsilon-lexicase selection for regression", GECCO (2016), corrected version.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("lex_y_mad", "Lex eps_y-lambda", Rule(scale=0.0, best=None, width="population"))
