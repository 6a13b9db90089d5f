"""A small share of every drill; `make drill` runs them in full."""

from __future__ import annotations

import sys

import pytest

from places import ROOT

sys.path.append(str(ROOT))
from drills import page
from drills.__main__ import load
from drills.drill import DRILLS, carry_out

load()
MINUTES = {
    "killed_reproductions": "whole experiments, see tests/experiments/test_kill.py",
    "killed_dask": "whole experiments, see tests/experiments/test_dask.py",
    "elastic_cluster": "a cluster of eight processes; see tests/evolution/test_islands.py",
    "signals": "measures seconds, which tests do not; see tests/cli/test_process.py",
    "killed_workers": "see tests/evolution/test_islands.py",
    "full_caches": "compiles all kernels anew, see tests/cli/test_process.py",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DRILLS)
@pytest.mark.filterwarnings("ignore")
def test_a_small_share(name):
    if name in MINUTES:
        pytest.skip(MINUTES[name])
    record = carry_out(DRILLS[name], share=0.0, seed=1)
    assert record["failures"] == []
    assert record["count"] or "left out" in record["figures"]


def test_the_page_says_what_was_run():
    records = page.stored()
    text = page.PROMISES.read_text(encoding="utf-8")
    assert text == page.filled(text, records), "python -m drills --keep writes it"
    assert set(records) == set(DRILLS)
    assert not [name for name, record in records.items() if record["failures"]]


def test_a_broken_promise_is_counted():
    def broken(outcome, n, rng, folder):
        outcome.count = n
        outcome.expect(True, "held")
        outcome.expect(False, "broken")
        raise RuntimeError("and worse")

    from dataclasses import replace

    record = carry_out(replace(DRILLS["formulas"], run=broken), share=0.01, seed=0)
    assert record["failures"] == ["broken", "the drill itself ended with RuntimeError: and worse"]
    assert record["count"] == 1000
