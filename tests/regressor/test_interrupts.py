"""Ctrl-C and SIGTERM reach the caller, or end a fit with the best so far; none is swallowed."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from epsilex import SymbolicRegressor
from epsilex.evolution import Cases, Settings, Stop, search
from epsilex.evolution.observers.observer import Callback
from epsilex.interrupts import AGAIN, NUMBERS, hearing
from processes import environment

X = np.random.default_rng(0).normal(size=(50, 2))
Y = X[:, 0] * X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=50)
HOW = {"population_size": 20, "generations": 5, "random_state": 0}


def fitted(callback, **changes):
    return SymbolicRegressor.paper(callbacks=[callback], **HOW | changes).fit(X, Y)


def at(generation, number=signal.SIGINT):
    """A callback that sends a signal at one generation."""
    return lambda state: signal.raise_signal(number) if state.generation == generation else None


def handlers():
    return [signal.getsignal(number) for number in NUMBERS]


class TestRaising:
    @pytest.mark.parametrize("generation", [0, 2, 5])
    def test_ctrl_c_reaches_the_caller(self, generation):
        before = handlers()
        with pytest.raises(KeyboardInterrupt):
            fitted(at(generation))
        assert handlers() == before

    @pytest.mark.parametrize(
        "all_fits",
        [
            lambda est: cross_val_score(est, X, Y, cv=3),
            lambda est: GridSearchCV(est, {"target_error": [0.0, 0.1]}, cv=2).fit(X, Y),
        ],
        ids=["cross_val_score", "GridSearchCV"],
    )
    def test_one_ctrl_c_ends_all_fits(self, all_fits):
        begun = []

        def interrupt(state):
            begun.append(state.generation)
            if state.generation == 2:
                signal.raise_signal(signal.SIGINT)

        est = SymbolicRegressor.paper(callbacks=[interrupt], **HOW)
        with pytest.raises(KeyboardInterrupt):
            all_fits(est)
        assert begun == [0, 1, 2]

    @pytest.mark.parametrize("number", NUMBERS)
    def test_one_that_a_finalizer_dropped(self, number, capsys):
        """It comes again at once, not at the next check."""

        class Dropping:
            def __del__(self):
                signal.raise_signal(number)

        def work():
            Dropping()
            for _ in range(1000):
                time.sleep(0.01)

        hook = sys.unraisablehook
        with hearing(*NUMBERS) as signals, pytest.raises(KeyboardInterrupt):
            work()
        assert signals.seen == [number]
        assert sys.unraisablehook is hook
        assert capsys.readouterr().err == ""

    def test_one_that_a_finalizer_dropped_just_before_the_end(self):
        class Dropping:
            def __del__(self):
                signal.raise_signal(signal.SIGINT)

        with hearing(*NUMBERS) as signals:
            Dropping()
        time.sleep(3 * AGAIN)  # nothing is raised any more
        assert signals.raises

    def test_one_that_a_library_made_another_error_of(self, monkeypatch):
        def compile_badly(*_):
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raise RuntimeError("cannot compile") from None

        monkeypatch.setattr(SymbolicRegressor, "_search", compile_badly)
        with pytest.raises(KeyboardInterrupt) as caught:
            fitted(lambda state: None)
        assert isinstance(caught.value.__cause__, RuntimeError)

    def test_one_that_a_library_swallowed_is_raised_after_all(self):
        def swallow(state):
            with contextlib.suppress(KeyboardInterrupt):
                at(2)(state)

        with pytest.raises(KeyboardInterrupt):
            fitted(swallow)

    def test_a_handler_of_the_users_own_stays(self):
        heard = []
        before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
        try:
            est = fitted(at(2))
        finally:
            signal.signal(signal.SIGINT, before)
        assert heard == [signal.SIGINT]
        assert est.stopped_by_ == "generations"

    def test_sigterm_is_left_alone(self):
        during = []
        fitted(lambda state: during.append(signal.getsignal(signal.SIGTERM)))
        assert set(during) == {signal.getsignal(signal.SIGTERM)}


class TestReturning:
    @pytest.mark.parametrize("number", NUMBERS)
    @pytest.mark.parametrize("generation", [0, 2])
    def test_the_best_so_far_is_the_result(self, number, generation):
        before = handlers()
        est = fitted(at(generation, number), on_interrupt="return")
        assert (est.stopped_by_, est.n_generations_) == ("interrupt", generation)
        assert np.isfinite(est.predict(X)).all()
        assert handlers() == before

    def test_a_signal_after_the_search_is_told_too(self):
        def choose(front):
            signal.raise_signal(signal.SIGTERM)
            return 0

        est = fitted(lambda state: None, on_interrupt="return", choose=choose)
        assert (est.stopped_by_, est.n_generations_) == ("interrupt", 5)

    def test_before_the_first_population_there_is_nothing_to_return(self, monkeypatch):
        from epsilex.evolution.run import Run

        monkeypatch.setattr(Run, "start", lambda self: signal.raise_signal(signal.SIGTERM))
        with pytest.raises(KeyboardInterrupt):
            fitted(lambda state: None, on_interrupt="return")

    def test_a_second_one_is_as_usual(self):
        def impatient(state):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            fitted(impatient, on_interrupt="return")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_the_parameter_is_checked(self):
        with pytest.raises(ValueError, match="on_interrupt: expected one of raise, return; got 'ignore'"):
            fitted(lambda state: None, on_interrupt="ignore")


class TestHearing:
    def test_the_search_itself_takes_no_signal(self):
        before, during = handlers(), []
        settings = Settings.paper(population_size=20, max_length=15)
        watch = Callback(lambda state: during.append(handlers()))
        search(Cases.from_arrays(X, Y), settings, Stop(generations=1), observers=[watch])
        assert during == [before] * 2

    def test_in_another_thread(self):
        """Only the main thread may set handlers; elsewhere a fit runs without."""
        before, during = handlers(), []
        with ThreadPoolExecutor(1) as pool:
            est = pool.submit(fitted, lambda state: during.append(handlers()), on_interrupt="return").result()
        assert est.stopped_by_ == "generations"
        assert during == [before] * 6

    def test_ignored_signals_stay_ignored(self):
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with hearing(*NUMBERS):
                assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        finally:
            signal.signal(signal.SIGINT, before)


COLD = """
import sys
import numpy as np
from epsilex import SymbolicRegressor
X = np.random.default_rng(0).normal(size=(50, 2))
est = SymbolicRegressor(time_limit=300.0, random_state=0, on_interrupt=sys.argv[1])
print("compiling", flush=True)
try:
    est.fit(X, np.random.default_rng(1).normal(size=50))
    print(est.stopped_by_, est.n_generations_, flush=True)
except KeyboardInterrupt:
    print("raised", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("on_interrupt", "number"), [("raise", signal.SIGINT), ("return", signal.SIGTERM)])
def test_a_signal_while_kernels_compile(tmp_path, on_interrupt, number):
    """A fresh cache: nothing is compiled, and there is nothing to return."""
    command = [sys.executable, "-c", COLD, on_interrupt]
    process = subprocess.Popen(
        command, env=environment(NUMBA_CACHE_DIR=str(tmp_path)), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "compiling\n"
        threading.Event().wait(3.0)
        process.send_signal(number)
        rest, _ = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0
    # LLVM calls back into Python, where an exception is dropped; the signal then counts at the first population.
    assert rest == "raised\n" or (on_interrupt == "return" and rest.startswith("interrupt "))
