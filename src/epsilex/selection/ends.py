"""Events of lexicase selection that end before the cases do: by a share of the cases, or by chance.

Spector, La Cava, Shanabrook, Helmuth, Pantridge, "Relaxations of lexicase parent selection", Genetic Programming
Theory and Practice XV (2018). All of them only limit the number of cases of an event, because cases come in random
order: a case that counts only with some probability is as good as one that is not reached.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, generator, number

LIMITS = 6  # purpose


def cases_at_most(
    n: int, n_cases: int, truncate: float | str | None, toggle: float | None, slip: float | None, address: Address
) -> np.ndarray:
    """How many cases each of `n` events may use.

    truncate  a share of the cases, at least one; "random": any number of them from 1 on, equally likely
    toggle    each case counts with this probability
    slip      before each case the event ends with this probability
    """
    most = np.full(n, n_cases)
    rng = generator(address, LIMITS)
    if truncate == "random":
        most = np.minimum(most, rng.integers(1, n_cases + 1, size=n))
    elif truncate is not None:
        if isinstance(truncate, str):
            raise ValueError(f"truncate: expected a share from 0 to 1, or 'random'; got {truncate!r}")
        most = np.minimum(most, max(1, round(number("truncate", truncate, 0.0, 1.0) * n_cases)))
    if toggle is not None:
        most = np.minimum(most, rng.binomial(n_cases, number("toggle", toggle, 0.0, 1.0), size=n))
    if slip is not None and number("slip", slip, 0.0, 1.0) > 0.0:
        most = np.minimum(most, rng.geometric(slip, size=n) - 1)
    return most
