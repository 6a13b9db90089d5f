"""Uncertainty of constants and predictions: the first-order covariance due to the noise of the data.

G. Seber, C. Wild, Nonlinear Regression, 1989, section 5.1. The variance of the noise is the weighted sum of
squared residuals over the number of rows minus the number of constants; intervals use Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.data.noise import Noise
from epsilex.data.rows import Rows, evenly
from epsilex.models.choice.description import fitted_places
from epsilex.models.covariance import covariance_of
from epsilex.models.polish import MAX_ROWS
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places, jacobian64
from epsilex.programs.operators import FEATURE

if TYPE_CHECKING:
    from epsilex.models.model import Model

MOST = 2**53  # rows, of which float64 can count each


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """The uncertainty of a model's constants.

    places      nodes with a constant that counts: all but bare features and exponents
    errors      (places,) standard errors; for a whole number or simple fraction, as if it were fitted as well
    resolution  (places,) standard errors if all others were known: digits below this do not matter
    fitted      nodes whose constants were fitted
    covariance  (fitted, fitted)
    variance    of the noise: of y, of log y, or relative to the standard errors given
    freedom     rows minus fitted constants
    noise       kind of noise
    """

    places: tuple[int, ...]
    errors: np.ndarray
    resolution: np.ndarray
    fitted: tuple[int, ...]
    covariance: np.ndarray
    variance: float
    freedom: int
    noise: str

    def quantile(self, level: float) -> float:
        """Student's t quantile of a two-sided interval of this level."""
        from scipy.stats import t

        return float(t.ppf(0.5 + 0.5 * level, self.freedom)) if self.freedom > 0 else math.nan

    def document(self) -> dict[str, Any] | None:
        """JSON values; None if some are not finite."""
        values = {
            "places": list(self.places), "errors": self.errors.tolist(), "resolution": self.resolution.tolist(),
            "fitted": list(self.fitted), "covariance": self.covariance.ravel().tolist(),
            "variance": float(self.variance), "freedom": self.freedom, "noise": self.noise,
        }  # fmt: skip
        numbers = [*values["errors"], *values["resolution"], *values["covariance"], values["variance"]]
        return values if all(map(math.isfinite, numbers)) else None

    @classmethod
    def from_document(cls, values: dict[str, Any], n_nodes: int) -> Uncertainty:
        """The same from JSON values; a ValueError or TypeError if they do not fit a program of `n_nodes` nodes."""
        places, fitted = (tuple(int(k) for k in values[name]) for name in ("places", "fitted"))
        errors, resolution = (np.array(values[name], np.float64) for name in ("errors", "resolution"))
        covariance = np.array(values["covariance"], np.float64).reshape(len(fitted), len(fitted))
        if not all(0 <= k < n_nodes for k in (*places, *fitted)) or not len(places) == len(errors) == len(resolution):
            raise ValueError("uncertainty: expected numbers for constants of the program")
        freedom, variance = int(values["freedom"]), float(values["variance"])
        if abs(freedom) > MOST:
            raise ValueError(f"freedom: expected a number of rows; got {freedom!r:.60}")
        return cls(places, errors, resolution, fitted, covariance, variance, freedom, str(values["noise"]))


@np.errstate(all="ignore")
def estimate(
    nodes: Sequence[Node], X: np.ndarray, noise: Noise, fitted: Sequence[int] | None = None,
    ties: np.ndarray | None = None,
) -> Uncertainty | None:  # fmt: skip
    """None if the formula has non-finite values or derivatives.

    Constants that are not whole numbers or simple fractions count as fitted, or those at `fitted`, if given. With
    `ties` (fitted, parameters) of zeros and ones, or minus ones, those that share a parameter move together.
    """
    places = [k for k in constant_places(nodes) if not (nodes[k][0] == FEATURE and nodes[k][2] == 1.0)]
    places = sorted({*places, *(fitted or ())})
    fitted = fitted_places(nodes) if fitted is None else list(fitted)
    out, jacobian = jacobian64(nodes, X, places)
    residuals = noise.residuals(out)
    slopes = np.sqrt(noise.weight)[:, None] * noise.slopes(out, jacobian)
    freedom = len(X) - (len(fitted) if ties is None else ties.shape[1])
    if not (np.isfinite(residuals).all() and np.isfinite(slopes).all()):
        return None
    variance = float((noise.weight * residuals**2).sum()) / max(freedom, 1)
    if noise.kind == "given":
        variance = max(variance, 1.0)
    own = [places.index(k) for k in fitted]
    if ties is None:
        covariance = variance * covariance_of(slopes[:, own])
    else:
        covariance = ties @ (variance * covariance_of(slopes[:, own] @ ties)) @ ties.T
    whole = np.sqrt(np.maximum(np.diag(variance * covariance_of(slopes)), 0.0))
    errors = whole.copy()
    errors[own] = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    size = np.sqrt((slopes**2).sum(axis=0))
    resolution = np.sqrt(variance) / np.where(size > 0.0, size, np.inf)
    return Uncertainty(tuple(places), errors, resolution, tuple(fitted), covariance, variance, freedom, noise.kind)


def band(nodes: Sequence[Node], X: np.ndarray, known: Uncertainty, level: float) -> tuple[np.ndarray, np.ndarray]:
    """(rows,) low and high: a new measurement lies between them with this probability."""
    out, jacobian = jacobian64(nodes, X, known.fitted)
    relative = known.noise == "relative"
    with np.errstate(all="ignore"):
        slopes = jacobian / out[:, None] if relative else jacobian
        spread = np.einsum("ij,jk,ik->i", slopes, known.covariance, slopes)
        # Standard errors of new measurements are unknown, so the band is that of the formula alone.
        half = known.quantile(level) * np.sqrt(spread + (0.0 if known.noise == "given" else known.variance))
        if not relative:
            return out - half, out + half
        ends = out * np.exp(-half), out * np.exp(half)
        return np.minimum(*ends), np.maximum(*ends)


def rounded(
    nodes: Sequence[Node], known: Uncertainty | None, most: int, exact: Callable[[float], bool] = lambda value: False
) -> list[Node]:
    """The program with constants rounded to the digits that their uncertainty warrants, at most `most`; those that are
    `exact` stay."""
    nodes = list(nodes)
    for k, resolution in zip(known.places, known.resolution, strict=True) if known is not None else ():
        code, feature, value = nodes[k]
        if value != 0.0 and 0.0 < resolution < abs(value) and not exact(abs(value)):
            digits = math.floor(math.log10(abs(value))) - math.floor(math.log10(resolution)) + 2
            nodes[k] = (code, feature, float(f"{value:.{min(max(digits, 1), most) - 1}e}"))
    return nodes


def with_uncertainty(m: Model, train: Rows, noises: Sequence[Noise], kind: str) -> Model:
    """The model with the uncertainty of its constants from the rows that tuned them, under this kind of noise."""
    noise = next((noise for noise in noises if noise.kind == kind), noises[0])
    rows = evenly(len(train.y), MAX_ROWS)
    fitted, ties = (None, None) if m.form is None else m.form.fitted(m.nodes)
    return replace(m, uncertainty=estimate(m.nodes, train.X[rows], noise.take(rows), fitted, ties))
