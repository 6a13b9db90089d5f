"""Poison tables: every one is fitted, or refused in one line that says why."""

from __future__ import annotations

import datetime
import decimal
import gzip
import io
import json
import math
import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from drills.command import QUICK, call
from drills.drill import Outcome, drill

ROWS = 40
CELLS: dict[str, list] = {
    "booleans": ["True", "False"], "booleans with gaps": ["True", "", "False"], "lower booleans": ["true", "false"],
    "mixed booleans": ["True", "yes", "1"], "2^63": ["9223372036854775808", "1"], "2^64": ["18446744073709551616", "7"],
    "2^64 and below 0": ["18446744073709551615", "-1"], "400 digits": ["9" * 400, "1", "2"],
    "5000 digits": ["9" * 5000, "1", "2"], "100000 characters": ["x" * 100_000, "y"], "1e308": ["1e308", "-1e308", "1"],
    "1e309": ["1e309", "1", "2"], "all infinite": ["inf", "-inf"], "infinite words": ["Infinity", "-Infinity", "3"],
    "nan": ["nan", "1", "2"], "all nan": ["nan"], "denormals": ["5e-324", "1e-310"], "zero and -0": ["0", "-0"],
    "hexadecimal": ["0x10", "0xff"], "octal": ["010", "020"], "underscores": ["1_000", "2_000"],
    "thousands": ['"1,000"', '"2,500.5"'], "broken thousands": ['"1,00"', '"2,5"'], "percent": ["10%", "20%"],
    "money": ["$3", "$4"], "fractions": ["1/2", "3/4"], "complex": ["1+2j", "3-1j"],
    "dates": ["2024-01-02", "2024-02-30"],
    "times": ["12:30", "25:61"], "years": ["1999", "2024"], "emoji": ["🙂", "🙃"],
    "right to left": ["\u202eabc", "אבג"],
    "zero width": ["\u200b1", "\u200b2"], "full width digits": ["１２", "３４"], "arabic digits": ["١٢", "٣٤"],
    "roman": ["Ⅳ", "Ⅷ"], "superscripts": ["²", "³"], "combining": ["e\u0301", "é"], "tabs": ["\t1", "2\t"],
    "no-break spaces": ["\u00a01", "2\u00a0"], "quotes": ['"a ""b"""', '"c"'], "line breaks": ['"a\nb"', '"c"'],
    "formulas": ["=1+1", "@SUM(1)"], "commands": ["$(reboot)", "`id`"], "markup": ["<script>alert(1)</script>", "<b>"],
    "sql": ["'; DROP TABLE x;--", "1 OR 1=1"], "format": ["{0}", "%s%n"], "escape": ["\x1b[31mred", "\x1b]0;t\x07"],
    "bell": ["\a", "\b"], "backslashes": ["\\", "\\\\n"], "missing words": ["?", "NA", "-"], "one value": ["same"],
    "one number": ["5"], "two values": ["a", "b"], "many values": [f"v{i}" for i in range(ROWS)],
    "numbers and one word": ["1"] * (ROWS - 1) + ["word"], "numbers and words": ["1", "word"],
    "unsorted categories": ["z", "a", "Z", "A"], "equals in categories": ["a=b", "c=d"], "spaces": [" ", "  x"],
    "empty": [""], "half empty": ["", "1"], "mostly empty": [""] * 9 + ["1"], "exponents": ["1e5", "1E-5", "1d3"],
    "plus": ["+1", "+2.5"], "dots": [".5", "5."], "long decimals": ["0." + "1" * 300, "0.5"],
}  # fmt: skip
OBJECTS: dict[str, list] = {
    "bytes": [b"ab", b"\xff\xfe"], "bytes with gaps": [b"ab", None],
    "timedeltas": [pd.Timedelta("1s"), pd.Timedelta("5h")],
    "timedeltas with NaT": [pd.Timedelta("1s"), pd.NaT],
    "datetimes": [pd.Timestamp("2024-01-01"), pd.Timestamp("1700-01-01")],
    "datetimes with NaT": [pd.Timestamp("2024-01-01"), pd.NaT], "zoned": [pd.Timestamp("2024-01-01", tz="UTC")],
    "decimals": [decimal.Decimal("1.5"), decimal.Decimal("2.25")], "decimals with gaps": [decimal.Decimal("1.5"), None],
    "date objects": [datetime.date(2024, 1, 1), None], "time objects": [datetime.time(1, 2), datetime.time(3, 4)],
    "lists": [[1, 2], []], "dicts": [{"a": 1}, {"a": 2}], "nested": [[[1]], [[2], [3]]], "none": [None],
    "booleans": [True, False], "booleans with gaps": [True, None], "text": ["a", "b"], "text with gaps": ["a", None],
    "integers with gaps": [1, None, 3], "surrogate text": ["a\udc80".encode("utf-8", "replace").decode(), "b"],
    "empty text": ["", "x"], "infinities": [math.inf, -math.inf, 1.0],
}  # fmt: skip
DTYPES = (
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bool",
)  # fmt: skip
EXTENSION = ("Int8", "UInt64", "Float32", "boolean", "string", "category")


