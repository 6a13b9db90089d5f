"""Estimators from parameters and settings by name alike."""

from __future__ import annotations

from epsilex import SymbolicRegressor
from epsilex.parameters import FLAT, SETTINGS


def make(kind=SymbolicRegressor, **changes):
    """An estimator; what is no parameter of it is a setting of its preset."""
    inner = {name: changes.pop(name) for name in list(changes) if name in SETTINGS and name not in FLAT}
    return kind(**changes, settings=kind._preset(**inner)) if inner else kind(**changes)
