"""A person's own formula as a model: its named constants tuned from many starts, the same ones on every run.

Least squares of a nonlinear formula ends in the valley where it begins. So many starts are drawn. The best by squared
error, and the best after linear scaling, are tuned on some of the rows; the best of those on all rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.data.losses import loss_function
from epsilex.data.noise import Noise, one_sign, possible
from epsilex.data.rows import Rows
from epsilex.dimensions.rule import Rule
from epsilex.models.choice.description import describe
from epsilex.models.front import Scorer
from epsilex.models.model import Model
from epsilex.models.polish import polish, with_constants
from epsilex.models.starts import starts
from epsilex.models.uncertainty import estimate
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.fold import Node
from epsilex.programs.numeric import evaluate64
from epsilex.programs.structure import Structure
from epsilex.programs.written import Written, written

TUNED, STEPS = 20, 20  # starts tuned on ROWS rows, by each of two measures, and steps
FINAL, FINAL_STEPS = 4, 200  # of those tuned on all rows, and steps
ROWS = 256


def own_model(text: str, X, y, noise="auto", sample_weight=None) -> Model:
    """See `Model.from_formula`."""
    names = _names(X)
    rows = _rows(np.asarray(X, np.float64), y, noise, sample_weight)
    formula = read(text, names, "formula")
    noises = possible(noise if isinstance(noise, str) else "given", rows)
    nodes = tuned(formula, rows, noises, "formula", text)
    score = Scorer(names, loss_function("mae"), rows, noise=noises[0].kind)
    m = score(nodes)
    if m is None:
        raise ValueError(f"formula: expected finite values on all rows; got none such for {text!r}")
    found = describe(nodes, rows.X, noises, score.language)
    known = estimate(nodes, rows.X, noises[0] if found is None else found.noise, list(formula.labels), formula.ties)
    return Model(m.nodes, m.feature_names, m.metrics, known, formula.labels)


def read(text: str, names: Sequence[str], argument: str) -> Written:
    """The formula; a ValueError names the argument and shows the text."""
    try:
        return written(text, names)
    except ValueError as error:
        reason = str(error).removeprefix("text: ")
        raise ValueError(f"{argument}: {reason}, in {text!r:.200}") from None


def tuned_guesses(
    texts: Sequence[str], names: Sequence[str], rows: Rows, noise: str, max_length: int, rule: Rule | None = None,
    structure: Structure | None = None,
) -> list[list[Node]]:  # fmt: skip
    """The programs of the guesses, tuned and simplified; a ValueError if one cannot be used."""
    noises, found = possible(noise, rows) if texts else [], []
    for text in texts:
        nodes = simplify(tuned(read(text, names, "guesses"), rows, noises, "guesses", text))
        if len(nodes) > max_length:
            raise ValueError(f"guesses: expected at most max_length, {max_length} nodes; got {len(nodes)} in {text!r}")
        if rule is not None and not rule.allows(nodes):
            raise ValueError(f"guesses: expected a formula whose units are consistent; got {text!r}")
        if structure is not None and not structure.allows(nodes):
            raise ValueError(f"guesses: expected a formula within the limits of its structure; got {text!r}")
        found.append(nodes)
    return found


@np.errstate(all="ignore")
def tuned(formula: Written, rows: Rows, noises: Sequence[Noise], argument: str, text: str) -> list[Node]:
    """The program with its named constants tuned under the noise that describes the rows best; a ValueError if no
    start is finite."""
    nodes, places, ties = list(formula.nodes), list(formula.labels), formula.ties
    few = rows if len(rows.y) <= ROWS else rows.take(np.linspace(0, len(rows.y) - 1, ROWS).astype(int))
    plain = Noise.of("given" if few.sigma is not None else "additive", few)
    begun = [with_constants(nodes, places, ties @ c) for c in starts(formula, few)] if places else [nodes]
    costs = np.array([_costs(program, few, plain) for program in begun])
    if not np.isfinite(costs[:, 0]).any():
        raise ValueError(f"{argument}: expected finite values on all rows for some constants; got none, in {text!r}")
    if not places:
        return nodes
    first = np.unique(np.argsort(costs, axis=0, kind="stable")[:TUNED])
    close = [polish(begun[k], few.X, plain, places, STEPS, ties) for k in first if np.isfinite(costs[k, 0])]
    close.sort(key=lambda program: _costs(program, few, plain)[0])
    full = [polish(program, rows.X, noise, places, FINAL_STEPS, ties) for program in close[:FINAL] for noise in noises]
    return min(full, key=lambda program: _nats(program, rows, noises))


def _nats(nodes: Sequence[Node], rows: Rows, noises: Sequence[Noise]) -> float:
    out = evaluate64(nodes, rows.X)
    return min(noise.nats(noise.residuals(out)) for noise in noises)


def _costs(nodes: Sequence[Node], rows: Rows, noise: Noise) -> tuple[float, float]:
    """Weighted squared error, as it is and after linear scaling."""
    out, w = evaluate64(nodes, rows.X), noise.weight
    cost = w @ (rows.y - out) ** 2
    if not np.isfinite(cost):
        return np.inf, np.inf
    a, t = out - np.average(out, weights=w), rows.y - np.average(rows.y, weights=w)
    size = np.sqrt(w @ a**2)
    scaled = w @ t**2 - ((w @ (a / size * t)) ** 2 if size > 0.0 else 0.0)
    return float(cost), float(scaled) if np.isfinite(scaled) else np.inf


def _names(X) -> list[str]:
    columns = list(getattr(X, "columns", []))
    if columns and all(isinstance(name, str) for name in columns):
        return columns
    shape = np.shape(X)
    if len(shape) != 2:
        raise ValueError(f"X: expected shape (rows, features); got {shape}")
    return [f"x{j}" for j in range(shape[1])]


def _rows(X: np.ndarray, y, noise, sample_weight) -> Rows:
    """The rows, checked."""
    y = np.asarray(y, np.float64)
    if y.shape != X.shape[:1]:
        raise ValueError(f"y: expected one value per row of X, shape {X.shape[:1]}; got {y.shape}")
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    sigma = None if isinstance(noise, str) else np.asarray(noise, np.float64)
    given = {"X": X, "y": y, "sample_weight": weight} | ({} if sigma is None else {"noise": sigma})
    for name, values in given.items():
        least = 0.0 if name in ("sample_weight", "noise") else -np.inf
        if name != "X" and values.shape != y.shape:
            raise ValueError(f"{name}: expected one value per row, shape {y.shape}; got {values.shape}")
        if not (np.isfinite(values) & (values > least if name == "noise" else values >= least)).all():
            raise ValueError(f"{name}: expected finite numbers{' above 0' if name == 'noise' else ''}; got others")
    if isinstance(noise, str) and noise not in ("auto", "additive", "relative"):
        raise ValueError(f"noise: expected auto, additive, relative, or standard errors; got {noise!r}")
    if isinstance(noise, str) and noise == "relative" and not one_sign(y):
        raise ValueError("noise: expected a target of one sign for relative noise; got both")
    kept = weight > 0.0
    if not kept.any():
        raise ValueError("sample_weight: expected at least one weight above 0; got none")
    return Rows(X[kept], y[kept], weight[kept], None if sigma is None else sigma[kept])
