"""Co-evolved fitness predictors: tournaments on a few cases, which are themselves evolved to predict the fitness.

Schmidt, Lipson, "Coevolution of fitness predictors", IEEE Transactions on Evolutionary Computation 12 (2008), from
memory, and La Cava's ellyn. A predictor is a few cases; it predicts the mean error on these. It is as good as its
predictions for the trainers: individuals on whose fitness the predictors disagreed most, one more each generation. The
best predictor decides the tournaments. Numbers of predictors, trainers and cases are ours, after what we remember. The
authors save evaluations; the engine here measures all children on all cases.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, at_least_one, complete, generator
from epsilex.selection.scores import by_tournament

PREDICTORS, TRAINERS = 10, 10
MUTATION = 0.1  # probability of another case
BREED = 9  # purpose


def parents(
    measures: Measures, n: int, address: Address, n_jobs: int = 1, *, tournament_size: int = 2, cases: int = 8
) -> Selected:
    n_cases, rng = measures.errors.shape[1], generator(address, BREED)
    size = min(at_least_one("cases", cases), n_cases)
    living = complete(measures)
    errors = measures.errors[living].astype(np.float64)
    predictors = measures.recalled("predictors", PREDICTORS, size)
    if predictors is None:
        predictors = rng.integers(n_cases, size=(PREDICTORS, size))
    predicted = errors[:, predictors].mean(axis=2)
    with np.errstate(over="ignore", invalid="ignore"):
        doubtful = errors[np.argmax(np.nan_to_num(predicted.var(axis=1)))]
        known = measures.recalled("trainers", None, n_cases)
        trainers = doubtful[None] if known is None else np.vstack([known, doubtful])[-TRAINERS:]
        wrong = np.abs(trainers[:, predictors].mean(axis=2) - trainers.mean(axis=1)[:, None]).mean(axis=0)
    wrong = np.where(np.isfinite(wrong), wrong, np.inf)
    best = int(np.argmin(wrong))
    score = np.full(len(measures), np.inf)
    score[living] = predicted[:, best]
    memory = {"predictors": bred(predictors, wrong, best, n_cases, rng), "trainers": trainers}
    used = len(np.unique(predictors[best])) / n_cases
    return Selected(by_tournament(score, n, address, tournament_size, living), np.full(n, used), memory)


def bred(predictors: np.ndarray, wrong: np.ndarray, best: int, n_cases: int, rng: np.random.Generator) -> np.ndarray:
    """The next predictors: the best one, and children by tournaments of two, uniform crossover and mutation."""
    shape = predictors.shape
    drawn = rng.integers(len(predictors), size=(2, shape[0], 2))
    mother, father = np.take_along_axis(drawn, wrong[drawn].argmin(axis=2)[..., None], axis=2)[..., 0]
    children = np.where(rng.random(shape) < 0.5, predictors[mother], predictors[father])
    children = np.where(rng.random(shape) < MUTATION, rng.integers(n_cases, size=shape), children)
    children[0] = predictors[best]
    return children


METHOD = Method("predictors", "Fitness predictors", parents, options=("tournament_size", "cases"))
