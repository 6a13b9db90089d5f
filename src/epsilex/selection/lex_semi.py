"""Semi-dynamic epsilon-lexicase: best error over the pool, MAD over the population.

La Cava, Helmuth, Spector, Moore, "A probabilistic and multi-objective analysis of lexicase selection and
epsilon-lexicase selection", Evolutionary Computation 27 (2019).
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("lex_semi", "Lex semi-dynamic", Rule(best="pool", width="population"))
