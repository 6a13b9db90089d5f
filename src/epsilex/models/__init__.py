"""Models: what a search leaves behind.

model        `Model`: predict, formula, export, importance
front        the best model of each length, and the choice among them
rows         rows of data to score models on
reference    ridge regression as a formula, which a formula must beat where rows are few
polish       constants in float64
pruning      terms that do not matter
gathering    factors moved to where they are read best
persistence  JSON files, and back
plots        figures of fits, fronts and histories
"""

from epsilex.models.model import Model
from epsilex.models.persistence import load_model, save_model

__all__ = ["Model", "load_model", "save_model"]
