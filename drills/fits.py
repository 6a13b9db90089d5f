"""Small fits with known bits, for the drills that disturb them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd

ROWS = 60


def data(seed: int = 0, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Three features, and a target that no short formula fits exactly."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return X, X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.1 * rng.normal(size=rows)


def table(path: Path, seed: int = 0, rows: int = ROWS) -> Path:
    X, y = data(seed, rows)
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y}).to_csv(path, index=False)
    return path


def estimator(kind: str, **changes):
    """One of three estimators: the modern engine, the paper's, and that of time series."""
    from epsilex import DynamicRegressor, SymbolicRegressor

    make = {"modern": SymbolicRegressor, "paper": SymbolicRegressor.paper, "dynamic": DynamicRegressor}[kind]
    return make(**{"population_size": 100, "generations": 8, "time_limit": None, "random_state": 0} | changes)


def model_hash(est) -> str:
    """A hash of all models of the front, with all digits."""
    parts = [repr((m.nodes, m.feature_names)) for m in est.models_] + [repr(est.model_.nodes)]
    return _hash("\n".join(parts).encode())


def history_hash(est) -> str:
    """A hash of the history without its clock."""
    kept = [name for name in est.history_ if not name.startswith("seconds")]
    return _hash(est.history_[kept].to_csv(index=False).encode())


def search_hash(est) -> str:
    """A hash of all that a checkpoint holds, but for the clock."""
    found = est.search_
    arrays = {**found.state.population.arrays(), **{f"archive.{k}": v for k, v in found.archive.arrays().items()}}
    digest = hashlib.sha256(f"{found.state.generation} {found.state.evaluations}".encode())
    for name in sorted(arrays):
        digest.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()[:16]


def hashes(est) -> tuple[str, str, str]:
    return model_hash(est), history_hash(est), search_hash(est)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
