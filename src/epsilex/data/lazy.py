"""Dask dataframes as training data: of more rows than a fit keeps, some are drawn, and only these come into memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.data.rows import MOST, drawn_rows

if TYPE_CHECKING:
    import pandas as pd


def in_memory(X: Any, y: Any, sample_weight: Any, noise: Any, seed: int) -> tuple[Any, Any, Any]:
    """X, y and weights as they are; or, if X is a Dask dataframe, at most MOST of its rows in pandas.

    y and the weights are then columns of the same partitions. Rows are drawn by the seed and their place.
    """
    if not is_lazy(X):
        return X, y, sample_weight
    columns = {"X": X, "y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
    for name, column in columns.items():
        if not is_lazy(column) or column.npartitions != X.npartitions:
            raise ValueError(f"{name}: expected a Dask column of the same {X.npartitions} partitions as X")
    if not isinstance(noise, str):
        raise ValueError("noise: expected auto, additive or relative with a Dask dataframe; got standard errors")
    drawn = dict(zip(columns, _drawn(columns, seed), strict=True))
    return drawn["X"], drawn["y"], drawn.get("sample_weight")


def is_lazy(data: Any) -> bool:
    """Whether this is a Dask dataframe or one of its columns."""
    return type(data).__module__.partition(".")[0].startswith("dask") and hasattr(data, "to_delayed")


def _drawn(columns: dict[str, Any], seed: int) -> list[pd.DataFrame | pd.Series]:
    import dask
    import pandas as pd

    parts = {name: column.to_delayed() for name, column in columns.items()}
    sizes = {name: _sizes(own) for name, own in parts.items()}
    for name, own in sizes.items():
        if own != sizes["X"]:
            raise ValueError(f"{name}: expected as many rows in each partition as X, {sizes['X']}; got {own}")
    ends = np.cumsum(sizes["X"])
    n = int(ends[-1])
    rows = drawn_rows(n, MOST, seed) if n > MOST else np.arange(n)
    by_part = np.split(rows, np.searchsorted(rows, ends[:-1]))
    here = [part - first for part, first in zip(by_part, ends - sizes["X"], strict=True)]
    take = dask.delayed(lambda part, index: part.iloc[index])
    taken = {name: [take(part, index) for part, index in zip(own, here, strict=True)] for name, own in parts.items()}
    return [pd.concat(found, ignore_index=True) for found in dask.compute(*taken.values())]


def _sizes(parts: Sequence[Any]) -> list[int]:
    import dask

    return list(dask.compute(*[dask.delayed(len)(part) for part in parts]))
