"""The JSON API and the page. Work that may take a moment runs in threads, so the server always answers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from epsilex import __version__
from epsilex.programs.operators import lookup, opcode
from epsilex.studio.exporting import KINDS, exported
from epsilex.studio.guard import Guard
from epsilex.studio.project import Missing, Project, read_lines, read_spec
from epsilex.studio.specs import DEFAULTS, OPERATORS
from epsilex.studio.units import AtColumn
from epsilex.studio.uploads import MAX_TABLE, TooLarge, body, json_object
from epsilex.studio.views import Runs

LOOK = 0.3  # seconds between looks at the files of runs
SHARE, SELDOM = 0.02, 4.0  # of the time that showing a running search may take; seconds a person should wait at most
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
         "woff2": "font/woff2"}  # fmt: skip


def app(project: Project, port: int) -> Guard:
    """The studio of a project as an ASGI app that answers at this port only."""
    secret = project.secret()
    return Guard(Studio(Runs(project), secret["csrf"]).routes(), secret, port)


class Studio:
    """The handlers of requests."""

    def __init__(self, runs: Runs, csrf: str):
        self.runs = runs
        pages = (path for path in files("epsilex.studio").joinpath("page").iterdir() if "." in path.name)
        self.page: dict[str, str | bytes] = {path.name: path.read_text(encoding="utf-8") for path in pages}
        page = str(self.page["index.html"])
        self.page["math.woff2"] = files("epsilex.report").joinpath("fonts", "math.woff2").read_bytes()
        self.page["index.html"] = page.replace("{{csrf}}", csrf).replace("{{version}}", __version__)

    def routes(self) -> Starlette:
        run = "/api/runs/{id}"
        return Starlette(
            routes=[
                Route("/", self.index),
                Route("/static/{name}", self.static),
                Route("/favicon.ico", self.icon),
                Route("/api/project", self.project),
                Route("/api/events", self.events),
                Route("/api/tables", self.add_table, methods=["POST"]),
                Route("/api/tables/{id}", self.table),
                Route("/api/runs", self.begin, methods=["POST"]),
                Route(run, self.view),
                Route(f"{run}/acts", self.act, methods=["POST"]),
                Route(f"{run}/look", self.look, methods=["POST"]),
                Route(f"{run}/notes", self.note, methods=["POST"]),
                Route(f"{run}/replay", self.replay, methods=["POST"]),
                Route(f"{run}/export/{{kind}}", self.export, methods=["POST"]),
            ],
            exception_handlers={
                Missing: _told(404),
                TooLarge: _told(413),
                ValueError: _told(400),
                OSError: _told(507),
            },
        )

    async def index(self, request: Request) -> Response:
        return Response(self.page["index.html"], media_type="text/html")

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self.page or name == "index.html":
            raise Missing(f"file: expected one of the page; got {name[:40]!r}")
        return Response(self.page[name], media_type=TYPES[name.rpartition(".")[2]])

    async def icon(self, request: Request) -> Response:
        """Browsers ask for this name now and then, whatever the page says."""
        return Response(self.page["icon.svg"], media_type=TYPES["svg"])

    async def project(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._project))

    def _project(self) -> dict[str, Any]:
        runs = self.runs
        return {
            "folder": runs.project.folder.name,
            "tables": runs.project.tables(),
            "runs": [runs.brief(id) for id in runs.project.runs()],
            "operators": [{"name": name, "symbol": lookup(opcode(name)).symbol} for name in OPERATORS],
            "defaults": DEFAULTS,
            "most": MAX_TABLE,
        }

    async def add_table(self, request: Request) -> Response:
        name = unquote(request.headers.get("x-name", ""))
        content = await body(request, MAX_TABLE)
        return JSONResponse(await run_in_threadpool(self.runs.add_table, name, content), status_code=201)

    async def table(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.runs.table, request.path_params["id"]))

    async def begin(self, request: Request) -> Response:
        asked = await json_object(request)
        return JSONResponse({"id": await run_in_threadpool(self.runs.begin, asked)}, status_code=201)

    async def view(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.runs.view, request.path_params["id"]))

    async def act(self, request: Request) -> Response:
        asked = await json_object(request)
        await run_in_threadpool(self.runs.act, request.path_params["id"], asked)
        return JSONResponse({}, status_code=202)

    async def look(self, request: Request) -> Response:
        asked = await json_object(request)
        looker = await run_in_threadpool(self.runs.looker, request.path_params["id"])
        arguments = (asked.get("formula"), asked.get("constants"), asked.get("feature"), asked.get("light") is True)
        return JSONResponse(await run_in_threadpool(looker.look, *arguments))

    async def note(self, request: Request) -> Response:
        asked = await json_object(request)
        await run_in_threadpool(self.runs.note, request.path_params["id"], asked)
        return JSONResponse({})

    async def replay(self, request: Request) -> Response:
        id = await run_in_threadpool(self.runs.replay, request.path_params["id"])
        await run_in_threadpool(self.runs.start, id)
        return JSONResponse({"id": id}, status_code=201)

    async def export(self, request: Request) -> Response:
        asked = await json_object(request)
        id, kind = request.path_params["id"], request.path_params["kind"]
        content = await run_in_threadpool(self._exported, id, kind, asked)
        extension, media = KINDS[kind]
        name = f"{kind}.{extension}"
        return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{name}"'})

    def _exported(self, id: str, kind: str, asked: dict[str, Any]) -> str:
        if kind not in KINDS:
            raise Missing(f"export: expected one of {', '.join(KINDS)}; got {kind[:40]!r}")
        folder = self.runs.project.run(id)
        spec = read_spec(folder)
        if kind == "log":
            return json.dumps({"spec": spec, "log": read_lines(folder / "log.jsonl")}, indent=1) + "\n"
        if kind in ("report", "front"):
            path = folder / "result" / {"report": "report.html", "front": "front.csv"}[kind]
            if not path.exists():
                raise Missing(f"{kind}: it is there once the run has ended")
            return path.read_text(encoding="utf-8")
        model = self.runs.looker(id).model(asked.get("formula"))
        return exported(kind, model, spec, self.runs.project.table(spec["table"])[0])

    async def events(self, request: Request) -> Response:
        """Server-sent events: all runs in brief, and one in full, whenever they change."""
        chosen = request.query_params.get("run")
        return StreamingResponse(self._stream(chosen, request.is_disconnected), media_type="text/event-stream")

    async def _stream(self, chosen: str | None, gone: Callable) -> AsyncIterator[str]:
        seen: dict[str, tuple] = {}
        pace = Pace()
        quiet = 0.0
        while not await gone():
            try:
                told = await run_in_threadpool(self._news, chosen, seen, pace)
            except (ValueError, OSError) as error:
                told = [_event("trouble", {"error": _in_words(error)})]
                await asyncio.sleep(1.0)
            quiet = 0.0 if told else quiet + LOOK
            if quiet > 10.0:
                told, quiet = [": still here\n\n"], 0.0
            for event in told:
                yield event
            await asyncio.sleep(LOOK)

    def _news(self, chosen: str | None, seen: dict[str, tuple], pace: Pace) -> list[str]:
        self.runs.tend()
        ids = self.runs.project.runs()
        now = {id: self.runs.signature(id) for id in ids}
        if chosen in seen and chosen in now and now[chosen][0] == seen[chosen][0] and not pace.due:
            now[chosen] = seen[chosen]
        changed = {id for id in now if seen.get(id) != now[id]}
        gone = set(seen) - set(now)
        seen.clear()
        seen.update(now)
        told = []
        if changed or gone:
            told.append(_event("runs", [self.runs.brief(id) for id in ids]))
        if chosen in changed:
            with pace:
                told.append(_event("run", self.runs.view(str(chosen))))
        if chosen in gone:
            told.append(
                _event("trouble", {"error": "The folder of this run was deleted; it cannot be shown any more."})
            )
        return told


class Pace:
    """Spreads work that is done again and again, so that it takes a small share of the time."""

    def __init__(self) -> None:
        self._began = self._next = 0.0

    @property
    def due(self) -> bool:
        return time.monotonic() >= self._next

    def __enter__(self) -> None:
        self._began = time.thread_time()

    def __exit__(self, *_: object) -> None:
        self._next = time.monotonic() + min(SELDOM, (time.thread_time() - self._began) / SHARE)


def _event(name: str, value: object) -> str:
    return f"event: {name}\ndata: {json.dumps(value, allow_nan=False)}\n\n"


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"The project folder cannot be used: {error.strerror or error}."
    return str(error)


def _told(status: int) -> Callable:
    """A handler that answers with the error in words."""

    async def answer(request: Request, error: Exception) -> Response:
        column = {"column": error.column} if isinstance(error, AtColumn) else {}
        return JSONResponse({"error": _in_words(error), **column}, status_code=status)

    return answer
