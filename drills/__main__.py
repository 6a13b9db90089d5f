"""`python -m drills [NAMES] [--share 0.02] [--jobs 2] [--keep]`: run drills, each in a process of its own."""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

from drills import page
from drills.command import ROOT, environment
from drills.drill import DRILLS, SHOWN, carry_out

MODULES = (
    "kills", "damage", "forgery", "formulas", "tables", "names", "signals", "disks", "concurrency", "determinism",
    "numbers", "leaks", "islands",
)  # fmt: skip


def load() -> None:
    """Register all drills."""
    for name in MODULES:
        importlib.import_module(f"drills.{name}")


def apart(name: str, share: float, seed: int) -> dict:
    """Run a drill in a process of its own, so that none disturbs another."""
    words = [sys.executable, "-m", "drills", name, "--share", str(share), "--seed", str(seed), "--here"]
    done = subprocess.run(words, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)
    record = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else None
    if record is None:
        one = DRILLS[name]
        record = {
            "count": 0,
            "full": one.full,
            "unit": one.unit,
            "figures": {},
            "seconds": 0.0,
            "seed": seed,
            "when": "",
        }
        record["failures"] = [f"the drill's process ended with code {done.returncode}"]
    told = f"{name}: {record['count']:,} of {record['full']:,} {record['unit']}, {len(record['failures'])} broken"
    print(f"{told}, {record['seconds']:.0f} s, {record['figures']}", flush=True)
    for failure in record["failures"][:SHOWN]:
        print(f"  {failure}", flush=True)
    return record


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m drills", description=__doc__)
    parser.add_argument("names", nargs="*", help="drills to run; all without it")
    parser.add_argument("--share", type=float, default=1.0, help="share of the full count")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="drills at once")
    parser.add_argument("--keep", action="store_true", help="write figures.json and the table of docs/promises.md")
    parser.add_argument("--list", action="store_true", help="list the drills")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    load()
    if unknown := [name for name in asked.names if name not in DRILLS]:
        parser.error(f"expected some of {', '.join(DRILLS)}; got {', '.join(unknown)}")
    names = asked.names or list(DRILLS)
    if asked.list:
        for name in names:
            print(f"{name:<22}{DRILLS[name].full:>9,} {DRILLS[name].unit}: {DRILLS[name].promise}")
        return 0
    if asked.here:
        warnings.simplefilter("ignore")
        print("\n" + json.dumps(carry_out(DRILLS[names[0]], asked.share, asked.seed)))
        return 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        records = dict(zip(names, pool.map(lambda name: apart(name, asked.share, asked.seed), names), strict=True))
    if asked.keep:
        page.keep(records)
    return 1 if any(record["failures"] for record in records.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
