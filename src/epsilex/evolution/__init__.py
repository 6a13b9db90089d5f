"""Evolution: the genetic programming system of the paper, and what came after it.

settings    `Settings`, frozen; `Settings.paper()` is Table 1
cases       the training cases, and the measuring of programs on them
population  programs and their errors, fitness and age
loop        `evolve`, a generator of generations
planting    a part of the start that is not random: `products`, `sums` (of `terms`, for the `sides` of an equation),
            `polynomials`, `powers` and `quadrics`
schools     children that come from short parents and stay short
variation   random start, children of pairs
grafting    children with a term that explains what their parent does not
tuning      constants: hill climbing, Levenberg-Marquardt
survival    who lives on
shadow      likely rows that the data does not have, and who behaves on them
units       scales that float32 holds well, and the way back
archive     the best program of each length, and a shelf of others
settling    the end of a search that has nothing more to find
history     one row a generation
checkpoint  the state on disk, and back
search      the loop with all its consumers, from start to stop
"""

from epsilex.evolution.cases import Cases
from epsilex.evolution.checkpoint import Checkpoint
from epsilex.evolution.loop import Generation, evolve
from epsilex.evolution.search import Search, Stop, continued, search
from epsilex.evolution.settings import Settings

__all__ = ["Cases", "Checkpoint", "Generation", "Search", "Settings", "Stop", "continued", "evolve", "search"]
