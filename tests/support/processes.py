"""Fresh processes that find the package and the tests' own modules."""

from __future__ import annotations

import os

from places import SOURCE, SUPPORT


def environment(**changes):
    """The environment of a fresh process; a change to None takes a variable away."""
    paths = [str(SOURCE), str(SUPPORT), os.environ.get("PYTHONPATH")]
    changes = {"PYTHONPATH": os.pathsep.join(filter(None, paths))} | changes
    return {name: value for name, value in (os.environ | changes).items() if value is not None}
