"""Evolution: the genetic programming system of the paper, and what came after it.

settings    `Settings`, frozen; `Settings.paper()` is Table 1
state       what one generation leaves to the next
run         what a search runs with: its cases, and the parts of a generation that the settings name
step        `step`, one generation, and `evolve`, its repetition
search      the loop with its observers, from start to stop
ahead       a helper that compiles kernels while the search compiles others
islands     several searches that exchange programs
steering    changes to a stopped search, before it continues
population  programs and their errors, fitness and age
purposes    which random streams a part draws from
engine      the engine's version
measuring   programs run on the cases
variation   children from parents
tuning      improving the constants of programs
survival    which individuals form the next population
observers   history, stopping, progress, checkpoints
"""

from epsilex.evolution.islands.plan import Islands
from epsilex.evolution.measuring import Cases
from epsilex.evolution.observers.checkpoint import Checkpoint
from epsilex.evolution.observers.stopping import Stop
from epsilex.evolution.run import Run
from epsilex.evolution.search import Search, continued, rehearse, search
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.evolution.step import evolve, step

__all__ = [
    "Cases",
    "Checkpoint",
    "Islands",
    "Run",
    "Search",
    "Settings",
    "State",
    "Stop",
    "continued",
    "evolve",
    "rehearse",
    "search",
    "step",
]
