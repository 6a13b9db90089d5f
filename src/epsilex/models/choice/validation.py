"""The choice by validation: the least loss on a quarter of the rows, which the search did not see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.models.choice.rule import Answer, Kept, front_of, picked
from epsilex.models.choice.shortest import plainly
from epsilex.models.front import Scorer
from epsilex.models.model import Model


def by_validation(front: Sequence[Model]) -> int:
    """Index of the model with the least loss on the validation rows."""
    return int(np.argmin([m.metrics["validation_loss"] for m in front]))


def validated(kept: Kept, score: Scorer) -> Answer | None:
    """The answer by validation; by description if there were too few rows to hold any back."""
    if score.validation is None:
        return plainly(front_of(kept, score), score)
    return picked(by_validation, "It has the least loss on the rows held back for validation.")(kept, score)
