"""Islands: one result for any workers, after any kill and any resume; exchange by rules, time limits by legs."""

from __future__ import annotations

import os
import signal
import warnings
from concurrent.futures import BrokenExecutor, Future
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from epsilex import Islands, SymbolicRegressor, programs
from epsilex.evolution import Cases, Checkpoint, Run, Settings, Stop, search, step
from epsilex.evolution.islands import exchange
from epsilex.evolution.islands.description import Mapped, advance, described
from epsilex.evolution.islands.epoch import Patience
from epsilex.evolution.islands.island import Parcel
from epsilex.evolution.islands.legs import Legs
from epsilex.evolution.islands.plan import TOPOLOGIES
from epsilex.evolution.islands.search import continued_islands, search_islands
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.observer import Callback
from epsilex.evolution.observers.records import exists
from epsilex.pools import DaskPool, Gone, HerePool, ProcessPool, kept_processes
from epsilex.programs.operators import FIRST_OPERATOR, opcodes
from epsilex.searching import shared_out

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
Y = X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.1 * rng.normal(size=60)
SETTINGS = Settings(population_size=30, max_length=15, planters=(), seed=1)
PLAN = Islands(4, every=3, emigrants=3)
DIFFERENT = ({}, {"selection": "lex_semi", "population_size": 20}, {"max_length": 9, "operators": ("add", "mul")})


def cases():
    return Cases.from_arrays(X, Y)


def run(generations=11, plan=PLAN, pool=None, settings=SETTINGS, **how):
    return search_islands(cases(), settings, plan, Stop(generations), pool or HerePool(), **how)


def bits(found):
    """All that a search found, but for the time it took."""
    arrays = {f"{k} {name}": a for k, one in enumerate(found.islands) for name, a in one.arrays.items()}
    arrays |= {f"archive {name}": a for name, a in found.archive.arrays().items()}
    rows = [{k: v for k, v in row.items() if not k.startswith("seconds")} for row in found.rows]
    return {name: a.tobytes() for name, a in arrays.items()} | {"rows": rows, "evaluations": found.state.evaluations}


@pytest.fixture(scope="module")
def whole():
    """The bits of a search in this process."""
    return bits(run())


def naive(plan, settings, generations):
    """All islands in step with each other, states kept whole: populations and archives."""
    every = [Run(cases(), own) for own in plan.settings_of(settings)]
    states = [one.start() for one in every]
    archives = [Archive(one.settings.max_length) for one in every]
    sent = {}

    def note():
        for archive, one, state in zip(archives, every, states, strict=True):
            archive.watch(one.cases.y, one.cases.zero, one.language)
            archive.update(state.population)

    note()
    for generation in range(generations):
        epoch, within = divmod(generation, plan.every)
        for k, one in enumerate(every):
            if within == 0 and epoch >= 2:
                arriving = [sent[source, epoch - 1] for source in plan.sources(k)]
                states[k] = exchange.settled(states[k], arriving, one)
            states[k] = step(states[k], one)
        note()
        if (generation + 1) % plan.every == 0:
            for k, one in enumerate(every):
                sent[k, epoch + 1] = exchange.emigrants(states[k], one.settings, plan.emigrants)
    return states, archives


