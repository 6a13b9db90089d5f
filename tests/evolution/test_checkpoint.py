"""Checkpoints: a search that was killed goes on bit for bit; a damaged file is noticed; another search's is refused."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from epsilex import SymbolicRegressor, programs
from epsilex.evolution import Cases, Checkpoint, Settings, Stop, continued, search
from epsilex.evolution.observers.checkpoint import load_checkpoint
from epsilex.evolution.observers.observer import Callback
from epsilex.evolution.observers.records import exists, previous

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
CASES = Cases.from_arrays(X, Y)
MEMORY = ["hardness", "dss", "predictors", "novelty", "lex_semi(downsample=0.2, informed=True)"]


def paper(**changes):
    return Settings.paper(**{"population_size": 30, "max_length": 15, "seed": 1, **changes})


def bits(found):
    """All that a search found, but for the time it took."""
    arrays = {**found.state.population.arrays(), **{f"archive {k}": v for k, v in found.archive.arrays().items()}}
    arrays |= {f"memory {k}": v for k, v in found.state.memory.items()}
    rows = [{k: v for k, v in row.items() if not k.startswith("seconds")} for row in found.rows]
    return {name: array.tobytes() for name, array in arrays.items()} | {
        "rows": rows,
        "generation": found.state.generation,
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "search.checkpoint"


def run(path, generations, settings=None, cases=CASES, resume=False, every=0.0):
    return search(
        cases,
        settings or paper(),
        Stop(generations),
        checkpoint=Checkpoint(path, every),
        resume=path if resume else None,
    )


KILLED = """
import os, random, signal, sys, time, warnings
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_checkpoint import CASES, Checkpoint, Settings, Stop, bits, exists, previous, search

path, kind = Path(sys.argv[2]), sys.argv[3]
small = {"population_size": 30, "max_length": 15, "seed": 3}
settings = Settings(**small) if kind == "modern" else Settings.paper(selection=kind, **small)
warnings.simplefilter("ignore")
random.seed(5)
whole = bits(search(CASES, settings, Stop(200)))

def attempt():
    resume = path if exists(path) else None
    return search(CASES, settings, Stop(200), checkpoint=Checkpoint(path, every=0.0), resume=resume)

def check_the_end():
    again = bits(attempt())
    assert again.keys() == whole.keys()
    assert all(again[name] == whole[name] for name in whole), [n for n in whole if again[n] != whole[n]]

kills, reached, patience = 0, set(), 0.1
while kills < 20:
    child = os.fork()
    if child == 0:
        attempt()
        os._exit(0)
    time.sleep(random.uniform(0.0, patience))
    os.kill(child, signal.SIGKILL)
    if os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        kills += 1
        if exists(path):
            reached.add(search(CASES, settings, Stop(0), resume=path).state.generation)
        if len(reached) < 2:  # a busy machine needs longer
            patience *= 1.3
    else:  # it was done already: once more from the start
        check_the_end()
        path.unlink()
        previous(path).unlink()
