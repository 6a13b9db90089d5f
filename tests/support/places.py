"""Folders that tests use."""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).parent
ROOT = SUPPORT.parents[1]
SOURCE = ROOT / "src"
SHARED = ROOT.parent / "shared"  # data and paper of a development machine: tests that need them skip without
DATA = SHARED / "data"
