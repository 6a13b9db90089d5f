"""The estimator: symbolic regression with scikit-learn's interface."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from epsilex.constraints import CONSTRAINTS, check
from epsilex.data.losses import POWERS, loss_function
from epsilex.data.rows import Rows, distinct_rows
from epsilex.data.scales import Scales, unscaled
from epsilex.data.shadow import FINAL_ROWS, ROWS, shadow_rows
from epsilex.evolution import Cases, Checkpoint, Search, Settings, Stop, continued, search
from epsilex.evolution.observers import settling
from epsilex.evolution.observers.checkpoint import exists, stored_population_size
from epsilex.evolution.observers.history import frame
from epsilex.evolution.observers.observer import Callback, Observer
from epsilex.evolution.observers.signals import interrupts
from epsilex.evolution.settings import MODERN_MUTATIONS, MODERN_VARIATIONS, population_for
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
SETTINGS = tuple(f.name for f in dataclasses.fields(Settings) if f.name != "seed")


class SymbolicRegressor(RegressorMixin, BaseEstimator):
    """Find a formula that fits data, by genetic programming with epsilon-lexicase selection.

    Parameters
    ----------
    selection : str or callable, default="lex_e_mad(downsample=100)"
        The parent selection method, see `epsilex.selection`: its id, with options in brackets if any; or a
        function of (errors, n, rng) that returns the indices of `n` parents, with `errors` of shape
        (individuals, cases). The default draws 100 cases per generation; `"lex_e_mad"` uses all.
    selection_options : mapping, optional
        Further options of that method, such as `{"pool_size": 100}`.
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
    max_length, min_length : int
        Limits of the number of nodes; `min_length` holds for the random start only.
    population_size : int, default=None
        Individuals in the population. None: 1000, and more if a `time_limit` of more than 10 s is the only limit,
        see `epsilex.evolution.settings.population_for`.
    constant_range, constant_share : pair of float, float
        Range of random constants, and their share of the random leaves.
    coefficients : bool
        Whether every feature leaf carries a coefficient.
    scaling : bool
        Whether outputs are scaled linearly to the target.
    limit_outputs : bool
        Whether infinite outputs become the largest float, as in the paper's program.
    short_share : float
        Share of the children that come from short parents and stay short, see
        `epsilex.evolution.variation.niches`.
    crossover, mutations, point_rate, redraw, min_child_length, retries, subtree_size
        Variation: the share of pairs that cross over; weights of the mutations "point", "subtree", "insertion",
        "deletion", "constants"; probability per node of a point mutation (0: one node); whether it may draw the current
        symbol again; minimal length of a child; retries for a child that is too long or too short; maximal length of a
        new random subtree.
    variations : mapping, optional
        Shares of the children by the name of a further variation, see `epsilex.evolution.variation`. None:
        `{"grafts": 0.2}`, children with an added term fitted to the residual of their parent.
    tuning, tuning_share, tuning_steps, tuning_cases
        Constants: "levenberg_marquardt" on a share of the children, with some of the cases, "hill_climbing" as in the
        paper, or "none".
    survival : {"pareto", "generational", "age_fitness"}
        The best of parents and children by non-dominated fronts of fitness and length; the children; or the best of
        parents, children and a newcomer by age and fitness, which the selection method "afp" needs.
    max_cases : int or None
        Rows the search sees, drawn at random if there are more; the front is scored on all rows.
    shadow : bool
        Whether programs count as less fit if they are undefined or far outside the target's range on plausible rows
        that the data does not have; see `epsilex.data.shadow`.
    planters : sequence of str
        Which planters seed up to a tenth of the first population with fitted simple formulas, see `epsilex.planting`;
        `()` for none.
    elitism : bool
        Whether the best individual survives a generational replacement.
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
    _none_means: ClassVar[dict[str, dict]] = {"mutations": MODERN_MUTATIONS, "variations": MODERN_VARIATIONS}

    def __init__(
        self,
        *,
        selection=Settings.selection,
        selection_options=None,
        time_limit=30.0,
        generations=None,
        target_error=0.0,
        loss=Settings.loss,
        noise="auto",
        choose="description",
        operators=Settings.operators,
        max_length=Settings.max_length,
        min_length=Settings.min_length,
        population_size=None,
        constant_range=Settings.constant_range,
        constant_share=Settings.constant_share,
        coefficients=Settings.coefficients,
        scaling=Settings.scaling,
        limit_outputs=Settings.limit_outputs,
        short_share=Settings.short_share,
        crossover=Settings.crossover,
        mutations=None,
        point_rate=Settings.point_rate,
        redraw=Settings.redraw,
        min_child_length=Settings.min_child_length,
        retries=Settings.retries,
        subtree_size=Settings.subtree_size,
        variations=None,
        tuning=Settings.tuning,
        tuning_share=Settings.tuning_share,
        tuning_steps=Settings.tuning_steps,
        tuning_cases=Settings.tuning_cases,
        survival=Settings.survival,
        max_cases=Settings.max_cases,
        shadow=Settings.shadow,
        planters=Settings.planters,
        elitism=Settings.elitism,
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
        self.selection_options = selection_options
        self.time_limit = time_limit
        self.generations = generations
        self.target_error = target_error
        self.loss = loss
        self.noise = noise
        self.choose = choose
        self.operators = operators
        self.max_length = max_length
        self.min_length = min_length
        self.population_size = population_size
        self.constant_range = constant_range
        self.constant_share = constant_share
        self.coefficients = coefficients
        self.scaling = scaling
        self.limit_outputs = limit_outputs
        self.short_share = short_share
        self.crossover = crossover
        self.mutations = mutations
        self.point_rate = point_rate
        self.redraw = redraw
        self.min_child_length = min_child_length
        self.retries = retries
        self.subtree_size = subtree_size
        self.variations = variations
        self.tuning = tuning
        self.tuning_share = tuning_share
        self.tuning_steps = tuning_steps
        self.tuning_cases = tuning_cases
        self.survival = survival
        self.max_cases = max_cases
        self.shadow = shadow
        self.planters = planters
        self.elitism = elitism
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
        asked = {name: value for name, value in changes.items() if name in SETTINGS and value is not None}
        table = {name: value for name, value in vars(Settings.paper(**asked)).items() if name != "seed"}
        changes = {name: value for name, value in changes.items() if name not in asked}
        rest = {"generations": 1000, "time_limit": None, "choose": "accuracy", "polish": False}
        return cls(**{**table, **rest, **changes})

    def fit(self, X, y, sample_weight=None):
        """Search formulas for X (rows, features) and y (rows,).

        A row of weight 2 counts as two equal rows, and a row of weight 0 as none; the order of rows does not matter.
        """
        self._check_parameters()
        X, y, weight = self._validated(X, y, sample_weight)
        train, validation = self._held_back(X, y, weight)
        modest = Scales.modest(train.X, train.y)
        if modest is not None:
            train = _scaled(train, modest)
            validation = None if validation is None else _scaled(validation, modest)
        settings = self._settings()
        units = self._units(train)
        unit = units.y_scale * (1.0 if modest is None else modest.y_scale)
        zero = -units.y_shift / units.y_scale
        cases = self._cases(*units.apply(train.X, train.y), self._search_weight(train), zero, settings)
        target = self.target_error
        for _ in range(POWERS.get(self.loss, 1)):
            target /= unit
        found = self._search(cases, settings, units, target)
        self._keep(found, settings, units, train, validation)
        self.history_[["best_mae", "median_mae"]] *= unit
        if modest is not None:
            self.models_ = [in_user_units(m, modest, POWERS.get(self.loss, 1)) for m in self.models_]
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

    def _check_parameters(self) -> None:
        for name, constraint in CONSTRAINTS.items():
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
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if self._continues():
            seed = self.settings_.seed
        chosen = {name: getattr(self, name) for name in SETTINGS}
        chosen |= {"population_size": self._population_size(), "selection_options": self.selection_options or {}}
        chosen |= {name: dict(value) for name, value in self._none_means.items() if chosen[name] is None}
        return Settings(**chosen, seed=seed)

    def _population_size(self) -> int:
        if self.population_size is not None:
            return self.population_size
        if self._continues():
            return self.settings_.population_size
        if (path := self._resumed()) is not None:
            return stored_population_size(path)
        only_time = self.generations is None and self.time_limit is not None
        return population_for(self.time_limit) if only_time else Settings.population_size

    def _units(self, train: Rows) -> Scales:
        return Scales.of(train.X, train.y, always=self.scaling, free_target=self.loss in POWERS)

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
        return Cases.from_arrays(X[:n], y[:n], weight[:n], self.loss, shadow, more, zero)

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
        exact = EXACT * float(cases.y.std()) if self.scaling else -1.0
        stop = Stop(generations, self.time_limit, target, exact)
        checkpoint = Checkpoint(Path(self.checkpoint), self.checkpoint_every) if self.checkpoint is not None else None
        own: list[Observer] = [Callback(function) for function in self.callbacks]
        if self.generations is None and self.choose == "description" and self.scaling and len(cases) <= settling.ROWS:
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
            self._names(), loss_function(self.loss), train, validation, shadow, self._values, noise,
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
