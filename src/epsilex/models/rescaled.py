"""Models of scaled data in the user's units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from epsilex.data.scales import Scales, unscaled
from epsilex.models.model import Model, model
from epsilex.programs.algebra import shortest, simplify


def in_user_units(m: Model, units: Scales, power: int) -> Model:
    """A model of scaled data in the user's units; the loss scales with this power of the target's unit."""
    scale = np.float64(units.y_scale)
    metrics = dict(m.metrics)
    with np.errstate(over="ignore", under="ignore"):
        for name, factor in (("mae", scale), ("mse", scale**2), ("loss", scale**power)):
            for key in {name, f"validation_{name}"} & metrics.keys():
                metrics[key] = float(metrics[key] * factor) if metrics[key] else 0.0
    nodes = model(shortest(simplify(unscaled(m.nodes, units, 1.0, 0.0))), m.feature_names).nodes
    return replace(m, nodes=nodes, metrics=metrics, uncertainty=None)
