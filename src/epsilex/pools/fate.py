"""Whether work was lost with its worker, or with all of them."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, CancelledError, Future


class Gone(ValueError):
    """The workers are gone, or cannot do the work."""


def lost(future: Future) -> bool:
    """Whether a future that is done has no outcome because its worker died."""
    if future.cancelled():
        return True
    error = future.exception()
    # Dask's own exceptions are known by name, because `distributed` is an extra.
    return isinstance(error, (BrokenExecutor, CancelledError)) or type(error).__name__ in _DASK


_DASK = ("KilledWorker", "FutureCancelledError", "CommClosedError")
