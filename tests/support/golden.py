"""Golden fits: hashes of everything a few small searches leave behind.

`python tests/support/golden.py` records them anew. Where a hash changes, the version in `epsilex.evolution.engine` is
raised, PAPER for fits whose name begins so and MODERN for the others, and the hashes are recorded with it, unless only
the text of a formula changed: then the hashes alone are recorded. Bits depend on the processor and on Numba, so hashes
hold only where both are the same; the file keeps those of several machines, the last recorded first.
"""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

from epsilex import DynamicRegressor, SymbolicRegressor, selection
from epsilex.evolution import engine

FILE = Path(__file__).with_name("golden.json")
ENGINES = {"paper": engine.PAPER, "modern": engine.MODERN}
SMALL = {"population_size": 100, "max_length": 25, "generations": 8, "time_limit": None, "random_state": 3}
_rng = np.random.default_rng(11)
X = _rng.uniform(0.05, 6.05, (120, 3))
Y = 10.0 / (5.0 + ((X - 3.0) ** 2).sum(axis=1)) + 0.01 * _rng.normal(size=120)

# Methods beyond these use NumPy's matrix products, whose bits depend on more than processor and Numba.
RECORDED = selection.METHODS[:10]
FITS = {f"paper {id}": lambda id=id: SymbolicRegressor.paper(selection=id, **SMALL) for id in RECORDED} | {
    "default": lambda: SymbolicRegressor(**SMALL),
    "dynamic": lambda: DynamicRegressor(**SMALL),
    "paper dynamic": lambda: DynamicRegressor.paper(selection="lex_e_mad", **SMALL),
}


def machine() -> dict[str, str]:
    """What bits depend on."""
    from llvmlite.binding import get_host_cpu_name

    return {"processor": get_host_cpu_name(), "numba": version("numba")}


def record_of(kind: str) -> dict[str, str] | None:
    """The hashes of this machine with the present version of an engine, by fit; None if there are none."""
    for record in json.loads(FILE.read_text()):
        if record["machine"] == machine() and record["engines"][kind] == ENGINES[kind]:
            return record["fits"]
    return None


def recorded_here() -> bool:
    """Whether this is the machine of the last record, where the outputs in the docs were made, too."""
    return json.loads(FILE.read_text())[0]["machine"] == machine()


def bits(est) -> str:
    """A hash of the last population, the history without its seconds, and the chosen formula."""
    digest = hashlib.sha256()
    for array in est.search_.state.population.arrays().values():
        digest.update(np.ascontiguousarray(array).tobytes())
    history = est.history_[[name for name in est.history_.columns if not name.startswith("seconds")]]
    digest.update(history.to_numpy(np.float64).tobytes())
    digest.update(est.model_.formula.encode())
    return digest.hexdigest()[:16]


def kind_of(name: str) -> str:
    """The engine of a fit."""
    return "paper" if name.startswith("paper") else "modern"


def fitted(name: str) -> str:
    return bits(FITS[name]().fit(X, Y))


if __name__ == "__main__":
    found = {"machine": machine(), "engines": ENGINES, "fits": {name: fitted(name) for name in FITS}}
    others = [record for record in json.loads(FILE.read_text()) if record["machine"] != machine()]
    FILE.write_text(json.dumps([found, *others], indent=1) + "\n")
    print(json.dumps(found, indent=1))
