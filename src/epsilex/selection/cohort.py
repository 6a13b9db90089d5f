"""Cohort lexicase: individuals and cases are split into cohorts, which are paired; lexicase within each pair.

Hernandez, Lalejini, Dolson, Ofria, "Random subsampling improves performance in lexicase selection", GECCO Companion
(2019). The authors use plain lexicase on discrete errors; here the rule within a pair is that of `lex_e_mad` (Eq. 5).
The default of 10 cohorts is one of the sizes we remember from the paper, unchecked.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import EPSILON

METHOD = lexicase_method("cohort", "Cohort", EPSILON, cohorts=10)
