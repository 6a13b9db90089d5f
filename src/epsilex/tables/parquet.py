"""Rows drawn at random from a Parquet file that has more of them, read batch by batch: the rest is never in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from epsilex.data.rows import drawn_rows
from epsilex.files import opened

if TYPE_CHECKING:
    import pandas as pd

BATCH = 1 << 16  # rows read at a time


def some_rows(path: Path, most: int, seed: int) -> tuple[pd.DataFrame, int] | None:
    """`most` rows of a Parquet file and the number of all its rows; None if it has no more, or is no Parquet file."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError:
        return None
    with opened(path) as file:
        try:
            table = ParquetFile(file)
        except (pa.ArrowException, OSError):
            return None
        n = table.metadata.num_rows
        if n <= most:
            return None
        rows, parts, first = drawn_rows(n, most, seed), [], 0
        try:
            for batch in table.iter_batches(BATCH):
                here = rows[np.searchsorted(rows, first) : np.searchsorted(rows, first + len(batch))] - first
                parts.append(batch.take(pa.array(here)))
                first += len(batch)
            return pa.Table.from_batches(parts, table.schema_arrow).to_pandas(), n
        except (pa.ArrowException, OSError, NotImplementedError) as error:
            raise ValueError(f"{path}: expected a Parquet file; {error}") from None
