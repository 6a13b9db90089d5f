"""Results as a few small text files: all trials, with thinned histories. They suffice for every table and figure.

A folder `rows` holds one CSV file per table of the results file; settings, which are long, are stored once. The same
results give the same files.
"""

from __future__ import annotations

import gzip
import io
import sqlite3
from pathlib import Path

import pandas as pd

from epsilex.experiments import schema
from epsilex.files import write_file

FOLDER = "rows"
EVERY = 25  # generations between rows of a thinned history; divides 250, which a claim needs
_PLAIN = ("runs", "cells", "problems", "environments", "trials")
_HISTORY = (
    "best_mae", "cases_used", "cases_used_mean", "diversity", "mean_length", "evaluations", "seconds", "seconds_select",
)  # fmt: skip


def write(db: sqlite3.Connection, folder: Path) -> None:
    """Write the rows of a results file into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: pd.read_sql_query(f"SELECT * FROM {name}", db) for name in _PLAIN}
    tables["trials"] = tables["trials"].sort_values(["problem", "method", "settings", "engine", "trial"])
    settings = pd.concat([tables["cells"]["settings"], tables["trials"]["settings"]]).drop_duplicates()
    number = {text: place for place, text in enumerate(sorted(settings))}
    for name in ("cells", "trials"):
        tables[name]["settings"] = tables[name]["settings"].map(number)
    tables["settings"] = pd.DataFrame({"number": list(number.values()), "settings": list(number)})
    for name, rows in tables.items():
        write_file(folder / f"{name}.csv", rows.to_csv(index=False, float_format="%.9g"))
    history = pd.read_sql_query(
        f"SELECT trial, generation, {', '.join(_HISTORY)} FROM generations JOIN (SELECT trial AS of, max(generation) "
        f"AS last FROM generations GROUP BY trial) ON of = trial WHERE generation % {EVERY} = 0 OR generation = last",
        db,
    )
    text = history.to_csv(index=False, float_format="%.5g").encode()
    write_file(folder / "generations.csv.gz", gzip.compress(text, mtime=0))


def connect(folder: Path) -> sqlite3.Connection:
    """The rows of `folder` as a results file in memory."""
    db = sqlite3.connect(":memory:")
    db.executescript(schema.TABLES)
    db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {schema.VERSION}")
    settings = _read(folder, "settings").set_index("number")["settings"]
    for name in _PLAIN:
        rows = _read(folder, name)
        if "settings" in rows:
            rows["settings"] = rows["settings"].map(settings)
        rows.to_sql(name, db, if_exists="append", index=False)
    text = gzip.decompress((folder / "generations.csv.gz").read_bytes())
    pd.read_csv(io.BytesIO(text)).to_sql("generations", db, if_exists="append", index=False)
    return db


def found_in(folder: Path) -> bool:
    """Whether a folder has a compact copy of results."""
    return (folder / FOLDER / "trials.csv").is_file()


def _read(folder: Path, name: str) -> pd.DataFrame:
    rows = pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values=[""])
    return rows.astype(object).where(rows.notna(), None)
