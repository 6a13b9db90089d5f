"""Text as lines of cells: comments and titles put aside, the delimiter found, every line checked.

A line that is put aside becomes empty, so that the numbers of the others stay what a person sees in an editor.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from epsilex.tables.names import is_number, named
from epsilex.tables.notation import are_units

DELIMITERS = (",", ";", "\t", "|")
BLANKS = " "  # any number of them between two cells
SAMPLE_LINES = 200  # to find the delimiter
COMMENTS = ("#", "%", "//", "!")  # before the header; below it only the first
_HINT = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # the first line of some spreadsheets
_MARKS = re.compile(r"^(?:[#%!]+|//+)\s*")


@dataclass(frozen=True)
class Lines:
    """The lines of a table.

    text       with comments and titles made empty; its first line that is not is the header
    delimiter  between cells
    names      of the columns
    notes      what was put aside
    """

    text: str
    delimiter: str
    names: list[str]
    notes: list[str]


def lines_of(text: str, delimiter: str | None, path: Path) -> Lines:
    """The lines of a text; a ValueError says where it is not a table."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [line if line.strip(" ") else "" for line in lines]
    if hint := _HINT.fullmatch(lines[0].strip()):
        lines[0], delimiter = "", hint[1]
    comments = _put_aside(lines)
    delimiter = delimiter or _delimiter(lines)
    _put_back(lines, comments, delimiter)
    if delimiter == BLANKS:
        lines = [line.replace("\t", " ").strip() for line in lines]
    notes: list[str] = []
    above = _titles(lines, delimiter)
    header = _header_in_comment(lines, comments, delimiter)
    if header is not None:
        place, lines[place] = header
        del comments[place]
        notes.append(f"line {place + 1} is a comment and holds the names of the columns")
    if comments:
        notes.append(f"{len(comments)} comment lines are left out")
    if above:
        notes.append(f"{len(above)} lines above the header are left out, such as {above[0][:40]!r}")
    if units := _put_aside_units(lines, delimiter):
        notes.append(f"line {units[0]} holds units and is left out: {units[1]}")
    names = _checked("\n".join(lines), delimiter, path)
    return Lines("\n".join(lines), delimiter, names, notes)


def _put_aside(lines: list[str]) -> dict[int, str]:
    """Empty the comment lines; returns them by place. A line within quotes is none."""
    found, within, header = {}, False, False
    for place, line in enumerate(lines):
        if not within and line.lstrip().startswith(COMMENTS[:1] if header else COMMENTS):
            found[place], lines[place] = line, ""
        elif line:
            header = header or bool(line.strip())
            within ^= line.count('"') % 2 == 1
    return found


def _put_back(lines: list[str], comments: dict[int, str], delimiter: str) -> None:
    """Lines below the header that only look like comments: as many cells as the others have, and numbers among them.
    Their first cell may be `#12` or `#DIV/0!`."""
    width = _width(_rows(lines, delimiter))
    header = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    for place in [place for place in comments if place > header]:
        cells = next(iter(_rows([comments[place]], delimiter)), [])
        if len(cells) == width > 1 and any(map(is_number, cells[1:])):
            lines[place] = comments.pop(place)


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    """Cells of the first lines that are not empty."""
    kept = (line.replace("\t", " ").strip() if delimiter == BLANKS else line for line in lines if line.strip())
    reader = csv.reader(kept, delimiter=delimiter, skipinitialspace=True)
    try:
        return [row for row in islice(reader, SAMPLE_LINES) if row]
    except csv.Error:
        return []


def _width(rows: list[list[str]]) -> int:
    """The number of cells that most lines have."""
    return Counter(map(len, rows)).most_common(1)[0][0] if rows else 0


def _delimiter(lines: list[str]) -> str:
    """The character that splits most lines into as many cells, below a line of names; in a tie, the one with more."""

    def fit(delimiter: str) -> tuple[bool, float, int]:
        rows = _rows(lines, delimiter)
        width = _width(rows)
        if width < 2:
            return False, 0.0, 0
        header = next(row for row in rows if len(row) == width)
        share = sum(len(row) == width for row in rows) / len(rows)
        return not any(map(is_number, header)), share, width

    return max((*DELIMITERS, BLANKS), key=fit)


