"""Lexicase with slippage (leaky): before each case the event ends with some probability, with any of the survivors.

Spector, La Cava, Shanabrook, Helmuth, Pantridge, "Relaxations of lexicase parent selection", Genetic Programming
Theory and Practice XV (2018). The rule is that of `lex_e_mad` (Eq. 5); the probability of 0.1 is ours.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import EPSILON

METHOD = lexicase_method("leaky", "Leaky", EPSILON, slip=0.1)
