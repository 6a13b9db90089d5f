"""The seconds that the answer will take once the search has ended, so that a time limit includes them.

A typical formula is run on few rows, differentiated on as many as tune constants, and evaluated on all; the answer
takes a number of each that hardly depends on the data. The estimate decides only when a search ends, never what it
finds.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from epsilex.data.rows import Rows
from epsilex.models.polish import MAX_ROWS
from epsilex.programs.gradient import constant_places, jacobian64
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse

FORMULA = "2*x*sin(1.5*x) + 3/(x^2 + 4) - 5*x*exp(-0.5*x) + 6*x - 7"
FEW = 64  # rows, which take no time
STEPS, DERIVATIVES, VALUES = 20_000, 400, 130  # of an answer: as long as a run on FEW, on MAX_ROWS, on all rows
ENOUGH = 0.02  # seconds of measuring, at least


def seconds_to_answer(rows: Rows) -> float:
    """Estimated seconds from the end of a search to the answer."""
    nodes = parse(FORMULA, ["x"])
    places = constant_places(nodes)
    few, some = rows.some(FEW).X, rows.some(MAX_ROWS).X
    return (
        STEPS * _seconds(lambda: jacobian64(nodes, few, places))
        + DERIVATIVES * _seconds(lambda: jacobian64(nodes, some, places))
        + VALUES * _seconds(lambda: evaluate64(nodes, rows.X))
    )


def _seconds(work: Callable[[], object]) -> float:
    """Mean seconds of a call."""
    began, calls = time.perf_counter(), 0
    while (spent := time.perf_counter() - began) < ENOUGH or calls < 2:
        work()
        calls += 1
    return spent / calls
