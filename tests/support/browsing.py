"""A studio in its own process, and a real browser's visit to it: Chromium without a window."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np

from processes import environment

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WAIT = 180_000  # ms; a busy machine may take long


class Server:
    """A studio in its own process, which can be killed and started again at its port."""

    def __init__(self, folder):
        self.folder, self.options, self.said = folder, ["--no-browser", "--project", str(folder)], ""
        self.begin()
        self.port = int(self.address.rpartition(":")[2])
        self.options += ["--port", str(self.port)]

    def begin(self) -> None:
        command = [sys.executable, "-m", "epsilex", "studio", *self.options]
        self.process = subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if found := re.match(r"studio: (http://127\.0\.0\.1:\d+)(/enter\?token=\S+)", line):
                self.address, self.door = found[1], found[1] + found[2]
                return
        raise AssertionError(f"the server ended with {self._ended()}")

    def kill(self) -> None:
        self.process.kill()
        self._ended()

    def end(self) -> int:
        """End it as Ctrl-C does; `said` is what it said since it began."""
        self.process.send_signal(signal.SIGINT)
        return self._ended()

    def _ended(self) -> int:
        with self.process.stderr as pipe:
            self.said = pipe.read()
        return self.process.wait(60)


class Visit:
    """A browser's visit to a studio: nothing may be said on its console, and no request may leave the machine."""

    def __init__(self, browser, server: Server, **options):
        self.trouble: list[str] = []
        self.server, self.away, self.mistaken = server, False, False
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def page(self, place: str = "/"):
        page = self.context.new_page()
        page.set_default_timeout(WAIT)
        page.on("console", lambda message: self.note(f"console: {message.text} {message.location.get('url', '')}"))
        page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.trouble.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self.local(request.url) or self.trouble.append(f"request: {request.url}"))
        if not self.context.cookies():
            page.goto(self.server.door)
            page.wait_for_url(self.server.address + "/")
        page.goto(self.server.address + place)
        return page

    def note(self, text: str) -> None:
        """The browser itself complains while the server is away, and about an answer to a mistake."""
        if not (self.away and "ERR_" in text) and not (self.mistaken and "the server responded with a status" in text):
            self.trouble.append(text)

    def local(self, url: str) -> bool:
        return url.startswith((self.server.address, f"blob:{self.server.address}"))


def waves() -> bytes:
    """So many training rows that the search never settles before it is stopped."""
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0, 6, 700), rng.uniform(-1, 1, 700)
    y = 2 * np.sin(a) + b + rng.normal(0, 0.02, 700)
    return ("a,b,y\n" + "".join(f"{p:.5f},{q:.5f},{r:.5f}\n" for p, q, r in zip(a, b, y, strict=True))).encode()


def generation(page) -> int:
    return int(page.locator("#generation").inner_text().replace(",", ""))


def until(holds, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


def phase(page, word: str) -> None:
    page.wait_for_function("word => document.querySelector('#phase').textContent.startsWith(word)", arg=word)


def pause(page) -> None:
    page.get_by_role("button", name="Pause").click()
    phase(page, "paused")


def go_on(page) -> None:
    n = generation(page)
    page.get_by_role("button", name="Continue").click()
    phase(page, "searching")
    until(lambda: generation(page) > n)


def start_a_search(page) -> None:
    page.locator("#file").set_input_files({"name": "waves.csv", "mimeType": "text/csv", "buffer": waves()})
    page.wait_for_selector("#columns tr[data-row=y]")
    assert page.locator("#target").input_value() == "y"
    assert page.locator("#columns .histogram").count() == 3
    page.locator("#more summary").click()
    page.fill("#population", "100")
    page.fill("#max-length", "10")
    page.fill("#seconds", "600")
    page.get_by_role("button", name="Start the search").click()