class TestOneResult:
    @pytest.mark.parametrize("topology", TOPOLOGIES)
    def test_as_by_hand(self, topology):
        """Errors that are measured again are those that were; epochs in any order are those in step."""
        plan = replace(PLAN, topology=topology, settings=DIFFERENT)
        states, archives = naive(plan, SETTINGS, 11)
        for packed, state, archive in zip(run(plan=plan).islands, states, archives, strict=True):
            for name, array in state.population.arrays().items():
                if name != "errors":
                    assert packed.arrays[f"population.{name}"].tobytes() == array.tobytes(), name
            for name, array in archive.arrays().items():
                assert packed.arrays[f"archive.{name}"].tobytes() == array.tobytes(), name
            assert packed.evaluations == state.evaluations

    def test_islands_differ_and_one_alone_is_no_island(self):
        seeds = {own.seed for own in PLAN.settings_of(SETTINGS)}
        assert len(seeds) == 4
        assert SETTINGS.seed not in seeds

    def test_processes_one_of_which_is_killed(self, whole):
        class Killing(ProcessPool):
            """Kills a busy worker after some collections."""

            collected = kills = 0

            def collect(self, timeout):
                self.collected += 1
                if self.collected in (3, 9) and (pids := [p for w in self._busy.values() for p in w._processes]):
                    os.kill(pids[0], signal.SIGKILL)
                    self.kills += 1
                return super().collect(timeout)

        pool = Killing(2)
        try:
            assert bits(run(pool=pool, n_jobs=2)) == whole
            assert pool.kills
        finally:
            pool.close()

    def test_a_cluster(self, whole):
        distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
        with (
            distributed.LocalCluster(
                n_workers=3, threads_per_worker=1, processes=False, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            assert bits(run(pool=DaskPool(client))) == whole
            pool = DaskPool(cluster.scheduler_address)
            try:
                assert bits(run(pool=pool)) == whole
            finally:
                pool.close()
            assert client.status == "running"

    def test_workers_are_kept_for_the_next_search(self, whole):
        with kept_processes(2) as pool:
            pool.everywhere(os.getpid)
            pids = sorted(pool.pids())
        with kept_processes(2) as pool:
            assert sorted(pool.pids()) == pids
            pool.submit(os.getpid)
        with kept_processes(2) as again:  # work that nobody collected ends with its worker
            assert again is pool
            assert len(set(again.pids()) & set(pids)) == 1


class TestResuming:
    @pytest.mark.parametrize("stopped", [0, 4, 6, 7])
    def test_bit_for_bit(self, tmp_path, whole, stopped):
        path = tmp_path / "islands.checkpoint"
        run(stopped, checkpoint=Checkpoint(path, 0.0))
        assert bits(run(resume=path)) == whole

    def test_killed_in_the_middle(self, tmp_path, whole):
        path = tmp_path / "islands.checkpoint"

        class Killed(Exception):
            pass

        class Kill:
            def see(self, state, archive):
                if state.generation >= 6:
                    raise Killed

        with pytest.raises(Killed):
            run(checkpoint=Checkpoint(path, 0.0), observers=[Kill()])
        assert exists(path)
        assert bits(run(resume=path, checkpoint=Checkpoint(path, 0.0))) == whole

    def test_of_another_search(self, tmp_path):
        path, plain = tmp_path / "islands.checkpoint", tmp_path / "plain.checkpoint"
        run(4, checkpoint=Checkpoint(path, 0.0))
        search(cases(), SETTINGS, Stop(2), checkpoint=Checkpoint(plain, 0.0))
        with pytest.raises(ValueError, match="checkpoint: expected that of 4 islands; it is that of one population"):
            run(resume=plain)
        with pytest.raises(ValueError, match=r"checkpoint: expected the islands it was made with, .*'islands': 4"):
            run(resume=path, plan=Islands(3, every=3, emigrants=3))
        with pytest.raises(ValueError, match="checkpoint: expected the settings of islands"):
            run(resume=path, plan=replace(PLAN, settings=DIFFERENT))
        with pytest.raises(ValueError, match="checkpoint: expected the settings it was made with; crossover was"):
            run(resume=path, settings=replace(SETTINGS, crossover=0.5))
        with pytest.raises(ValueError, match="checkpoint: expected that of one population; it is that of 4 islands"):
            search(cases(), SETTINGS, Stop(2), resume=path)

    @pytest.mark.parametrize(
        ("name", "forged"),
        [
            ("0.parcel1.opcode", lambda a: np.full_like(a, 255)),
            ("1.parcel1.feature", lambda a: a + 99),
            ("2.parcel1.age", lambda a: a[:-1]),
            ("3.parcel1.constant", lambda a: a[:, :-1]),
            ("0.population.opcode", lambda a: np.full_like(a, 255)),
        ],
    )
    def test_forged_programs_are_refused(self, tmp_path, name, forged):
        from epsilex.evolution.observers.checkpoint import SCHEMAS
        from epsilex.evolution.observers.records import read_record, write_record

        path = tmp_path / "islands.checkpoint"
        run(4, checkpoint=Checkpoint(path, 1e9))
        header, arrays = read_record(path, SCHEMAS)
        told = {key: header[key] for key in ("islands", "plan", "rows", "settings", "cases")}
        write_record(path, header["schema"], told, arrays | {name: forged(arrays[name])})
        with pytest.raises(ValueError, match="checkpoint: expected"):
            run(resume=path)

    def test_continued_on_the_same_cases(self, whole):
        begin = continued_islands(run(6), cases(), SETTINGS, PLAN)
        found = search_islands(cases(), SETTINGS, PLAN, Stop(11), HerePool(), begin=begin)
        assert bits(found) == whole


class TestExchange:
    def test_the_front_is_sent_and_stays(self):
        one = Run(cases(), SETTINGS)
        state = step(one.start(), one)
        front = exchange.on_front(state.population)
        length, standing = state.population.programs.length, state.population.standing
        for i in range(len(front)):
            better = (length < length[i]) & (standing <= standing[i]) | (length == length[i]) & (standing < standing[i])
            assert not (front[i] and better.any())
        parcel = exchange.emigrants(state, SETTINGS, 4)
        assert len(parcel.programs) == front.sum() + 4
        other = Run(cases(), replace(SETTINGS, seed=9))
        before = other.start()
        after = exchange.settled(before, [parcel], other)
        kept = exchange.on_front(before.population)
        assert (after.population.outputs[kept] == before.population.outputs[kept]).all()
        new = (after.population.outputs != before.population.outputs).sum()
        assert 0 < new <= exchange.ROOM * len(before.population)

    def test_those_already_there_stay_out(self):
        one = Run(cases(), SETTINGS)
        state = one.start()
        parcel = Parcel(state.population.programs, state.population.age)
        after = exchange.settled(state, [parcel], one)
        assert after.population.outputs.tobytes() == state.population.outputs.tobytes()

    def test_settings_of_an_island_hold(self):
        found = run(13, plan=Islands(2, every=2, settings=({}, {"max_length": 7, "operators": ("add", "mul")})))
        narrow = found.islands[1].island().state.population.programs
        used = np.arange(narrow.width) < narrow.length[:, None]
        assert narrow.length.max() <= 7
        assert set(np.unique(narrow.opcode[used])) <= {*range(FIRST_OPERATOR), *opcodes(("add", "mul")).tolist()}

    def test_one_archive(self):
        found = run(plan=replace(PLAN, settings=DIFFERENT))
        parts = [one.island().archive for one in found.islands]
        for length in range(1, SETTINGS.max_length + 1):
            best = min(part.standing[length] for part in parts if length < len(part.standing))
            assert found.archive.standing[length] == best
        assert found.rows[-1]["best_mae"] == found.state.population.mae.min()
        assert found.state.evaluations == sum(one.evaluations for one in found.islands) == found.rows[-1]["evaluations"]


class Dying(HerePool):
    """A pool that is gone after some tasks, or whose workers all die."""

    def __init__(self, left, error):
        super().__init__()
        self.left, self.error = left, error

    def submit(self, work, *arguments):
        self.left -= 1
        if self.left < 0:
            if isinstance(self.error, Gone):
                raise self.error
            future = Future()
            future.set_exception(self.error)
            self._done.append(future)
            return future
        return super().submit(work, *arguments)


class TestLosses:
    @pytest.mark.parametrize("error", [Gone("dask: the scheduler went away"), BrokenExecutor("killed")])
    def test_the_best_so_far_is_returned(self, error):
        with pytest.warns(UserWarning, match="the best so far is returned"):
            found = run(pool=Dying(9, error))
        assert found.reason == "cluster"
        assert found.state.generation == 3
        assert bits(found) == bits(run(3))

    def test_nothing_so_far(self):
        with pytest.raises(ValueError, match="islands: expected workers that stay alive; 6 died with island 0"):
            run(pool=Dying(0, BrokenExecutor("killed")))

    def test_another_version(self):
        with described(cases(), PLAN, PLAN.settings_of(SETTINGS), 1, HerePool()) as described_here:
            other = replace(described_here, version="9.9")
            with pytest.raises(ValueError, match=f"workers with epsilex 9.9; process {os.getpid()} on .* has "):
                advance(other, 0, None, [], 0, Patience())

    @pytest.mark.parametrize(("version", "told"), [("0.0.1", "has 0.0.1"), (None, "has none")])
    def test_a_worker_of_another_version_is_named(self, version, told):
        client = SimpleNamespace(
            status="running", wait_for_workers=lambda *_, **__: None, run=lambda *_, **__: {"tcp://w:1": version}
        )
        with pytest.raises(ValueError, match=f"dask: expected workers with epsilex .*; tcp://w:1 {told}"):
            DaskPool(client)

    def test_a_closed_client(self):
        with pytest.raises(ValueError, match="dask: expected an address, or a client that is open"):
            DaskPool(SimpleNamespace(status="closed"))

    def test_late_work_ends_by_itself(self):
        with described(cases(), PLAN, PLAN.settings_of(SETTINGS), 1, HerePool()) as here:
            assert advance(here, 0, None, [], 3, Patience(-1.0)) is None


class TestTime:
    @pytest.mark.parametrize("pace", [0.001, 0.05, 0.9, 7.0, 40.0])
    @pytest.mark.parametrize("slower", [1.0, 1.3])
    def test_legs_end_in_time(self, pace, slower):
        """At a steady pace, or one that slows down at every leg."""
        legs, clock = Legs(Stop(None, 60.0)), 0.0
        generation, legs_gone = None, 0
        while (horizon := legs.horizon()) is not None:
            clock += pace * (horizon - (generation or 0)) if horizon else 0.1
            generation, legs_gone = horizon, legs_gone + 1
            pace *= slower
            legs.reached(horizon, clock)
        assert clock <= 60.0 + legs.slack
        assert clock >= 60.0 - max(0.5, pace)
        assert legs_gone < 40

    def test_generations_come_first(self):
        legs = Legs(Stop(5, 60.0))
        legs.reached(0, 0.1)
        legs.reached(1, 0.2)
        assert legs.horizon() == 5

    def test_a_search_that_the_clock_ended_is_repeated_by_its_generations(self):
        found = search_islands(cases(), SETTINGS, PLAN, Stop(None, 0.5), HerePool())
        assert found.reason == "time"
        assert bits(run(found.state.generation)) == bits(found)

    def test_work_that_comes_too_late_is_given_up(self, monkeypatch):
        """The clock jumps while an epoch runs: the result is that of the last round."""
        from epsilex.evolution.islands import joint, voyage

        ahead = [0.0]
        real = voyage.time.monotonic
        monkeypatch.setattr(voyage, "time", SimpleNamespace(monotonic=lambda: real() + ahead[0]))
        perf = joint.time.perf_counter
        monkeypatch.setattr(joint, "time", SimpleNamespace(perf_counter=lambda: perf() + ahead[0]))

        def jump(state):
            ahead[0] = 1e6 if state.generation >= 3 else 0.0

        found = search_islands(cases(), SETTINGS, PLAN, Stop(None, 1e5), HerePool(), observers=[Callback(jump)])
        assert found.reason == "time"
        assert bits(run(found.state.generation)) == bits(found)

    @pytest.mark.parametrize(
        ("islands", "n_jobs", "shared"),
        [(4, 1, (1, 1)), (4, 2, (2, 1)), (2, 8, (2, 4)), (3, 8, (3, 2)), (16, 8, (8, 1))],
    )
    def test_processes_first(self, islands, n_jobs, shared):
        assert shared_out(islands, n_jobs) == shared


def test_arrays_in_a_file_are_those_written(tmp_path):
    arrays = {"a": np.arange(5, dtype=np.float32), "b": np.empty((0, 3)), "c": np.arange(6).reshape(2, 3)}
    read = Mapped.written(arrays, tmp_path / "arrays").arrays()
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype
        assert (read[name] == array).all()
        assert type(read[name]) is np.ndarray
        assert read[name].flags.aligned
        assert read[name].flags.writeable


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": 0}, "islands: expected an integer of at least 1; got 0"),
        ({"every": 0}, "every: expected an integer of at least 1"),
        ({"topology": "star"}, "topology: expected one of ring, full; got 'star'"),
        ({"settings": ({"loss": "mse"},)}, "islands: expected loss of the whole search"),
        ({"settings": ("lex",)}, "islands: expected settings as mappings"),
    ],
)
def test_bad_plans(changes, message):
    with pytest.raises(ValueError, match=message):
        Islands(**{"n": 2} | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_length": 99}, "islands: expected a max_length of at most 15"),
        ({"operators": ("add", "asin")}, "islands: expected operators among those of the search; got asin"),
        ({"speed": 2}, "settings: expected one of"),
    ],
)
def test_settings_that_no_island_may_have(changes, message):
    with pytest.raises(ValueError, match=message):
        Islands(2, settings=(changes,)).settings_of(SETTINGS)


