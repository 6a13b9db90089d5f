"""The choice by accuracy: the least loss on the training rows, like the paper's best of run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.models.choice.claims import UNSEEN
from epsilex.models.model import Model


def by_accuracy(front: Sequence[Model]) -> int:
    """Index of the model with the least loss; a model with a pole inside the data's range counts tenfold."""
    return int(np.argmin([m.metrics["loss"] * (UNSEEN if m.metrics["pole"] else 1.0) for m in front]))
