"""Models as JSON files. Loading reads numbers and names and checks them; nothing is ever executed."""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path

from epsilex.models.model import Model, model
from epsilex.programs.operators import CONSTANT, FEATURE, lookup, opcode
from epsilex.programs.programs import Programs

SCHEMA = "epsilex-model"
VERSION = 1
MAX_BYTES = 16 * 2**20
MAX_NODES = 100_000
LEAVES = {CONSTANT: "constant", FEATURE: "feature"}


def save_model(m: Model, path: str | Path) -> None:
    """Write a model beside its place, then rename it there."""
    body = {
        "formula": m.formula,
        "feature_names": list(m.feature_names),
        "program": [[LEAVES.get(o) or lookup(o).name, f, c] for o, f, c in m.nodes],
        "metrics": {k: v for k, v in m.metrics.items() if isinstance(v, (int, float, str)) and v == v},
    }
    document = {"schema": SCHEMA, "version": VERSION, "sha256": _digest(body), **body}
    path = Path(path)
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def load_model(path: str | Path) -> Model:
    """The model in a file written by `Model.save`. A ValueError says what is wrong with any other file."""
    path = Path(path)
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"model file {path}: expected at most {MAX_BYTES} bytes; got {path.stat().st_size}")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"model file {path}: expected a whole JSON file; {error}") from None
    try:
        return _checked(document)
    except ValueError as error:
        raise ValueError(f"model file {path}: {error}") from None


def _digest(body: dict) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _checked(document) -> Model:
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ValueError("it was not written by epsilex")
    if document.get("version") != VERSION:
        raise ValueError(f"expected version {VERSION}; got {document.get('version')!r}, perhaps of a newer epsilex")
    body = {k: v for k, v in document.items() if k not in ("schema", "version", "sha256")}
    if document.get("sha256") != _digest(body):
        raise ValueError("its content does not match its checksum: it is damaged or was altered")
    names, nodes, metrics = body.get("feature_names"), body.get("program"), body.get("metrics")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("feature_names: expected a list of names")
    if not isinstance(nodes, list) or not 0 < len(nodes) <= MAX_NODES:
        raise ValueError(f"program: expected a list of 1 to {MAX_NODES} nodes")
    if not isinstance(metrics, dict) or not all(isinstance(v, (int, float, str)) for v in metrics.values()):
        raise ValueError("metrics: expected names and numbers")
    program = [_node(node) for node in nodes]
    Programs.from_nodes([program]).validate(len(names))
    return model(program, names, **metrics)


def _node(node) -> tuple[int, int, float]:
    if not isinstance(node, list) or len(node) != 3:
        raise ValueError(f"program: expected nodes [name, feature, constant]; got {node!r:.60}")
    name, feature, constant = node
    if type(feature) is not int or not 0 <= feature < 2**31:
        raise ValueError(f"program: expected a feature index; got {feature!r:.60}")
    if isinstance(constant, bool) or not isinstance(constant, (int, float)) or not math.isfinite(constant):
        raise ValueError(f"program: expected a finite constant; got {constant!r:.60}")
    codes = {leaf: code for code, leaf in LEAVES.items()}
    return codes[name] if name in codes else opcode(name), feature, float(constant)
