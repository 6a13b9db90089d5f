"""Tuning: improving the constants that variation has drawn at random.

hill_climbing        all survivors, once per generation, by Gaussian noise (the paper)
levenberg_marquardt  the children, by least squares
tuner                what a tuner is

A tuner is in the registry `TUNERS`; the setting `tuning` names it. `none` leaves constants as they are.
"""

from __future__ import annotations

from epsilex.evolution.tuning.hill_climbing import HILL_CLIMBING
from epsilex.evolution.tuning.levenberg_marquardt import LEVENBERG_MARQUARDT
from epsilex.evolution.tuning.tuner import Tuner
from epsilex.registry import Registry

TUNERS: Registry[Tuner] = Registry(
    "tuning", none=Tuner(), hill_climbing=HILL_CLIMBING, levenberg_marquardt=LEVENBERG_MARQUARDT
)

__all__ = ["TUNERS", "Tuner"]
