"""Put the options of each command into docs/cli.md, between its comments: `python docs/commands.py`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "cli.md"
REGION = re.compile(r"(<!-- options (\w+) -->\n).*?(?=<!-- end options -->)", re.DOTALL)


def commands() -> dict[str, Any]:
    """The commands by name."""
    import typer

    from epsilex.cli.app import app

    return typer.main.get_command(app).commands


def options(command: Any) -> dict[str, Any]:
    """The options of a command as they are typed, without help."""
    return {p.opts[0]: p for p in command.params if p.param_type_name == "option" and "--help" not in p.opts}


def default(option: Any) -> str:
    """What holds without an option; nothing if there is nothing to say."""
    if option.required:
        return "required"
    shown = option.show_default if isinstance(option.show_default, str) else option.default
    return "" if shown is None or shown is False or callable(shown) else f"default: {shown}"


def table(command: Any) -> str:
    """The options of a command as a table in Markdown."""
    rows = ["| option | what it does |", "|---|---|"]
    for word, option in options(command).items():
        shown = f"{word} {option.metavar or ''}".strip().replace("|", "\\|")
        rows.append(f"| `{shown}` | {option.help}{f' *{default(option)}*' if default(option) else ''} |")
    return "\n".join(rows) + "\n"


def filled(page: str) -> str:
    """The page with its tables made anew."""
    return REGION.sub(lambda region: region[1] + table(commands()[region[2]]), page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
