"""A fitted model: a formula, its feature names, and the operations on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.data.scales import size
from epsilex.models.own_constants import OwnConstants, grouped_source, own_table
from epsilex.models.uncertainty import Uncertainty, band, rounded
from epsilex.programs import export
from epsilex.programs.constants import named_number
from epsilex.programs.fold import Node
from epsilex.programs.formula import quoted, text
from epsilex.programs.length import length
from epsilex.programs.numeric import evaluate64

if TYPE_CHECKING:
    import pandas as pd

    from epsilex.models.formed import Inside

DIGITS = 6  # of the constants in `formula`, at most
LEVEL = 0.95  # of the intervals in `constants`


@dataclass(frozen=True, slots=True, repr=False)
class Model:
    """A formula over named features.

    nodes          the program in postfix order, float64 constants
    feature_names  one name per column of X
    metrics        measured when it was fitted, such as `mae` and `r2` on the training rows
    uncertainty    of its constants, None if unknown
    labels         names of constants by node, of a formula in which a person named them
    named          the user's constants by name; beside them fractions, pi and e are written as such. None: all numbers
                   are written as decimals
    units          units of constants by node, if the units of the columns were given
    form           what fills the form that was given; None: no form was
    own            constants with one value per group of rows, which nodes refer to as columns after the features; None
                   if all constants are shared
    """

    nodes: tuple[Node, ...]
    feature_names: tuple[str, ...]
    metrics: dict[str, float] = field(default_factory=dict)
    uncertainty: Uncertainty | None = field(default=None, compare=False)
    labels: dict[int, str] = field(default_factory=dict, compare=False)
    named: dict[str, float] | None = field(default_factory=dict, compare=False)
    units: dict[int, str] = field(default_factory=dict, compare=False)
    form: Inside | None = field(default=None, compare=False)
    own: OwnConstants | None = field(default=None, compare=False)

    @classmethod
    def from_formula(cls, formula: str, X, y, *, noise="auto", sample_weight=None) -> Model:
        """The model of a person's own formula, its constants tuned to the data.

        Names that are not columns of X are constants: they are tuned by least squares, the same way on every run.
        Numbers stay as they are written.

        Parameters
        ----------
        formula : str
            Such as ``a*x^2/(1 + b*y)``, with the functions of `epsilex.programs.operators`. A column whose name is not
            an identifier is written in backticks.
        X : DataFrame, or array of shape (rows, features)
            The features; columns of an array are called x0, x1, ...
        y : array of shape (rows,)
            The target.
        noise : {"auto", "additive", "relative"} or array of shape (rows,)
            How the target scatters, as in `SymbolicRegressor`.
        sample_weight : array of shape (rows,), optional
            Weights of the rows.

        Examples
        --------
        >>> import numpy as np
        >>> from epsilex import Model
        >>> X = np.linspace(0, 5, 30).reshape(-1, 1)
        >>> m = Model.from_formula("a*exp(-k*x0)", X, 3 * np.exp(-0.7 * X[:, 0]))
        >>> {name: round(value, 6) for name, value in m.constants.set_index("name")["value"].items()}
        {'a': 3.0, 'k': 0.7}
        """
        from epsilex.models.own import own_model

        return own_model(formula, X, y, noise, sample_weight)

    @property
    def length(self) -> int:
        """Number of nodes of the formula as it is printed; see `epsilex.programs.length`."""
        return length(self.nodes)

    @property
    def formula(self) -> str:
        """Readable text; constants have as many digits as their uncertainty warrants, at most six, or a name."""
        return self._bare(text(self._rounded(), self.column_names, DIGITS, self.named))

    @property
    def functions(self) -> dict[str, str]:
        """The unknown functions of the form by name, as readable text; empty without a form."""
        if self.form is None:
            return {}
        inner = self.form.rounded(self.nodes, self._rounded())
        return {name: text(nodes, names, DIGITS, self.named) for name, (names, nodes) in inner.items()}

    @property
    def definitions(self) -> list[str]:
        """The unknown functions and constants of the form as they are defined: `f(x) = x^2`, `c = 2`."""
        if self.form is None:
            return []
        words = self.functions
        found = [
            f"{name}({', '.join(map(quoted, names))}) = {words[name]}"
            for name, (names, _) in self.form.functions.items()
        ]
        return found + [f"{name} = {value:.{DIGITS}g}" for name, value in self.form.constants.items()]

    def text(self, digits: int | None = None, named: bool = False) -> str:
        """Formula text with this many significant digits, by default all; with `named` numbers go by their names."""
        return self._bare(text(self.nodes, self.column_names, digits, self.named if named else None))

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of all columns that nodes refer to: the features, and own constants as `a[sample]`."""
        return self.feature_names if self.own is None else (*self.feature_names, *self.own.shown)

    def _bare(self, formula: str) -> str:
        """The formula with own constants written `a[sample]`, without backticks."""
        for name in self.own.shown if self.own is not None else ():
            formula = formula.replace(quoted(name), name)
        return formula

    def group(self, label: object) -> Model:
        """The model of one group of rows: its own constants are numbers of the formula."""
        if self.own is None:
            raise ValueError(f"label: expected a model with constants of groups; got {label!r} for one without")
        return self._of(self.own.index(label), self.own)

    def _of(self, index: int, own: OwnConstants) -> Model:
        nodes = own.inserted(self.nodes, len(self.feature_names), index)
        names = {k: own.names[j - len(self.feature_names)] for k, (code, j, _) in enumerate(self.nodes)
                 if code == 1 and j >= len(self.feature_names)}  # fmt: skip
        return replace(self, nodes=nodes, uncertainty=own.known[index], labels=names, own=None)

    def adapted(self, X, y) -> Model:
        """The model with the constants of further groups, tuned to their rows; all else stays.

        X is a DataFrame with the column of groups. A group that is known already gets new constants.
        """
        from epsilex.models.grouped.adapting import adapted

        return adapted(self, X, y)

    def _rounded(self) -> list[Node]:
        taken = frozenset(self.feature_names)

        def exact(value: float) -> bool:
            return self.named is not None and named_number(value, self.named, taken) is not None

        return rounded(self.nodes, self.uncertainty, DIGITS, exact)

    def predict(self, X, interval: float | None = None):
        """Values of the formula on the rows of X, (rows,) float64; NaN or infinite where it is undefined.

        With an `interval` such as 0.95, returns (prediction, low, high): a new measurement lies between low and high
        with this probability. Columns of a DataFrame are found by name, those of an array by position.
        """
        if self.own is not None:
            return self._by_group(X, interval, self.own)
        X = self._columns(X)
        prediction = evaluate64(self.nodes, X)
        if interval is None:
            return prediction
        if not isinstance(interval, (int, float)) or not 0.0 < interval < 1.0:
            raise ValueError(f"interval: expected a number between 0 and 1; got {interval!r}")
        known = self._known()
        if known.freedom < 1:
            raise ValueError(
                f"interval: expected a model of more rows than constants; it has {len(known.fitted)} constants of "
                f"{known.freedom + len(known.fitted)} rows"
            )
        return (prediction, *band(self.nodes, X, known, float(interval)))

    def _by_group(self, X, interval: float | None, own: OwnConstants):
        """As `predict`: the rows of each group by its own model."""
        code, X = own.codes(X), self._columns(X)
        result = np.full((1 if interval is None else 3, len(X)), np.nan)
        for index in np.unique(code):
            rows = code == index
            result[:, rows] = self._of(int(index), own).predict(X[rows], interval)
        return result[0] if interval is None else tuple(result)

    @property
    def constants(self) -> pd.DataFrame:
        """One row per constant: value, standard_error, low and high of its 95% interval, name, and its unit if units
        were given; with groups also `group`, empty for a constant that they share.

        The standard error of a whole number or simple fraction is the one it would have if it were fitted as well.
        """
        import pandas as pd

        if self.own is not None:
            return own_table(self, self.own)
        known = self._known()
        values = np.array([self.nodes[k][2] for k in known.places])
        errors = known.errors if known.freedom > 0 else np.full(len(values), np.nan)
        half = known.quantile(LEVEL) * errors
        columns = {"value": values, "standard_error": errors, "low": values - half, "high": values + half}
        names = [self.labels.get(k, f"c{i}") for i, k in enumerate(known.places)]
        units = {"unit": [self.units.get(k, "1") for k in known.places]} if self.units else {}
        return pd.DataFrame(columns | {"name": names} | units)

    def _known(self) -> Uncertainty:
        if self.uncertainty is None:
            raise ValueError("model: expected one fitted to data; of this one the constants' uncertainty is not known")
        return self.uncertainty

    def _columns(self, X) -> np.ndarray:
        names = getattr(X, "columns", None)
        if names is not None and all(isinstance(name, str) for name in names):
            known = set(names)
            missing = [name for name in self.feature_names if name not in known]
            if missing:
                raise ValueError(f"X: expected a column for each feature; {', '.join(map(repr, missing))} missing")
            X = X[list(self.feature_names)]
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != len(self.feature_names):
            raise ValueError(f"X: expected shape (rows, {len(self.feature_names)}); got {X.shape}")
        return X

    def sympy(self):
        """The formula as a SymPy expression."""
        return export.sympy_expression(self.nodes, self.column_names)

    def latex(self, digits: int | None = 4) -> str:
        """The formula in LaTeX; with all digits, and without names of numbers, if `digits` is None."""
        return export.latex(self.nodes, self.column_names, digits, None if digits is None else self.named)

    def python(self) -> str:
        """Source of a Python module with one function, `predict(X)`, that needs only NumPy; of a model with constants
        of groups `predict(X, groups)`, with the label of each row's group."""
        if self.own is not None:
            return grouped_source(self.nodes, self.feature_names, self.own)
        return export.python_source(self.nodes, self.feature_names)

    def _one_group(self) -> Model:
        """Itself, if it has no constants of groups."""
        if self.own is not None:
            raise ValueError(
                "model: expected the formula of one group, such as model.group(label), for this notation; this one "
                f"has constants of {len(self.own.labels)} groups"
            )
        return self

    def c(self) -> str:
        """Source of a C99 function, `double predict(const double *x)`."""
        return export.c_source(self._one_group().nodes, self.feature_names)

    def source(self, language: str) -> str:
        """Source of a function `predict` of the columns it uses: "julia", "r", "matlab", "fortran", "rust" or
        "javascript"."""
        from epsilex.programs.export.languages import language_source

        return language_source(self._one_group().nodes, language, self.feature_names)

    def excel(self, cells: Sequence[str] | None = None) -> str:
        """A formula for a spreadsheet over cells, one per feature; by default A2, B2, ..."""
        from epsilex.programs.export.excel import excel

        return excel(self._one_group().nodes, cells)

    def unicode(self, digits: int | None = 4) -> str:
        """Text with superscripts and Greek letters, for reading only."""
        from epsilex.programs.export.unicode import unicode

        return unicode(self.nodes, self.column_names, digits, None if digits is None else self.named)

    def mathml(self, digits: int = 4) -> str:
        """The formula in MathML: `<math>` elements between which a line may break; digits as in `formula`."""
        from epsilex.programs.export.mathml import mathml

        return str(mathml(self._rounded(), self.column_names, digits, self.named))

    def torch(self):
        """A `torch.nn.Module` whose parameter `constants` can be trained; it needs PyTorch."""
        from epsilex.programs.export.modules import torch_module

        return torch_module(self._one_group().nodes)

    def jax(self):
        """A function of (constants, X) for JAX, and the constants; it needs JAX."""
        from epsilex.programs.export.modules import jax_function

        return jax_function(self._one_group().nodes)

    def importance(self, X, n_repeats: int = 10, random_state: int = 0) -> dict[str, float]:
        """How much the predictions change when one feature is shuffled: mean absolute change over their mean absolute
        deviation.

        0 for a feature the formula does not use; the values do not add up to 1.
        """
        X = self._columns(X) if self.own is None else np.column_stack([self._columns(X), self.own.of_rows(X)])
        base = evaluate64(self.nodes, X)
        unit = size(base)
        base = base / unit
        finite = base[np.isfinite(base)]
        spread = np.abs(finite - finite.mean()).mean() if len(finite) else 0.0
        used = {feature for code, feature, _ in self.nodes if code == 1}
        rng = np.random.default_rng(random_state)
        result = {}
        for j, name in enumerate(self.feature_names):
            change = 0.0
            for _ in range(n_repeats if j in used else 0):
                shuffled = X.copy()
                shuffled[:, j] = rng.permutation(X[:, j])
                with np.errstate(all="ignore"):  # infinities, which do not count
                    moved = np.abs(evaluate64(self.nodes, shuffled) / unit - base)
                change += float(moved[np.isfinite(moved)].mean()) if np.isfinite(moved).any() else 0.0
            result[name] = change / n_repeats / spread if spread > 0 else 0.0
        return result

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        from epsilex.models.persistence import save_model

        save_model(self, path)

    def plot(self, X, y):
        """Predictions against targets, and residuals: a matplotlib figure."""
        from epsilex.models.plots import plot_fit

        return plot_fit(self, X, y)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def __str__(self) -> str:
        return self.formula

    def __repr__(self) -> str:
        return f"Model({self.formula!r})"


def model(nodes: Sequence[Node], feature_names: Sequence[str], **metrics: Any) -> Model:
    """A `Model` from any sequences."""
    return Model(tuple((int(o), int(f), float(c)) for o, f, c in nodes), tuple(feature_names), metrics)
