"""Where a trial ran: versions, commit, processor. Stored beside the results."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

_PACKAGES = ("numpy", "numba", "scipy", "pandas", "scikit-learn")


@lru_cache(maxsize=1)
def describe() -> dict[str, Any]:
    """The environment of this process: versions, commit, processor, number of processors."""
    from epsilex import __version__

    return {
        "epsilex": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        **{package: _version(package) for package in _PACKAGES},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "processors": os.cpu_count(),
        "threads_per_trial": 1,
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _commit() -> str | None:
    """Commit of the source tree this package is imported from, with `+` if it has changes; None outside one."""
    folder = Path(__file__).parent
    try:
        commit = _git(folder, "rev-parse", "--short=12", "HEAD")
        return commit + ("+" if _git(folder, "status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=5, check=True)
    return done.stdout.strip()


def _processor() -> str:
    """The processor's name, if the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"
