"""What a user gives to `fit`: rows, weights and standard errors, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from epsilex.data.checking import check_names, checked_weights, standard_errors
from epsilex.data.lazy import in_memory
from epsilex.data.rows import Rows
from epsilex.models.choice.rules import rule_of
from epsilex.programs.operators import TABLE


class Given(BaseEstimator):
    """The part of an estimator that checks what `fit` is given."""

    noise: Any
    constants: Any
    choose: str | Callable
    _names: Callable[[], list[str]]
    _continues: Callable[[], bool]

    def _in_memory(self, X: Any, y: Any, sample_weight: Any, seed: int) -> tuple[Any, Any, Any]:
        """The rows of a Dask dataframe that a fit keeps; other data as it is."""
        return in_memory(X, y, sample_weight, self.noise, seed)

    def _validated(self, X: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        X, y = validate_data(
            self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2, reset=not self._continues()
        )
        check_names(self._names())
        if taken := sorted({*self._names()} & {*(self.constants or {})}):
            raise ValueError(f"constants: expected names that are not columns; got {', '.join(map(repr, taken))}")
        if taken := sorted({row.symbol for row in TABLE} & {*(self.constants or {})}):
            raise ValueError(f"constants: expected names that are not functions; got {', '.join(map(repr, taken))}")
        return X, y.astype(np.float64), checked_weights(sample_weight, X)

    def _held_back(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[Rows, Rows | None]:
        """The distinct rows, and a quarter of them held back if the choice needs it."""
        rows = Rows.distinct(X, y, weight, standard_errors(self.noise, y))
        return rows.held_back() if rule_of(self.choose).holds_back else (rows, None)

    def _noise(self) -> str:
        """The noise by name: "given" if its standard errors are."""
        return self.noise if isinstance(self.noise, str) else "given"