class TestEstimator:
    def fitted(self, **changes):
        how = {"settings": SETTINGS, "time_limit": None, "random_state": 0, "islands": Islands(2, every=2)}
        return SymbolicRegressor(**how | {"generations": 5, "polish": False} | changes).fit(X, Y)

    def test_a_fit(self):
        seen = []
        est = self.fitted(callbacks=[lambda state: seen.append((state.generation, len(state.population)))])
        assert seen == [(0, 60), (2, 60), (4, 60), (5, 60)]
        assert est.history_["generation"].tolist() == [0, 1, 2, 3, 4, 5]
        assert set(est.history_["island"]) <= {0, 1}
        assert est.stopped_by_ == "generations"

    def test_warm_start(self):
        est = self.fitted(generations=3, warm_start=True)
        est.set_params(generations=2).fit(X, Y)
        assert est.n_generations_ == 5
        assert est.front_.equals(self.fitted().front_)
        with pytest.raises(ValueError, match="islands: expected 2, as in the search that is continued; got 3"):
            est.set_params(islands=3).fit(X, Y)

    def test_an_interrupt_returns_the_best_so_far(self):
        est = self.fitted(
            generations=50,
            on_interrupt="return",
            callbacks=[lambda state: signal.raise_signal(signal.SIGINT) if state.generation == 2 else None],
        )
        assert est.stopped_by_ == "interrupt"
        assert est.front_.equals(self.fitted(generations=est.n_generations_).front_)

    def test_an_interrupt_reaches_the_caller(self):
        with pytest.raises(KeyboardInterrupt):
            self.fitted(callbacks=[lambda state: signal.raise_signal(signal.SIGINT)])

    def test_progress_tells_who_is_at_work(self):
        from epsilex.data.scales import Scales
        from epsilex.evolution.observers.progress import Progress

        scales = Scales.of(X, Y, always=True, free_target=True)
        progress = Progress(Stop(9), list("abc"), scales, lambda: "4 islands on 2 workers")
        for found in (run(2), run(3)):
            progress.update(found.state, found.archive)
        assert "4 islands on 2 workers, " in progress.line(200)
        assert "evaluations/s" in progress.line(200)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"islands": 0}, "islands: expected an integer of at least 1, or Islands; got 0"),
            ({"islands": 2.0}, "islands: expected an integer of at least 1, or Islands; got 2.0"),
            ({"dask": 5}, "dask: expected an address, or a Dask client"),
            ({"islands": 1, "dask": "tcp://127.0.0.1:9"}, "dask: expected islands of at least 2"),
            ({"islands": Islands(2, settings=({"max_length": 99},))}, "islands: expected a max_length of at most 15"),
        ],
    )
    def test_bad_input(self, changes, message):
        with pytest.raises(ValueError, match=message):
            self.fitted(**changes)

    def test_own_operators_and_losses_travel(self, own_operators):
        programs.operator("bump", lambda x: np.exp(-x * x))
        how = {"operators": ["+", "*", "bump"], "loss": lambda y, p: np.abs(y - p) ** 1.5, "generations": 3}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert self.fitted(**how, n_jobs=2).front_.equals(self.fitted(**how).front_)
