"""The paper's results table, as data.

La Cava, Spector, Danai, "Epsilon-lexicase selection for regression", GECCO 2016 (corrected version), Table 2:
median best-of-run MAE on the test sets over 30 trials, with the letters of significantly worse methods (Wilcoxon
rank-sum test, Holm correction, p < 0.05), mean rank over the problems, and time for the trials.

The paper ranked unrounded medians: on Wind it ranks AFP before Lex e-lambda (both 0.381) and Lex e before Lex y (both
0.386). With ties shared, the printed medians give the mean ranks 4.08, 1.58, 4.58 and 3.08 for these four, not 4.00,
1.67, 4.50 and 3.17. All others are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

PROBLEMS = ("housing", "tower", "wind", "enh", "enc", "uball5d")
TRIALS, GENERATIONS, POPULATION_SIZE = 30, 1000, 1000


@dataclass(frozen=True)
class Row:
    """One method of the table: medians and letters in the order of `PROBLEMS`."""

    medians: tuple[float, ...]
    letters: tuple[str, ...]
    mean_rank: float
    seconds: int


TABLE = {
    "random": Row((0.469, 0.458, 0.463, 0.288, 0.272, 0.128), ("", "", "", "", "", "d"), 7.83, 445),
    "tournament": Row((0.408, 0.402, 0.397, 0.207, 0.236, 0.113), ("a", "a", "ad", "a", "a", "ad"), 6.33, 1477),
    "afp": Row((0.354, 0.319, 0.381, 0.138, 0.171, 0.094), ("abd", "abd", "abd", "abdf", "abdf", "abd"), 4.00, 4158),
    "lex": Row((0.402, 0.355, 0.419, 0.210, 0.237, 0.142), ("a", "ab", "a", "a", "a", ""), 6.83, 611),
    "lex_y": Row(
        (0.325, 0.260, 0.386, 0.113, 0.150, 0.079), ("abdf", "abcd", "ad", "abcdf", "abcdf", "abcdf"), 3.17, 1424
    ),
    "lex_e": Row((0.386, 0.263, 0.386, 0.165, 0.193, 0.082), ("a", "abcd", "ad", "abd", "abd", "abcd"), 4.50, 1224),
    "lex_y_mad": Row(
        (0.321, 0.239, 0.378, 0.101, 0.137, 0.080), ("abcdf", "abcdf", "abd", "abcdef", "abcdf", "abcd"), 1.67, 1766
    ),
    "lex_e_mad": Row(
        (0.309, 0.233, 0.381, 0.106, 0.141, 0.078), ("abcdf", "abcdf", "abdef", "abcdf", "abcdf", "abcdfg"), 1.67, 1777
    ),
}


def medians() -> pd.DataFrame:
    """Medians, index method, columns problem."""
    return pd.DataFrame({method: row.medians for method, row in TABLE.items()}, index=list(PROBLEMS)).T


def letters() -> pd.DataFrame:
    """Letters, index method, columns problem."""
    return pd.DataFrame({method: row.letters for method, row in TABLE.items()}, index=list(PROBLEMS)).T


def median(problem: str, method: str) -> float | None:
    """One cell; None if the paper has none."""
    if method not in TABLE or problem not in PROBLEMS:
        return None
    return TABLE[method].medians[PROBLEMS.index(problem)]


def time_ratio(method: str) -> float | None:
    """Time over tournament's."""
    return TABLE[method].seconds / TABLE["tournament"].seconds if method in TABLE else None
