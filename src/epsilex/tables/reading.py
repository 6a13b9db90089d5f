"""Files as tables: CSV, TSV, Excel and Parquet by extension, text gzipped or not, checked before use."""

from __future__ import annotations

import gzip
import io
import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from epsilex.data.rows import drawn_rows
from epsilex.files import read_file
from epsilex.tables.names import named
from epsilex.tables.parquet import some_rows

if TYPE_CHECKING:
    import pandas as pd

TEXT = (".csv", ".tsv", ".txt", ".dat")
EXCEL = (".xlsx", ".xlsm")
SUFFIXES = (*TEXT, *EXCEL, ".parquet")
MAX_BYTES = 4 * 2**30  # of text; a small gzip, Excel or Parquet file may hold much more


def read_table(path: str | Path, encoding: str | None = None, sheet: str | None = None) -> pd.DataFrame:
    """The table in a file: columns of numbers and of text, and any other types of an Excel or Parquet file."""
    return read_with_notes(path, encoding, sheet)[0]


def read_as_written(path: str | Path, encoding: str | None = None, sheet: str | None = None) -> pd.DataFrame:
    """The same table with its cells as they are written: `007` stays what it is."""
    return _read_file(Path(path), encoding, sheet, as_written=True)[0]


def read_with_notes(
    path: str | Path, encoding: str | None = None, sheet: str | None = None, most: int | None = None, seed: int = 0
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table in a file, and what was done to read it, one sentence each.

    encoding  of a text file, by default found out
    sheet     of an Excel file, by default the first with a table
    most      rows, drawn by the seed if there are more; the others of a Parquet file are never in memory
    """
    path = Path(path)
    if most is not None and path.suffix.lower() == ".parquet" and (drawn := some_rows(path, most, seed)) is not None:
        frame, n = drawn
        return frame.set_axis(named(frame.columns, path), axis=1), (_drawn_note(most, n),)
    frame, notes = _read_file(path, encoding, sheet)
    if most is not None and len(frame) > most:
        notes.append(_drawn_note(most, len(frame)))
        frame = frame.iloc[drawn_rows(len(frame), most, seed)].reset_index(drop=True)
    return frame, tuple(notes)


def _drawn_note(most: int, n: int) -> str:
    return f"{most} of the {n} rows are used, drawn at random"


def _read_file(
    path: Path, encoding: str | None, sheet: str | None, as_written: bool = False
) -> tuple[pd.DataFrame, list[str]]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    gzipped = suffixes[-1:] == [".gz"]
    suffix = "".join((suffixes[:-1] if gzipped else suffixes)[-1:])
    if suffix == ".xls":
        raise ValueError(f"{path}: expected *.xlsx; got the older *.xls, save it as *.xlsx or *.csv")
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: expected a file called {', '.join('*' + s for s in SUFFIXES)} (also .gz)")
    for option, value, kinds in (("encoding", encoding, TEXT), ("sheet", sheet, EXCEL)):
        if value is not None and suffix not in kinds:
            raise ValueError(f"{option}: expected only with {', '.join('*' + s for s in kinds)}; got {path}")
    content = read_file(path, MAX_BYTES)
    if gzipped:
        content = _unzipped(content, path)
    if not content.strip():
        raise ValueError(f"{path}: expected a table; the file is empty")
    frame, notes = _read(content, suffix, encoding, sheet, path, as_written)
    if not len(frame):
        raise ValueError(f"{path}: expected rows below the header; there is none")
    return frame, notes


def _read(
    content: bytes, suffix: str, encoding: str | None, sheet: str | None, path: Path, as_written: bool
) -> tuple[pd.DataFrame, list[str]]:
    from epsilex.tables.notation import plain_numbers

    if suffix == ".parquet":
        return _parquet(content, path), []
    if suffix in EXCEL:
        from epsilex.tables.excel import read_excel

        frame, notes = read_excel(content, sheet, path, MAX_BYTES)
        return frame, notes if as_written else [*notes, *plain_numbers(frame, points=True)]
    return _text(content, encoding, "\t" if suffix == ".tsv" else None, path, as_written)


def _unzipped(content: bytes, path: Path) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as file:
            text = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: expected a gzip file; {error}") from None
    if len(text) > MAX_BYTES:
        raise ValueError(f"{path}: expected at most {MAX_BYTES} bytes; it unpacks to more")
    return text


def _text(
    content: bytes, encoding: str | None, delimiter: str | None, path: Path, as_written: bool
) -> tuple[pd.DataFrame, list[str]]:
    import pandas as pd

    from epsilex.tables.decoding import decoded
    from epsilex.tables.lines import lines_of
    from epsilex.tables.notation import plain_numbers
    from epsilex.tables.numbers import MISSING, exact_numbers

    text, notes = decoded(content, encoding, path)
    if not text.strip():
        raise ValueError(f"{path}: expected a table; the file is empty")
    lines = lines_of(text, delimiter, path)

    def cells(**options: object) -> pd.DataFrame:
        try:
            return pd.read_csv(
                io.StringIO(lines.text), sep=lines.delimiter, header=0, names=lines.names, index_col=False,
                skipinitialspace=True, low_memory=False, **options,
            )  # fmt: skip
        except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise ValueError(f"{path}: expected a table; {error}") from None

    if as_written:
        return cells(dtype=str, keep_default_na=False), []
    absent = list(MISSING)
    frame = cells(na_values=absent, **exact_numbers())
    as_text = partial(cells, na_values=absent, dtype=str)
    changed = plain_numbers(frame, points=lines.delimiter == ",", as_text=as_text)
    return frame, [*notes, *lines.notes, *changed]


def _parquet(content: bytes, path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        from pyarrow.parquet import ParquetFile

        about = ParquetFile(io.BytesIO(content)).metadata
        if 8 * about.num_rows * about.num_columns > MAX_BYTES:  # repeated values take no room in the file
            raise ValueError(f"it unpacks to {about.num_rows} rows of {about.num_columns} columns, which is too many")
        frame = pd.read_parquet(io.BytesIO(content))
    except ImportError:
        raise ValueError(f"{path}: Parquet files need pyarrow, `pip install pyarrow`") from None
    except (ValueError, TypeError, NotImplementedError, OSError) as error:
        raise ValueError(f"{path}: expected a Parquet file; {error}") from None
    return frame.set_axis(named(frame.columns, path), axis=1)
