"""The paper's five problems that come from files, as declarations.

A file has one header row and the target in its last column. The hash is of the file's content: results are comparable
only on the very same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from epsilex.problems.partitions import random_rows, random_times

_ENERGY = (
    "relative_compactness", "surface_area", "wall_area", "roof_area", "overall_height", "orientation", "glazing_area",
    "glazing_area_distribution",
)  # fmt: skip


@dataclass(frozen=True)
class Declaration:
    """A problem before its file is read. `flags` is a second file: which rows were measured."""

    name: str
    title: str
    rows: int
    features: tuple[str, ...]
    sha256: str
    source: str
    citation: str
    partition: Callable = random_rows
    dynamic: bool = False
    notes: tuple[str, ...] = ()
    flags_sha256: str | None = None
    rebuilt: bool = False

    @property
    def file(self) -> str:
        return f"{self.name}.csv"

    @property
    def flags_file(self) -> str:
        return f"{self.name}_flags.csv"


HOUSING = Declaration(
    name="housing",
    title="Housing",
    rows=506,
    features=("CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"),
    sha256="27ebb3431c4e6df6461abb3c004f3faf2747eb4e266ef9be70150e4a438b0e37",
    source="d_housing.txt of github.com/lacava/epsilon_lexicase; equal to mlxtend.data.boston_housing_data()",
    citation="Harrison, Rubinfeld, Hedonic housing prices and the demand for clean air, J. Env. Econ. Manag. 5, 1978",
    notes=("The paper's table gives 14 dimensions: 13 inputs and the target.",),
)

TOWER = Declaration(
    name="tower",
    title="Tower",
    rows=3135,
    features=tuple(f"x{i}" for i in range(1, 26)),
    sha256="98ad6364625e71c47370e913604af149f1ff92b6a42381ed942ca07d203a10be",
    source="data_tower.txt of github.com/lacava/ellen, target moved last",
    citation="Vladislavleva, Smits, den Hertog, IEEE Trans. Evol. Comput. 13(2), 2009",
)

WIND = Declaration(
    name="wind",
    title="Wind",
    rows=6000,
    features=("V", "B", "TQ", "TSR"),
    sha256="96a6a66e6c62145bfb8a3f8f9b6c7def58509eee659b0df49687621099b953f6",
    flags_sha256="f62a3a5a7a4096cca9d507e5f7c20132145b36564ff06d03c222c8e5bdcef747",
    source="rebuilt from winddata_FA3.txt and winddata_SS3.txt of github.com/lacava/ellen",
    citation="La Cava, Danai, Spector, Fleming, Wright, Lackner, Automatic identification of wind turbine models using "
    "evolutionary multiobjective optimization, Renewable Energy, 2016",
    partition=random_times,
    dynamic=True,
    rebuilt=True,
    notes=(
        "The paper's file was not found. This one is rebuilt from two thinned records of the same turbine: 4 inputs "
        "instead of 6 (the two accelerations are missing), 567 of 6000 input rows and 1579 target values filled in by "
        "interpolation. Test errors over measured targets alone are stored as test_mae_measured.",
        "Two regimes: operation up to about row 3900, then shut-down. A random partition has both on both sides.",
        "Models run free over the whole series, y(t) = f(x(t), x(t-1), y(t-1)) with their own last output; a random "
        "70% of the rows are the cases, the rest is the test.",
    ),
)

ENH = Declaration(
    name="enh",
    title="ENH",
    rows=768,
    features=_ENERGY,
    sha256="d707775dcf2f9201cee2e8555aedcca3414b0c036ec55f8af1dc04669db752e8",
    source="d_enh.txt of github.com/lacava/epsilon_lexicase; UCI Energy efficiency (id 242), heating load",
    citation="Tsanas, Xifara, Accurate quantitative estimation of energy performance of residential buildings using "
    "statistical machine learning tools, Energy and Buildings 49, 2012",
)

ENC = Declaration(
    name="enc",
    title="ENC",
    rows=768,
    features=_ENERGY,
    sha256="ac57b7564cfe7ee4492b1137e029ed96862952155fda1f30c7a1c326627a8135",
    source="d_enc.txt of github.com/lacava/epsilon_lexicase; UCI Energy efficiency (id 242), cooling load",
    citation=ENH.citation,
)

FILES = {declaration.name: declaration for declaration in (HOUSING, TOWER, WIND, ENH, ENC)}
