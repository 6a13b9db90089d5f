"""A cache of machine code that may fail: a full disk or a damaged file costs only compile time."""

from __future__ import annotations

from contextlib import suppress


def forgiving(kernel):
    """The kernel, whose cache on disk ignores what it cannot write or read."""
    if not hasattr(kernel, "_cache"):  # compiling is switched off
        return kernel
    save, load = kernel._cache.save_overload, kernel._cache.load_overload

    def try_to_save(*arguments):
        with suppress(OSError):
            save(*arguments)

    def try_to_load(*arguments):
        try:
            return load(*arguments)
        except Exception:  # pickle raises anything on a damaged file
            return None

    kernel._cache.save_overload, kernel._cache.load_overload = try_to_save, try_to_load
    return kernel


def to_be_kept(kernel) -> bool:
    """Whether a kernel has a cache on disk in which there is no machine code of it yet."""
    try:
        return not kernel._cache._cache_file._load_index()
    except Exception:  # no cache, or an unreadable one
        return False
