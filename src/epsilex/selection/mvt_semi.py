"""Minimum variance threshold, semi-dynamic: the distance from the best error to the split is that of the population,
the best error is that of the pool.

Imai Aldeia, de Franca, La Cava, "Minimum variance threshold for epsilon-lexicase selection", GECCO (2024). This is how
the comments of the authors' program FEAT define it; its code compares with the split of the population itself, which
is our `mvt`.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("mvt_semi", "MVT semi-dynamic", Rule(best="pool", width="population", spread="split"))
