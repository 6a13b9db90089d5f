"""Lexi2: lexicase selection in which the shortest of the last survivors wins, then chance.

de Lima, Carvalho, Dias, Naredo, Sullivan, Ryan, "Lexi2: lexicase selection with lexicographic parsimony pressure",
GECCO (2022); abstract only. The authors compare an ordered list of size attributes, nodes first; here it is the number
of nodes alone. Their errors are discrete. With continuous errors one survivor is the rule, so ours is `lex_e_mad`
(Eq. 5), which leaves ties to break.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import EPSILON

METHOD = lexicase_method("lexi2", "Lexi2", EPSILON, complexity="last")
