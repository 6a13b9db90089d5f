"""The estimator: symbolic regression with scikit-learn's interface."""

from __future__ import annotations

import time

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from epsilex.data.groups import separated
from epsilex.data.losses import POWERS, power_of, scaled_loss
from epsilex.data.noise import possible, search_weight
from epsilex.data.rows import Rows
from epsilex.data.scales import Scales
from epsilex.data.shadow import FINAL_ROWS, ROWS, shadow_rows
from epsilex.dimensions import knowledge
from epsilex.dimensions.carried import units_by_name
from epsilex.dimensions.units import from_header
from epsilex.evolution import Cases, Settings, rehearse
from epsilex.evolution.measuring.redrawing import from_rows
from epsilex.fitted import Fitted
from epsilex.forms.knowledge import outline_of
from epsilex.given import Given
from epsilex.grouping import grouping_of
from epsilex.interrupts import interruptible
from epsilex.knowing import Known, Task
from epsilex.models.own import tuned_guesses
from epsilex.models.rescaled import in_user_units
from epsilex.parameters import SETTINGS
from epsilex.programs.fold import Node
from epsilex.programs.numeric import evaluate64
from epsilex.searching import Searching
from epsilex.shapes.knowledge import shapes_of


class SymbolicRegressor(RegressorMixin, Fitted, Given, Searching):
    """Find a formula that fits data, by genetic programming with epsilon-lexicase selection.

    Parameters
    ----------
    selection : str, callable or Method, default="lex_e_mad(downsample=100)"
        The parent selection method, see `epsilex.selection`: its id, with options in brackets if any; or a
        function of (errors, n, rng) that returns the indices of `n` parents, with `errors` of shape
        (individuals, cases). The default draws 100 cases per generation; `"lex_e_mad"` uses all.
    time_limit : float or None, default=30
        Seconds of a fit: the search stops so early that the choice is made when they are over, or about a second (5%)
        later; long formulas on a slow processor may take a few more. Compiling, half a minute once per machine, is not
        counted. To repeat a search that the time limit ended, set `generations=est.n_generations_, time_limit=None` and
        the same `random_state`, and `population_size=est.settings_.population_size` if the limit was above 10 s.
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
    constants : dict or False, optional
        Constants of your own by name, such as `{"g": 9.81, "R": 8.314}`. Where the data allows, fitted numbers are
        replaced by a simple fraction times or over one of these, pi, e or a root, and written so: `n*R*T/V`. False
        leaves all numbers as they were fitted.
    operators : sequence of str
        Names or symbols of the operators formulas are made of, such as `["+", "-", "*", "/", "^", "sin"]`, see
        `epsilex.programs.operators`.
    max_length : int, default=50
        Greatest number of nodes.
    population_size : int
        Individuals in the population. Without it and without `settings`: 1000, and more where a `time_limit` of more
        than 10 s is the only limit, see `epsilex.evolution.settings.population_for`.
    settings : Settings, optional
        All other settings of the engine, see `epsilex.Settings`. `selection`, `loss`, `operators`, `max_length` and
        `population_size` are settings too: give them here or there. Without it, `Settings()`. In a grid search they are
        `settings__crossover` and the like.
    guesses : sequence of str, default=()
        Formulas that may be right, such as `"a*exp(-b*t) + c"`. Names that are not columns are constants, which are
        tuned. The first population begins with them, and they compete for a place on the front.
    form : str or Form, default=None
        A formula with unknown functions, such as `"f(x, z)*exp(-g(t)) + c"`: the functions are searched, and names that
        are not columns are constants, which are tuned. `d(f, x)` is a derivative. An `epsilex.Form` also limits the
        length and operators of each function. `model_.functions` shows what was found.
    units : mapping of str to str, or "header", default=None
        The unit of each column, such as `{"m": "kg", "v": "m/s"}`, "1" for a pure number; or "header" for names such as
        `v [m/s]`. Only formulas of consistent dimensions are searched, and only such are on the front.
    target_unit : str, default=None
        The unit of the target; with `units="header"` it may be in the name of y.
    constant_units : {"none", "overall", "any"}, default="none"
        Which constants may carry units: none; the factor and offset of the whole formula; or any.
    constraints : sequence of str, default=()
        What is known of the formula f: `"increasing in T"`, `"decreasing in T"`, `"convex in x"`, `"concave in x"`,
        `"f >= 0"`, `"f <= 100"`, `"f(x=0) = 0"`. The front has only formulas that satisfy all; its column `shape` says
        whether that is proven, or checked on many points.
    domain : mapping of str to pair, default=None
        Ranges of columns over which the constraints hold, such as `{"T": (0, 500)}`; that of the data by default.
    groups : str, default=None
        The column of X, a DataFrame, that says which data set a row belongs to. The formula is the same for all of
        them; constants are shared or have one value per group, whichever describes the data in fewer words.
    per_group : sequence of str, default=()
        Constants of the `guesses` that have one value per group.
    polish : bool
        Whether constants of the front are tuned once more in float64.
    islands : int or Islands, default=1
        Populations that evolve side by side and exchange programs, see `epsilex.Islands`. They run on as many processes
        as `n_jobs` allows, and share out its threads.
    dask : str or distributed.Client, optional
        A Dask cluster to run the islands on, by the address of its scheduler or by a client.
    n_jobs : int or None
        Threads, and processes if there are islands; -1 for all processors. The result does not depend on it.
    random_state : int, RandomState instance or None
        The same number gives the same result, bit for bit.
    warm_start : bool
        Whether `fit` continues from the last population.
    progress : bool
        Whether a progress bar is shown.
    callbacks : sequence of callable
        Called with each `epsilex.evolution.State`; one with a parameter called `front` also gets the front so far, a
        sequence of `Model`. One that returns True stops the search. With islands they get the state of all of them,
        without errors, at the end of each epoch.
    checkpoint : path, optional
        File that keeps the state of the search, written every `checkpoint_every` seconds; with `resume` a search
        continues from it.
    on_interrupt : {"raise", "return"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt at once, or end the search after the generation in progress and return
        the best so far, with `stopped_by_` "interrupt". With "return", SIGTERM does the same; before the first
        population is there, or at a second signal, both act as usual.

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
        One row per generation. With islands, of all of them; `island` is that of the best individual.
    n_generations_ : int
        Generations done.
    stopped_by_ : str
        "generations", "time", "target", "exact", "interpolation", "settled", "interrupt", "callback" or "cluster". A
        search ends after a hundred generations with an exact formula: "exact" if the chosen formula is exact,
        "interpolation" if only long formulas pass through every row. On few rows, a search without a limit of
        generations also ends once it has long found nothing better: "settled".
    settings_ : Settings
        The settings of the search.
    rows_used_ : dict
        Numbers of distinct rows: `"scored"`, which the front is scored on; `"tuned"`, by which constants are tuned at
        the end; `"seen"`, which the search sees at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from epsilex import SymbolicRegressor
    >>> X = np.linspace(1, 3, 50).reshape(-1, 1)
    >>> est = SymbolicRegressor(generations=5, time_limit=None, random_state=0).fit(X, 2 * X[:, 0] + 1)
    >>> bool(est.score(X, 2 * X[:, 0] + 1) > 0.999)
    True
    """

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
        constants=None,
        operators=None,
        max_length=None,
        population_size=None,
        settings=None,
        guesses=(),
        form=None,
        units=None,
        target_unit=None,
        constant_units="none",
        constraints=(),
        domain=None,
        groups=None,
        per_group=(),
        polish=True,
        islands=1,
        dask=None,
        n_jobs=None,
        random_state=None,
        warm_start=False,
        progress=False,
        callbacks=(),
        checkpoint=None,
        checkpoint_every=30.0,
        resume=False,
        on_interrupt="raise",
    ):
        self.selection = selection
        self.time_limit = time_limit
        self.generations = generations
        self.target_error = target_error
        self.loss = loss
        self.noise = noise
        self.choose = choose
        self.constants = constants
        self.operators = operators
        self.max_length = max_length
        self.population_size = population_size
        self.settings = settings
        self.guesses = guesses
        self.form = form
        self.units = units
        self.target_unit = target_unit
        self.constant_units = constant_units
        self.constraints = constraints
        self.domain = domain
        self.groups = groups
        self.per_group = per_group
        self.polish = polish
        self.islands = islands
        self.dask = dask
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.progress = progress
        self.callbacks = callbacks
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.on_interrupt = on_interrupt

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

    @interruptible
    @threadpool_limits.wrap(limits=1, user_api="blas")  # its idle threads spin: a second core, busy for nothing
    def fit(self, X, y, sample_weight=None):
        """Search formulas for X (rows, features) and y (rows,).

        A row of weight 2 counts as two equal rows, a row of weight 0 as none; the order does not matter. Of more than a
        million rows a million are drawn; of a Dask dataframe, with y and weights its columns, only they are read.
        """
        began = time.perf_counter()
        settings = self._settings()
        self._check_parameters(settings)
        X, y, sample_weight = self._in_memory(X, y, sample_weight, settings.seed)
        name = getattr(y, "name", None)
        X, labels = separated(X, self.groups)
        X, y, weight = self._validated(X, y, sample_weight)
        self._remember(X, y, weight, name, labels)
        train, validation, known = self._known(X, y, weight, labels, name, settings)
        task = self._task(train, validation, known, settings)
        target = scaled_loss(self.target_error, settings.loss, task.unit)
        found = self._search(task.cases, settings, task.units, target, self._seconds(began, train))
        self._keep(found, settings, task)
        self._in_user_units(task, settings, name)
        return self

    def predict(self, X):
        """Values of `model_` on the rows of X, (rows,) float64."""
        check_is_fitted(self, "model_")
        rest, labels = separated(X, self.groups)
        checked = validate_data(self, rest, reset=False, dtype=np.float64)
        return self.model_.predict(checked if labels is None else X)

    def rehearse(self) -> None:
        """Compile or load what a search needs, the first time in a process; a time limit never counts it."""
        noise = np.random.default_rng(0).normal(size=(160, 3))
        settings = self._unseeded()
        rehearse(self._cases(noise[:, 1:], noise[:, 0], np.ones(160), 0.0, settings), settings)

    def _known(self, X, y, weight, labels, name, settings: Settings) -> tuple[Rows, Rows | None, Known]:
        """Rows to fit, rows held back for the choice, and what is known besides."""
        beside = {
            "guesses": self.guesses, "units": self.units, "groups": self.groups, "required": settings.required,
            "forbidden": settings.forbidden,
        }  # fmt: skip
        names = self._names()
        outline = outline_of(self.form, names, settings.operators, settings.max_length, **beside)
        rule = knowledge.rule_of(self.units, self.target_unit, self.constant_units, names, name)
        grouped = grouping_of(self, labels, X, y, weight, self._noise(), names)
        train, validation = self._held_back(X, y, weight) if grouped is None else (grouped[0], None)
        grouping = None if grouped is None else grouped[1]
        self._stand_ins = () if grouping is None else grouping.groups.seen
        structure = self._structure(settings, self._seen() if outline is None else outline.places)
        guesses = tuned_guesses(self.guesses, names, train, self._noise(), settings.max_length, rule, structure)
        inputs = train.X[:, : self.n_features_in_]  # without what stands for groups
        shapes = self._shapes = shapes_of(self.constraints, self.domain, names, inputs, train.y)
        return train, validation, Known(rule, outline, structure, guesses, shapes, grouping)

    def _task(self, train: Rows, validation: Rows | None, known: Known, settings: Settings) -> Task:
        """The rows and what is known, in the units of the search."""
        modest = self._modest = Scales.modest(train.X, train.y)
        if modest is not None:
            known, train = known.scaled(modest), modest.scaled(train)
            validation = None if validation is None else modest.scaled(validation)
        units = known.units(train, settings, self._units(train, settings))
        counts = search_weight(train, self._noise())
        cases = self._cases(*units.apply(train.X, train.y), counts, -units.y_shift / units.y_scale, settings)
        cases.prior = known.prior(train, settings, units)
        cases.x_scale, cases.y_scale = units.x_scale, units.y_scale
        return Task(train, validation, known, modest, units, cases)

    def _in_user_units(self, task: Task, settings: Settings, name: str | None) -> None:
        """Give history and models the user's units, and the models what is known of their constants."""
        self.history_[["best_mae", "median_mae"]] *= task.unit
        if task.modest is not None:
            self.models_ = [in_user_units(m, task.modest, power_of(settings.loss)) for m in self.models_]
            self._choose(int(self.front_["chosen"].argmax()))
        elif self.polish and task.known.grouping is None:
            self._know_uncertainty(task.train, possible(self._noise(), task.train))
        if task.known.rule is not None:
            self._know_units(units_by_name(self.units, self._names()), self.target_unit or from_header(str(name)))

    def _units(self, train: Rows, settings: Settings) -> Scales:
        return Scales.of(train.X, train.y, always=settings.scaling, free_target=settings.loss in POWERS)

    def _cases(self, X, y, weight, zero: float, settings: Settings) -> Cases:
        shadow, more = (shadow_rows(X, settings.seed, n) if settings.shadow else None for n in (ROWS, FINAL_ROWS))
        n, how = settings.max_cases, (settings.loss, shadow, more, zero)
        if n is None or len(y) <= n:
            return Cases.from_arrays(X, y, weight, *how)
        return from_rows(X, y, weight, *how, n, settings.seed)

    def _values(self, nodes: list[Node], X: np.ndarray) -> np.ndarray:
        """Outputs of a program in float64."""
        return evaluate64(nodes, X)
