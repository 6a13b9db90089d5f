"""Make the font of the report anew, a part of STIX Two Math: `python docs/make_font.py stix-two-math.woff`.


It needs fontTools and brotli. The font is in the npm package `@fontsource/stix-two-math`, with its licence (OFL 1.1).
The part has the letters, digits and signs of formulas, and the MATH table, by which a browser stretches brackets.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset

FONT = Path(__file__).parents[1] / "src" / "epsilex" / "report" / "fonts" / "math.woff2"
LETTERS = [
    *range(0x20, 0x7F),  # ASCII
    *range(0xA0, 0x180),  # letters of names in European languages, · × ² ³
    *range(0x391, 0x3AA), *range(0x3B1, 0x3CA), 0x3D1, 0x3D5, 0x3F5,  # Greek
    *range(0x1D434, 0x1D468), 0x210E, *range(0x1D6E2, 0x1D71C),  # italics, which a browser puts for a lone letter
    *range(0x2061, 0x2065), 0x2026, 0x2032, 0x207A, 0x207B, *range(0x2070, 0x2080), *range(0x2080, 0x208F),
    0x2212, 0x221A, 0x221B, 0x221E, 0x2044, 0x2215, 0x2217, 0x22C5, 0x2248, 0x2264, 0x2265, 0x2260, 0xB1, 0xFFFD,
]  # fmt: skip


def main(source: str) -> None:
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = ["ssty", "kern", "mark", "ccmp"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]  # names, copyright and licence
    options.hinting = False
    font = subset.load_font(source, options)
    part = subset.Subsetter(options)
    part.populate(unicodes=LETTERS)
    part.subset(font)
    FONT.parent.mkdir(exist_ok=True)
    subset.save_font(font, str(FONT), options)
    print(FONT, FONT.stat().st_size, "bytes;", "MATH" in font)


if __name__ == "__main__":
    main(sys.argv[1])
