"""Dynamic epsilon-lexicase: best error and MAD over the pool.

La Cava, Helmuth, Spector, Moore, "A probabilistic and multi-objective analysis of lexicase selection and
epsilon-lexicase selection", Evolutionary Computation 27 (2019).
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("lex_dynamic", "Lex dynamic", Rule(best="pool", width="pool"))
