"""Constants by name: fitted numbers that the data cannot tell from a simple fraction, a multiple of pi, a root, or one
of the user's own constants.

A constant is replaced where the description of the data gets shorter. The name is charged by Rissanen's code for
numerator and denominator, about the logarithm of the number of fractions that are no harder, and by how rarely its
symbol occurs in laws; the residuals may grow a little. What is saved are the digits that the constant has given that
the others are tuned again: where it can be anything as long as others follow, some name always fits, and saves nothing.
Among many constants one is near a name by chance, so each must save the logarithm of their number more.
On noisy data a name costs more than the few digits that the data resolves, and the number stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from epsilex.data.noise import Noise
from epsilex.models.choice.description import KIND, fitted_places, precision_nats, star
from epsilex.models.choice.language import Language
from epsilex.models.polish import polish, with_constants
from epsilex.programs.constants import named_number
from epsilex.programs.fold import Node
from epsilex.programs.intervals import Interval

SURE = math.log(20.0)  # nats that a name must save, and the logarithm of the number of constants
RARE = math.log(8.0)  # for the square or root of a user's constant
ERRORS = 4.0  # standard errors within which a name is tried
NUMERATORS, DENOMINATORS = 24, 24  # largest parts of a fraction beside a symbol
_Q = np.arange(1.0, DENOMINATORS + 1.0)
UNRESOLVED = 1e-15  # length of an axis, of columns of length 1, that is rounding
STEPS = 8  # of tuning the other constants again
MAX_ROWS = 5000
NO_NAMES: frozenset[str] = frozenset()
# One number in NUMERICAL that is fitted to a law is known to mathematics, and a share of these is a fraction times or
# over each: our own round numbers. e is none of them, because laws have it only as exp(1).
NUMERICAL = 10.0
MATHEMATICAL = (
    (1.0, 1 / 4),
    (math.pi, 1 / 2),
    *((size, 1 / 16) for size in (math.pi**2, math.sqrt(2.0), math.sqrt(2.0 * math.pi))),
    *((size, 1 / 48) for size in (math.pi**3, math.sqrt(3.0), math.sqrt(math.pi))),
)


def named(
    nodes: Sequence[Node], X: np.ndarray, noise: Noise, constants: Mapping[str, float], box: Sequence[Interval],
    language: Language,
) -> list[Node]:  # fmt: skip
    """The program with constants replaced by those that have a name, as long as its description gets shorter."""
    nodes = list(nodes)
    if len(X) > MAX_ROWS:
        X, noise = X[:MAX_ROWS], Noise(noise.kind, noise.y[:MAX_ROWS], noise.weight[:MAX_ROWS], noise.floor)
    changed = False
    for _ in fitted_places(nodes):
        with np.errstate(all="ignore"):
            better = _one_named(nodes, X, noise, constants, language)
        if better is None:
            break
        nodes, changed = better, True
    return language.shortest(nodes, box, X) if changed else nodes


def _one_named(
    nodes: list[Node], X: np.ndarray, noise: Noise, constants: Mapping[str, float], language: Language
) -> list[Node] | None:
    """The program with the constant named that saves most; None if none saves anything."""
    places = [k for k in fitted_places(nodes) if named_number(abs(nodes[k][2]), constants, NO_NAMES) is None]
    out, jacobian = language.jacobian(nodes, X, places)
    residuals = noise.residuals(out)
    now = noise.nats(residuals)
    slopes = np.sqrt(noise.weight / noise.variance(residuals))[:, None] * noise.slopes(out, jacobian)
    if not places or not (np.isfinite(slopes).all() and math.isfinite(now)):
        return None
    errors = _errors(slopes)
    enough = SURE + math.log(len(places))
    best: tuple[float, list[Node]] | None = None
    for i, k in enumerate(places):
        value = nodes[k][2]
        digits = KIND + precision_nats(abs(value) / (math.sqrt(12.0) * errors[i]))
        # Below the rounding of float64 nothing is resolved.
        within = max(ERRORS * errors[i], 1e-13 * abs(value))
        for target, nats in _near(abs(value), within, digits - enough, constants):
            fixed = with_constants(nodes, [k], np.array([math.copysign(target, value)]))
            others = [place for place in places if place != k]
            tuned = polish(fixed, X, noise, others, STEPS, tape=language.tape)
            after = noise.nats(noise.residuals(language.values(tuned, X)))
            saved = digits - nats + now - after
            if saved > enough and (best is None or saved > best[0]):
                best = saved, tuned
    return None if best is None else best[1]


def _errors(slopes: np.ndarray) -> np.ndarray:
    """Standard errors of constants, the others tuned, by slopes (rows, constants) in units of the noise; infinite where
    others make up for a constant entirely."""
    size = np.sqrt((slopes**2).sum(axis=0))
    n, k = slopes.shape
    if n < k:
        return np.full(k, np.inf)
    with np.errstate(all="ignore"):
        _, lengths, axes = np.linalg.svd(slopes / np.where(size > 0.0, size, 1.0), full_matrices=False)
        return np.sqrt(((axes / np.maximum(lengths, UNRESOLVED)[:, None]) ** 2).sum(axis=0)) / size


def _near(
    value: float, within: float, affordable: float, constants: Mapping[str, float]
) -> Iterator[tuple[float, float]]:
    """Named numbers near a value, and their nats, if affordable: fractions times or over a symbol."""
    kinds = ((lambda size: size, 0.0), (lambda size: size * size, RARE), (math.sqrt, RARE))
    own = math.log(2.0 * max(len(constants), 1))
    symbols = [(kind(abs(size)), own + nats) for size in constants.values() for kind, nats in kinds]
    symbols += [(size, math.log(NUMERICAL * (1.0 if size == 1.0 else 2.0) / share)) for size, share in MATHEMATICAL]
    bases = [
        (base, symbol)
        for size, symbol in symbols
        for base in ((size, 1.0 / size) if size != 1.0 else (1.0,))
        if value < NUMERATORS * base
    ]
    base = np.array([base for base, _ in bases]).reshape(-1, 1)
    p = np.round(value / base * _Q)
    target = base * p / _Q
    near = (p > 0) & (p <= NUMERATORS) & (np.abs(target - value) <= within)
    for i, k in np.argwhere(near).tolist():
        above, below = int(p[i, k]), k + 1
        found, nats = float(target[i, k]), KIND + bases[i][1] + star(above) + star(below)
        if nats >= affordable or math.gcd(above, below) > 1:  # the same as another
            continue
        if named_number(found, constants, NO_NAMES) is not None:  # else it could not be printed
            yield found, nats
