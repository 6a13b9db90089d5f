"""Records: one line of JSON (the header) and the bytes of arrays in one file, with a schema version and a SHA-256.

A file is written to a temporary one, forced to disk and renamed, and the previous one is kept. So one whole record
always exists. Nothing loaded is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from epsilex.evolution.observers.history import PARTS
from epsilex.files import read_file, write_file
from epsilex.selection.methods import KINDS

MOST = 2**63  # whole numbers are smaller
COMMON = {"arrays": list, "sha256": str, "rows": list, "settings": dict, "cases": str}
ROW = {"generation", "evaluations", "seconds", *(f"seconds_{part}" for part in PARTS)}  # numbers of 0 and more


def previous(path: Path) -> Path:
    """Path of the previous record."""
    return path.with_name(path.name + ".previous")


def exists(path: Path) -> bool:
    """Whether there is anything to resume; between two renames only the previous record exists."""
    return path.exists() or previous(path).exists()


def write_record(path: Path, schema: str, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a record; the one that was there becomes the previous one."""
    body = b"".join(np.ascontiguousarray(a).tobytes() for a in arrays.values())
    described = [[name, str(a.dtype), list(a.shape)] for name, a in arrays.items()]
    whole = {"schema": schema, "sha256": hashlib.sha256(body).hexdigest(), "arrays": described, **header}
    text = json.dumps(whole)
    digest = hashlib.sha256(text.encode()).hexdigest()
    write_file(path, f"{digest} {text}\n".encode() + body, previous(path))


def read_record(path: Path, schemas: Mapping[str, Mapping[str, type]]) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays of `path`; if that is missing or damaged, of the previous record, with a warning.

    schemas  the types of further entries of the header, by the name of each schema that is accepted
    """
    try:
        return _read(path, schemas)
    except (OSError, ValueError, OverflowError) as error:
        older = previous(path)
        if not older.exists():
            raise ValueError(f"checkpoint: expected a whole checkpoint at {path}; {error}") from None
        warnings.warn(f"checkpoint {path} cannot be used ({error}); the previous one is used instead", stacklevel=2)
        try:
            return _read(older, schemas)
        except (OSError, ValueError, OverflowError) as second:
            raise ValueError(f"checkpoint: expected a whole one at {path} or {older}; {error}; {second}") from None


def _read(path: Path, schemas: Mapping[str, Mapping[str, type]]) -> tuple[dict, dict[str, np.ndarray]]:
    line, _, body = read_file(path).partition(b"\n")
    digest, _, text = line.decode("utf-8", "replace").partition(" ")
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        raise ValueError("its header does not match its checksum")
    try:
        header = json.loads(text)
    except RecursionError:
        raise ValueError("its header is nested too deeply") from None
    if not isinstance(header, dict) or header.get("schema") not in tuple(schemas):
        raise ValueError(f"expected schema {' or '.join(schemas)}")
    if not all(type(header.get(key)) is kind for key, kind in {**COMMON, **schemas[header["schema"]]}.items()):
        raise ValueError("its header does not hold what it should")
    if not all(map(_is_row, header["rows"])) or any(
        not 0 <= header.get(name, 0) < MOST for name in ("generation", "evaluations")
    ):
        raise ValueError("its history is not one")
    if hashlib.sha256(body).hexdigest() != header["sha256"]:
        raise ValueError("its arrays do not match their checksum")
    return header, _arrays(header["arrays"], body)


def _is_row(row: object) -> bool:
    """Whether this may be a row of a history: numbers by name, and the time is one of them."""
    return (
        isinstance(row, dict)
        and row.keys() >= ROW
        and all(type(value) is float or (type(value) is int and abs(value) < MOST) for value in row.values())
        and all(math.isfinite(row[name]) and row[name] >= 0 for name in ROW)
    )


def _arrays(described: list, body: bytes) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    at = 0
    for item in described:
        if not isinstance(item, list) or [type(part) for part in item] != [str, str, list] or item[0] in arrays:
            raise ValueError(f"expected arrays as [name, dtype, shape], each once; got {item!r:.60}")
        name, dtype, shape = item
        if dtype not in KINDS or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"array {name:.60} has dtype {dtype:.60} and shape {shape!r:.60}")
        count = math.prod(shape)
        arrays[name] = np.frombuffer(body, dtype, count, at).reshape(shape).copy()
        at += count * np.dtype(dtype).itemsize
    return arrays
