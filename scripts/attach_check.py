#!/usr/bin/env python3
"""What watching a PyTorch program costs it, beside what PyTorch's own profiler costs: scripts/attach-check.sh.

    attach_check.py LANESCOPE [--rounds N] [--seconds S] [--loops read,noread,long] [--json FILE]

In each process a loop runs watched and unwatched by turns (attach_loop.py). Printed are, of all turns, the ratio of each watched
stretch to the unwatched one of the same turn: its median, the quartiles, and how well the median is known (twice its standard
error); and the median and the fastest tenth of the times. An unwatched stretch of a program under `lanescope attach` has the
library loaded and CUPTI subscribed, but nothing switched on.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NAMES = {"cuda": "Kineto, CUDA", "all": "Kineto, CPU and CUDA"}


def fastest(values):
    values = sorted(values)
    return statistics.mean(values[: max(1, len(values) // 10)])


def row_of(values, plain):
    ratios = [value / base for value, base in zip(values, plain)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return {
        "ratio": middle, "quartiles": [low, high], "turns": len(ratios),
        # Of a normal distribution: the quartiles are 1.35 deviations apart, a median varies 1.25 times as much as a mean.
        "known_to": 2 * 1.25 * (high - low) / 1.35 / math.sqrt(len(ratios)),
        "median_us": statistics.median(values), "fastest_us": fastest(values),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--loops", default="read,noread,long")
    parser.add_argument("--json")
    options = parser.parse_args()
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        trace = str(pathlib.Path(folder) / "run.lanescope")
        attach = [options.lanescope, "attach", "--record", trace, "--"]
        for loop in options.loops.split(","):
            took = {}  # by process's kind and way
            for _ in range(options.rounds):
                for by in ["levels", "cuda", "all"]:
                    command = [sys.executable, str(HERE / "attach_loop.py"), "--loop", loop, "--by", by,
                               "--seconds", str(options.seconds)]
                    done = subprocess.run((attach if by == "levels" else []) + command, capture_output=True, text=True)
                    lines = [line for line in done.stdout.splitlines() if line.startswith('{"off"')]
                    if done.returncode != 0 or not lines:
                        print(f"{loop}, by {by}: status {done.returncode}: {done.stderr.strip()[-300:]}", flush=True)
                        continue
                    for way, values in json.loads(lines[-1]).items():
                        took.setdefault((by, way), []).extend(values)
            rows = table.setdefault(loop, {})
            for (by, way), values in took.items():
                if way != "off":
                    rows[NAMES.get(by, way)] = row_of(values, took[by, "off"])
            print(f"\n{loop:22} ratio  known to  quartiles         median us  fastest us  turns")
            for way, row in rows.items():
                print(f"  {way:20} {row['ratio']:5.3f}  +-{row['known_to']:5.3f}   {row['quartiles'][0]:5.3f} to "
                      f"{row['quartiles'][1]:5.3f}  {row['median_us']:10.1f}  {row['fastest_us']:10.1f}  {row['turns']:5}", flush=True)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
