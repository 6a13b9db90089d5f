"""Where work runs: in this process, on processes of this machine, or on a Dask cluster.

here       one task at a time, in this process
processes  processes of this machine, which are kept for the next search
dask       the workers of a Dask cluster
fate       whether work was lost with its worker

All pools have `slots`, `free`, `submit`, `collect`, `everywhere` and `close`.
"""

from epsilex.pools.dask import DaskPool
from epsilex.pools.fate import Gone, lost
from epsilex.pools.here import HerePool
from epsilex.pools.processes import ProcessPool, kept_processes

Pool = HerePool | ProcessPool | DaskPool

__all__ = ["DaskPool", "Gone", "HerePool", "Pool", "ProcessPool", "kept_processes", "lost"]
