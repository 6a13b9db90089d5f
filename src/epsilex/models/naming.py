"""Constants by name: fitted numbers that the data cannot tell from a simple fraction, a multiple of pi or e, a root, or
one of the user's own constants.

A constant is replaced where the description of the data gets shorter. The name is charged by Rissanen's code for
numerator and denominator and one choice among the symbols; the fitted digits are saved, and the residuals may grow a
little. On noisy data a name costs more than the few digits that the data resolves, and the number stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from epsilex.data.noise import Noise
from epsilex.models.choice.description import KIND, constant_nats, fitted_places, star
from epsilex.models.choice.language import Language
from epsilex.models.covariance import covariance_of
from epsilex.models.polish import polish, with_constants
from epsilex.programs.constants import SYMBOLS, named_number
from epsilex.programs.fold import Node
from epsilex.programs.intervals import Interval

SURE = math.log(20.0)  # nats that a name must save
RARE = math.log(8.0)  # for the square or root of a user's constant
ERRORS = 4.0  # standard errors within which a name is tried
NUMERATORS, DENOMINATORS = 24, 24  # largest parts of a fraction beside a symbol
_Q = np.arange(1.0, DENOMINATORS + 1.0)
STEPS = 8  # of tuning the other constants again
MAX_ROWS = 5000
NO_NAMES: frozenset[str] = frozenset()
MATHEMATICAL = (*(value for _, value in SYMBOLS), *map(math.sqrt, (math.pi, 2.0, 3.0, 2.0 * math.pi)), 1.0)


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
    size = np.sqrt(np.maximum((slopes**2).sum(axis=0), 1e-300))
    errors = np.sqrt(np.diag(covariance_of(slopes)))
    best: tuple[float, list[Node]] | None = None
    for i, k in enumerate(places):
        value = nodes[k][2]
        digits = constant_nats(value, float(size[i] ** 2))
        # Below the rounding of float64 nothing is resolved.
        within = max(ERRORS * errors[i], 1e-13 * abs(value))
        for target, nats in _near(abs(value), within, digits - SURE, constants):
            fixed = with_constants(nodes, [k], np.array([math.copysign(target, value)]))
            others = [place for place in places if place != k]
            tuned = polish(fixed, X, noise, others, STEPS, tape=language.tape)
            after = noise.nats(noise.residuals(language.values(tuned, X)))
            saved = digits - nats + now - after
            if saved > SURE and (best is None or saved > best[0]):
                best = saved, tuned
    return None if best is None else best[1]


def _near(
    value: float, within: float, affordable: float, constants: Mapping[str, float]
) -> Iterator[tuple[float, float]]:
    """Named numbers near a value, and their nats, if affordable: fractions times or over a symbol."""
    kinds = ((lambda size: size, 0.0), (lambda size: size * size, RARE), (math.sqrt, RARE))
    own = math.log(2.0 * max(len(constants), 1))
    symbols = [(kind(abs(size)), own + nats) for size in constants.values() for kind, nats in kinds]
    symbols += [(size, math.log(2.0 * len(MATHEMATICAL))) for size in MATHEMATICAL]
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
