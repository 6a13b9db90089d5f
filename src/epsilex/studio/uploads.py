"""Bodies of requests, of bounded size: a table from the browser, or a small JSON object."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request

MAX_TABLE = 64 * 2**20
MAX_JSON = 64 * 2**10


class TooLarge(ValueError):
    """A body above its limit; it is not read to its end."""


async def body(request: Request, most: int) -> bytes:
    """The body of a request; `TooLarge` as soon as it is known to be."""
    said = request.headers.get("content-length", "0")
    if not said.isdigit() or int(said) > most:
        raise TooLarge(f"body: expected at most {most} bytes; got {said[:20]}")
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise TooLarge(f"body: expected at most {most} bytes; got more")
    return bytes(content)


async def json_object(request: Request) -> dict[str, Any]:
    """The body of a request as a JSON object."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ValueError("content-type: expected application/json")
    try:
        value = json.loads(await body(request, MAX_JSON))
    except (UnicodeDecodeError, RecursionError, json.JSONDecodeError):
        raise ValueError("body: expected JSON") from None
    if not isinstance(value, dict):
        raise ValueError(f"body: expected a JSON object; got {type(value).__name__}")
    return value
