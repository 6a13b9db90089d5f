"""Relative epsilon: at most (1 + epsilon) times the population's best error passes (Eq. 2); the paper's epsilon is 5.0.

La Cava, Spector, Danai, "Epsilon-lexicase selection for regression", GECCO (2016), corrected version.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("lex_e", "Lex eps_e", Rule(scale=6.0), relative=True)
