"""The figures of the last run of each drill: kept in figures.json, shown in docs/promises.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

from drills.drill import DRILLS

FIGURES = Path(__file__).with_name("figures.json")
PROMISES = Path(__file__).resolve().parent.parent / "docs" / "promises.md"
REGION = re.compile(r"(?s)(<!-- drills -->\n).*?(<!-- end of drills -->\n)")


def stored() -> dict[str, dict]:
    """The record of the last run of each drill, by name."""
    return json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}


def keep(records: dict[str, dict]) -> None:
    """Add records to those stored, and write the page."""
    found = {name: record for name, record in (stored() | records).items() if name in DRILLS}
    FIGURES.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PROMISES.write_text(filled(PROMISES.read_text(encoding="utf-8"), stored()), encoding="utf-8")


def filled(page: str, records: dict[str, dict]) -> str:
    """The page with the table of these records."""
    return REGION.sub(lambda found: found[1] + table(records) + found[2], page)


def table(records: dict[str, dict]) -> str:
    """One row per drill: its promise, the last count of the full one, what broke, and further figures."""
    lines = ["| promise | drill | last run | broken | figures |", "| --- | --- | ---: | ---: | --- |"]
    for name, one in DRILLS.items():
        record = records.get(name)
        if record is None:
            lines.append(f"| {one.promise} | `{name}` | not yet | | |")
            continue
        count = f"{record['count']:,} of {record['full']:,} {record['unit']}, {record['when']}"
        figures = ", ".join(f"{key} {_text(value)}" for key, value in record["figures"].items())
        lines.append(f"| {one.promise} | `{name}` | {count} | {len(record['failures'])} | {figures} |")
    return "\n".join(lines) + "\n"


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)
