"""Minimum variance threshold, static: an error passes if it is in the better of two groups of the population's errors.

The groups are those of least variance within: the cut minimises |l| var(l) + |r| var(r).

Imai Aldeia, de Franca, La Cava, "Minimum variance threshold for epsilon-lexicase selection", GECCO (2024). We have read
the abstract and the authors' program FEAT, which divides each variance by the size of its group instead of multiplying.
Which of the two the paper has, we do not know; the formula above is the usual variance within groups.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("mvt", "MVT", Rule(width="population", spread="split"))
