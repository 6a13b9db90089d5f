"""epsilex for SRBench, see https://github.com/cavalab/srbench."""

import copy

from epsilex import SymbolicRegressor

# SRBench sets `random_state`, and for its time limit the first such parameter it finds, which is `time_limit`.
est = SymbolicRegressor(time_limit=3600.0, random_state=0)

eval_kwargs = {}


def model(est, X=None):
    """The chosen formula as SymPy reads it: `**` for powers, exact constants, the names of the columns."""
    chosen = est.model_
    if X is not None and hasattr(X, "columns"):
        chosen = type(chosen)(chosen.nodes, tuple(map(str, X.columns)), chosen.metrics)
    return str(chosen.sympy())


def get_population(est):
    """One fitted estimator a model of the front, at most 100."""
    return [copy.copy(est).take(length=m.length) for m in est.models_[-100:]]


def get_best_solution(est):
    """The estimator, which predicts with the model it has chosen."""
    return est
