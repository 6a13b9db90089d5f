"""Lexicase selection: only the best of the pool pass a case (step 3 of Section 2).

Spector, "Assessment of problem modality by differential performance of lexicase selection", GECCO Companion (2012).
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("lex", "Lex", Rule(best="pool"))
