"""The settings of a search: frozen, and checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from epsilex import constraints
from epsilex import selection as selections
from epsilex.programs.costs import check_costs
from epsilex.programs.operators import COMMON, canonical, opcodes
from epsilex.programs.start import check_lengths
from epsilex.programs.structure import check_nesting
from epsilex.selection import spelling

MUTATIONS = ("point", "subtree", "insertion", "deletion", "constants")
MODERN_MUTATIONS = {"point": 0.4, "subtree": 0.3, "insertion": 0.15, "deletion": 0.15}
MODERN_VARIATIONS = {"grafts": 0.2}
MODERN_PLANTERS = (
    "reductions", "products", "curves", "mixtures", "shifts", "separable", "laurent", "quadrics", "polynomials",
    "rationals", "quotients", "powers", "long_sums", "sums",
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """How programs are made, chosen, varied, tuned and kept.

    `Settings()` is the modern default, `Settings.paper()` is Table 1 of the paper, `Settings.dynamic()` the default for
    time series.

    Parameters
    ----------
    population_size : int
        Individuals in the population.
    operators : sequence of str
        Names of the operators formulas are made of, see `epsilex.programs.operators`.
    min_length, max_length : int
        Limits of the number of nodes; `min_length` holds for the random start only.
    constant_range, constant_share : pair of float, float
        Range of random constants, and their share of the random leaves.
    coefficients : bool
        Whether every feature leaf carries a coefficient.
    scaling : bool
        Whether outputs are scaled linearly to the target.
    limit_outputs : bool
        Whether infinite outputs become the largest float, as in the paper's program.
    loss : str or callable
        What is minimised, see `epsilex.data.losses`.
    selection, selection_options : str, callable or Method; mapping
        The parent selection method, see `epsilex.selection`. Options may be written in brackets,
        `"lex_e(epsilon=0.5)"`; they are kept in `selection_options`.
    short_share : float
        Share of the children that come from short parents and stay short, see `epsilex.evolution.variation.niches`.
    crossover, mutations, point_rate, redraw, min_child_length, retries, subtree_size
        Variation: the share of pairs that cross over; weights of the mutations "point", "subtree", "insertion",
        "deletion", "constants"; probability per node of a point mutation (0: one node); whether it may draw the current
        symbol again; minimal length of a child; retries for a child that is too long or too short; maximal length of a
        new random subtree.
    variations : mapping
        Shares of the children by the name of a further variation, see `epsilex.evolution.variation`.
    tuning, tuning_share, tuning_steps, tuning_cases
        Constants: "levenberg_marquardt" on a share of the children, with some of the cases, "hill_climbing" as in the
        paper, or "none", see `epsilex.evolution.tuning`.
    survival : str
        Who lives on, see `epsilex.evolution.survival`. The selection method "afp" needs "age_fitness"; others that
        bring a rule of survival need "by_method".
    max_cases : int or None
        Rows the search sees at a time, drawn at random if there are more; None for all. All rows score the front.
    fresh_cases : int or None
        Generations after which the cases are drawn anew, if there are more rows than `max_cases`; None for never.
        Survivors and archive are then measured anew.
    shadow : bool
        Whether programs count as less fit if they are undefined or far outside the target's range on plausible rows
        that the data does not have; see `epsilex.data.shadow`.
    planters : sequence of str
        Which planters seed up to a tenth of the first population with fitted simple formulas, see `epsilex.planting`.
    elitism : bool
        Whether the best individual survives generational replacement.
    nesting : mapping from names to sequences of names
        Functions that may not occur inside another: `{"sin": ["sin", "cos"]}` forbids both in the argument of a sine.
    costs : mapping from names to int
        What a node of an operator counts as, 1 by default. With `{"sin": 3}` a sine counts as three nodes in
        `max_length` and wherever selection and survival weigh length, and the choice charges three times its price.
    whole_exponents : bool
        Whether exponents of `^` must be whole numbers.
    required, forbidden : sequences of str
        Names of features that must, or must not, occur in a formula.
    seed : int
        Of all random streams; an estimator draws it from its `random_state`.
    """

    population_size: int = 1000
    operators: tuple[str, ...] = COMMON
    min_length: int = 1
    max_length: int = 50
    constant_range: tuple[float, float] = (-5.0, 5.0)
    constant_share: float = 0.2  # of the leaves
    coefficients: bool = True  # on feature leaves
    scaling: bool = True  # linear, of the outputs
    limit_outputs: bool = False  # infinity becomes the largest float
    loss: str | Callable = "mae"
    selection: str | Callable | selections.Method = (
        "lex_e_mad(downsample=100)"  # may include options; they move to `selection_options`
    )
    selection_options: Mapping[str, Any] = field(default_factory=dict)
    short_share: float = 0.5  # of the children, from short parents and short themselves
    crossover: float = 0.7  # of the pairs of parents; the others are mutated
    mutations: Mapping[str, float] = field(default_factory=lambda: dict(MODERN_MUTATIONS))  # weights by kind
    point_rate: float = 0.0  # per node; 0 changes one node
    redraw: bool = False  # whether point mutation may draw the current symbol again
    min_child_length: int = 1  # a shorter child is refused
    retries: int = 3  # of a refused child
    subtree_size: int = 10  # of a new random subtree, at most
    variations: Mapping[str, float] = field(default_factory=lambda: dict(MODERN_VARIATIONS))  # shares of the children
    tuning: str = "levenberg_marquardt"
    tuning_share: float = 1.0  # of the children
    tuning_steps: int = 3
    tuning_cases: int = 256  # drawn per generation for tuning, at most
    survival: str = "pareto"
    max_cases: int | None = 4096  # rows the search sees, drawn at random if there are more; None: all
    fresh_cases: int | None = None  # generations after which they are drawn anew; None: never
    shadow: bool = True  # whether untamed programs count as less fit
    planters: tuple[str, ...] = MODERN_PLANTERS  # of formulas in the first population
    elitism: bool = True  # of generational survival
    nesting: Mapping[str, Sequence[str]] = field(default_factory=dict)  # functions not allowed inside another
    costs: Mapping[str, int] = field(default_factory=dict)  # nodes that a node of an operator counts as
    whole_exponents: bool = False
    required: tuple[str, ...] = ()  # features of every formula
    forbidden: tuple[str, ...] = ()  # features of none
    seed: int = 0

    def __post_init__(self) -> None:
        for name, constraint in constraints.SETTINGS.items():
            constraints.check(name, getattr(self, name), constraint)
        object.__setattr__(self, "operators", canonical(self.operators))
        object.__setattr__(self, "constant_range", tuple(self.constant_range))
        for name in ("planters", "required", "forbidden"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "nesting", check_nesting(self.nesting))
        object.__setattr__(self, "costs", check_costs(self.costs))
        self._split_selection()
        check_lengths(self.min_length, self.max_length)
        chosen = selections.method(self.selection)
        selections.check_options(chosen, self.selection_options)
        if not self.operators:
            raise ValueError("operators: expected at least one; got none")
        opcodes(self.operators)
        if self.min_child_length > self.max_length:
            raise ValueError(
                f"min_child_length: expected at most max_length, {self.max_length}; got {self.min_child_length}"
            )
        low, high = self.constant_range
        if not low <= high:
            raise ValueError(f"constant_range: expected (low, high) with low <= high; got {self.constant_range}")
        self._check_parts(chosen)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All settings but the seed, which an estimator draws, by name, as scikit-learn asks for them."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "seed"}

    def changed(self, **changes: Any) -> Settings:
        """These settings with some changed; a ValueError names what is no setting."""
        known = self.get_params()
        for name in changes:
            if name not in known:
                raise ValueError(f"settings: expected one of {', '.join(known)}; got {name!r}")
        if "selection" in changes:  # the options of another method are not its own
            changes = {"selection_options": {}} | changes
        return replace(self, **changes)

    def __sklearn_clone__(self) -> Settings:
        return self  # nothing can change it

    def _check_parts(self, chosen: selections.Method) -> None:
        """Check the names of exchangeable parts, and their shares."""
        from epsilex.evolution.survival import SURVIVALS
        from epsilex.evolution.tuning import TUNERS
        from epsilex.evolution.variation import VARIATIONS
        from epsilex.planting import PLANTERS

        TUNERS.find(self.tuning)
        SURVIVALS.find(self.survival)
        for name in self.planters:
            PLANTERS.find(name)
        for name, share in self.variations.items():
            VARIATIONS.find(name)
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"variations: expected shares from 0 to 1; got {name}={share}")
        if chosen.survive is not None and self.survival != chosen.survival:
            raise ValueError(
                f"survival: expected {chosen.survival!r} with the selection {chosen.id!r}, which brings its own rule; "
                f"got {self.survival!r}"
            )
        for name, weight in self.mutations.items():
            if name not in MUTATIONS:
                raise ValueError(f"mutations: expected one of {', '.join(MUTATIONS)}; got {name!r}")
            if weight < 0:
                raise ValueError(f"mutations: expected weights of at least 0; got {name}={weight}")
        if not sum(self.mutations.values()) > 0:
            raise ValueError("mutations: expected at least one weight above 0")

    def _split_selection(self) -> None:
        """Keep the method's id in `selection` and all of its options in `selection_options`."""
        options = dict(self.selection_options)
        if isinstance(self.selection, str):
            name, written = spelling.parse(self.selection)
            if twice := sorted(set(written) & set(options)):
                raise ValueError(f"selection_options: expected each option once; got {', '.join(twice)} twice")
            object.__setattr__(self, "selection", name)
            options |= written
        object.__setattr__(self, "selection_options", options)

    @classmethod
    def dynamic(cls, **changes: Any) -> Settings:
        """The modern default for models of a time series: outputs are fed back as they are, so they are not scaled, and
        there is no gradient to tune constants by."""
        series: dict[str, Any] = {
            "scaling": False,
            "variations": {},
            "tuning": "hill_climbing",
            "max_cases": None,
            "shadow": False,
            "planters": (),
        }
        return cls(**{**series, **changes})

    @classmethod
    def paper(cls, **changes: Any) -> Settings:
        """Table 1 of the paper, and the behaviour of its authors' program where the paper is silent."""
        table: dict[str, Any] = {
            "population_size": 1000,
            "operators": ("add", "sub", "mul", "pdiv", "sin", "cos", "exp", "plog"),
            "min_length": 3,
            "max_length": 50,
            "constant_range": (-1.0, 1.0),
            "constant_share": 0.5,
            "coefficients": False,
            "scaling": False,
            "limit_outputs": True,
            "loss": "mae",
            "selection": "lex_e_mad",
            "selection_options": {},
            "short_share": 0.0,
            "crossover": 0.8,
            "mutations": {"point": 1.0},
            "point_rate": 0.025,
            "redraw": False,
            "min_child_length": 1,
            "retries": 0,
            "variations": {},
            "tuning": "hill_climbing",
            "survival": "generational",
            "shadow": False,
            "planters": (),
            "max_cases": None,
            "fresh_cases": None,
            "elitism": True,
        }
        chosen = changes.get("selection", table["selection"])
        method = selections.method(spelling.parse(chosen)[0] if isinstance(chosen, str) else chosen)
        if method.survive is not None:
            table["survival"] = method.survival
        return cls(**{**table, **changes})


def population_for(seconds: float) -> int:
    """Population size for a search of this many seconds: a small population is soon exhausted.

    1000 up to 10 s, 2100 at half a minute, 3300 at a minute, 10,000 from 315 s on.
    """
    return int(round(min(max(1000.0 * (seconds / 10.0) ** (2.0 / 3.0), 1000.0), 10_000.0), -2))
