"""Make the pictures of the terminal and of the report anew, from a real run: `python docs/make_screenshots.py`.

It needs playwright and Chromium. Pictures go to docs/_static.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

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


if __name__ == "__main__":
    STATIC.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        svg = picture(terminal(Path(folder)))
        (STATIC / "terminal-demo.svg").write_text(svg, encoding="utf-8")
        photograph(Path(folder) / "demo" / "report.html")
