"""Full disks, on small mounts where root allows, and folders that cannot be written: the model is never lost."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

from drills import fits
from drills.command import call, start_python
from drills.drill import Outcome, drill
from drills.kills import litter

COLD = """
import sys
sys.path.insert(0, {root!r})
from drills import fits
print(fits.hashes(fits.estimator("paper", generations=2).fit(*fits.data())))
"""


@contextlib.contextmanager
def mounted(folder: Path, size: int) -> Iterator[bool]:
    """A small tmpfs; False where mounting is not allowed."""
    folder.mkdir(exist_ok=True)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},nr_inodes=40", "tmpfs", str(folder)], capture_output=True
    )
    try:
        yield made.returncode == 0
    finally:
        if made.returncode == 0:
            subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Take all the room there is."""
    with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def checkpoint_on(place: Path, whole: tuple, outcome: Outcome) -> None:
    X, y = fits.data()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        est = fits.estimator("modern", checkpoint=place / "checkpoint", checkpoint_every=0.0).fit(X, y)
    told = [str(w.message) for w in caught if "cannot be written" in str(w.message)]
    outcome.expect(fits.hashes(est) == whole, "a full disk changed the result")
    outcome.expect(told or (place / "checkpoint").exists(), "no checkpoint and no warning")
    outcome.expect(len(told) <= 1, f"{len(told)} warnings")
    outcome.add("warnings", len(told))


@drill(
    "A full disk costs a warning and no model; nothing is left half-written, and messages name the file",
    full=60,
    unit="full disks",
    least=2,
)
def full_disks(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    place = folder / "mount"
    whole = fits.hashes(fits.estimator("modern").fit(*fits.data()))
    table = fits.table(folder / "d.csv")
    for k in range(n):
        with mounted(place, rng.choice((8, 64, 128, 256, 512)) * 1024) as allowed:
            if not allowed:
                outcome.figures["left out"] = "tmpfs cannot be mounted here"
                return
            outcome.count += 1
            if rng.random() < 0.5:
                fill(place)
            if k % 2:
                checkpoint_on(place, whole, outcome)
            else:
                done = call(
                    "fit",
                    table,
                    "--target",
                    "y",
                    "--generations",
                    "2",
                    "--population",
                    "100",
                    "--jobs",
                    "1",
                    "--out",
                    place / "out",
                )
                outcome.add("fits written", done.code == 0)
                outcome.expect(
                    done.code in (0, 2) and "Traceback" not in done.err, f"code {done.code}: {done.err[-300:]}"
                )
                outcome.expect(
                    done.code == 0 or str(place) in done.err, f"the message names no file: {done.err[-300:]}"
                )
            outcome.expect(not litter(place), f"left behind: {litter(place)}")


@drill("A full or unusable kernel cache costs compile time and nothing else", full=6, unit="kernel caches", least=1)
def full_caches(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    root = str(Path(__file__).resolve().parent.parent)
    whole = str(fits.hashes(fits.estimator("paper", generations=2).fit(*fits.data())))
    for k in range(n):
        place = folder / "mount"
        with mounted(place, rng.choice((4, 400, 1200)) * 1024) as allowed:
            if k % 3 == 2 or not allowed:
                cache = folder / "file"
                cache.write_text("not a folder")
            else:
                cache = place
            process = start_python("-c", COLD.format(root=root), folder=folder, NUMBA_CACHE_DIR=str(cache))
            out, err = process.communicate(timeout=600)
        outcome.count += 1
        outcome.expect(out.decode().strip() == whole, f"cache {k}: {out!r} {err[-300:]!r}")


@drill("A folder that cannot be written is named before the search begins", full=20, unit="read-only folders", least=1)
def read_only(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    table = fits.table(folder / "d.csv")
    place = folder / "mount"
    for _ in range(n):
        with mounted(place, 2**20) as allowed:
            if not allowed or subprocess.run(["mount", "-o", "remount,ro", str(place)], capture_output=True).returncode:
                outcome.figures["left out"] = "tmpfs cannot be mounted here"
                return
            outcome.count += 1
            out = rng.choice((place, place / "out", place / "a" / "b"))
            done = call("fit", table, "--target", "y", "--generations", "1", "--population", "20", "--out", out)
            outcome.expect(done.one_line and str(out) in done.err, f"code {done.code}: {done.err[-300:]}")
            outcome.expect(not os.listdir(place), "something was written")
