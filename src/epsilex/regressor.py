"""The estimator: symbolic regression with scikit-learn's interface."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from epsilex.constraints import PARAMETERS, check
from epsilex.data.losses import POWERS, loss_function, power_of
from epsilex.data.rows import Rows, distinct_rows
from epsilex.data.scales import Scales, unscaled
from epsilex.data.shadow import FINAL_ROWS, ROWS, shadow_rows
from epsilex.evolution import Cases, Checkpoint, Search, Settings, Stop, continued, search
from epsilex.evolution.observers import settling
from epsilex.evolution.observers.checkpoint import exists, stored_population_size
from epsilex.evolution.observers.history import frame
from epsilex.evolution.observers.observer import Callback, Observer
from epsilex.evolution.observers.signals import interrupts
from epsilex.evolution.settings import population_for
from epsilex.models.answer import answer, with_uncertainty
from epsilex.models.choice.noise import one_sign, possible
from epsilex.models.choice.validation import LEAST, SHARE
from epsilex.models.choice.words import Choice
from epsilex.models.front import Scorer, front_frame, in_user_units
from epsilex.programs.fold import Node
from epsilex.programs.numeric import evaluate64

if TYPE_CHECKING:
    import pandas as pd

    from epsilex.models.model import Model

NEARLY = 1e-5  # of the target's mean deviation: largest error of a formula that is called exact
EXACT = 1e-6  # of the target's standard deviation: error of an exact formula in float32
SETTINGS = frozenset(Settings().get_params())
FLAT = ("selection", "loss", "operators", "max_length", "population_size")  # settings that are also parameters


class SymbolicRegressor(RegressorMixin, BaseEstimator):
    """Find a formula that fits data, by genetic programming with epsilon-lexicase selection.

    Parameters
    ----------
    selection : str, callable or Method, default="lex_e_mad(downsample=100)"
        The parent selection method, see `epsilex.selection`: its id, with options in brackets if any; or a
        function of (errors, n, rng) that returns the indices of `n` parents, with `errors` of shape
        (individuals, cases). The default draws 100 cases per generation; `"lex_e_mad"` uses all.
    time_limit : float or None, default=30
        Seconds after which the search stops; compiling, half a minute once per machine, is not counted. To repeat a
        search that the time limit ended, set `generations=est.n_generations_, time_limit=None` and the same
        `random_state`, and `population_size=est.settings_.population_size` if the limit was above 10 s.
    generations : int or None, default=None
        Generations after which the search stops.
    target_error : float, default=0
        Mean loss, in the target's units, at which the search stops.
    loss : {"mae", "mse", "huber"} or callable, default="mae"
        The loss to minimise: a function of (y, prediction) that gives the error of each case; the mean is the fitness.
        Your own function is compiled; write it for numbers or NumPy arrays.
    noise : {"auto", "additive", "relative"} or array of shape (rows,), default="auto"
        How measured targets scatter: by the same amount everywhere, by the same share of each value, or by known
        standard errors, one per row. It sets the weights of rows in the search, in tuning, in the choice and in the
        intervals. "auto" searches as for additive noise, and chooses under the noise that describes the data better.
    choose : {"description", "validation", "accuracy"} or callable, default="description"
        How `model_` is chosen from the front: by least description length (on few rows, ridge regression is chosen
        unless the formula beats it); by least loss on a quarter of the rows, held back from the search; by least loss
        on the training rows; or by a function of `front_` that returns a row's index.
    operators : sequence of str
        Names of the operators formulas are made of, see `epsilex.programs.operators`.
    max_length : int, default=50
        Greatest number of nodes.
    population_size : int
        Individuals in the population. Without it and without `settings`: 1000, and more where a `time_limit` of more
        than 10 s is the only limit, see `epsilex.evolution.settings.population_for`.
    settings : Settings, optional
        All other settings of the engine, see `epsilex.Settings`. `selection`, `loss`, `operators`, `max_length` and
        `population_size` are settings too: give them here or there. Without it, `Settings()`. In a grid search they are
        `settings__crossover` and the like.
    polish : bool
        Whether constants of the front are tuned once more in float64.
    n_jobs : int or None
        Threads. The result does not depend on it.
    random_state : int, RandomState instance or None
        The same number gives the same result, bit for bit.
    warm_start : bool
        Whether `fit` continues from the last population.
    progress : bool
        Whether a progress bar is shown.
    callbacks : sequence of callable
        Called with each `epsilex.evolution.State`; one that returns True stops the search.
    checkpoint : path, optional
        File that keeps the state of the search, written every `checkpoint_every` seconds; with `resume` a search
        continues from it.

    Attributes
    ----------
    model_ : Model
        The chosen model.
    choice_ : Choice
        Why this model: `text` in words, `odds`, `noise`, and `closest`, the formula that came next.
    front_ : DataFrame
        One row per model, by length.
    models_ : list of Model
        The models of the front.
    history_ : DataFrame
        One row per generation.
    n_generations_ : int
        Generations done.
    stopped_by_ : str
        "generations", "time", "target", "exact", "interpolation", "settled", "interrupt" or "callback". A search ends
        after a hundred generations with an exact formula: "exact" if the chosen formula is exact, "interpolation" if
        only long formulas pass through every row. On few rows, a search without a limit of generations also ends once
        it has long found nothing better: "settled".
    settings_ : Settings
        The settings of the search.

    Examples
    --------
    >>> import numpy as np
    >>> from epsilex import SymbolicRegressor
    >>> X = np.linspace(1, 3, 50).reshape(-1, 1)
    >>> est = SymbolicRegressor(generations=5, time_limit=None, random_state=0).fit(X, 2 * X[:, 0] + 1)
    >>> bool(est.score(X, 2 * X[:, 0] + 1) > 0.999)
    True
    """

    choice_: Choice
    model_: Model
    models_: list[Model]
    front_: pd.DataFrame
    history_: pd.DataFrame
    _preset: ClassVar[Callable[..., Settings]] = Settings

    def __init__(
        self,
        *,
        selection=None,
        time_limit=30.0,
        generations=None,
        target_error=0.0,
        loss=None,
        noise="auto",
        choose="description",
        operators=None,
        max_length=None,
        population_size=None,
        settings=None,
        polish=True,
        n_jobs=None,
        random_state=None,
        warm_start=False,
        progress=False,
        callbacks=(),
        checkpoint=None,
        checkpoint_every=30.0,
        resume=False,
    ):
        self.selection = selection
        self.time_limit = time_limit
        self.generations = generations
        self.target_error = target_error
        self.loss = loss
        self.noise = noise
        self.choose = choose
        self.operators = operators
        self.max_length = max_length
        self.population_size = population_size
        self.settings = settings
        self.polish = polish
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.progress = progress
        self.callbacks = callbacks
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    @classmethod
    def paper(cls, **changes):
        """An estimator with the settings of the paper's Table 1; any parameter may be overridden.

        The paper's best of run is the most accurate model on the training cases, without polished constants.
        """
        settings = Settings.paper(**{name: changes.pop(name) for name in list(changes) if name in SETTINGS})
        return cls(
            **{"generations": 1000, "time_limit": None, "choose": "accuracy", "polish": False} | changes,
            settings=settings,
        )

    def get_params(self, deep=True):
        """Parameters by name; with `deep` also the settings, as `settings__crossover`."""
        found = super().get_params(deep=False)
        if deep:
            own = self.settings if isinstance(self.settings, Settings) else self._preset()
            found |= {f"settings__{name}": value for name, value in own.get_params().items()}
        return found

    def set_params(self, **params):
        """Set parameters by name, settings by `settings__` and theirs; returns self."""
        nested = {name: params.pop(name) for name in list(params) if name.startswith("settings__")}
        super().set_params(**params)
        if nested:
            changes = {name.removeprefix("settings__"): value for name, value in nested.items()}
            self.settings = (self.settings or self._preset()).changed(**changes)
        return self

    def fit(self, X, y, sample_weight=None):
        """Search formulas for X (rows, features) and y (rows,).

        A row of weight 2 counts as two equal rows, and a row of weight 0 as none; the order of rows does not matter.
        """
        settings = self._settings()
        self._check_parameters(settings)
        X, y, weight = self._validated(X, y, sample_weight)
        train, validation = self._held_back(X, y, weight)
        modest = Scales.modest(train.X, train.y)
        if modest is not None:
            train = _scaled(train, modest)
            validation = None if validation is None else _scaled(validation, modest)
        units = self._units(train, settings)
        unit = units.y_scale * (1.0 if modest is None else modest.y_scale)
        zero = -units.y_shift / units.y_scale
        cases = self._cases(*units.apply(train.X, train.y), self._search_weight(train), zero, settings)
        target = self.target_error
        for _ in range(power_of(settings.loss)):
            target /= unit
        found = self._search(cases, settings, units, target)
        self._keep(found, settings, units, train, validation)
        self.history_[["best_mae", "median_mae"]] *= unit
        if modest is not None:
            self.models_ = [in_user_units(m, modest, power_of(settings.loss)) for m in self.models_]
            self._choose(int(self.front_["chosen"].argmax()))
        elif self.polish:
            self._know_uncertainty(train)
        return self

    def predict(self, X):
        """Values of `model_` on the rows of X, (rows,) float64."""
        check_is_fitted(self, "model_")
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.model_.predict(X)

    def take(self, *, length: int):
        """Choose the model of this length on the front; returns self."""
        check_is_fitted(self, "models_")
        lengths = [m.length for m in self.models_]
        if length not in lengths:
            raise ValueError(f"length: expected one of {', '.join(map(str, lengths))}; got {length}")
        self._choose(lengths.index(length))
        self.choice_ = Choice("It was taken by its length.", noise=self.choice_.noise)
        return self

    def plot_front(self):
        """The front, error against length: a matplotlib figure."""
        from epsilex.models.plots import plot_front

        check_is_fitted(self, "front_")
        return plot_front(self.front_)

    def plot_history(self):
        """Error, diversity, cases used and length over generations: a matplotlib figure."""
        from epsilex.models.plots import plot_history

        check_is_fitted(self, "history_")
        return plot_history(self.history_)

    def _check_parameters(self, settings: Settings) -> None:
        for name, constraint in PARAMETERS.items():
            check(name, getattr(self, name), constraint)

    def _validated(self, X, y, sample_weight) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        X, y = validate_data(
            self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2, reset=not self._continues()
        )
        _check_names(self._names())
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not weight.max() > 0:
            raise ValueError("sample_weight: expected at least one weight above 0; got all zero")
        if not 1e-100 < weight.max() < 1e100:
            weight = weight / weight.max()
        return X, y.astype(np.float64), weight

    def _standard_errors(self, y: np.ndarray) -> np.ndarray | None:
        """Standard errors of y, if given; a ValueError if the requested noise is impossible."""
        if not isinstance(self.noise, str):
            sigma = np.asarray(self.noise, np.float64)
            if sigma.shape != y.shape:
                raise ValueError(f"noise: expected one standard error per row, shape {y.shape}; got {sigma.shape}")
            bad = np.flatnonzero(~(np.isfinite(sigma) & (sigma > 0.0)))
            if len(bad):
                raise ValueError(
                    f"noise: expected standard errors above 0; got {sigma[bad[0]]} at row {bad[0]}, "
                    f"{len(bad)} of {len(y)} such"
                )
            return sigma
        if self.noise == "relative" and not one_sign(y):
            raise ValueError(
                f"noise: expected a target of one sign for relative noise; got values from {y.min():g} to {y.max():g}"
            )
        return None

    def _held_back(self, X, y, weight) -> tuple[Rows, Rows | None]:
        """The distinct rows, and a quarter of them held back if the choice needs it."""
        sigma = self._standard_errors(y)
        X, y, weight = distinct_rows(X if sigma is None else np.column_stack([X, sigma]), y, weight)
        rows = Rows(X, y, weight) if sigma is None else Rows(X[:, :-1], y, weight, X[:, -1])
        if self.choose != "validation" or len(y) < LEAST:
            return rows, None
        from sklearn.model_selection import train_test_split  # takes a tenth of a second to import

        first, second = train_test_split(np.arange(len(y)), test_size=SHARE, random_state=0)
        return rows.take(np.sort(first)), rows.take(np.sort(second))

    def _settings(self) -> Settings:
        """The settings, with those that were given as parameters, the population that fits the time, and the seed."""
        if not isinstance(self.settings, (Settings, NoneType)):
            raise ValueError(f"settings: expected a Settings, or None; got {self.settings!r}")
        own, preset = self.settings or self._preset(), self._preset()
        given = {name: getattr(self, name) for name in FLAT if getattr(self, name) is not None}
        for name in given:
            if getattr(own, name) != getattr(preset, name):
                raise ValueError(
                    f"{name}: expected it as a parameter or in settings; got {given[name]!r} and {getattr(own, name)!r}"
                )
        chosen = own.changed(**given)
        if self.settings is None and self.population_size is None:
            chosen = replace(chosen, population_size=self._population_size(chosen.population_size))
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        return replace(chosen, seed=self.settings_.seed if self._continues() else seed)

    def _population_size(self, usual: int) -> int:
        if self._continues():
            return self.settings_.population_size
        if (path := self._resumed()) is not None:
            return stored_population_size(path)
        only_time = self.generations is None and self.time_limit is not None
        return population_for(self.time_limit) if only_time else usual

    def _units(self, train: Rows, settings: Settings) -> Scales:
        return Scales.of(train.X, train.y, always=settings.scaling, free_target=settings.loss in POWERS)

    def _search_weight(self, train: Rows) -> np.ndarray:
        """Weights of the rows in the search, from what is known of their noise."""
        if train.sigma is not None:
            return train.weight * (train.sigma.min() / train.sigma) ** 2
        if isinstance(self.noise, str) and self.noise == "relative":
            return train.weight * (np.abs(train.y).min() / train.y) ** 2
        return train.weight

    def _cases(self, X, y, weight, zero: float, settings: Settings) -> Cases:
        shadow, more = (shadow_rows(X, settings.seed, n) if settings.shadow else None for n in (ROWS, FINAL_ROWS))
        n = settings.max_cases  # rows are ordered by hash, so the first ones are a random draw
        return Cases.from_arrays(X[:n], y[:n], weight[:n], settings.loss, shadow, more, zero)

    def _values(self, nodes: list[Node], X: np.ndarray) -> np.ndarray:
        """Outputs of a program in float64."""
        return evaluate64(nodes, X)

    def _continues(self) -> bool:
        return bool(self.warm_start) and hasattr(self, "search_")

    def _search(self, cases: Cases, settings: Settings, units: Scales, target: float) -> Search:
        n_jobs = effective_n_jobs(self.n_jobs or 1)
        begin = continued(self.search_, cases, settings, n_jobs) if self._continues() else None
        done = begin.state.generation if begin else 0
        generations = None if self.generations is None else self.generations + done
        exact = EXACT * float(cases.y.std()) if settings.scaling else -1.0
        stop = Stop(generations, self.time_limit, target, exact)
        checkpoint = Checkpoint(Path(self.checkpoint), self.checkpoint_every) if self.checkpoint is not None else None
        own: list[Observer] = [Callback(function) for function in self.callbacks]
        if (
            self.generations is None
            and self.choose == "description"
            and settings.scaling
            and len(cases) <= settling.ROWS
        ):
            own.append(settling.Settling(len(cases), len(settings.operators), max(exact, 1e-30)))
        with self._progress(stop, units) as bars, interrupts() as signals:
            return search(
                cases, settings, stop, n_jobs=n_jobs, observers=[*bars, *own, signals],
                checkpoint=checkpoint, resume=self._resumed(), begin=begin,
            )  # fmt: skip

    def _resumed(self) -> Path | None:
        """The checkpoint to resume from."""
        there = self.resume and self.checkpoint and exists(Path(self.checkpoint))
        return Path(self.checkpoint) if there else None

    def _progress(self, stop: Stop, units: Scales):
        from contextlib import nullcontext

        if not self.progress:
            return nullcontext(())
        from epsilex.evolution.observers.progress import progress_bar

        return progress_bar(stop, self._names(), units)

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _keep(self, found: Search, settings: Settings, units: Scales, train: Rows, validation: Rows | None) -> None:
        kept = [unscaled(nodes, units, *scaling) for nodes, *scaling in found.archive.programs_kept()]
        n = len(found.archive.front)
        shadow = shadow_rows(train.X, settings.seed, FINAL_ROWS) if settings.shadow else None
        noise = self.noise if isinstance(self.noise, str) else "given"
        scorer = Scorer(
            self._names(), loss_function(settings.loss), train, validation, shadow, self._values, noise,
            settings.operators,
        )  # fmt: skip
        told = answer(kept[:n], kept[n:], scorer, self.choose, self.polish, settings.max_length)
        self.models_, self.choice_ = told.models, told.choice
        self.settings_ = settings
        self.search_ = found
        exact = told.models[told.chosen].metrics["mae"] <= NEARLY * float(np.abs(train.y - train.y.mean()).mean())
        perfect = found.reason == "exact" or (found.reason == "target" and self.target_error == 0.0)
        self.stopped_by_ = "interpolation" if perfect and self.polish and not exact else found.reason
        self.n_generations_ = found.state.generation
        self.history_ = frame(found.rows)
        self._choose(told.chosen)

    def _know_uncertainty(self, rows: Rows) -> None:
        """Give the models the uncertainty of their constants from the user's own rows."""
        noises = possible(self.noise if isinstance(self.noise, str) else "given", rows)
        index = int(self.front_["chosen"].argmax())
        self.models_ = [with_uncertainty(m, rows, noises, self.choice_.noise) for m in self.models_]
        self._choose(index)

    def _choose(self, index: int) -> None:
        self.model_ = self.models_[index]
        self.front_ = front_frame(self.models_, index)

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + self._formula_in_html()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._formula_in_html()
        return bundle

    def _formula_in_html(self) -> str:
        return f"<p><code>{html.escape(self.model_.formula)}</code></p>" if hasattr(self, "model_") else ""


def _scaled(rows: Rows, units: Scales) -> Rows:
    sigma = None if rows.sigma is None else rows.sigma / units.y_scale
    return Rows(*units.apply(rows.X, rows.y), rows.weight, sigma)


def _check_names(names: Sequence[str]) -> None:
    """Check that names are unique, because formulas refer to features by name only."""
    repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise ValueError(f"X: expected columns of different names; got {', '.join(map(repr, repeated))} more than once")
