"""Who may ask: only a browser on this machine that came through the address printed in the terminal.

The token of that address is exchanged for a strict cookie. Host and Origin must be the server's own, so neither another
site nor a name that was made to point at this machine gets in. Every POST needs a CSRF header, which only the page
knows.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, PlainTextResponse, Response

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
DOOR = """<!doctype html><html lang="en"><meta charset="utf-8"><title>epsilex studio</title>
<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Open the studio</a></p></html>
"""
Scope = MutableMapping[str, Any]
App = Callable[[Scope, Callable, Callable], Awaitable[None]]


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(self, app: App, secret: dict[str, str], port: int):
        self.app, self.secret = app, secret
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.cookie = f"epsilex-studio-{port}"

    async def __call__(self, scope: Scope, receive: Callable, send: Callable) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]
            await send(message)

        response = self._answer(scope)
        await (response or self.app)(scope, receive, guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """What to answer instead of the app; None if the request may pass."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host") not in self.hosts:
            return _refused(421, "host: expected this machine's own address")
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return _refused(403, "origin: expected the studio's own page")
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and scope["path"] != "/enter":
            return _refused(403, "origin: expected the studio's own page")
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return _refused(405, "method: expected GET or POST")
        if scope["path"] == "/enter":
            return self._enter(scope)
        if not _same(self._cookie(headers), self.secret["cookie"]):
            return _refused(403, "Please open the address that `epsilex studio` printed in its terminal.")
        if scope["method"] == "POST":
            if origin is None:
                return _refused(403, "origin: expected the studio's own page; got none")
            if not _same(headers.get("x-csrf", ""), self.secret["csrf"]):
                return _refused(403, "x-csrf: expected the page's own header")
        return None

    def _enter(self, scope: Scope) -> Response:
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not _same(token, self.secret["token"]):
            return _refused(403, "token: expected that of the address printed in the terminal")
        # A page that goes on by itself: after a redirect from another site a strict cookie would not be sent.
        response = HTMLResponse(DOOR)
        response.set_cookie(self.cookie, self.secret["cookie"], httponly=True, samesite="strict", path="/")
        return response

    def _cookie(self, headers: dict[str, str]) -> str:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return found.value if found is not None else ""


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def _refused(status: int, words: str) -> Response:
    return PlainTextResponse(words + "\n", status_code=status)
