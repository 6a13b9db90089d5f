"""What a fit says about the rows it used."""

from __future__ import annotations

import pytest

from epsilex.cli.recording import rows_in_words


def test_all_rows_for_everything_need_no_words():
    assert rows_in_words({"scored": 900, "tuned": 900, "seen": 900}, 10) == []


@pytest.mark.parametrize(("fresh", "often"), [(None, "the same throughout"), (10, "drawn anew every 10 generations")])
def test_rows_by_their_use(fresh, often):
    assert rows_in_words({"scored": 750_000, "tuned": 20_000, "seen": 4096}, fresh) == [
        f"the search saw 4096 of 750000 rows at a time, {often}; the formulas it found were tuned on 20000 and scored "
        "on all"
    ]
