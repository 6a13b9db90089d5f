"""Models: what a search leaves behind.

model        `Model`: predict, formula, export, importance
front        the best model of each length, and the choice among them
polish       constants in float64
pruning      terms that do not matter
persistence  JSON files, and back
plots        figures of fits, fronts and histories
"""

from epsilex.models.model import Model
from epsilex.models.persistence import load_model, save_model

__all__ = ["Model", "load_model", "save_model"]
