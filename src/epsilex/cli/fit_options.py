"""The options of `fit`, one row each; those of the search are parameters of the estimator."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from epsilex.cli.configuration import from_file
from epsilex.cli.options import REQUIRED, Option, option
from epsilex.cli.words import assigned, pairs, quoted
from epsilex.tables.splitting import FEW

TEST_SHARE = 0.25
MOST_ROWS = 1_000_000


class Preset(StrEnum):
    default = "default"
    paper = "paper"


class ConstantUnits(StrEnum):
    none = "none"
    overall = "overall"
    any = "any"


def selections(incomplete: str) -> list[str]:
    """Ids of selection methods, for the shell's completion."""
    from epsilex.selection import METHODS

    return [id for id in METHODS if id.startswith(incomplete)]


def numbers_by_name(text: str) -> dict[str, float] | bool:
    """Constants from `g=9.81,R=8.314`; False from `none`."""
    if text.strip() == "none":
        return False
    expected = "constants: expected numbers by name such as g=9.81,R=8.314, or none"
    try:
        return {name: float(value) for name, value in pairs(text, expected).items()}
    except ValueError as error:
        said = str(error)
        raise ValueError(said if said.startswith("constants:") else f"{expected}; got {text!r}") from None


def ranges_by_name(text: str) -> dict[str, tuple[float, float]]:
    """Ranges of columns from `x=0:10,t=-1:1`."""
    expected = "domain: expected ranges such as x=0:10,t=-1:1"
    found = {}
    for name, value in pairs(text, expected).items():
        low, _, high = value.partition(":")
        try:
            found[name] = (float(low), float(high))
        except ValueError:
            raise ValueError(f"{expected}; got {name + '=' + value!r}") from None
    return found


def functions_by_name(text: str) -> dict[str, list[str]]:
    """Functions that may not occur inside another, from `sin=sin cos,exp=exp`."""
    found = pairs(text, "nesting: expected functions such as sin=sin cos,exp=exp")
    return {name: inner.split() for name, inner in found.items()}


def costs_by_name(text: str) -> dict[str, int]:
    """Costs of operators from `sin=3,exp=2`."""
    expected = "costs: expected whole numbers such as sin=3,exp=2"
    found = pairs(text, expected)
    try:
        return {name: int(value) for name, value in found.items()}
    except ValueError:
        raise ValueError(f"{expected}; got {text!r}") from None


def time_option(seconds: str) -> Option:
    """The option that limits the time of a search; without any limit it takes so many seconds."""
    return option(
        "time", float, "Seconds to search.", parameter="time_limit", repeated=False, metavar="SECONDS", min=0.1,
        show_default=seconds,
    )  # fmt: skip


# Shared by `fit` and `demo`.
SEARCH = (
    option("generations", int, "Generations to search.", parameter="generations", repeated=False, min=0),
    option(
        "population",
        int,
        "Individuals in the population.",
        parameter="population_size",
        repeated=False,
        min=2,
    ),
    option(
        "seed",
        int,
        "The same number gives the same result.",
        0,
        parameter="random_state",
        min=0,
        max=2**32 - 1,
    ),
    option(
        "jobs",
        int,
        "Threads; the result does not depend on it.",
        parameter="n_jobs",
        repeated=False,
        min=1,
        show_default="all",
    ),
)

ISLANDS = (
    option(
        "islands",
        int,
        "Populations that evolve side by side, on processes.",
        1,
        parameter="islands",
        min=1,
    ),
    option(
        "dask",
        str,
        "Address of a Dask scheduler to run the islands on.",
        parameter="dask",
        repeated=False,
        metavar="ADDRESS",
    ),
)

# Shared by `fit` and `predict`.
READING = (
    option(
        "encoding",
        str,
        "Of a text file, such as cp1252 or utf-16.",
        metavar="NAME",
        show_default="found out",
    ),
    option("sheet", str, "Of an Excel file, by name.", metavar="NAME", show_default="the first with a table"),
)

OVERWRITE = option("overwrite", bool, "Replace the fit that the folder holds.", False, repeated=False)
JSON = option("json", bool, "Print JSON, for programs to read.", False, repeated=False)

