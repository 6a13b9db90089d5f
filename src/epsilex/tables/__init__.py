"""Tables from users' files, prepared for a fit or a prediction.

reading     CSV, TSV, Excel and Parquet files as columns by name
parquet     some rows of a large Parquet file
decoding    bytes as text, whatever their encoding
lines       text as lines of cells: comments, titles, delimiter
names       names of columns
excel       the cells of a sheet
notation    numbers as people write them: decimal commas, thousands, units, clock times
numbers     columns as numbers and as words: missing cells, durations
timestamps  time stamps as features
features    a table's features and target, with categories one-hot encoded; and the same features for a fitted model
splitting   rows held back from a search

A file that is not a table raises a ValueError that says what was expected, what came, and where.
"""

from epsilex.tables.features import Table, features_by_name, positive_column, training_table
from epsilex.tables.reading import read_as_written, read_table, read_with_notes

__all__ = [
    "Table",
    "features_by_name",
    "positive_column",
    "read_as_written",
    "read_table",
    "read_with_notes",
    "training_table",
]
