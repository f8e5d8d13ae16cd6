#!/usr/bin/env python3
"""Draws an icon for Windows: one picture for each size in which it is shown.

    make_icon.py RSVG-CONVERT DRAWING.svg ICON.ico
"""
import struct
import subprocess
import sys

SIZES = (16, 24, 32, 48, 64, 256)


def main():
    tool, drawing, icon = sys.argv[1:]
    pictures = [subprocess.run([tool, "-w", str(s), "-h", str(s), drawing], check=True, capture_output=True).stdout
                for s in SIZES]
    header = struct.pack("<HHH", 0, 1, len(SIZES))
    at = len(header) + 16 * len(SIZES)
    entries = b""
    for size, picture in zip(SIZES, pictures):
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(picture), at)
        at += len(picture)
    with open(icon, "wb") as file:
        file.write(header + entries + b"".join(pictures))


main()
