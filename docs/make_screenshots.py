"""Make the pictures of terminal, report, notebook and studio anew, from real runs: `python docs/make_screenshots.py`.

It needs playwright and Chromium, and JupyterLab for the notebook. Pictures go to docs/_static. With names, such as
`report notebook`, only these are made.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from figures import pendulum
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.text import Text

from epsilex import SymbolicRegressor

STATIC = Path(__file__).parent / "_static"
COLUMNS = 110
COMMAND = ["epsilex", "demo"]
REPORTS = {  # name: page, width, height, scheme
    "report.png": ("pendulum", 1280, 900, "light"),
    "report-dark.png": ("pendulum", 1280, 900, "dark"),
    "report-phone.png": ("pendulum", 390, 844, "light"),
    "report-curve.png": ("yeast", 1280, 900, "light"),
    "report-groups.png": ("doses", 1280, 1392, "light"),
}
COLOURS = 128  # of a picture: enough for a page, and a third of the bytes
YEAST = [9.6, 18.3, 29.0, 47.2, 71.1, 119.1, 174.6, 257.3, 350.7, 441.0, 513.3, 559.7, 594.8, 629.4, 640.8, 651.1,
         655.9, 659.6, 661.8]  # fmt: skip
CELLS = (
    "import numpy as np\nimport pandas as pd\n"
    "from epsilex import SymbolicRegressor\nfrom epsilex.notebook import watch\n\n"
    f"hours = pd.DataFrame({{'t': np.arange(19.0)}})\nyeast = pd.Series({YEAST}, name='yeast')",
    "est = watch(SymbolicRegressor(time_limit=20, random_state=0), hours, yeast)",
    "est.model_",
)


def doses() -> pd.DataFrame:
    """Simulated levels of a drug in the blood after five doses: the rate of decay is shared, the beginning is not."""
    rng = np.random.default_rng(0)
    hours = np.linspace(0.0, 8.0, 12)
    parts = [
        pd.DataFrame({"dose": f"{dose} mg", "hours": hours, "level": _level(dose, hours, rng)})
        for dose in (10, 20, 40, 60, 80)
    ]
    return pd.concat(parts, ignore_index=True).round(4)


def _level(dose: int, hours: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 0.12 * dose * rng.uniform(0.9, 1.1) * np.exp(-0.45 * hours) + 0.6 + rng.normal(0.0, 0.06, len(hours))


def keep(picture: bytes, name: str) -> None:
    """Write a picture with few colours."""
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS).save(STATIC / name, optimize=True)


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


@contextmanager
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def photograph_terminal(folder: Path) -> None:
    (STATIC / "terminal-demo.svg").write_text(picture(terminal(folder)), encoding="utf-8")


def photograph_reports(folder: Path) -> None:
    """Reports of the tutorial's data, of the gallery's yeast, and of doses with constants of their own."""
    data, hours = pendulum(), pd.DataFrame({"t": range(len(YEAST))}, dtype=float)
    columns = ["length", "mass", "angle"]
    est = SymbolicRegressor(generations=100, time_limit=None, random_state=0)
    est.fit(data[columns][:150], data["period"][:150]).report(
        folder / "pendulum.html", data[columns][150:], data["period"][150:]
    )
    est = SymbolicRegressor(generations=40, time_limit=None, random_state=0)
    est.fit(hours, pd.Series(YEAST, name="yeast")).report(folder / "yeast.html")
    rows = doses()
    est = SymbolicRegressor(groups="dose", generations=60, time_limit=None, random_state=0)
    est.fit(rows[["dose", "hours"]], rows["level"]).report(folder / "doses.html")
    with chromium() as browser:
        for name, (page, width, height, scheme) in REPORTS.items():
            view = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            view.goto((folder / f"{page}.html").as_uri())
            view.wait_for_selector("#front .point")
            keep(view.screenshot(), name)


def photograph_notebook(folder: Path) -> None:
    """A notebook whose cells have run, in JupyterLab."""
    cells = [{"cell_type": "code", "metadata": {}, "id": f"cell{k}", "source": source, "outputs": [],
              "execution_count": None} for k, source in enumerate(CELLS)]  # fmt: skip
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (folder / "yeast.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--IdentityProvider.token=shown"]
    server = subprocess.Popen([*command, f"--port={port}", "--ServerApp.port_retries=0"], cwd=folder)
    try:
        with chromium() as browser:
            view = browser.new_page(viewport={"width": 1280, "height": 900})
            while server.poll() is None:
                try:
                    view.goto(f"http://127.0.0.1:{port}/lab/tree/yeast.ipynb?token=shown")
                    break
                except Exception:
                    view.wait_for_timeout(500)  # it has not started yet
            view.wait_for_selector(".jp-CodeCell >> nth=2", timeout=120_000)
            view.wait_for_selector(".jp-NotebookPanel-toolbar", timeout=60_000)
            view.wait_for_timeout(3000)
            view.locator(".jp-CodeCell").first.click()
            view.get_by_role("menuitem", name="Run", exact=True).click()
            view.get_by_role("menuitem", name="Run All Cells", exact=True).click()
            view.wait_for_selector("text=done after", timeout=300_000)
            view.wait_for_timeout(2000)
            cell = view.locator(".jp-CodeCell").nth(1).bounding_box()
            cell["height"] -= 8  # without the border of the next one
            keep(view.screenshot(clip=cell), "notebook.png")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


@contextmanager
def studio(folder: Path, table: str) -> Iterator[Page]:
    """The page of a studio with this table."""
    command = [sys.executable, "-m", "epsilex", "studio", table, "--no-browser"]
    server = subprocess.Popen(command, cwd=folder, text=True, stderr=subprocess.PIPE)
    try:
        address = next(line for line in server.stderr if line.startswith("studio: ")).split()[1]
        with chromium() as browser:
            view = browser.new_page(viewport={"width": 1280, "height": 1700})
            view.set_default_timeout(300_000)
            view.goto(address)
            view.wait_for_selector("#columns tbody tr")
            yield view
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate()


def down_to(view: Page, last: str) -> bytes:
    """The page from its top to the end of an element."""
    box = view.locator(last).bounding_box()
    return view.screenshot(clip={"x": 0, "y": 0, "width": 1280, "height": box["y"] + box["height"] + 12})


def photograph_studio(folder: Path) -> None:
    """A run of the studio on the tutorial's data, half a minute into its search."""
    pendulum().to_csv(folder / "pendulum.csv", index=False)
    with studio(folder, "pendulum.csv") as view:
        view.get_by_role("button", name="Start the search").click()
        view.wait_for_selector("#curve .dot")
        view.wait_for_timeout(25_000)
        keep(down_to(view, ".card:has(#curve)"), "studio.png")


def photograph_groups(folder: Path) -> None:
    """A run of the studio with groups: what is asked, and the formula that was chosen."""
    doses().to_csv(folder / "doses.csv", index=False)
    with studio(folder, "doses.csv") as view:
        view.select_option("select[data-column=dose]", "group")
        view.locator("#more summary").click()
        view.fill("#generations", "60")
        view.locator("#more summary").click()
        view.locator("#known summary").click()
        keep(down_to(view, "#setup"), "studio-data.png")
        view.get_by_role("button", name="Start the search").click()
        view.wait_for_selector("#phase:has-text('done')")
        view.wait_for_selector("#own tbody tr")
        view.locator("#look").scroll_into_view_if_needed()
        keep(view.locator("#look").screenshot(), "studio-groups.png")


PICTURES = {
    "terminal": photograph_terminal,
    "report": photograph_reports,
    "notebook": photograph_notebook,
    "studio": photograph_studio,
    "groups": photograph_groups,
}

if __name__ == "__main__":
    STATIC.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            PICTURES[name](Path(folder))
