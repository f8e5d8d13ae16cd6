#!/usr/bin/env python3
"""Compiles a build's sources without generating code: python3 scripts/check_syntax.py COMPILE_COMMANDS MODULE..."""

import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    modules = "|".join(map(re.escape, sys.argv[2:]))
    entries = [e for e in json.load(open(sys.argv[1])) if re.search(rf"lanescope_({modules})\.dir/", e["command"])]

    def compiled(entry) -> bool:
        words = shlex.split(entry["command"])
        out = words.index("-o")
        del words[out:out + 2]
        return subprocess.run([*words, "-fsyntax-only", "-w"], cwd=entry["directory"]).returncode == 0

    if not entries:
        print("no source of these modules", file=sys.stderr)
        return 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(compiled, entries))
    print(f"{sum(results)} of {len(results)} files compile")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
