"""Excel files: the cells of a sheet, of which the first line of names is the header."""

from __future__ import annotations

import datetime
import io
import zipfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epsilex.tables.names import is_number, named

if TYPE_CHECKING:
    import pandas as pd

MAX_CELLS = 2**27
MAX_COLUMNS = 2**14  # of Excel itself
ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")


def read_excel(content: bytes, sheet: str | None, path: Path, most: int) -> tuple[pd.DataFrame, list[str]]:
    """The table in a sheet, and notes; `most` bytes may be unpacked."""
    import pandas as pd

    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ValueError(f"{path}: Excel files need openpyxl, `pip install 'epsilex[excel]'`") from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if sum(part.file_size for part in packed.infolist()) > most:
                raise ValueError(f"expected at most {most} bytes; it unpacks to more")
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        rows, title, others = _rows(book, sheet)
    except Exception as error:  # openpyxl raises errors of zip, XML, keys and types
        said = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"{path}: expected an Excel file; {said:.200}") from None
    notes = []
    if others:
        notes.append(f"sheet {title!r} is read, one of {others + 1}; --sheet names another")
    above, columns = _header(rows)
    if above:
        notes.append(f"{above} lines above the header are left out")
    header, body = rows[above], rows[above + 1 :]
    names = named(["" if header[j] is None else header[j] for j in columns], path)
    cells = {name: [_cell(row[j]) for row in body] for name, j in zip(names, columns, strict=True)}
    frame = pd.DataFrame({name: pd.Series(values, dtype=object).infer_objects() for name, values in cells.items()})
    return frame.dropna(how="all").reset_index(drop=True), notes


def _rows(book: Any, sheet: str | None) -> tuple[list[tuple], str, int]:
    """The rows of the sheet asked for, or of the first that has a table; its title; and how many others there are."""
    titles = [page.title for page in book.worksheets]
    if sheet is not None and sheet not in titles:
        raise ValueError(f"sheet: expected one of {', '.join(map(repr, titles))}; got {sheet!r}")
    for page in book.worksheets:
        if sheet is None or page.title == sheet:
            rows = _whole(page)
            if len(rows) > 1:
                return rows, page.title, len(titles) - 1
    raise ValueError(f"expected a table; {'the sheet has' if sheet else 'its sheets have'} none")


def _whole(page: Any) -> list[tuple]:
    """Rows that are not empty, all of one width."""
    page.reset_dimensions()  # what a file says of its size may be wrong
    rows, cells = [], 0
    for row in page.iter_rows(values_only=True, max_col=MAX_COLUMNS):
        if any(value is not None for value in row):
            rows.append(row)
            cells += len(row)
            if cells > MAX_CELLS:
                raise ValueError(f"expected at most {MAX_CELLS} cells; got more")
    width = max(map(len, rows), default=0)
    return [(*row, *[None] * (width - len(row))) for row in rows]


def _header(rows: list[tuple]) -> tuple[int, list[int]]:
    """How many lines of titles are above the header, and which columns have cells at or below it."""
    counts = [sum(value is not None for value in row) for row in islice(rows, 200)]
    width = max(counts)
    few = 1 if width < 4 else 2
    above = 0
    while above < len(counts) - 1 and counts[above] <= few and width > few:
        above += 1
    if any(value is not None and is_number(str(value)) for value in rows[above]):
        above = 0
    used = [j for j in range(len(rows[0])) if any(row[j] is not None for row in rows[above:])]
    return above, used


def _cell(value: Any) -> Any:
    """A cell as pandas knows it: a time of day is a duration since midnight, an error is missing."""
    if isinstance(value, datetime.time):
        return datetime.timedelta(hours=value.hour, minutes=value.minute, seconds=value.second)
    return None if isinstance(value, str) and value in ERRORS else value
