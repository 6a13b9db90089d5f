"""Put what the code of the pages prints under it: `python docs/outputs.py [PAGE.md ...]`.

A block of Python that is followed by a block of text shows its output there. The tests compare the two.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
SHOWN = re.compile(r"(?ms)^```python\n(?P<code>.*?)^```$(?:\n\n```text\n(?P<output>.*?)^```$)?")


def filled(page: str) -> str:
    """The page with the output of its code."""
    namespace: dict[str, object] = {"__name__": "__main__"}

    def shown(block: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], "page", "exec"), namespace)
        code = f"```python\n{block['code']}```"
        return code if block["output"] is None else f"{code}\n\n```text\n{printed.getvalue()}```"

    return SHOWN.sub(shown, page)


def main(names: list[str]) -> None:
    pages = [DOCS / name for name in names] or sorted(DOCS.glob("*.md"))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if not any(block["output"] is not None for block in SHOWN.finditer(text)):
            continue
        print(page.name, flush=True)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            page.write_text(filled(text), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    main(sys.argv[1:])
