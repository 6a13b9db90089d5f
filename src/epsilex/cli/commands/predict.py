"""`epsilex predict`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epsilex.cli.fit_options import JSON, READING
from epsilex.cli.options import argument, option, with_options

ARGUMENTS = (
    argument("model", Path, "model.json of a fit, or the folder of a fit."),
    argument("data", Path, "Table with the columns of the formula, in any order."),
)
PREDICT = (
    option("out", Path, "CSV file to write.", metavar="FILE", show_default="standard output"),
    option("length", int, "Length of another model of the fit."),
    option("keep", str, "Columns to write beside the predictions, such as id,date.", metavar="COLUMNS"),
    option("interval", float, "Probability, such as 0.95, of an interval for new measurements."),
    option("target", str, "Column to compare with; the error is reported.", metavar="COLUMN"),
    *READING,
    JSON,
)


def predict(model: Path, data: Path, **asked: Any) -> None:
    """Predict with a fitted model, row by row."""
    from epsilex.cli import predicting
    from epsilex.cli.words import quoted
    from epsilex.tables import read_as_written, read_with_notes

    predicting.check_out(asked["out"], model, data)
    m = predicting.model_at(model, asked["length"])
    reading = (asked["encoding"], asked["sheet"])
    frame, notes = read_with_notes(data, *reading)
    kept = None
    if asked["keep"] is not None:
        kept = predicting.kept_columns(read_as_written(data, *reading), quoted(asked["keep"]))
    predicting.predict(m, frame, notes, asked["out"], kept, asked["interval"], asked["target"], asked["json"])


with_options(predict, ARGUMENTS, PREDICT)