FIT: tuple[Option, ...] = (
    option("target", str, "Column to find a formula for.", REQUIRED, metavar="COLUMN"),
    # the data
    option("features", str, "Columns to use, such as x,t.", metavar="COLUMNS", show_default="all"),
    option("ignore", str, "Columns to leave out, such as id,name.", metavar="COLUMNS"),
    option("weights", str, "Column of weights: a row of weight 2 counts twice.", metavar="COLUMN"),
    option(
        "noise",
        str,
        "auto, additive or relative; or a column of standard errors of the target.",
        "auto",
        metavar="KIND|COLUMN",
    ),
    option(
        "test_share",
        float,
        f"Share of the rows held back for the test error; none if there are fewer than {FEW}.",
        TEST_SHARE,
        min=0.0,
        max=0.9,
    ),
    option("rows", int, "Rows to use at most, drawn at random if there are more.", MOST_ROWS, min=20),
    option("strict", bool, "Missing or unusable values are an error.", False),
    *READING,
    # the search
    time_option("60"),
    *SEARCH,
    *ISLANDS,
    option("preset", Preset, "The modern engine, or the paper's settings.", Preset.default),
    option(
        "selection",
        str,
        "Parent selection, such as lex_e_mad.",
        parameter="selection",
        metavar="ID",
        autocompletion=selections,
    ),
    option("operators", str, "Such as +,-,*,/,sqrt,sin.", parameter="operators", read=quoted, metavar="NAMES"),
    option("loss", str, "Loss to minimise: mae, mse or huber.", parameter="loss", metavar="NAME", show_default="mae"),
    option(
        "max_length",
        int,
        "Greatest number of nodes.",
        parameter="max_length",
        min=1,
        show_default="50",
    ),
    option(
        "target_error",
        float,
        "Mean loss at which the search stops.",
        parameter="target_error",
        min=0.0,
        show_default="0",
    ),
    option(
        "choose",
        str,
        "Rule that picks from the front: description, validation or accuracy.",
        parameter="choose",
        metavar="NAME",
        show_default="description",
    ),
    option(
        "constants",
        str,
        "Constants to write by name, such as g=9.81,R=8.314; none leaves all numbers as fitted.",
        parameter="constants",
        read=numbers_by_name,
        metavar="NAME=NUMBER,...",
    ),
    option(
        "set",
        list[str],
        "Another setting of the engine, such as crossover=0.9; may be given several times.",
        parameter="settings",
        read=assigned,
        metavar="NAME=VALUE",
    ),
    # what is known
    option(
        "guess",
        list[str],
        "A formula to begin with, such as a*x + b; may be given several times.",
        parameter="guesses",
        read=tuple,
        metavar="FORMULA",
    ),
    option(
        "form",
        str,
        "A formula with unknown functions to search, such as f(x)*exp(-g(t)) + c.",
        parameter="form",
        metavar="FORMULA",
    ),
    option("units", str, "header, for names such as v [m/s]; or units such as m=kg,v=m/s.", metavar="NAME=UNIT,..."),
    option("target_unit", str, "Unit of the target, such as J.", metavar="UNIT"),
    option(
        "constant_units",
        ConstantUnits,
        "Which constants may carry units.",
        ConstantUnits.none,
        parameter="constant_units",
        read=str,
    ),
    option(
        "constraint",
        list[str],
        "Such as increasing in x, f >= 0, f(x=0) = 0; may be given several times.",
        parameter="constraints",
        read=tuple,
        metavar="STATEMENT",
    ),
    option(
        "domain",
        str,
        "Ranges over which constraints hold, such as x=0:10,t=-1:1.",
        parameter="domain",
        read=ranges_by_name,
        metavar="NAME=LOW:HIGH,...",
        show_default="data",
    ),
    option(
        "groups",
        str,
        "Column that says which data set a row belongs to: one formula, constants shared or per group.",
        parameter="groups",
        metavar="COLUMN",
    ),
    option(
        "per_group",
        str,
        "Constants of the guesses with one value per group, such as a,b.",
        parameter="per_group",
        read=quoted,
        metavar="NAMES",
    ),
    option(
        "nesting",
        str,
        "Functions not allowed inside another, such as sin=sin cos,exp=exp.",
        parameter="settings__nesting",
        read=functions_by_name,
        metavar="NAME=NAMES,...",
    ),
    option(
        "costs",
        str,
        "Nodes that an operator counts as, such as sin=3,exp=2.",
        parameter="settings__costs",
        read=costs_by_name,
        metavar="NAME=N,...",
    ),
    option(
        "whole_exponents",
        bool,
        "Only whole numbers as exponents.",
        False,
        parameter="settings__whole_exponents",
    ),
    option(
        "required",
        str,
        "Columns that must occur in a formula, such as x,t.",
        parameter="settings__required",
        read=quoted,
        metavar="COLUMNS",
    ),
    option(
        "forbidden",
        str,
        "Columns that must not occur in a formula.",
        parameter="settings__forbidden",
        read=quoted,
        metavar="COLUMNS",
    ),
    # the command
    option("out", Path, "Folder for the files.", metavar="FOLDER", show_default="DATA-fit"),
    OVERWRITE,
    option("resume", bool, "Continue an interrupted fit from its folder.", False, repeated=False),
    option(
        "config",
        Path,
        "TOML file of options; the command line overrides it.",
        repeated=False,
        metavar="FILE",
        is_eager=True,
        callback=from_file(lambda: FIT),
    ),
    JSON,
)
