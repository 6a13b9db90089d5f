"""Measuring: programs run on the training cases, their errors and their fitness (Eq. 1).

cases      the training cases in blocks, and the measuring of programs on them
redrawing  cases drawn anew every so often, from very many rows
recurrent  cases of a time series, simulated in free run
buffers    memory for errors, reused once nothing refers to it
tameness   the best programs on many more shadow rows
"""

from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.measuring.recurrent import RecurrentCases

__all__ = ["Cases", "RecurrentCases"]
