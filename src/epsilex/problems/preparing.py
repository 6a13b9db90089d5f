"""From the authors' files to tables of one format: comma separated, one header row, target last and named `target`.

A recipe is a function (declaration, content of each of the authors' files) -> content of each prepared file by name,
the table first. Values stay in raw units.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.problems.declaration import Declaration
from epsilex.tables.numbers import exact_numbers

if TYPE_CHECKING:
    import pandas as pd

SAMPLES = 6000  # 300 s at 20 Hz
STEP = 0.05  # seconds


def renamed(declared: Declaration, raw: list[bytes]) -> dict[str, bytes]:
    """Columns named, target already last; numbers in their shortest form."""
    frame = _read(raw[0], **exact_numbers())
    frame.columns = [*declared.features, "target"]
    return {declared.file: _csv(frame)}


def tower(declared: Declaration, raw: list[bytes]) -> dict[str, bytes]:
    """The target, T, moved last; digits untouched."""
    return {declared.file: _csv(_columns(_read(raw[0], dtype=str), declared.features, "T"))}


def wind(declared: Declaration, raw: list[bytes]) -> dict[str, bytes]:
    """The paper's Wind file: columns by name, rows in time order; digits untouched."""
    frame = _read(raw[0], dtype=str)
    table = _columns(frame, declared.features, "MFA")
    if len(table) != declared.rows:
        raise ValueError(f"{declared.raw[0].name}: expected {declared.rows} rows; got {len(table)}")
    if not np.isfinite(table.astype(float)).all(axis=None):
        raise ValueError(f"{declared.raw[0].name}: expected finite numbers; got others")
    if "t" in frame and (np.diff(frame["t"].astype(float)) <= 0).any():
        raise ValueError(f"{declared.raw[0].name}: expected rows in time order; got times that do not increase")
    return {declared.file: _csv(table)}


def wind_rebuilt(declared: Declaration, raw: list[bytes]) -> dict[str, bytes]:
    """One 20 Hz record from two thinned ones: input gaps filled by PCHIP, target gaps by a cubic spline."""
    import pandas as pd
    from scipy.interpolate import CubicSpline, PchipInterpolator

    fore_aft, side = map(_samples, raw)
    inputs = pd.concat([fore_aft, side])[list(declared.features)]
    inputs = inputs[~inputs.index.duplicated()].sort_index()
    moment = fore_aft["MFA"]
    rows = pd.RangeIndex(1, SAMPLES + 1)
    table = pd.DataFrame(PchipInterpolator(inputs.index, inputs)(rows), columns=inputs.columns)
    table["target"] = np.clip(CubicSpline(moment.index, moment)(rows), moment.min(), moment.max())
    flags = pd.DataFrame(
        {
            "row": range(SAMPLES),
            "t": np.round(STEP * rows.to_numpy(), 2),
            "inputs_measured": rows.isin(inputs.index).astype(int),
            "target_measured": rows.isin(moment.index).astype(int),
        }
    )
    return {declared.file: _csv(table, float_format="%.12g"), "wind_flags.csv": _csv(flags)}


def untouched(declared: Declaration, raw: list[bytes]) -> dict[str, bytes]:
    """The authors' single file, unchanged."""
    return {declared.raw[0].name: raw[0]}


def _samples(content: bytes) -> pd.DataFrame:
    """A thinned record by sample number, without the sample at t = 0, which is a filter's wrap-around."""
    frame = _read(content, **exact_numbers()).rename(columns={"lambda": "TSR"})
    frame.index = np.round(frame["t"] / STEP).astype(int)
    return frame.loc[1:]


def _columns(frame: pd.DataFrame, features: tuple[str, ...], target: str) -> pd.DataFrame:
    """Inputs and target by name, the target last."""
    by_name = frame.rename(columns=str.lower)
    wanted = [name.lower() for name in (*features, target)]
    lacking = [name for name in wanted if name not in by_name.columns]
    if lacking:
        raise ValueError(f"expected columns {', '.join((*features, target))}; got none named {', '.join(lacking)}")
    return by_name[wanted].set_axis([*features, "target"], axis=1)


def _read(content: bytes, **options: Any) -> pd.DataFrame:
    """A table whose columns are separated by commas, or by tabs and blanks, even both in one header."""
    import pandas as pd

    header = content.partition(b"\n")[0]
    separator = "," if b"," in header else r"\s+"
    return pd.read_csv(io.BytesIO(content), sep=separator, **options)


def _csv(frame: pd.DataFrame, **options: Any) -> bytes:
    return frame.to_csv(index=False, lineterminator="\n", **options).encode()
