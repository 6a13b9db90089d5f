"""Tables from users' files, prepared for a fit or a prediction.

reading   CSV, TSV and Parquet files, gzipped or not, as columns by name
numbers   columns as numbers and as words: missing cells, decimal commas, durations
features  a table's features and target, with categories one-hot encoded; and the same features for a fitted model

A file that is not a table raises a ValueError that says what was expected, what came, and where.
"""

from epsilex.tables.features import Table, features_by_name, training_table
from epsilex.tables.reading import read_table

__all__ = ["Table", "features_by_name", "read_table", "training_table"]
