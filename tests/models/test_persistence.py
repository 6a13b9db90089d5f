"""Model files: the same bits back, and a ValueError for any file that is not what it should be."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

import strategies
from epsilex import load_model
from epsilex.files import sealed
from epsilex.models import persistence
from epsilex.models.model import model
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

NAMES = ["temp (C)", "lambda", "x2"]
X = np.random.default_rng(0).normal(size=(50, 3))


def a_model(**metrics):
    return model(
        [(FEATURE, 0, 0.1), (CONSTANT, 0, 1 / 3), (opcode("add"), 0, 0.0), (FEATURE, 1, 1.0), (opcode("mul"), 0, 0.0)],
        NAMES, **metrics,
    )  # fmt: skip


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


def resealed(document):
    """The document with the checksum it would need: what someone who means harm would write."""
    body = {k: v for k, v in document.items() if k not in ("schema", "version", "sha256")}
    return sealed(document["schema"], document["version"], body)


def written(path, **changes):
    document = resealed({**persistence.to_document(a_model(mae=0.5)), **changes})
    path.write_text(json.dumps(document))
    return path


class TestRoundTrip:
    def test_everything_comes_back(self, path):
        m = a_model(mae=0.5, proven=True, note="text")
        m.save(path)
        assert load_model(path) == m
        assert load_model(str(path)).predict(X).tobytes() == m.predict(X).tobytes()

    @hypothesis_settings(max_examples=200)
    @given(nodes=strategies.programs(constants=strategies.finite))
    def test_any_program(self, tmp_path_factory, nodes):
        path = tmp_path_factory.getbasetemp() / "any.json"
        m = model(nodes, NAMES)
        m.save(path)
        again = load_model(path)
        assert again.nodes == m.nodes
        assert again.predict(X).tobytes() == m.predict(X).tobytes()

    def test_readable(self, path):
        m = a_model()
        m.save(path)
        assert json.loads(path.read_text())["formula"] == m.formula

    def test_metrics_that_are_not_finite_are_left_out(self, path):
        a_model(mae=0.5, validation_loss=math.inf, r2=math.nan).save(path)
        assert load_model(path).metrics == {"mae": 0.5}

    def test_an_older_file_is_replaced_whole(self, path):
        path.write_text("something else" * 1000)
        a_model().save(path)
        assert load_model(path) == a_model()
        assert [p.name for p in path.parent.iterdir()] == [path.name]

    def test_constants_that_are_not_finite_cannot_be_saved(self, path):
        with pytest.raises(ValueError, match="model: expected finite constants"):
            model([(CONSTANT, 0, math.inf)], NAMES).save(path)
        assert not path.exists()


class TestDamagedFiles:
    def test_truncated_anywhere(self, path):
        a_model(mae=0.5).save(path)
        whole = path.read_bytes()
        for length in range(0, len(whole) - 2, 7):
            path.write_bytes(whole[:length])
            with pytest.raises(ValueError, match="model file"):
                load_model(path)

    def test_any_changed_digit(self, path):
        a_model(mae=0.5).save(path)
        whole = path.read_text()
        start = whole.index('"program"')
        for k in (k for k in range(start, len(whole)) if whole[k].isdigit()):
            path.write_text(whole[:k] + str((int(whole[k]) + 1) % 10) + whole[k + 1 :])
            with pytest.raises(ValueError, match="checksum"):
                load_model(path)

    def test_another_version(self, path):
        with pytest.raises(ValueError, match="expected version 1 to 2; got 3, perhaps of another release"):
            load_model(written(path, version=3))

    @pytest.mark.parametrize(
        "content", [b"", b"null", b"[]", b"{}", b"3", b'{"schema": "other"}', b"\xff\xfe", b"\x80\x03pickle"]
    )
    def test_other_files(self, path, content):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="model file"):
            load_model(path)

    def test_missing(self, path):
        with pytest.raises(FileNotFoundError):
            load_model(path)

    def test_too_large(self, path):
        with open(path, "wb") as file:
            file.truncate(persistence.MAX_BYTES + 1)
        with pytest.raises(ValueError, match="expected at most"):
            load_model(path)


GOOD = [["feature", 0, 1.0]]


class TestMaliciousFiles:
    """Well-formed files with right checksums that mean harm."""

    @pytest.mark.parametrize(
        "program",
        [
            [],
            {},
            None,
            "x0",
            [GOOD],
            [["feature", 0]],
            [["feature", 0, 1.0, 1]],
            [["feature", 3, 1.0]],
            [["feature", -1, 1.0]],
            [["feature", 2**31, 1.0]],
            [["feature", 10**400, 1.0]],
            [["feature", 0.0, 1.0]],
            [["feature", True, 1.0]],
            [["feature", "0", 1.0]],
            [["constant", 0, math.nan]],
            [["constant", 0, math.inf]],
            [["constant", 0, -math.inf]],
            [["constant", 0, 10**400]],
            [["constant", 0, "1.0"]],
            [["constant", 0, None]],
            [["constant", 0, True]],
            [["constant", 0, [1.0]]],
            [["add", 0, 0.0]],
            [*GOOD, *GOOD],
            [["__import__", 0, 0.0]],
            [*GOOD, ["__import__('os').system('true')", 0, 0.0]],
            [*GOOD, ["__class__", 0, 0.0]],
            [*GOOD, [["sin"], 0, 0.0]],
            [*GOOD, [{"sin": 1}, 0, 0.0]],
            [*GOOD, [None, 0, 0.0]],
            [*GOOD, [2, 0, 0.0]],
            [*GOOD] * (persistence.MAX_NODES + 1),
        ],
    )
    def test_programs(self, path, program):
        with pytest.raises(ValueError, match="model file"):
            load_model(written(path, program=program))

    @pytest.mark.parametrize("names", [None, "abc", {"a": 1}, [1, 2, 3], [["a"], "b", "c"], [], ["a", None, "c"]])
    def test_names(self, path, names):
        with pytest.raises(ValueError, match="model file"):
            load_model(written(path, feature_names=names))

    @pytest.mark.parametrize("freedom", [math.inf, math.nan, 10**400, "x", None])
    def test_uncertainty(self, path, freedom):
        values = {"places": [], "errors": [], "resolution": [], "fitted": [], "covariance": [], "variance": 1.0}
        with pytest.raises(ValueError, match="uncertainty"):
            load_model(written(path, uncertainty=values | {"freedom": freedom, "noise": "additive"}))

    @pytest.mark.parametrize("constants", [{"g": 10**400}, {"g": "x"}, {"1g": 1.0}, [1.0]])
    def test_constants(self, path, constants):
        with pytest.raises(ValueError, match="model file"):
            load_model(written(path, constants=constants))

    @pytest.mark.parametrize("metrics", [None, [1], "mae", {"mae": [1]}, {"mae": {"a": 1}}, {"mae": None}])
    def test_metrics(self, path, metrics):
        with pytest.raises(ValueError, match="model file"):
            load_model(written(path, metrics=metrics))

    def test_metrics_cannot_stand_in_for_other_things(self, path):
        loaded = load_model(written(path, metrics={"nodes": 1, "feature_names": "x", "self": 2}))
        assert loaded.nodes == a_model().nodes

    @pytest.mark.parametrize("depth", [10, 300, 900, 3000, 100_000])
    @pytest.mark.parametrize("place", ["metrics", "program", "extra"])
    def test_deep_nesting(self, path, depth, place):
        whole = json.dumps(persistence.to_document(a_model()))
        path.write_text(whole[:-1] + f', "{place}": ' + "[" * depth + "]" * depth + "}")
        with pytest.raises(ValueError, match="model file"):
            load_model(path)

    def test_numbers_of_many_digits(self, path):
        text = json.dumps(persistence.to_document(a_model()))
        for digits in (400, 5000):
            path.write_text(text.replace('["constant", 0, ', '["constant", 0, ' + "9" * digits + ", "))
            with pytest.raises(ValueError, match="model file"):
                load_model(path)

    def test_nothing_is_executed(self, path, tmp_path):
        marker = tmp_path / "executed"
        word = f"__import__('pathlib').Path({str(marker)!r}).touch()"
        document = written(path, feature_names=[word, word + " ", "x"], formula=word, metrics={word: word})
        m = load_model(document)
        m.predict(X)
        str(m.sympy())
        m.latex()
        exec(m.python(), {})
        assert m.formula != word
        assert not marker.exists()

    def test_a_long_program_is_harmless(self, path):
        n = 20_000
        m = load_model(written(path, program=GOOD + [["neg", 0, 0.0]] * n))
        np.testing.assert_array_equal(m.predict(X), X[:, 0])
        assert len(m.nodes) == n + 1
