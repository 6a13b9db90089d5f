"""Absolute epsilon: an error of at most epsilon passes (Eq. 3); the paper's epsilon is 0.10.

La Cava, Spector, Danai, "Epsilon-lexicase selection for regression", GECCO (2016), corrected version.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("lex_y", "Lex eps_y", Rule(scale=0.0, best=None, epsilon=0.10))
