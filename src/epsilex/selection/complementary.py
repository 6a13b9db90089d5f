"""Complementary pairs: a parent by epsilon-lexicase, its mate the individual that is good where the parent is not.

Dolin, Arenas, Merelo, "Opposites attract: complementary phenotype selection for crossover in genetic programming",
PPSN VII (2002), abstract only. Zhang's EvolutionaryForest takes the mate whose mean prediction with the parent's has
the least squared error, which needs predictions; here it is the least mean of the smaller of both errors, which needs
errors alone. The parent's rule is that of `lex_e_mad` (Eq. 5).
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import EPSILON

METHOD = lexicase_method("complementary", "Complementary", EPSILON, mating="complementary")
