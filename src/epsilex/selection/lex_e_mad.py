"""Automatic epsilon: within the population's MAD of the population's best error passes (Eq. 5).

La Cava, Spector, Danai, "Epsilon-lexicase selection for regression", GECCO (2016), corrected version.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("lex_e_mad", "Lex eps_e-lambda", Rule(width="population"))
