"""`data`: list which problems' data is here, and fetch missing data."""

from __future__ import annotations

from epsilex.cli import terminal
from epsilex.problems.fetching import DataMissing
from epsilex.problems.finding import Found, at_hand, find, places
from epsilex.problems.loading import ALL, BUILT_IN, FURTHER, NAMES, declarations

HEADER = ("name", "rows", "inputs", "data", "SHA-256")


def show(name: str) -> None:
    """Fetch a problem's data if it is not here; print its files and its hash."""
    found = _fetch(name)
    facts = {
        "problem": name,
        "rows": f"{found.declared.rows}, {len(found.declared.features)} inputs",
        "source": found.declared.source,
        "place": found.place,
        "sha256": f"{found.sha256}, verified",
    }
    for fact, value in (*facts.items(), *(("file", path) for path in found.paths)):
        print(f"{fact:<9}{value}")


def fetch_all() -> int:
    """Fetch missing data and list all; returns the exit code, 2 if something could not be fetched."""
    list(places())  # report a bad EPSILEX_DATA once
    code = 0
    for name in (*NAMES, *FURTHER):
        try:
            _fetch(name)
        except ValueError as error:
            code = terminal.fail(str(error))
    show_list()
    return code


def show_list() -> None:
    """All problems, one line each."""
    list(places())
    rows = [HEADER, *(_row(name) for name in ALL)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, n_rows, inputs, place, digest in rows:
        numbers = f"{n_rows:>{widths[1]}}  {inputs:>{widths[2]}}"
        print(f"{name:<{widths[0]}}  {numbers}  {place:<{widths[3]}}  {digest}")


def _fetch(name: str) -> Found:
    try:
        return find(declarations(name), _tell)
    except DataMissing as error:
        rest = f"; until then {name} draws its own rows" if name in BUILT_IN else ""
        raise DataMissing(f"{error}{rest}") from None


def _row(name: str) -> tuple[str, ...]:
    versions = declarations(name)
    place, digest = ("built in", "-") if name in BUILT_IN else ("not here", f"to fetch it: epsilex data {name}")
    try:
        if found := at_hand(versions, _tell):
            versions, place = (found.declared,), found.place
            digest = "verified, rebuilt" if found.declared.rebuilt else "verified"
    except ValueError as error:
        place, digest = "unusable", "differs"
        _tell(f"{name}: {error}")
    return name, str(versions[-1].rows), str(len(versions[-1].features)), place, digest


def _tell(line: str) -> None:
    terminal.note([line])