def rows(column: list, as_target: bool) -> list[list[str]]:
    """A table with one poisoned column, as text."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, ROWS)).round(6)
    poison = [str(column[i % len(column)]) for i in range(ROWS)]
    other = [repr(v) for v in (2 * x + z).tolist()]
    a, y = (other, poison) if as_target else (poison, other)
    return [
        ["x", "z", "a", "y"],
        *([repr(p), repr(q), r, s] for p, q, r, s in zip(x.tolist(), z.tolist(), a, y, strict=True)),
    ]


def text(lines: list[list[str]], delimiter: str = ",", end: str = "\n") -> str:
    return "".join(delimiter.join(line) + end for line in lines)


def frame(column, as_target: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, ROWS))
    found = pd.DataFrame({"x": x, "z": z, "a": x - z, "y": 2 * x + z})
    found["y" if as_target else "a"] = column
    return found


def parquet(table: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    table.to_parquet(content)
    return content.getvalue()


def _wide() -> list[list[str]]:
    """The cells of a thousand further columns."""
    return [[f"c{j}" for j in range(1000)], *([["1"] * 1000] * ROWS)]


def files() -> dict[str, tuple[str, Callable[[], bytes]]]:
    """Every kind of poison: the file's name and its content."""
    good = rows(["1", "2", "3"], False)
    plain = text(good)
    kinds: dict[str, tuple[str, Callable[[], bytes]]] = {}
    for name, cells in CELLS.items():
        for as_target in (False, True):
            where = "target" if as_target else "feature"
            kinds[f"{name}, {where}"] = ("t.csv", lambda c=cells, t=as_target: text(rows(c, t)).encode())
        kinds[f"{name}, semicolons"] = ("t.csv", lambda c=cells: text(rows(c, False), ";").encode())
    for name, values in OBJECTS.items():
        for as_target in (False, True):
            where = "target" if as_target else "feature"
            column = [values[i % len(values)] for i in range(ROWS)]
            kinds[f"Parquet {name}, {where}"] = ("t.parquet", lambda c=column, t=as_target: parquet(frame(c, t)))
    for name in (*DTYPES, *EXTENSION):
        kinds[f"Parquet of {name}"] = (
            "t.parquet",
            lambda d=name: parquet(frame(pd.Series(np.arange(ROWS) % 2).astype(d))),
        )  # fmt: skip
    whole: dict[str, bytes] = {
        "empty file": b"", "one byte": b"x", "zeros": bytes(5000), "header only": text(good[:1]).encode(),
        "random": random.Random(0).randbytes(5000), "latin-1": plain.replace("x", "ö").encode("latin-1"),
        "utf-16": plain.encode("utf-16"),
        "utf-32": plain.encode("utf-32"), "byte order mark": plain.encode("utf-8-sig"),
        "carriage returns": text(good, end="\r").encode(),
        "windows": text(good, end="\r\n").encode(), "mixed ends": plain.replace("\n", "\r\n", 7).encode(),
        "no last end": plain[:-1].encode(),
        "ragged": (plain + "1,2\n").encode(), "long line": (plain + "1,2,3,4,5\n").encode(),
        "blank lines": plain.replace("\n", "\n\n").encode(),
        "open quote": plain.replace("0", '"0', 1).encode(), "twice the name": plain.replace("x,z", "x,x", 1).encode(),
        "no names": plain.partition("\n")[2].encode(), "empty names": plain.replace("x,z", ",", 1).encode(),
        "tabs": text(good, "\t").encode(),
        "pipes": text(good, "|").encode(), "spaces": text(good, " ").encode(), "5 rows": text(good[:6]).encode(),
        "6 rows": text(good[:7]).encode(),
        "one column": text([[line[3]] for line in good]).encode(),
        "target alone": text([[line[3]] for line in good]).encode(),
        "1000 columns": text([[*line, *wide] for line, wide in zip(good, _wide(), strict=True)]).encode(),
        "same rows": text([good[0], *[good[1]] * ROWS]).encode(),
        "constant target": text([[*line[:3], "y" if k == 0 else "1"] for k, line in enumerate(good)]).encode(),
        "names with =": plain.replace("x,z", "a=1,b=2", 1).encode(),
        "control names": plain.replace("x,z", "a\x1b[31m,b\x00", 1).encode(),
        "nul": plain.replace("1", "\0", 1).encode(),
        "name of 10000": plain.replace("x,z", "x" * 10_000 + ",z", 1).encode(),
    }  # fmt: skip
    kinds |= {f"file: {name}": ("t.csv", lambda c=content: c) for name, content in whole.items()}
    zipped = gzip.compress(plain.encode())
    kinds |= {
        "gzip": ("t.csv.gz", lambda: zipped), "cut gzip": ("t.csv.gz", lambda: zipped[:-30]),
        "no gzip": ("t.csv.gz", lambda: plain.encode()),
        "gzip of gzip": ("t.csv.gz", lambda: gzip.compress(zipped)),
        "gzip of zeros": ("t.csv.gz", lambda: gzip.compress(bytes(10**7))),
        "cut Parquet": ("t.parquet", lambda: parquet(frame(1.0))[:-20]),
        "no Parquet": ("t.parquet", lambda: plain.encode()),
        "Parquet as CSV": ("t.csv", lambda: parquet(frame(1.0))), "Excel": ("t.xlsx", lambda: b"PK\x03\x04"),
        "no suffix": ("t", lambda: plain.encode()),
        "Parquet with an index": ("t.parquet", lambda: parquet(frame(1.0).set_index("z"))),
        "Parquet of equal indices": ("t.parquet", lambda: parquet(frame(1.0).set_axis([0] * ROWS))),
        "Parquet without rows": ("t.parquet", lambda: parquet(frame(1.0).iloc[:0])),
        "tsv": ("t.tsv", lambda: text(good, "\t").encode()),
    }  # fmt: skip
    return kinds


@drill("Every table is fitted, or refused in one line that says why", full=len(files()), unit="poison tables", least=3)
def poison_tables(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    kinds = files()
    chosen = rng.sample(sorted(kinds), min(n, len(kinds)))
    for name in chosen:
        outcome.count += 1
        file, content = kinds[name]
        path, out = folder / file, folder / "out"
        path.write_bytes(content())
        done = call("fit", path, "--target", "y", *QUICK, "--out", out, "--json")
        if done.code == 0:
            outcome.add("fitted")
            told = json.loads(done.out)
            outcome.expect(told["stopped_by"], f"{name}: no reason to stop")
            again = call("predict", out / "model.json", path, "--json")
            outcome.expect(again.code == 0, f"{name}: predict ended with {again.code}: {again.err[-200:]}")
        else:
            outcome.add("refused")
            outcome.expect(done.one_line, f"{name}: code {done.code}, said {done.err[-300:]!r}")
            outcome.expect(not out.exists(), f"{name}: {sorted(os.listdir(out)) if out.exists() else ''} left behind")
        path.unlink()
        for left in out.iterdir() if out.exists() else ():
            left.unlink()
        if out.exists():
            out.rmdir()
