"""The web server: on the loopback interface only, its address printed and opened, runs saved at its end."""

from __future__ import annotations

import errno
import signal
import socket
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from epsilex.studio.app import app
from epsilex.studio.lock import Busy, held
from epsilex.studio.project import Project, read_json
from epsilex.studio.publishing import SNAPSHOT
from epsilex.studio.views import Runs

HOST, PORT = "127.0.0.1", 8731
SAVING = 15.0  # seconds that runs have to save themselves


def serve(data: Path | None, folder: Path, port: int | None, browser: bool, tell: Callable[[str], None]) -> None:
    """Serve a project until an interrupt; `data` is added to its tables."""
    project = Project(folder)
    runs = Runs(project)
    if data is not None:
        table = runs.add_table(data.name, data.read_bytes())
        tell(f"{data}: {table['rows']} rows, {len(table['columns'])} columns")
    try:
        with held(project.folder), bound(port, tell) as listening:
            number = listening.getsockname()[1]
            address = f"http://{HOST}:{number}/enter?token={project.secret()['token']}"
            tell(f"project: {project.folder}")
            tell(f"studio: {address}")
            if browser:
                webbrowser.open(address)
            config = uvicorn.Config(app(project, number), log_level="error", access_log=False, server_header=False,
                                    timeout_graceful_shutdown=1)  # fmt: skip
            try:
                _Server(config).run(sockets=[listening])
            finally:
                _save(runs, tell)
    except Busy:
        raise ValueError(f"{project.folder}: expected a project that is not open; another studio serves it") from None


class _Server(uvicorn.Server):
    """An interrupt is the usual end of a server, so it is not raised again afterwards."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def replay(folder: Path, id: str, tell: Callable[[str], None]) -> bool:
    """Repeat a run by its log, without a browser; returns whether the fronts are the same, bit for bit."""
    from epsilex.studio.worker import work

    project = Project(folder)
    new = Runs(project).replay(id)
    tell(f"replaying {id} as {new}")
    with held(project.run(new)):
        work(project, new)
    found = read_json(project.run(new) / SNAPSHOT)
    if found["phase"] != "done":
        raise ValueError(f"replay: expected it to end; it {found['phase']}: {found.get('message', '')}")
    return found["digest"] == read_json(project.run(new) / "spec.json")["expected"]


def bound(port: int | None, tell: Callable[[str], None]) -> socket.socket:
    """A listening socket at the port asked for; without one, at the usual port or any free one."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, PORT if port is None else port))
    except OSError as error:
        if port is not None or error.errno != errno.EADDRINUSE:
            listening.close()
            raise ValueError(f"port: expected a free one; {port or PORT} cannot be used ({error.strerror})") from None
        listening.bind((HOST, 0))
        tell(f"port {PORT} is taken, another one is used")
    listening.listen()  # from here on a browser waits for the server instead of being refused
    return listening


def _save(runs: Runs, tell: Callable[[str], None]) -> None:
    """Let running searches write their checkpoints and leave; in a folder that was deleted there is nothing to save."""
    count = runs.interrupt() if (runs.project.folder / "runs").is_dir() else 0
    if not count:
        return
    tell(f"saving {count} run{'s' if count > 1 else ''}; open the project again to continue")
    until = time.monotonic() + SAVING
    while time.monotonic() < until and any(runs.running(id) for id in runs.project.runs()):
        time.sleep(0.1)
