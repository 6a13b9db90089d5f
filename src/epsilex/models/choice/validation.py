"""The choice by validation: the least loss on a quarter of the rows, which the search did not see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.models.model import Model

SHARE = 0.25
LEAST = 8  # rows; with fewer none are held back, and the description decides


def by_validation(front: Sequence[Model]) -> int:
    """Index of the model with the least loss on the validation rows."""
    return int(np.argmin([m.metrics["validation_loss"] for m in front]))
