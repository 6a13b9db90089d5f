"""Sphinx settings. Nothing is fetched from the network, and `make docs` treats a warning as an error."""

from __future__ import annotations

import re
from pathlib import Path

from epsilex import __version__

ROOT = Path(__file__).parents[1]

project = "epsilex"
author = "The epsilex developers"
copyright = author
version = release = __version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_parser", "sphinx_copybutton"]
# a list for readers of the repository, and tables that their page includes
exclude_patterns = ["_build", "decisions/README.md", "reproduction/*.md", "reproduction/blind/*.md"]
templates_path = ["_templates"]
default_role = "py:obj"  # `name` in a docstring is code, and a link where there is something to link to

autosummary_generate = True
autodoc_typehints = "none"  # shapes and types are in the text
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_use_plots = False
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "pydata_sphinx_theme"
html_title = f"epsilex {version}"
html_static_path = ["_static", "_theme"]
html_css_files = ["epsilex.css"]
html_sidebars = {"**": ["contents.html"]}
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navbar_center": [],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def setup(app) -> None:
    app.connect("autodoc-process-docstring", as_restructured_text, priority=100)  # before numpydoc
    app.connect("source-read", leave_out_missing)


CONDITIONAL = re.compile(r"^<!-- if (?P<path>\S+) -->\n(?P<text>.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)


def leave_out_missing(app, page: str, source: list[str]) -> None:
    """What stands between `<!-- if FILE -->` and `<!-- end -->` is there once the file is, such as measurements."""
    source[0] = CONDITIONAL.sub(lambda found: found["text"] if (ROOT / found["path"]).is_file() else "", source[0])


LEGEND = re.compile(r"(?P<name>[^|\s]\S*(?: \S+)*) {2,}(?P<text>\S.*)")


def as_restructured_text(app, what, name, obj, options, lines: list[str]) -> None:
    """Our docstrings are written for people at a terminal: legends become lists, tables tables, and code code."""
    result = tables(legends(examples(lines) if what == "module" else lines))
    lines[:] = [re.sub(r"(`[^`]+`)(?=\w)", r"\1\\ ", line) for line in result]  # `resume`d


def legends(lines: list[str]) -> list[str]:
    """Aligned legends, `name    what it is`, as definition lists."""
    result: list[str] = []
    inside = False
    for line in lines:
        found = LEGEND.fullmatch(line)
        if found and (inside or not result or not result[-1]):
            inside = True
            result += [f"``{found['name']}``", f"    {_escaped(found['text'])}"]
        elif inside and line.startswith(" "):
            result.append(f"    {_escaped(line.strip())}")
        else:
            inside = False
            result.append(line)
    return result


def _escaped(text: str) -> str:
    return text.replace("**", r"\*\*")


def tables(lines: list[str]) -> list[str]:
    """Tables with `|` between their cells as list tables."""
    result: list[str] = []
    inside = False
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
            result.append(line)
        elif not set(line) <= set("|-: "):
            if not inside:
                result += [".. list-table::", "   :header-rows: 1", ""]
                inside = True
            result += [f"   {'* -' if k == 0 else '  -'} {cell}" for k, cell in enumerate(cells)]
    return result


def examples(lines: list[str]) -> list[str]:
    """Indented paragraphs as code; a module's docstring has no other use for them."""
    result: list[str] = []
    inside = False
    for line in lines:
        if line.startswith("    ") and not inside and result and not result[-1]:
            result += ["::", ""]
        if line:
            inside = line.startswith("    ")
        result.append(line)
    return result
