"""The registry of rules of choice."""

from __future__ import annotations

from collections.abc import Callable

from epsilex.models.choice.accuracy import by_accuracy
from epsilex.models.choice.rule import Rule, picked
from epsilex.models.choice.shortest import shortest
from epsilex.models.choice.validation import validated
from epsilex.models.front import front_frame
from epsilex.registry import Registry

CHOICES: Registry[Rule] = Registry(
    "choose",
    description=Rule(shortest, settles=True),
    validation=Rule(validated, holds_back=True),
    accuracy=Rule(picked(by_accuracy, "It has the least loss on the training rows.")),
)


def rule_of(choose: str | Callable) -> Rule:
    """The rule of this name, or the one that a function of `front_` makes."""
    if callable(choose):
        return Rule(picked(lambda models: choose(front_frame(models)), "It was chosen by the function given."))
    return CHOICES.find(choose)
