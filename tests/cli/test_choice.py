"""The command line tells why a model was chosen, and takes noise."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from command import QUICK, epsilex
from epsilex.models.model import model
from epsilex.programs.parser import parse
from epsilex.report.agreement import disagreement


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"k": rng.uniform(50, 300, 30), "x": rng.uniform(0.02, 0.3, 30), "err": rng.uniform(0.1, 1, 30)}
    )
    frame["F"] = frame["k"] * frame["x"] + frame["err"] * rng.normal(size=30)
    path = tmp_path_factory.mktemp("hooke") / "hooke.csv"
    frame.to_csv(path, index=False)
    return path


def test_why_is_told_in_json_in_the_terminal_and_in_the_report(table, tmp_path):
    how = ("fit", table, "--target", "F", "--noise", "err", *QUICK, "--out", tmp_path / "o")
    told = json.loads(epsilex(*how, "--json").out)
    assert set(told["choice"]) == {"text", "odds", "noise", "closest"}
    assert told["choice"]["noise"] == "given"
    assert "err" not in told["formula"]
    assert "--noise err" in told["repeat"]
    done = epsilex(*how, "--overwrite")
    assert told["choice"]["text"].split()[-1] in done.out
    report = (tmp_path / "o" / "report.html").read_text()
    assert "standard errors given" in report
    assert "95% interval" in report


def test_few_rows_are_all_fitted(tmp_path):
    a = np.array([0.3871, 0.7233, 1.0, 1.5237, 5.2028, 9.5388, 19.1914, 30.0611])
    pd.DataFrame({"a": a, "T": a**1.5 * (1 + 1e-4 * np.sin(9 * a))}).to_csv(tmp_path / "planets.csv", index=False)
    told = json.loads(
        epsilex("fit", tmp_path / "planets.csv", "--target", "T", *QUICK, "--out", tmp_path / "o", "--json").out
    )
    assert told["facts"]["held back"] == "0 rows"
    assert told["formula"] == "a^1.5"


def test_held_back_rows_that_disagree():
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 3, (60, 1))
    y = X[:, 0] ** 2 + 0.01 * rng.normal(size=60)
    models = [model(parse(text), ["x0"]) for text in ("4*x0 - 4", "x0*x0")]
    held_back = np.arange(60) % 3 == 0
    assert "x0*x0" in disagreement(models, 0, X, y, held_back)
    assert disagreement(models, 1, X, y, held_back) == ""
    assert disagreement(models, 0, X, y, np.arange(60) < 3) == ""
