"""Simpler numbers in a formula: which of its constants may be 0, 1, a simple fraction or equal, and what that promises.

All is predicted to second order: the best constants are normal, their covariance is the inverse of the Fisher
information, and fixing one moves the others by their regression on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from epsilex.data.noise import Noise
from epsilex.models.choice.description import DENOMINATORS, FRACTIONS, KIND, WHOLE, Description, constant_nats
from epsilex.models.covariance import covariance_of
from epsilex.models.polish import with_constants
from epsilex.programs.algebra.terms import ADD, MUL, NEG, SUB
from epsilex.programs.fold import Node, operations
from epsilex.programs.gradient import constant_places, jacobian64
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

POW, EXP, LOG = (opcode(name) for name in ("pow", "exp", "log"))
HOPE = 3.0  # predicted loss in nats up to which a change is still tried, because the prediction is of second order only
EQUAL = 3.0  # standard errors within which two constants may be merged
ALIKE = 1e-6  # relative difference up to which they may be merged even if the data seems to resolve it
NODE = 2.0  # approximate nats that removing a node saves


def numbers(
    nodes: Sequence[Node], description: Description, X: np.ndarray, slopes: Callable = jacobian64
) -> Iterator[tuple[list[Node], frozenset[int]]]:
    """The program with one constant simplified, or two merged, where a shorter description is predicted.

    To second order, moving constant j by d and tuning the others again costs d^2 / 2 C_jj nats, C being the inverse of
    the Fisher information.
    """
    places = constant_places(nodes)
    a = _slopes(nodes, places, description, X, slopes)
    if a is None:
        return
    with np.errstate(all="ignore"):
        information = (a**2).sum(axis=0)
    sizes = [abs(nodes[k][2]) for k in places]
    fixed = {k for k in places if is_simple(nodes[k]) or sizes.count(abs(nodes[k][2])) > 1}
    # What is fixed makes up for nothing: beside the 1 of a/(1 + b*x), a is well known.
    free = [i for i, k in enumerate(places) if k not in fixed]
    spread = np.zeros(len(places))
    spread[free] = np.diag(covariance_of(a[:, free]))
    for i, k in enumerate(places):
        value = nodes[k][2]
        if k in fixed or not spread[i] > 0.0:
            continue
        for target, saved in _simpler(nodes[k], value, information[i]):
            far = (value - target) / math.sqrt(spread[i])
            if saved - 0.5 * far * far > -HOPE:  # far**2 would raise where it overflows
                yield with_constants(nodes, [k], np.array([target])), frozenset({*fixed, k})
    if len(free) < 2:
        return
    # Here bare features count as tuned, as if their units were free: a*x/(a + x) is of slope 1 by its units alone.
    covariance, raising = covariance_of(a), exponents(nodes)
    spread = np.diag(covariance)
    for i, k in enumerate(places):
        for j in range(i + 1, len(places)):
            a_value, b_value = nodes[k][2], nodes[places[j]][2]
            if k in fixed or places[j] in fixed or a_value == b_value:
                continue
            if (k in raising) != (places[j] in raising):  # an exponent is a pure number, which a shift or a rate is not
                continue
            both = spread[i] + spread[j] - 2.0 * covariance[i, j] * np.sign(a_value * b_value)
            apart = abs(a_value) - abs(b_value)
            known = 0.0 < both < math.inf and apart * apart <= EQUAL**2 * both
            # Constants of equal slopes, as in cos(a*x) + cos(b*x), are apart in a direction that is not resolved at
            # all, and the pseudo-inverse shows a spread of 0 there.
            if known or abs(apart) <= ALIKE * abs(a_value):
                # The best common size, to first order: weighted by how well each is known.
                sign = np.sign(a_value * b_value)
                towards = (covariance[i, i] - sign * covariance[i, j]) / both if known else 0.5
                size_of_both = abs(a_value) - towards * (abs(a_value) - abs(b_value))
                pair = np.array([np.copysign(size_of_both, a_value), np.copysign(size_of_both, b_value)])
                yield with_constants(nodes, [k, places[j]], pair), frozenset({*fixed, k, places[j]})


@np.errstate(all="ignore")  # constants beyond the range of floats promise nothing
def promised(
    nodes: Sequence[Node], description: Description, X: np.ndarray, noises: Sequence[Noise],
    slopes: Callable = jacobian64,
) -> float:  # fmt: skip
    """The total that the description may have with constants tuned under one of the noises and then made simple, one
    after the other.

    Laws are found in forms with constants too many, as `0.99*o/(o/f - 0.97) + 0.12` for `o/(o/f - 1)`; as they stand
    they are longer than closer fits with few constants.
    """
    places = [k for k in constant_places(nodes) if not is_simple(nodes[k])]
    if not places:
        return description.total
    out, jacobian = slopes(nodes, X, places)
    best = description.total
    for noise in noises:
        found, residuals = noise.slopes(out, jacobian), noise.residuals(out)
        if not (np.isfinite(found).all() and np.isfinite(residuals).all()):
            continue
        root = np.sqrt(noise.weight)
        steps = covariance_of(root[:, None] * found) @ (found.T @ (noise.weight * residuals))
        residuals = residuals - found @ steps
        total = description.total_under(noise, residuals, len(noises) > 1)
        a = (root / math.sqrt(noise.variance(residuals)))[:, None] * found
        values = np.array([nodes[k][2] for k in places]) + steps
        if np.isfinite(a).all() and np.isfinite(values).all():
            best = min(best, total - _saved(nodes, places, values, a))
    return best


def _saved(nodes: Sequence[Node], places: Sequence[int], values: np.ndarray, a: np.ndarray) -> float:
    """Nats that simple numbers save, from the best values of the constants and slopes in units of the noise."""
    information, covariance = (a**2).sum(axis=0), covariance_of(a)
    total = 0.0
    powers = exponents(nodes)
    leaves, raising = [nodes[k] for k in places], [k in powers for k in places]
    free = list(range(len(places)))
    while free:
        gain, best = 0.0, None
        for i, along, target, saved in _constraints(leaves, raising, values, information, free):
            spread = float(along @ covariance @ along)
            if spread > 0.0:
                apart = float(along @ values - target)
                now = saved - 0.5 * apart * apart / spread  # apart**2 would raise where it overflows
                gain, best = max((gain, best), (now, (i, along, target, spread)), key=lambda found: found[0])
        if best is None:
            break
        i, along, target, spread = best
        total += gain
        free.remove(i)
        moves = covariance @ along / spread
        values = values - moves * (along @ values - target)
        covariance = covariance - np.outer(moves, moves) * spread
    return total


def _constraints(
    leaves: Sequence[Node], raising: Sequence[bool], values: np.ndarray, information: np.ndarray, free: Sequence[int]
) -> Iterator[tuple[int, np.ndarray, float, float]]:
    """Constant i, and (along, target), so that along @ values = target makes it simple, or equal to an earlier one, and
    the nats that this saves."""
    units = np.eye(len(leaves))
    for place, i in enumerate(free):
        for target, saved in _simpler(leaves[i], values[i], information[i]):
            yield i, units[i], target, saved
        alike = constant_nats(values[i], information[i]) - KIND
        for j in free[:place]:
            if raising[i] == raising[j]:
                yield i, units[i] - np.sign(values[i] * values[j]) * units[j], 0.0, alike


def _slopes(
    nodes: Sequence[Node], places: Sequence[int], description: Description, X: np.ndarray, slopes: Callable
) -> np.ndarray | None:
    """Slopes (rows, places) of the outputs in units of the noise; None if there are none, or not all are finite."""
    if not places:
        return None
    noise, (out, jacobian) = description.noise, slopes(nodes, X, places)
    with np.errstate(all="ignore"):
        a = np.sqrt(noise.weight / description.variance)[:, None] * noise.slopes(out, jacobian)
    return a if np.isfinite(a).all() else None


def _simpler(node: Node, value: float, information: float) -> Iterator[tuple[float, float]]:
    """Simple numbers that a constant may be, and the nats that each saves."""
    now = constant_nats(value, information)
    for target in simple_near(value, node[0]):
        if target == 0.0:
            yield target, now + 2.0 * NODE
        elif node[0] == FEATURE and target == 1.0:
            yield target, now
        else:
            one = node[0] == CONSTANT and abs(target) == 1.0
            yield target, now + NODE * one - constant_nats(target, information)


def exponents(nodes: Sequence[Node]) -> set[int]:
    """Places of numbers that raise something to a power, also as c in exp(c*log(x))."""
    found: set[int] = set()
    beside: dict[int, set[int]] = {}  # by part, the numbers that multiply a logarithm in it
    for k, args in operations(nodes):
        code, before = nodes[k][0], set().union(*(beside.get(part, ()) for part in args))
        numbers = {part for part in args if nodes[part][0] == CONSTANT}
        if code == POW:
            found |= numbers & {args[1]}
        elif code == EXP:
            found |= before
        elif code == MUL and any(nodes[part][0] == LOG for part in args):
            before |= numbers
        if code in (ADD, SUB, MUL, NEG):
            beside[k] = before
    return found


def is_simple(node: Node) -> bool:
    """Whether a constant has already been simplified, and stays so."""
    return node[2] in simple_near(node[2], node[0])


def simple_near(value: float, code: int) -> list[float]:
    """Simple numbers that a constant may be: 0, 1 with its sign, and the nearest whole number and fractions."""
    near = {0.0, float(np.copysign(1.0, value))}
    if 0.2 < abs(value) < WHOLE:
        most = DENOMINATORS if abs(value) < FRACTIONS else 1
        near |= {float(Fraction(value).limit_denominator(q)) for q in range(1, most + 1)}
    return sorted(near)
