"""A mirror of the authors' repositories on the loopback, and made-up problems to put there."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from epsilex.problems import finding, paper
from epsilex.problems.declaration import AuthorsFile, Declaration, blob_of, sha256_of

CONTENT = b"x0\tx1\tlabel\n" + b"".join(b"%d\t%d\t%d\n" % (i, i % 3, 2 * i) for i in range(12))
PREPARED = CONTENT.replace(b"x0\tx1\tlabel", b"a,b,target").replace(b"\t", b",")


def thing(content: bytes = CONTENT, prepared: bytes = PREPARED) -> Declaration:
    """A made-up problem of twelve rows whose files have these hashes."""
    raw = AuthorsFile("some/one", "c0ffee", "in/d_thing.txt", blob_of(content), sha256_of(content))
    changes = {"name": "thing", "title": "Thing", "rows": 12, "features": ("a", "b"), "notes": ()}
    return replace(paper.HOUSING, **changes, raw=(raw,), prepared={"thing.csv": sha256_of(prepared)})


def nowhere(monkeypatch, folder: Path) -> Path:
    """No data folder and an empty cache, whose path is returned."""
    monkeypatch.delenv("EPSILEX_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    cache = folder / "cache"
    monkeypatch.setattr(finding, "cache_folder", lambda: cache)
    return cache


@dataclass
class Mirror:
    """Files by path; what answers for a path that is not there; paths that were asked for."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    announced: Callable[[bytes], int] = len

    def hold(self, file: AuthorsFile, content: bytes) -> None:
        self.files[f"/{file.repository}/{file.commit}/{file.path}"] = content


@contextmanager
def mirror(monkeypatch) -> Iterator[Mirror]:
    """Serve on the loopback, and let EPSILEX_DATA_URL name it."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            served.asked.append(self.path)
            content = served.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(served.announced(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Mirror(f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("EPSILEX_DATA_URL", served.url + "/")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
