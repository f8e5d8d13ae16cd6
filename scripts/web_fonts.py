#!/usr/bin/env python3
"""Copies the window's fonts with only the letters that the program can draw: python3 scripts/web_fonts.py FOLDER"""

import sys
from pathlib import Path

from fontTools import subset

ROOT = Path(__file__).resolve().parent.parent
FONTS = Path("/usr/share/fonts")
# As in src/render/fonts.cpp, which loads these ranges.
LATIN = [(0x20, 0x17F), (0x391, 0x3C9), (0x2010, 0x2026), (0x2030, 0x203A), (0x2070, 0x2079), (0x2190, 0x2199),
         (0x21BA, 0x21BB), (0x2202, 0x222B), (0x2248, 0x2248), (0x2260, 0x2265), (0x25A0, 0x25CF), (0x2713, 0x2717)]
WANTED = {
    "opentype/inter/Inter-Regular.otf": "latin",
    "opentype/inter/Inter-SemiBold.otf": "latin",
    "opentype/inter/Inter-Bold.otf": "latin",
    "truetype/jetbrains-mono/JetBrainsMono-Regular.ttf": "latin",
    "truetype/dejavu/DejaVuSans.ttf": "latin",
    "truetype/wqy/wqy-microhei.ttc": "chinese",
}


def chinese() -> set[int]:
    """What the catalogue, the experiments and the lessons say, and every letter of the most frequent kind."""
    texts = [ROOT / "po/zh_CN.po", *ROOT.glob("assets/**/*.toml")]
    letters = {ord(c) for text in texts for c in text.read_text(encoding="utf-8") if ord(c) >= 0x2E80}
    # A student's name, a trace's range: the 3,755 frequent letters of GB 2312.
    for high in range(0xB0, 0xD8):
        for low in range(0xA1, 0xFF):
            try:
                letters.add(ord(bytes([high, low]).decode("gb2312")))
            except UnicodeDecodeError:
                continue
    return letters


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: python3 scripts/web_fonts.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    latin = {c for first, last in LATIN for c in range(first, last + 1)}
    for name, letters in WANTED.items():
        source = FONTS / name
        if not source.exists():
            print(f"{source.name} is missing; scripts/install-deps.sh web installs it", file=sys.stderr)
            return 1
        options = subset.Options(layout_features=["kern", "liga", "calt", "tnum"], hinting=True, notdef_outline=True,
                                 drop_tables=["GPOS"] if letters == "chinese" else [], font_number=0)
        font = subset.load_font(str(source), options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=chinese() | {0x20} if letters == "chinese" else latin)
        subsetter.subset(font)
        subset.save_font(font, str(folder / source.name), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
