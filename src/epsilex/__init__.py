"""Symbolic regression by epsilon-lexicase selection.

    SymbolicRegressor   the scikit-learn estimator
    DynamicRegressor    its twin for time series in free run
    Settings            the engine's settings
    Form                a formula with unknown functions, for `SymbolicRegressor(form=...)`
    Islands             several populations that exchange programs, on processes or a cluster
    Model               a formula over named features; `Model.from_formula` makes one of your own
    load_model          load a saved model from its JSON file
    selection           parents by lexicase and other rules, for any error matrix
    programs            programs as arrays: operators, formula text, evaluation
    problems            the paper's problems, or your own CSV file
    experiments         trials, statistics and figures of the paper

Names are imported on first use, so `import epsilex` itself is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from epsilex import experiments, problems, programs, selection
    from epsilex.dynamic import DynamicRegressor
    from epsilex.evolution import Islands, Settings
    from epsilex.forms import Form
    from epsilex.models import Model, load_model
    from epsilex.regressor import SymbolicRegressor

__version__ = "0.2.0"

__all__ = [
    "DynamicRegressor",
    "Form",
    "Islands",
    "Model",
    "Settings",
    "SymbolicRegressor",
    "__version__",
    "experiments",
    "load_model",
    "problems",
    "programs",
    "selection",
]

_HOMES = {
    "SymbolicRegressor": "epsilex.regressor",
    "DynamicRegressor": "epsilex.dynamic",
    "Settings": "epsilex.evolution",
    "Form": "epsilex.forms",
    "Islands": "epsilex.evolution",
    "Model": "epsilex.models",
    "load_model": "epsilex.models",
}
_ROOMS = ("experiments", "problems", "programs", "selection")


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"epsilex.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'epsilex' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