def _titles(lines: list[str], delimiter: str) -> list[str]:
    """Empty the lines above the header that have far fewer cells; returns them."""
    rows = _rows(lines, delimiter)
    width = _width(rows)
    few = 1 if width < 4 else 2
    n = 0
    while n < len(rows) and width > 1 and sum(map(bool, rows[n])) <= few:
        n += 1
    if not n or n == len(rows) or len(rows[n]) != width or any(map(is_number, rows[n])):
        return []
    found: list[str] = []
    for place, line in enumerate(lines):
        if len(found) == n:
            break
        if line.strip():
            found.append(line.strip())
            lines[place] = ""
    return found


def _header_in_comment(lines: list[str], comments: dict[int, str], delimiter: str) -> tuple[int, str] | None:
    """Place and text of the names, if they are in the comment right above the numbers, as some instruments write."""
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    if first - 1 not in comments:
        return None
    rows = _rows(lines, delimiter)
    if not rows or not any(map(is_number, rows[0])):
        return None
    bare = _MARKS.sub("", comments[first - 1])
    for by in dict.fromkeys((delimiter, *DELIMITERS, BLANKS)):
        cells = next(iter(_rows([bare], by)), [])
        # With `#` as the name of the first column nothing else is left of it.
        cells = ["#", *cells[1:]] if cells and not cells[0] else cells
        if len(cells) == len(rows[0]) and not any(map(is_number, cells)):
            header = io.StringIO()
            csv.writer(header, delimiter=delimiter, lineterminator="").writerow([cell.strip() for cell in cells])
            return first - 1, header.getvalue()
    return None


def _put_aside_units(lines: list[str], delimiter: str) -> tuple[int, str] | None:
    """Empty the line below the header if it holds the units of the columns; returns its number and the units."""
    places = list(islice((place for place, line in enumerate(lines) if line.strip()), 3))
    rows = _rows([lines[place] for place in places], delimiter)
    if len(rows) < 3:  # or a cell in quotes has several lines
        return None
    header, units, values = rows
    if not len(header) == len(units) == len(values) or not any(map(is_number, values)):
        return None
    said = [unit.strip(" []()") for unit in units]
    numeric = [unit for unit, value in zip(said, values, strict=True) if is_number(value)]
    others = [unit for unit, value in zip(said, values, strict=True) if not is_number(value)]
    if any(map(is_number, said)) or {*others} - {"", "-"} or not {*numeric} - {"", "-"}:
        return None
    if not are_units([unit for unit in numeric if unit != "-"]):
        return None
    line, lines[places[1]] = lines[places[1]], ""
    return places[1] + 1, line.strip()[:60]


def _checked(text: str, delimiter: str, path: Path) -> list[str]:
    """The header's names, after checking that every line has as many cells.

    Where every line ends with a delimiter and the header does not, the last column has no name.
    """
    names: list[str] = []
    longer: int | None = None  # line from which on there is one empty cell more than names
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if not row:
                continue
            if not names:
                names = row
            elif longer is None and len(row) == len(names) + 1 and not row[-1].strip() and delimiter != BLANKS:
                longer = reader.line_num
                names = [*names, ""]
            elif len(row) != len(names):
                expected = len(names) - (longer is not None)
                raise ValueError(
                    f"{path}: expected {expected} cells in each line, as in the header; "
                    f"got {len(row)} in line {reader.line_num}"
                )
    except csv.Error as error:
        what = f"a cell of more than {csv.field_size_limit()} characters" if "field limit" in str(error) else str(error)
        raise ValueError(f"{path}: expected lines of cells; got {what} in line {reader.line_num}") from None
    if not names:
        raise ValueError(f"{path}: expected a table; there are only empty lines and comments")
    return named(names, path)
