"""Lexicase with random toggles: a case counts in an event only with some probability.

Spector, La Cava, Shanabrook, Helmuth, Pantridge, "Relaxations of lexicase parent selection", Genetic Programming
Theory and Practice XV (2018). The rule is that of `lex_e_mad` (Eq. 5). The probability is ours: 0.01, so that events
end early although there are many cases.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import EPSILON

METHOD = lexicase_method("toggle", "Toggle", EPSILON, toggle=0.01)
