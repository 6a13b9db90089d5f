"""Truncated lexicase: an event uses only a share of the cases, then takes any of the survivors.

Spector, La Cava, Shanabrook, Helmuth, Pantridge, "Relaxations of lexicase parent selection", Genetic Programming
Theory and Practice XV (2018). `truncate="random"` is their randomly truncated lexicase, with a number of cases drawn
for each event. The rule is that of `lex_e_mad` (Eq. 5). Events with continuous errors use few cases, so the default
share is small: 0.01, one hundredth of the cases and at least one.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import EPSILON

METHOD = lexicase_method("truncated", "Truncated", EPSILON, truncate=0.01)
