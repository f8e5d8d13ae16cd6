#!/usr/bin/env python3
"""Sizes of the packages in build/packages, and how long the program in each takes to its first picture.

    packages.py FOLDER [--json]       FOLDER has what scripts/package.sh made; needs xvfb-run

The time runs from before the program is loaded to the end of its first picture under Xvfb: the one in the middle of seven
starts, after one that does not count because it reads the files from the disk.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

STARTS = 7


def start_ms(program, home):
    environment = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home, LANESCOPE_MEASURE="start")
    before = time.monotonic()
    done = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=True)
    return 1000 * (json.loads(done.stdout)["first_picture_at_s"] - before)


def measure(program):
    """Run under Xvfb, for all starts the same."""
    with tempfile.TemporaryDirectory() as home:
        start_ms(program, home)
        return [start_ms(program, home) for _ in range(STARTS)]


def unpack(package, folder):
    if package.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    else:
        subprocess.run(["tar", "-C", folder, "-xf", package], check=True)
    return next(pathlib.Path(folder).glob("**/bin/lanescope"))


def row(package):
    with tempfile.TemporaryDirectory() as folder:
        program = unpack(package, folder)
        unpacked = sum(f.stat().st_size for f in pathlib.Path(folder).rglob("*") if f.is_file() and not f.is_symlink())
        command = ["xvfb-run", "-a", "-s", "-screen 0 1920x1200x24", sys.executable, __file__, "--starts-of", program]
        times = json.loads(subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout)
        return {"package": package.name, "bytes": package.stat().st_size, "unpacked_bytes": unpacked,
                "program_bytes": program.stat().st_size, "start_ms": round(statistics.median(times), 1)}


def main(arguments):
    if arguments[:1] == ["--starts-of"]:
        print(json.dumps(measure(arguments[1])))
        return 0
    folders = [a for a in arguments if a != "--json"]
    if len(folders) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = sorted(p for p in pathlib.Path(folders[0]).iterdir() if p.name.endswith((".deb", ".tar.gz")))
    rows = [row(package) for package in found]
    if "--json" in arguments:
        print(json.dumps(rows, indent=2))
        return 0
    for r in rows:
        print(f"{r['package']:40} {r['bytes'] / 1e6:6.1f} MB, unpacked {r['unpacked_bytes'] / 1e6:6.1f} MB,"
              f" the program {r['program_bytes'] / 1e6:5.1f} MB; first picture after {r['start_ms']:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
