"""The engine's versions: each is raised whenever a golden fit of its kind, recorded in the tests, changes by a bit.

Results of different versions are never mixed: the version is part of the key of a stored trial. Searches with the
paper's settings use less of the engine than modern ones and change less often, so they have a version of their own.
"""

PAPER = 2
MODERN = 11
