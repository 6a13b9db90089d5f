"""Bytes as text: the encoding is given, told by a mark, UTF-8, or that of Western Windows."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

MARKS = (  # UTF-32 begins like UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
FALLBACK = "cp1252"
SAMPLE = 4096  # bytes that tell UTF-16 from binary
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")


def decoded(content: bytes, encoding: str | None, path: Path) -> tuple[str, list[str]]:
    """The text of a file, and a note if it is not in UTF-8."""
    if encoding is not None:
        return _by_name(content, encoding, path), []
    for mark, name in MARKS:
        if content.startswith(mark):
            text = _by_name(content, name, path)
            return text, [] if name == "utf-8-sig" else [f"the text is read as {name}"]
    if b"\0" in content:
        wide = _without_mark(content)
        if wide is None:
            line = content.count(b"\n", 0, content.index(b"\0")) + 1
            raise ValueError(f"{path}: expected text; got a NUL byte in line {line}, the file is binary")
        return _by_name(content, wide, path), [f"the text is read as {wide}"]
    try:
        return content.decode("utf-8"), []
    except UnicodeDecodeError as error:
        return _western(content, error.start, path)


def _by_name(content: bytes, encoding: str, path: Path) -> str:
    try:
        return content.decode(encoding)
    except LookupError:
        raise ValueError(f"encoding: expected one that Python knows, such as cp1252; got {encoding!r}") from None
    except (UnicodeError, ValueError) as error:
        raise ValueError(f"{path}: expected text in {encoding}; {error!s:.200}") from None


def _without_mark(content: bytes) -> str | None:
    """UTF-16 without a mark has NULs in every other byte."""
    sample = content[:SAMPLE]
    shares = [part.count(0) / max(1, len(part)) for part in (sample[0::2], sample[1::2])]
    if min(shares) < 0.1 and max(shares) > 0.6 and len(content) % 2 == 0:
        return "utf-16-be" if shares[0] > shares[1] else "utf-16-le"
    return None


def _western(content: bytes, at: int, path: Path) -> tuple[str, list[str]]:
    line = content.count(b"\n", 0, at) + 1
    got = f"the byte 0x{content[at]:02x} in line {line}"
    if _BINARY.search(content):
        raise ValueError(f"{path}: expected text; got {got}, and the file is binary")
    try:
        text = content.decode(FALLBACK)
    except UnicodeDecodeError:
        raise ValueError(f"{path}: expected text in UTF-8; got {got}; --encoding names another encoding") from None
    return text, [f"the text is not UTF-8 and is read as {FALLBACK}; --encoding names another encoding"]
