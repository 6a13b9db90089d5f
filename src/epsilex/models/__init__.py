"""Models: the result of a search.

model        `Model`: predict, formula, constants, export, importance
uncertainty  of constants and predictions
covariance   of fitted constants
dependence   how a formula depends on single features
own          models of a person's own formulas
own_constants  constants with one value per group of rows
grouped      formulas for groups of rows: own constants tuned, described and chosen
starts       starting values of their constants
answer       from the programs of a search to the front, the chosen model, and why
candidates   forms that compete for the front by their description, with very many rows in a race
effort       how long the answer takes
front        the best model of each length
certifying   forms that have the known shapes
rescaled     models of scaled data in the user's units
formed       models of a known form: their inner functions
choice       which of them a scientist would believe
lean         simpler forms that the data supports
simpler      simpler numbers that the data supports, and what they promise
polish       constants in float64
naming       constants by name: pi, e, roots, and the user's own
persistence  models as JSON files
marks        the knee of a front, and the range of its axis
plots        figures of fits, fronts and histories
"""

from epsilex.models.model import Model
from epsilex.models.persistence import load_model, save_model

__all__ = ["Model", "load_model", "save_model"]
