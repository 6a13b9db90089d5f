"""The paper's five problems that come from files, as declarations.

Hashes are of the content, because results are comparable only on the same numbers.
"""

from __future__ import annotations

from epsilex.problems import authors, preparing
from epsilex.problems.declaration import Declaration
from epsilex.problems.partitions import random_times

_ENERGY = (
    "relative_compactness", "surface_area", "wall_area", "roof_area", "overall_height", "orientation", "glazing_area",
    "glazing_area_distribution",
)  # fmt: skip

HOUSING = Declaration(
    name="housing",
    title="Housing",
    rows=506,
    features=("CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"),
    raw=(authors.HOUSING,),
    recipe=preparing.renamed,
    prepared={"housing.csv": "27ebb3431c4e6df6461abb3c004f3faf2747eb4e266ef9be70150e4a438b0e37"},
    source="d_housing.txt of github.com/lacava/epsilon_lexicase; equal to mlxtend.data.boston_housing_data()",
    citation="Harrison, Rubinfeld, Hedonic housing prices and the demand for clean air, J. Env. Econ. Manag. 5, 1978",
    notes=("The paper's table gives 14 dimensions: 13 inputs and the target.",),
)

TOWER = Declaration(
    name="tower",
    title="Tower",
    rows=3135,
    features=tuple(f"x{i}" for i in range(1, 26)),
    raw=(authors.TOWER,),
    recipe=preparing.tower,
    prepared={"tower.csv": "98ad6364625e71c47370e913604af149f1ff92b6a42381ed942ca07d203a10be"},
    source="data_tower.txt of github.com/lacava/ellen, target moved last",
    citation="Vladislavleva, Smits, den Hertog, IEEE Trans. Evol. Comput. 13(2), 2009",
)

_WIND_CITATION = (
    "La Cava, Danai, Spector, Fleming, Wright, Lackner, Automatic identification of wind turbine models using "
    "evolutionary multiobjective optimization, Renewable Energy, 2016"
)
_FREE_RUN = (
    "Models run free over the whole series, y(t) = f(x(t), x(t-1), y(t-1)) with their own last output; a random 70% of "
    "the rows are the cases, the rest is the test."
)

WIND = Declaration(
    name="wind",
    title="Wind",
    rows=6000,
    features=("V", "B", "TQ", "TSR", "ddx", "ddy"),
    raw=(authors.WIND,),
    recipe=preparing.wind,
    prepared={},
    source="d_cart_mfa_all.txt of github.com/lacava/ellen, target moved last",
    citation=_WIND_CITATION,
    partition=random_times,
    dynamic=True,
    notes=(_FREE_RUN,),
)

WIND_REBUILT = Declaration(
    name="wind",
    title="Wind",
    rows=6000,
    features=("V", "B", "TQ", "TSR"),
    raw=(authors.WIND_FORE_AFT, authors.WIND_SIDE),
    recipe=preparing.wind_rebuilt,
    prepared={
        "wind.csv": "96a6a66e6c62145bfb8a3f8f9b6c7def58509eee659b0df49687621099b953f6",
        "wind_flags.csv": "f62a3a5a7a4096cca9d507e5f7c20132145b36564ff06d03c222c8e5bdcef747",
    },
    moments=(
        (18.71811363021627, 2.6261865636864488, 9.525116931350217),
        (0.5997971028655635, 0.5471895590729178, 0.43168900158142803),
        (0.6445169906682646, 0.46826359874907825, 0.20991360628950528),
        (3.0304046761308325, 1.825671662822146, 1.0736580776151405),
        (0.034376181689793575, 0.08604952646792473, 0.032130910524655366),
    ),
    source="rebuilt from winddata_FA3.txt and winddata_SS3.txt of github.com/lacava/ellen",
    citation=_WIND_CITATION,
    partition=random_times,
    dynamic=True,
    rebuilt=True,
    notes=(
        "The paper's file, d_cart_mfa_all.txt, was not at hand. This one is rebuilt from two thinned records of the "
        "same turbine: 4 inputs instead of 6 (the two accelerations are missing), 567 of 6000 input rows and 1579 "
        "target values filled in by interpolation. Test errors over measured targets alone are stored as "
        "test_mae_measured.",
        "Two regimes: operation up to about row 3900, then shut-down. A random partition has both on both sides.",
        _FREE_RUN,
    ),
)

ENH = Declaration(
    name="enh",
    title="ENH",
    rows=768,
    features=_ENERGY,
    raw=(authors.ENH,),
    recipe=preparing.renamed,
    prepared={"enh.csv": "d707775dcf2f9201cee2e8555aedcca3414b0c036ec55f8af1dc04669db752e8"},
    source="d_enh.txt of github.com/lacava/epsilon_lexicase; UCI Energy efficiency (id 242), heating load",
    citation="Tsanas, Xifara, Accurate quantitative estimation of energy performance of residential buildings using "
    "statistical machine learning tools, Energy and Buildings 49, 2012",
)

ENC = Declaration(
    name="enc",
    title="ENC",
    rows=768,
    features=_ENERGY,
    raw=(authors.ENC,),
    recipe=preparing.renamed,
    prepared={"enc.csv": "ac57b7564cfe7ee4492b1137e029ed96862952155fda1f30c7a1c326627a8135"},
    source="d_enc.txt of github.com/lacava/epsilon_lexicase; UCI Energy efficiency (id 242), cooling load",
    citation=ENH.citation,
)

# Versions of each problem, the best first.
FILES = {"housing": (HOUSING,), "tower": (TOWER,), "wind": (WIND, WIND_REBUILT), "enh": (ENH,), "enc": (ENC,)}
