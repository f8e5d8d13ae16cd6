#!/usr/bin/env python3
"""The promises of the page: how large it is, how soon it shows its first picture, how many frames a second it draws.

    page.py FOLDER LANESCOPE [--json] [--check]     FOLDER has what scripts/web.sh made

In headless Chromium, whose OpenGL is a program here. On a machine that does nothing else, or the figures are its other
work's.
"""
import json
import pathlib
import subprocess
import sys

CHECKS = pathlib.Path(__file__).resolve().parent.parent / "tests/web/check_page.py"
PROMISES = [  # name, key, goal, whether it is the most
    ("page/megabytes_compressed", "compressed_bytes", 8e6, True),
    ("page/first_picture_s", "first_picture_s", 3.0, True),
    ("page/frames_per_second", "frames_per_second", 24.0, False),
]


def main(arguments):
    places = [a for a in arguments if not a.startswith("--")]
    if len(places) != 2 or set(arguments) - set(places) - {"--json", "--check"}:
        print(__doc__, file=sys.stderr)
        return 2
    done = subprocess.run([sys.executable, CHECKS, *places, "--only", "first_picture", "frames"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    measured = json.loads(done.stdout.splitlines()[-1])
    rows = []
    for name, key, goal, most in PROMISES:
        value = measured.get(key)
        kept = value is not None and (value <= goal if most else value >= goal)
        scale = 1e6 if key.endswith("bytes") else 1
        rows.append({"promise": name, "value": value and value / scale, "goal": f"{'<=' if most else '>='} {goal / scale:g}",
                     "ok": kept})
    if "--json" in arguments:
        print(json.dumps(rows, indent=2))
    else:
        for row in rows:
            value = "failed" if row["value"] is None else f"{row['value']:.3g}"
            print(f"{row['promise']:28} {value:>8}  {row['goal']:>6}  {'ok' if row['ok'] else 'BROKEN'}")
    return 1 if "--check" in arguments and not all(row["ok"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
