"""Addresses of the authors' public files. The user downloads them; they are never shipped."""

from __future__ import annotations

from functools import partial

from epsilex.problems.declaration import AuthorsFile

_ELLEN = partial(AuthorsFile, "lacava/ellen", "c5c2da7ccebdd1798f01f4c3d08f112fb484d818")  # the paper's own code
_STUDY = partial(AuthorsFile, "lacava/epsilon_lexicase", "0bf37d6c67f4dea6055bfb77edae9049b1b324ab")  # of 2019
_FOLDER = "experiments/code/datasets"

HOUSING = _STUDY(
    f"{_FOLDER}/d_housing.txt",
    blob="1cddd9107c5726b7b08cfe87d0c67de1d0f2fe74",
    sha256="7d90525f70e791057c5f6157de00e79339aef33d9d27a6a487adc10df69fb812",
)
ENH = _STUDY(
    f"{_FOLDER}/d_enh.txt",
    blob="9e579239998f75d83755a47edf7a3a85f7ef57f1",
    sha256="bf9816ba476f8c6b95708ef13045290fd0cfba987f2a3d38270a783024bae5ee",
)
ENC = _STUDY(
    f"{_FOLDER}/d_enc.txt",
    blob="4223ed4bf77b5b00e36a8e76ed234dbfc040a747",
    sha256="dda84244c5fd4f7b4ad0c1584baf574ba5a2834438d5b6d9cdd44ae55d06c7fe",
)
UBALL5D = _STUDY(
    f"{_FOLDER}/d_uball5d.txt",
    blob="f7f4ab40e0bd1b2c8a15218b0eebd594926157d0",
    sha256="7bbab9694f65ca86869b43116de92ea280bfe7d15ef5e56370b143fcbf0348ab",
)
AIRFOIL = _STUDY(
    f"{_FOLDER}/d_airfoil.txt",
    blob="e5cda8a7c76f5b317da5e7415062a5251bcbc23e",
    sha256="cdc4abb842bf9bf387474a3b3a05d9beb69f95dd93e41db6d3c1df9c988f0470",
)
CONCRETE = _STUDY(
    f"{_FOLDER}/d_concrete.txt",
    blob="ebb3815fa6f174e1a99281781369ba7117950a6e",
    sha256="1523d42925e99202b62be8c442f9b17fcd9b2fd8a7e94d921f2127a0e06ee86a",
)
YACHT = _STUDY(
    f"{_FOLDER}/d_yacht.txt",
    blob="98389572bef3aca4d9f10b95dc986da1b9ba401f",
    sha256="8a2b57ce098e437723f4482222d715fce1377a3ea6fba9bc3130fe4a6314eddc",
)
TOWER = _ELLEN(
    "in/data_tower.txt",
    blob="d1dc261e2639de2bf374970023bbda089256f41d",
    sha256="1e5e836a797a26426793ad6a848372974adbb4ec47889722b415d3dbbfa03dae",
)
WIND = _ELLEN("in/d_cart_mfa_all.txt", blob="86bdec6ca4bb946c3a9eceaafc104f0718b1e588")
WIND_FORE_AFT = _ELLEN(
    "in/winddata_FA3.txt",
    blob="3219ffdf0fd43d064fa9c7e0c235e9cf4554c505",
    sha256="5a05330fa5928df2632de5e04265c7374182da1482f4346b4dd20d74422b703d",
)
WIND_SIDE = _ELLEN(
    "in/winddata_SS3.txt",
    blob="63a29ced51ddbf96284e3e9bb002245d4585e6cd",
    sha256="8f6ae5d2d9e22f8cda85c8b5dc0b508652037b7efd3224498fe9835d4bf0204b",
)
