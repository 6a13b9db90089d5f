"""Files as tables: CSV, TSV and Parquet by extension, gzipped or not, checked before use."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from epsilex.files import read_file

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet")
DELIMITERS = ",;\t|"
MAX_BYTES = 4 * 2**30  # of text; a small gzip or Parquet file may hold much more
UNNAMED = "(unnamed {})"  # usually row numbers written by a spreadsheet or a library
SAMPLE_LINES = 50  # to find the delimiter
MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def read_table(path: str | Path) -> pd.DataFrame:
    """The table in a file: columns of numbers and of text, and any other types of a Parquet file."""
    path = Path(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    gzipped = suffixes[-1:] == [".gz"]
    suffix = (suffixes[:-1] if gzipped else suffixes)[-1:]
    if not suffix or suffix[0] not in SUFFIXES:
        raise ValueError(f"{path}: expected a file called {', '.join('*' + s for s in SUFFIXES)} (also .gz)")
    content = read_file(path, MAX_BYTES)
    if gzipped:
        content = _unzipped(content, path)
    if not content.strip():
        raise ValueError(f"{path}: expected a table; the file is empty")
    if suffix[0] == ".parquet":
        frame = _parquet(content, path)
    else:
        frame = _text(_decoded(content, path), "\t" if suffix[0] == ".tsv" else None, path)
    if not len(frame):
        raise ValueError(f"{path}: expected rows below the header; there is none")
    return frame


def _unzipped(content: bytes, path: Path) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as file:
            text = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: expected a gzip file; {error}") from None
    if len(text) > MAX_BYTES:
        raise ValueError(f"{path}: expected at most {MAX_BYTES} bytes; it unpacks to more")
    return text


def _decoded(content: bytes, path: Path) -> str:
    encoding = MARKS.get(content[:2])
    if encoding:
        raise ValueError(f"{path}: expected text in UTF-8; got {encoding}, save it as UTF-8")
    at = content.find(b"\0")
    if at >= 0:
        line = content.count(b"\n", 0, at) + 1
        raise ValueError(f"{path}: expected text in UTF-8; got a NUL byte in line {line}, it is binary or UTF-16")
    try:
        return content.decode("utf-8-sig")  # with or without the byte order mark that spreadsheets write
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        got = f"0x{content[error.start]:02x} in line {line}"
        raise ValueError(f"{path}: expected text in UTF-8; got the byte {got}") from None


def _text(text: str, delimiter: str | None, path: Path) -> pd.DataFrame:
    import pandas as pd

    from epsilex.tables.numbers import MISSING, exact_numbers, plain_numbers

    delimiter = delimiter or _delimiter(text)
    names = _checked(text, delimiter, path)
    try:
        frame = pd.read_csv(
            io.StringIO(text), sep=delimiter, header=0, names=names, index_col=False, skipinitialspace=True,
            na_values=list(MISSING), low_memory=False, **exact_numbers(),
        )  # fmt: skip
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise ValueError(f"{path}: expected a table; {error}") from None
    return plain_numbers(frame, commas_group=delimiter == ",")


def _delimiter(text: str) -> str:
    """The character that splits most lines into as many cells as the header; in a tie, the one with more cells."""

    def fit(delimiter: str) -> tuple[float, int]:
        lines = io.StringIO(text, newline="")
        try:
            rows = [row for row in islice(csv.reader(lines, delimiter=delimiter), SAMPLE_LINES) if row]
        except csv.Error:
            return 0.0, 0
        width = len(rows[0]) if rows else 0
        return (sum(len(row) == width for row in rows) / len(rows), width) if width > 1 else (0.0, 0)

    return max(DELIMITERS, key=fit)


def _checked(text: str, delimiter: str, path: Path) -> list[str]:
    """The header's names, after checking that every line has as many cells."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] | None = None
    try:
        for row in reader:
            if not row:
                continue
            if names is None:
                names = _names(row, path)
            elif len(row) != len(names):
                raise ValueError(
                    f"{path}: expected {len(names)} cells in each line, as in the header; "
                    f"got {len(row)} in line {reader.line_num}"
                )
    except csv.Error as error:
        what = f"a cell of more than {csv.field_size_limit()} characters" if "field limit" in str(error) else str(error)
        raise ValueError(f"{path}: expected lines of cells; got {what} in line {reader.line_num}") from None
    if names is None:
        raise ValueError(f"{path}: expected a table; there are only empty lines")
    return names


def _names(header: Sequence[object], path: Path) -> list[str]:
    names = [str(name).strip() for name in header]
    twice = sorted(name for name, count in Counter(names).items() if name and count > 1)
    if twice:
        raise ValueError(f"{path}: expected each column name once; got {', '.join(map(repr, twice))} more than once")
    if all(_is_number(name) for name in names):
        raise ValueError(f"{path}: expected names in the first line; got numbers, {', '.join(names[:3])}, ...")
    return [name or UNNAMED.format(place + 1) for place, name in enumerate(names)]


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


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
    return frame.set_axis(_names(frame.columns, path), axis=1)
