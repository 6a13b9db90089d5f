"""Damaged files: models, checkpoints and records with flipped bits, missing and extra bytes are noticed."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path

from drills import fits
from drills.drill import Outcome, drill

FORMATS = ("model", "checkpoint", "record")


def damaged(content: bytes, rng: random.Random) -> bytes:
    """The content as it never was, by one of the ways in which disks, networks and people damage files."""
    new = content
    while new == content:
        new = damaged_once(content, rng)
    return new


def damaged_once(content: bytes, rng: random.Random) -> bytes:
    """The same, but some ways may leave the content as it is: it may have no line ends, for one."""
    at = rng.randrange(len(content))
    size = rng.choice((1, 1, 1, 8, 100, 4096))
    ways: list[Callable[[], bytes]] = [
        lambda: content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :],  # a flipped bit
        lambda: content[:at],  # cut
        lambda: content[:at] + content[at + size :],  # a hole
        lambda: content[:at] + rng.randbytes(size) + content[at:],  # extra bytes
        lambda: content[:at] + bytes(size) + content[at + size :],  # zeros
        lambda: content[:at] + content[at:][:size] + content[at:],  # a stretch twice
        lambda: content[at:] + content[:at],  # turned
        lambda: content + content[: rng.randrange(1, 200)],  # something after the end
        lambda: content.replace(b"\n", b"\r\n", rng.choice((1, -1))),  # a text-mode copy
    ]
    return rng.choice(ways)()


class Files:
    """One whole file of each format, and a way to read each that returns what it means."""

    def __init__(self, folder: Path):
        from epsilex.evolution.observers.records import previous

        X, y = fits.data()
        self.est = fits.estimator("modern", checkpoint=folder / "checkpoint", generations=3).fit(X, y)
        previous(folder / "checkpoint").unlink(missing_ok=True)
        self.est.model_.save(folder / "model")
        self.X, self.y = X, y
        self.paths = {name: folder / name for name in FORMATS}
        self.paths["record"].write_text(_record(self.est, X, y).text())
        self.whole = {name: path.read_bytes() for name, path in self.paths.items()}
        self.meaning = {name: self.read(name) for name in FORMATS}

    def read(self, name: str) -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(self, f"_{name}")(self.paths[name])

    def _model(self, path: Path) -> object:
        from epsilex import load_model

        m = load_model(path)
        return m.nodes, m.feature_names, repr(sorted(m.metrics.items())), m.predict(self.X).tobytes()

    def _checkpoint(self, path: Path) -> object:
        again = fits.estimator("modern", checkpoint=path, generations=3, resume=True).fit(self.X, self.y)
        return fits.hashes(again)

    def _record(self, path: Path) -> object:
        from epsilex.report import load_fit, render

        return render(load_fit(path))


def _record(est, X, y):
    """A record as `epsilex fit` writes it."""
    import numpy as np

    from epsilex.report import Measurements, record

    rows = Measurements(np.asarray(X), y, np.arange(len(y)) % 4 == 0)
    return record(est, rows, "y", "epsilex fit drill.csv", [], "drill.csv")


@drill(
    "A damaged model, checkpoint or record of a fit is refused with a ValueError, never silently different",
    full=3000,
    unit="damaged files",
    least=30,
)
def damaged_files(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    files = Files(folder)
    for k in range(n):
        name = FORMATS[k % 3]
        files.paths[name].write_bytes(damaged(files.whole[name], rng))
        outcome.count += 1
        outcome.add(f"{name}s")
        try:
            meaning = files.read(name)
        except ValueError:
            outcome.add("refused")
        except Exception as error:
            outcome.expect(False, f"{name}, attempt {k}: {type(error).__name__}: {error}")
        else:
            outcome.add("read as before")
            outcome.expect(meaning == files.meaning[name], f"{name}, attempt {k}: silently different")
