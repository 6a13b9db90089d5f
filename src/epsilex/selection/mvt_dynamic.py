"""Minimum variance threshold, dynamic (D-Split): an error passes if it is in the better of two groups of the pool's
errors.

Imai Aldeia, de Franca, La Cava, "Minimum variance threshold for epsilon-lexicase selection", GECCO (2024); see `mvt`.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("mvt_dynamic", "MVT dynamic", Rule(best="pool", width="pool", spread="split"))
