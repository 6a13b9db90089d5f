"""Problems of the authors' later study (La Cava, Helmuth, Spector, Moore, 2019) that are not in the paper."""

from __future__ import annotations

from epsilex.problems import authors, preparing
from epsilex.problems.declaration import Declaration

AIRFOIL = Declaration(
    name="airfoil",
    title="Airfoil",
    rows=1503,
    features=("frequency", "angle_of_attack", "chord_length", "velocity", "displacement_thickness"),
    raw=(authors.AIRFOIL,),
    recipe=preparing.renamed,
    prepared={"airfoil.csv": "a12c3821ae4f91fdaa5a3030c06fdeeadb64612ca389c0d8233544e253639c8f"},
    source="d_airfoil.txt of github.com/lacava/epsilon_lexicase; sound pressure level of an airfoil",
    citation="Brooks, Pope, Marcolini, Airfoil self-noise and prediction, NASA RP-1218, 1989",
)

CONCRETE = Declaration(
    name="concrete",
    title="Concrete",
    rows=1030,
    features=("cement", "slag", "fly_ash", "water", "superplasticizer", "coarse_aggregate", "fine_aggregate", "age"),
    raw=(authors.CONCRETE,),
    recipe=preparing.renamed,
    prepared={"concrete.csv": "eb53702723a609ecdbc1db885bde691713cf7700ae07130f0da8aae17180967f"},
    source="d_concrete.txt of github.com/lacava/epsilon_lexicase; compressive strength of concrete",
    citation="Yeh, Modeling of strength of high-performance concrete using artificial neural networks, Cement and "
    "Concrete Research 28(12), 1998",
)

YACHT = Declaration(
    name="yacht",
    title="Yacht",
    rows=308,
    features=("buoyancy_position", "prismatic", "length_displacement", "beam_draught", "length_beam", "froude"),
    raw=(authors.YACHT,),
    recipe=preparing.renamed,
    prepared={"yacht.csv": "095c7c67f63673a60556dfc6e88f7fc0db0b41744bdf4aedd2db250afb713939"},
    source="d_yacht.txt of github.com/lacava/epsilon_lexicase; residuary resistance of sailing yachts",
    citation="Gerritsma, Onnink, Versluis, Geometry, resistance and stability of the Delft systematic yacht hull "
    "series, 1981",
)

FILES = {"airfoil": (AIRFOIL,), "concrete": (CONCRETE,), "yacht": (YACHT,)}
