"""What must not get in: other hosts and origins, requests without token or CSRF header, paths, floods and bombs."""

from __future__ import annotations

import json
import time

import pytest

from studios import pendulums

TEXT = {"content-type": "application/json"}


def alive(client) -> bool:
    return client.get("/api/project").status_code == 200


def test_without_the_cookie_nothing_is_shown(stranger):
    for path in ("/", "/static/main.js", "/api/project", "/api/events", "/nothing"):
        answer = stranger.get(path)
        assert answer.status_code == 403
        assert "terminal" in answer.text
    assert stranger.post("/api/runs", json={}).status_code == 403


@pytest.mark.parametrize("token", ["", "wrong", "../secret.json"])
def test_a_wrong_token_opens_nothing(stranger, token):
    answer = stranger.get("/enter", params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_token_is_exchanged_for_a_strict_cookie(stranger, project):
    answer = stranger.get("/enter", params={"token": project.secret()["token"]})
    assert answer.status_code == 200
    assert 'content="0; url=/"' in answer.text
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert project.secret()["token"] not in answer.headers["set-cookie"]
    assert alive(stranger)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8731", "127.0.0.1", "127.0.0.1:80", "[::1]:8731", ""])
def test_a_foreign_host_is_refused(client, host):
    """A name of an attacker's that points at this machine (DNS rebinding)."""
    assert client.get("/api/project", headers={"host": host}).status_code == 421
    assert alive(client)


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1:8731", "http://127.0.0.1:8732", "null"])
def test_a_foreign_origin_is_refused(client, origin):
    for request in (client.get, client.post):
        assert request("/api/project", headers={"origin": origin}).status_code == 403
    assert client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert alive(client)


def test_a_post_needs_origin_and_csrf_header(client, stranger, project):
    body = {"kind": "stop"}
    for header in ({"x-csrf": "wrong"}, {"x-csrf": ""}):
        assert client.post("/api/runs/x/acts", json=body, headers=header).status_code == 403
    stranger.get("/enter", params={"token": project.secret()["token"]})
    csrf = {"x-csrf": project.secret()["csrf"]}
    assert stranger.post("/api/runs/x/acts", json=body, headers=csrf).status_code == 403  # no origin
    assert stranger.post("/api/runs/x/acts", json=body, headers={"origin": "http://127.0.0.1:8731"}).status_code == 403
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert client.request(method, "/api/runs/x/acts").status_code == 405


def test_answers_carry_a_strict_policy(client, stranger):
    for answer in (client.get("/"), client.get("/api/project"), stranger.get("/"), client.get("/nothing")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


PATHS = [
    "../secret.json",
    "..%2fsecret.json",
    "%2e%2e%2fsecret.json",
    "..%5csecret.json",
    "%00",
    "....//secret.json",
    "/etc/passwd",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_comes_from_the_browser(client, project, path):
    for place in ("/static/", "/api/tables/", "/api/runs/", "/"):
        answer = client.get(place + path)
        assert answer.status_code == 404
        for value in project.secret().values():
            assert value not in answer.text


def test_a_name_with_a_path_is_only_a_name(client, project):
    answer = client.post("/api/tables", content=pendulums(), headers={"x-name": "..%2F..%2Fevil.csv"})
    assert answer.status_code == 201
    assert not list(project.folder.parent.rglob("evil*"))


def test_a_gigabyte_is_refused_at_once(client, monkeypatch):
    head = {"content-length": str(2**30), "x-name": "big.csv"}
    assert client.post("/api/tables", content=b"a,b\n", headers=head).status_code == 413

    def flood():  # without a length, it is refused once the limit is passed
        for _ in range(8):
            yield bytes(2**16)

    monkeypatch.setattr("epsilex.studio.app.MAX_TABLE", 2**18)
    assert client.post("/api/tables", content=flood(), headers={"x-name": "big.csv"}).status_code == 413
    assert client.post("/api/runs", content=b" " * 10**6, headers=TEXT).status_code == 413
    assert alive(client)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'"x"', b"[" * 60_000, b'{"a":' * 10_000, b'{"seconds": NaN}']
)
def test_a_body_that_is_no_object_is_refused(client, body):
    assert client.post("/api/runs", content=body, headers=TEXT).status_code in (400, 404)
    assert client.post("/api/runs", content=b"{}", headers={"content-type": "text/plain"}).status_code == 400
    assert alive(client)


BOMBS = [
    "(" * 3000 + "length" + ")" * 3000,
    "-" * 3999 + "1",
    "length**length**length**length**" * 40 + "9",
    "exp(" * 300 + "length" + ")" * 300,
    "+".join(["length"] * 600),
    "1" * 3000,
    "x" * 100_000,
    "__import__('os').system('true')",
    "length if length else 0",
    "lambda: 0",
    "length; length",
    "`</math><script>alert(1)</script>`",
]


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb[:20])
def test_formula_bombs_are_refused_or_harmless(client, finished, bomb):
    began = time.monotonic()
    look = client.post(f"/api/runs/{finished}/look", json={"formula": bomb})
    assert look.status_code in (200, 400, 413)
    assert "<script" not in look.json().get("math", "")
    for kind in ("guess", "reject"):
        answer = client.post(f"/api/runs/{finished}/acts", json={"kind": kind, "formula": bomb})
        assert answer.status_code in ((400, 413) if kind == "guess" else (202, 400, 413))
    assert time.monotonic() - began < 30
    assert alive(client)


def test_html_in_names_stays_text(client, monkeypatch):
    from epsilex.studio.views import Runs

    monkeypatch.setattr(Runs, "start", lambda self, id: None)
    evil = "<img src=x onerror=alert(1)>"
    header, rest = pendulums().split(b"\n", 1)
    table = client.post(
        "/api/tables", content=header.replace(b"mass", evil.encode()) + b"\n" + rest, headers={"x-name": "a.csv"}
    ).json()
    wish = {"table": table["id"], "target": "period", "name": evil}
    id = client.post("/api/runs", json=wish).json()["id"]
    looked = client.post(f"/api/runs/{id}/look", json={"formula": f"2*`{evil}`"}).json()
    assert "<img" not in looked["math"]
    assert "&lt;img" in looked["math"]
    assert looked["curve"]["feature"] == evil
    page = client.get("/").text
    assert evil not in page
    assert json.loads(client.get(f"/api/runs/{id}").text)["features"][1] == evil
