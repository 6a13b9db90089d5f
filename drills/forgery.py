"""Forged files: right checksums, wrong content. They are refused with a ValueError, or are valid files."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from pathlib import Path

from drills.damage import Files
from drills.drill import Outcome, drill

VALUES = (
    None, True, False, 0, -1, 1, 2, 2**31, 2**63, 2**64, -(2**63), 10**400, 0.5, -0.0, 1e308, 1e-320, float("nan"),
    float("inf"), "", "x",
    "constant", "feature", "sin", "__import__('os')", "../../etc/passwd", "\0", "\ud800", "<script>", "float32",
    "object", [], [[]], [1], ["x", 0, 0.0],
    [[["x"]]], {}, {"x": 1}, {"__class__": "os"}, [None] * 5, "9" * 5000,
)  # fmt: skip


def forged(value: object, rng: random.Random) -> object:
    """The same JSON with one to three places changed: replaced, removed, repeated or renamed."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _change(value, rng)
    return value


def _change(value: object, rng: random.Random) -> None:
    while isinstance(value, (dict, list)) and value:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = rng.choice(list(keys))
        if isinstance(value[key], (dict, list)) and value[key] and rng.random() < 0.75:
            value = value[key]
            continue
        way = rng.random()
        if way < 0.7:
            value[key] = copy.deepcopy(rng.choice(VALUES))
        elif way < 0.85:
            del value[key]
        elif isinstance(value, list):
            value.insert(key, copy.deepcopy(value[key]))
        else:
            value[rng.choice(("x", "sha256", "schema", "rows"))] = value.pop(key)
        return


def forged_document(content: bytes, rng: random.Random) -> bytes:
    """A model or a record. Models within a record keep their checksums unless they were hit."""
    document = json.loads(content)
    kept = {name: document.pop(name) for name in ("schema", "version", "sha256")}
    body = forged(document, rng)
    kept["sha256"] = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return json.dumps({**kept, **body}).encode("utf-8", "surrogatepass")


def forged_checkpoint(content: bytes, rng: random.Random) -> bytes:
    line, _, body = content.partition(b"\n")
    header = json.loads(line.partition(b" ")[2])
    if rng.random() < 0.3:
        spoiled = bytearray(body)
        for _ in range(rng.choice((1, 10, 1000))):
            spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
        body = bytes(spoiled)
    else:
        header = forged(header, rng)
    if isinstance(header, dict) and "sha256" in header:
        header["sha256"] = hashlib.sha256(body).hexdigest()
    text = json.dumps(header)
    return f"{hashlib.sha256(text.encode()).hexdigest()} {text}\n".encode() + body


FORGERS = {"model": forged_document, "checkpoint": forged_checkpoint, "record": forged_document}


@drill(
    "A forged model, checkpoint or record is refused with a ValueError, or is a valid file",
    full=3000,
    unit="forged files",
    least=15,
)
def forged_files(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    files = Files(folder)
    for k in range(n):
        name = list(FORGERS)[k % 3]
        files.paths[name].write_bytes(FORGERS[name](files.whole[name], rng))
        outcome.count += 1
        outcome.add(f"{name}s")
        try:
            files.read(name)
            outcome.add("read")
        except ValueError:
            outcome.add("refused")
        except Exception as error:
            import traceback

            where = traceback.extract_tb(error.__traceback__)[-1]
            outcome.expect(
                False, f"{name}, attempt {k}: {type(error).__name__}: {error} in {where.filename}:{where.lineno}"
            )
