"""Models as JSON files. Loading reads numbers and names and checks them; nothing is ever executed."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from epsilex.files import clean, read_file, sealed, unsealed, write_file
from epsilex.models.formed import Inside
from epsilex.models.model import Model
from epsilex.models.own_constants import OwnConstants
from epsilex.models.uncertainty import Uncertainty
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, lookup, opcode
from epsilex.programs.programs import Programs

SCHEMA = "epsilex-model"
VERSION = 2  # 2: forms, constants of groups; a model without them is written as 1, which older programs read
MAX_BYTES = 16 * 2**20
MAX_NODES = 100_000
MAX_CONSTANT = sys.float_info.max
LEAVES = {CONSTANT: "constant", FEATURE: "feature"}


def save_model(m: Model, path: str | Path) -> None:
    """Write a model as JSON, in one step."""
    path = Path(path)
    clean(path.parent)
    write_file(path, model_text(m))


def model_text(m: Model) -> str:
    """The model's file as text."""
    if not all(math.isfinite(constant) for _, _, constant in m.nodes):
        raise ValueError(f"model: expected finite constants to save; got {m.formula}")
    return json.dumps(to_document(m), indent=1, allow_nan=False) + "\n"


def to_document(m: Model) -> dict:
    """The model as JSON values; metrics that are not finite are left out."""
    body: dict = {
        "formula": m.formula,
        "feature_names": list(m.feature_names),
        "program": _program(m.nodes),
        "metrics": {k: v for k, v in m.metrics.items() if isinstance(v, str) or math.isfinite(v)},
    }
    uncertainty = None if m.uncertainty is None else m.uncertainty.document()
    if uncertainty is not None:
        body["uncertainty"] = uncertainty
    for key, words in (("labels", m.labels), ("units", m.units)):
        if words:
            body[key] = [[k, word] for k, word in words.items()]
    if m.named != {}:
        body["constants"] = m.named
    if m.form is not None:
        inner = [[name, list(names), _program(nodes)] for name, (names, nodes) in m.form.functions.items()]
        own = [[name, value] for name, value in m.form.constants.items()]
        body["form"] = {"text": m.form.text, "functions": inner, "constants": own, "sources": list(m.form.sources)}
    if m.own is not None:
        body["groups"] = m.own.document()
    plain = m.own is None and m.form is None
    return sealed(SCHEMA, 1 if plain else VERSION, body)


def _program(nodes: Sequence[Node]) -> list:
    return [[LEAVES.get(o) or lookup(o).name, f, c] for o, f, c in nodes]


def load_model(path: str | Path) -> Model:
    """The model in a file written by `Model.save`. A ValueError says what is wrong with any other file."""
    content = read_file(Path(path), MAX_BYTES)
    try:
        document = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"model file {path}: expected a whole JSON file; {error}") from None
    try:
        return from_document(document)
    except (ValueError, RecursionError, OverflowError) as error:
        raise ValueError(f"model file {path}: {error}") from None


def from_document(document) -> Model:
    """The model in JSON values written by `to_document`; a ValueError says what is wrong with any others."""
    body = unsealed(document, SCHEMA, VERSION)
    names, nodes, metrics = body.get("feature_names"), body.get("program"), body.get("metrics")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("feature_names: expected a list of names")
    if not isinstance(metrics, dict) or not all(isinstance(v, (int, float, str)) for v in metrics.values()):
        raise ValueError("metrics: expected names and numbers")
    own = _own(body.get("groups"), len(nodes) if isinstance(nodes, list) else 0)
    program = _checked(nodes, len(names) + (0 if own is None else len(own.names)))
    uncertainty = _uncertainty(body.get("uncertainty"), len(program))
    labels, units = (_words(body.get(key, []), key, program) for key in ("labels", "units"))
    constants = _constants(body.get("constants", {}))
    form = None if body.get("form") is None else _form(body["form"], len(program))
    return Model(program, tuple(names), metrics, uncertainty, labels, constants, units, form, own)


def _form(values, n_nodes: int) -> Inside:
    """What fills a form; a ValueError if it is not what `to_document` writes."""
    try:
        text, inner, own, sources = (values[key] for key in ("text", "functions", "constants", "sources"))
        functions = {str(name): (tuple(map(str, names)), _checked(nodes, len(names))) for name, names, nodes in inner}
        constants = {str(name): float(value) for name, value in own}
        found = Inside(str(text), functions, constants, tuple(int(k) for k in sources))
        size = len(found.filling)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise ValueError(f"form: expected what `Model.save` writes; {error!s:.200}") from None
    good = len(found.sources) == n_nodes and all(-1 <= k < size for k in found.sources)
    if not good or not all(map(math.isfinite, constants.values())):
        raise ValueError("form: expected a source among its constants for each node, and finite constants")
    return found


def _checked(nodes, n_features: int) -> tuple[Node, ...]:
    """A program over so many features, well formed."""
    if not isinstance(nodes, list) or not 0 < len(nodes) <= MAX_NODES:
        raise ValueError(f"program: expected a list of 1 to {MAX_NODES} nodes")
    program = [_node(node) for node in nodes]
    Programs.from_nodes([program]).validate(n_features)
    return tuple(program)


def _words(values, key: str, program: Sequence[Node]) -> dict[int, str]:
    pairs = isinstance(values, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in values)
    if not pairs or not all(
        type(k) is int and isinstance(name, str) and 0 <= k < len(program) and program[k][0] in LEAVES
        for k, name in values
    ):
        raise ValueError(f"{key}: expected words for constants of the program")
    return dict(values)


def _constants(values) -> dict[str, float] | None:
    if values is None:
        return None
    if not isinstance(values, dict) or not all(
        name.isidentifier() and type(value) in (int, float) and math.isfinite(value) for name, value in values.items()
    ):
        raise ValueError("constants: expected names and finite numbers")
    return {name: float(value) for name, value in values.items()}


def _uncertainty(values, n_nodes: int) -> Uncertainty | None:
    if values is None:
        return None
    try:
        return Uncertainty.from_document(values, n_nodes)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"uncertainty: expected what `Model.save` writes; {error}") from None


def _own(values, n_nodes: int) -> OwnConstants | None:
    if values is None:
        return None
    try:
        return OwnConstants.from_document(values, n_nodes)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"groups: expected what `Model.save` writes; {error}") from None


def _node(node) -> tuple[int, int, float]:
    if not isinstance(node, list) or len(node) != 3:
        raise ValueError(f"program: expected nodes [name, feature, constant]; got {node!r:.60}")
    name, feature, constant = node
    if type(feature) is not int or not 0 <= feature < 2**31:
        raise ValueError(f"program: expected a feature index; got {feature!r:.60}")
    if type(constant) not in (int, float) or not abs(constant) <= MAX_CONSTANT:
        raise ValueError(f"program: expected a finite constant; got {constant!r:.60}")
    leaf = next((code for code, word in LEAVES.items() if word == name), None)
    return opcode(name) if leaf is None else leaf, feature, float(constant)
