"""All islands in one record, so that a killed search continues bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from epsilex.evolution.islands.epoch import Rows
from epsilex.evolution.islands.island import Arrays, Packed, Parcel
from epsilex.evolution.islands.plan import Islands
from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.observers.checkpoint import (
    ISLANDS,
    SCHEMAS,
    cases_digest,
    check_origin,
    check_programs,
    checked_state,
    fingerprint,
)  # fmt: skip
from epsilex.evolution.observers.records import read_record, write_record
from epsilex.evolution.settings import Settings

PARCELS = ("parcel0", "parcel1")


def write_islands(
    path: Path, islands: Sequence[Packed], rows: Rows, plan: Islands, settings: Settings, cases: Cases
) -> None:
    """Write all islands; the record that was there becomes the previous one."""
    header = {
        "islands": [
            {"generation": one.generation, "evaluations": one.evaluations, "settings": fingerprint(own)}
            for one, own in zip(islands, plan.settings_of(settings), strict=True)
        ],
        "plan": _plain(plan),
        "rows": rows,
        "settings": fingerprint(settings),
        "cases": cases_digest(cases),
    }
    arrays = {f"{k}.{name}": array for k, one in enumerate(islands) for name, array in one.arrays.items()}
    write_record(path, ISLANDS, header, arrays)


def load_islands(path: Path, plan: Islands, settings: Settings, cases: Cases) -> tuple[list[Packed], Rows]:
    """The islands in `path`, or in the previous record, and their history."""
    header, arrays = read_record(Path(path), SCHEMAS)
    if header["schema"] != ISLANDS:
        raise ValueError(f"checkpoint: expected that of {plan.n} islands; it is that of one population")
    check_origin(header, settings, cases)
    if header.get("plan") != _plain(plan):
        raise ValueError(f"checkpoint: expected the islands it was made with, {header.get('plan')}; got {_plain(plan)}")
    every = plan.settings_of(settings)
    if [one.get("settings") if isinstance(one, dict) else None for one in header["islands"]] != [
        fingerprint(own) for own in every
    ]:
        raise ValueError("checkpoint: expected the settings of islands that it was made with")
    parts: list[Arrays] = [{} for _ in every]
    for name, array in arrays.items():
        number, _, rest = name.partition(".")
        if not number.isdecimal() or int(number) >= len(parts):
            raise ValueError(f"checkpoint: expected arrays of {len(parts)} islands; got {name:.60}")
        parts[int(number)][rest] = array
    found = [_island(one, part, own, cases) for one, part, own in zip(header["islands"], parts, every, strict=True)]
    if len({packed.generation for packed in found}) != 1:
        raise ValueError("checkpoint: expected all islands at the same generation")
    return found, header["rows"]


def _island(header: dict, arrays: Arrays, settings: Settings, cases: Cases) -> Packed:
    """An island, checked, because kernels trust what they are given."""
    numbers = [header.get(name) for name in ("generation", "evaluations")]
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError("checkpoint: expected the generation and evaluations of each island")
    own = {name: a for name, a in arrays.items() if name.partition(".")[0] not in PARCELS}
    checked_state(header, own, settings, cases, 0)
    packed = Packed(header["generation"], header["evaluations"], arrays)
    like = Parcel.empty(settings.max_length).arrays()
    try:
        for k, prefix in enumerate(PARCELS):
            names = {name.partition(".")[2] for name in arrays if name.startswith(f"{prefix}.")}
            if names != like.keys():
                raise ValueError(f"expected {', '.join(like)} of {prefix}")
            parcel = packed.parcel(k)
            for name, array in parcel.arrays().items():
                if array.dtype != like[name].dtype or array.shape[1:] != like[name].shape[1:]:
                    raise ValueError(f"expected {prefix}.{name} as {like[name].dtype}")
            if len(np.unique([len(array) for array in parcel.arrays().values()])) != 1:
                raise ValueError(f"expected arrays of one length in {prefix}")
            check_programs(parcel.programs, cases)
    except ValueError as error:
        raise ValueError(f"checkpoint: expected what islands send each other; {error}") from None
    return packed


def _plain(plan: Islands) -> dict[str, object]:
    """What of the plan is not in the settings of the islands."""
    return {"islands": plan.n, "every": plan.every, "emigrants": plan.emigrants, "topology": plan.topology}
