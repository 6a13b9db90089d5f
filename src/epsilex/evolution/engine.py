"""The engine's version: raised whenever the golden trials of the tests change by a bit.

Results of different versions are never mixed: the version is part of the key of a stored trial.
"""

ENGINE = 3