check_the_end()
print(len(reached))
"""


@pytest.mark.parametrize("kind", ["modern", "afp", "predictors"])
def test_killed_20_times(run_python, path, kind, request):
    """SIGKILL at random moments, many of them in the middle of writing: the end is that of an undisturbed search."""
    assert int(run_python(KILLED, request.path.parent, path, kind)) >= 2  # killed at different generations


class TestResuming:
    @pytest.mark.parametrize(
        "selection", ["lex_e_mad", "afp", "tournament", "alps(age_gap=3)", "nsga2(cases=4)", *MEMORY]
    )
    def test_bit_for_bit(self, path, selection):
        settings = paper(selection=selection)
        run(path, 4, settings)
        whole = search(CASES, settings, Stop(9))
        assert bits(run(path, 9, settings, resume=True)) == bits(whole)
        assert bool(whole.state.memory) == (selection in MEMORY)

    @pytest.mark.parametrize("selection", MEMORY)
    def test_each_niche_has_its_own_memory(self, path, selection):
        settings = Settings(population_size=30, max_length=16, selection=selection)
        run(path, 4, settings)
        whole = search(CASES, settings, Stop(9))
        assert bits(run(path, 9, settings, resume=True)) == bits(whole)
        assert {name.partition(".")[0] for name in whole.state.memory} == {"16", "8", "4"}

    def test_other_cases_are_not_remembered(self):
        settings = paper(selection="hardness")
        found = search(CASES, settings, Stop(3))
        assert continued(found, CASES, settings).state.memory.keys() == {"15.solved"}
        assert continued(found, Cases.from_arrays(X, Y + 1.0), settings).state.memory == {}

    def test_modern(self, path):
        settings = Settings(population_size=30, max_length=15)
        run(path, 4, settings)
        assert bits(run(path, 9, settings, resume=True)) == bits(search(CASES, settings, Stop(9)))

    def test_a_finished_search_is_only_loaded(self, path):
        found = run(path, 4)
        assert bits(run(path, 4, resume=True)) == bits(found)

    def test_time_runs_on(self, path):
        run(path, 4)
        resumed = run(path, 9, resume=True)
        seconds = [row["seconds"] for row in resumed.rows]
        assert seconds == sorted(seconds)
        parts = [row["seconds_evaluate"] for row in resumed.rows]
        assert parts == sorted(parts)

    def test_written_at_the_end_and_not_too_often(self, path):
        run(path, 4, every=1000.0)
        assert path.exists()
        assert not previous(path).exists()
        assert load_checkpoint(path, paper(), CASES)[0].generation == 4

    def test_the_last_two_are_kept(self, path):
        run(path, 4)
        assert sorted(p.name for p in path.parent.iterdir()) == [path.name, path.name + ".previous"]
        newer, older = (load_checkpoint(p, paper(), CASES)[0].generation for p in (path, previous(path)))
        assert (newer, older) == (4, 3)

    def test_weighted_cases_and_own_operators(self, path, own_operators):
        programs.operator("cube", lambda x: x * x * x)
        settings = paper(operators=("add", "mul", "cube"))
        cases = Cases.from_arrays(X, Y, np.linspace(0.5, 1.5, 60))
        run(path, 3, settings, cases)
        assert bits(run(path, 6, settings, cases, resume=True)) == bits(search(cases, settings, Stop(6)))


class TestDamage:
    def damaged(self, path, how):
        run(path, 4)
        whole = path.read_bytes()
        head = whole.index(b"\n")
        path.write_bytes({
            "empty": b"",
            "half": whole[: len(whole) // 2],
            "one byte short": whole[:-1],
            "one byte more": whole + b"\0",
            "only the header": whole[: head + 1],
            "a bit of the body": whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:],
            "a bit of the header": whole[: head - 50] + bytes([whole[head - 50] ^ 1]) + whole[head - 49 :],
            "something else": b"not a checkpoint at all\n" * 50,
            "zeros": bytes(len(whole)),
        }[how])  # fmt: skip

    @pytest.mark.parametrize(
        "how",
        [
            "empty", "half", "one byte short", "one byte more", "only the header", "a bit of the body",
            "a bit of the header", "something else", "zeros",
        ],
    )  # fmt: skip
    def test_the_previous_one_is_used_with_a_warning(self, path, how):
        self.damaged(path, how)
        with pytest.warns(UserWarning, match=r"search.checkpoint cannot be used \(.*\); the previous one is used"):
            again = run(path, 7, resume=True)
        assert bits(again) == bits(search(CASES, paper(), Stop(7)))

    def test_killed_between_the_two_renames(self, path):
        """Then only the previous one is there, and `resume` must not take that for a fresh start."""
        data = {"generations": 4, "time_limit": None, "population_size": 30, "random_state": 0, "checkpoint_every": 0.0}
        SymbolicRegressor.paper(checkpoint=path, **data).fit(X, Y)
        path.unlink()
        assert exists(path)
        with pytest.warns(UserWarning, match="the previous one is used"):
            est = SymbolicRegressor.paper(checkpoint=path, resume=True, **data | {"generations": 6}).fit(X, Y)
        assert est.history_["generation"].tolist() == list(range(7))

    def test_both_damaged(self, path):
        self.damaged(path, "half")
        previous(path).write_bytes(b"nothing")
        with (
            pytest.warns(UserWarning, match="previous"),
            pytest.raises(ValueError, match="checkpoint: expected a whole one at"),
        ):
            run(path, 7, resume=True)

    def test_none_at_all(self, path):
        with pytest.raises(ValueError, match="checkpoint: expected a whole checkpoint at"):
            run(path, 7, resume=True)

    def test_a_left_over_part_does_no_harm(self, path):
        run(path, 4)
        path.with_name(path.name + ".part").write_bytes(b"half a checkp")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert bits(run(path, 7, resume=True)) == bits(search(CASES, paper(), Stop(7)))


class TestDisks:
    def full(self, monkeypatch, since):
        """A disk that is full from the given write on."""
        import os

        writes, real = [], os.fsync

        def fsync(handle):
            writes.append(handle)
            if len(writes) > since:
                raise OSError(28, "No space left on device")
            real(handle)

        monkeypatch.setattr(os, "fsync", fsync)

    @pytest.mark.parametrize("since", [0, 5])
    def test_a_full_disk_is_a_warning_and_the_search_goes_on(self, path, monkeypatch, since):
        whole = bits(search(CASES, paper(), Stop(6)))
        self.full(monkeypatch, since)
        with pytest.warns(UserWarning, match=r"search.checkpoint cannot be written \(No space left") as caught:
            assert bits(run(path, 6)) == whole
        assert len(caught) == 1
        assert not [left for left in path.parent.iterdir() if not left.name.startswith(path.name)]

    def test_after_a_full_disk_the_last_whole_one_is_resumed(self, path, monkeypatch):
        with monkeypatch.context() as patched, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.full(patched, 6)
            run(path, 6)
        assert exists(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert bits(run(path, 9, resume=True)) == bits(search(CASES, paper(), Stop(9)))

    def test_what_a_killed_search_left_is_removed(self, path):
        left = path.with_name(f".{path.name}.{'0' * 16}.part")
        left.write_bytes(b"half")
        run(path, 2)
        assert not left.exists()

    def test_two_searches_never_share_a_checkpoint(self, path):
        def second(state):
            with pytest.raises(ValueError, match=r"checkpoint: another search is writing to .*search.checkpoint"):
                run(path, 1)

        search(CASES, paper(), Stop(1), checkpoint=Checkpoint(path), observers=[Callback(second)])
        run(path, 1)


class TestOtherSearches:
    def refused(self, path, match, settings=None, cases=CASES):
        with pytest.raises(ValueError, match=match):
            run(path, 7, settings, cases, resume=True)

    def test_settings(self, path):
        run(path, 3)
        self.refused(
            path,
            "checkpoint: expected the settings it was made with; crossover was 0.8 and is 0.5",
            paper(crossover=0.5),
        )
        self.refused(path, "seed was 1 and is 2", paper(seed=2))
        self.refused(path, "selection was 'lex_e_mad' and is 'lex'", paper(selection="lex"))

    def test_data(self, path):
        run(path, 3)
        expected = "checkpoint: expected the data it was made with"
        self.refused(path, expected, cases=Cases.from_arrays(X, Y + 1e-3))
        self.refused(path, expected, cases=Cases.from_arrays(X[:, ::-1], Y))
        self.refused(path, expected, cases=Cases.from_arrays(X[:50], Y[:50]))
        self.refused(path, expected, cases=Cases.from_arrays(X, Y, np.linspace(0.5, 1.5, 60)))

    def test_functions_of_the_same_name(self, path):
        run(path, 3, paper(loss=lambda y, p: np.abs(y - p)), Cases.from_arrays(X, Y, loss=lambda y, p: np.abs(y - p)))
        self.refused(path, "loss was", paper(loss=lambda y, p: np.abs(y - p) * 2.0))

    def test_operators_registered_in_another_order(self, path, own_operators):
        """Programs are kept by opcode, and the opcodes of own operators go by the order they were added in."""
        from epsilex.programs import operators

        table, codes = list(operators.TABLE), dict(operators._OPCODES)
        for names in (("first", "second"), ("second", "first")):
            operators.TABLE[:] = table
            operators._OPCODES.clear()
            operators._OPCODES.update(codes)
            for name in names:
                programs.operator(name, lambda x: x * 2.0)
            settings = paper(operators=("add", "first", "second"))
            if names[0] == "first":
                run(path, 3, settings)
        self.refused(path, "opcodes was", settings)


class TestWithoutExecuting:
    """The file is JSON and bytes; even one with right checksums can only be refused."""

    def rewritten(self, path, change):
        import hashlib

        run(path, 3)
        line, _, body = path.read_bytes().partition(b"\n")
        header = json.loads(line.partition(b" ")[2])
        changed = change(header, body)
        body = changed if isinstance(changed, bytes) else body
        header["sha256"] = hashlib.sha256(body).hexdigest()
        text = json.dumps(header)
        path.write_bytes(f"{hashlib.sha256(text.encode()).hexdigest()} {text}\n".encode() + body)
        previous(path).unlink()

    @pytest.mark.parametrize(
        "change",
        [
            lambda header, body: header.update(schema="other"),
            lambda header, body: header.update(schema=[]),
            lambda header, body: header["rows"][-1].update(seconds=10**400),
            lambda header, body: header["rows"][-1].update(best_mae=10**400),
            lambda header, body: header.update(generation=10**400),
            lambda header, body: header["arrays"].__setitem__(0, ["population.opcode", "uint8", [2**64, 15]]),
            lambda header, body: header["arrays"].__setitem__(0, ["population.opcode", "object", [30, 15]]),
            lambda header, body: header["arrays"].__setitem__(0, ["population.opcode", "uint8", [10**9, 15]]),
            lambda header, body: header["arrays"].__setitem__(0, ["population.opcode", "uint8", [-1, 15]]),
            lambda header, body: header["arrays"].__setitem__(0, ["population.opcode", "uint8", "all"]),
            lambda header, body: header["arrays"].pop(0),
            lambda header, body: header["arrays"].__setitem__(0, 5),
            lambda header, body: header["arrays"].__setitem__(0, [["x"], "uint8", [1]]),
            lambda header, body: header["arrays"].__setitem__(-1, ["other", *header["arrays"][-1][1:]]),
            lambda header, body: header.pop("arrays"),
            lambda header, body: header.update(rows=[5]),
            lambda header, body: header["rows"][-1].pop("seconds"),
            lambda header, body: header["rows"][-1].update(seconds_select=None),
            lambda header, body: header.update(generation=-1),
            lambda header, body: header.update(generation=True),
            lambda header, body: header.update(evaluations=float("nan")),
            lambda header, body: header.pop("rows"),
            lambda header, body: header.pop("settings"),
            lambda header, body: b"\xff" * 450 + body[450:],  # opcodes there are not
            lambda header, body: header["arrays"].__setitem__(4, ["population.errors", "float32", [60, 30]]),
        ],
    )
    def test_refused(self, path, change):
        self.rewritten(path, change)
        with pytest.raises(ValueError, match=r"checkpoint|opcode|programs|length"):
            run(path, 7, resume=True)
