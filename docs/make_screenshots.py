"""Make the pictures of the terminal, the report and the studio anew, from real runs: `python docs/make_screenshots.py`.

It needs playwright and Chromium. Pictures go to docs/_static.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import pendulum
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

STATIC = Path(__file__).parent / "_static"
COLUMNS = 110
COMMAND = ["epsilex", "demo"]
REPORTS = {  # name: width, height, scheme
    "report.png": (1200, 1150, "light"),
    "report-dark.png": (1200, 1150, "dark"),
    "report-phone.png": (390, 844, "light"),
}


def terminal(folder: Path) -> str:
    """Run the demo and return what it printed, colours and all."""
    environment = os.environ | {"COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    done = subprocess.run(
        [sys.executable, "-m", *COMMAND], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def picture(text: str) -> str:
    """Terminal text as SVG, without the fonts from the web that rich would ask for."""
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(Text(f"$ {' '.join(COMMAND)}\n"), Text.from_ansi(text), sep="")
    return re.sub(r"@font-face\s*{[^}]*}", "", console.export_svg(title="epsilex demo"))


def photograph(page: Path) -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (width, height, scheme) in REPORTS.items():
            view = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            view.goto(page.as_uri())
            view.wait_for_selector("#front .point")
            view.screenshot(path=STATIC / name)
        browser.close()


def photograph_studio(folder: Path) -> None:
    """A run of the studio on the tutorial's data, half a minute into its search."""
    pendulum().to_csv(folder / "pendulum.csv", index=False)
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    server = subprocess.Popen(
        [sys.executable, "-m", "epsilex", "studio", "pendulum.csv", "--no-browser"], cwd=folder, text=True,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        address = next(line for line in server.stderr if line.startswith("studio: ")).split()[1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            view = browser.new_page(viewport={"width": 1280, "height": 1500})
            view.goto(address)
            view.get_by_role("button", name="Start the search").click()
            view.wait_for_selector("#curve .dot", timeout=120_000)
            view.wait_for_timeout(25_000)
            view.screenshot(path=STATIC / "studio.png")
            browser.close()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


if __name__ == "__main__":
    STATIC.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        svg = picture(terminal(Path(folder)))
        (STATIC / "terminal-demo.svg").write_text(svg, encoding="utf-8")
        photograph(Path(folder) / "demo" / "report.html")
        photograph_studio(Path(folder))
