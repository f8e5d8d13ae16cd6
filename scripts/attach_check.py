#!/usr/bin/env python3
"""What watching a PyTorch program costs it, beside what PyTorch's own profiler costs: scripts/attach-check.sh.

    attach_check.py LANESCOPE [--rounds N] [--seconds S] [--json FILE]

Each way of running is a process of its own; the ways take turns, round by round. Printed are the median of all stretches and the
mean of the fastest tenth, and their ratios to a plain run. Where the CPU's speed wanders, neither says much: "at equal speed" is
the ratio of the medians of the stretches' times, each divided by what a piece of CPU work took around that stretch.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LOOP = [sys.executable, str(HERE / "attach_loop.py")]
LEVELS = ["waits", "acquire", "calls", "all"]


def fastest(values):
    values = sorted(values)
    return statistics.mean(values[: max(1, len(values) // 10)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--loops", default="read,noread,long")
    parser.add_argument("--json")
    options = parser.parse_args()
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        trace = str(pathlib.Path(folder) / "trace.json.gz")

        def attached(level):
            return [options.lanescope, "attach", "--level", level, "--record", trace, "--memory-mb", "64", "--"]

        ways = {"plain": ([], [])}
        for level in LEVELS:
            ways[level] = (attached(level), [])
        ways["Kineto, CUDA"] = ([], ["--profile", "cuda"])
        ways["Kineto, CPU and CUDA"] = ([], ["--profile", "all"])
        for loop in options.loops.split(","):
            stretches, scaled = {way: [] for way in ways}, {way: [] for way in ways}
            for round_number in range(options.rounds):
                order = list(ways.items())
                order = order[round_number % len(order):] + order[: round_number % len(order)]
                for way, (before, after) in order:
                    command = before + LOOP + ["--loop", loop, "--seconds", str(options.seconds)] + after
                    done = subprocess.run(command, capture_output=True, text=True)
                    lines = [line for line in done.stdout.splitlines() if line.startswith('{"us"')]
                    if done.returncode != 0 or not lines:
                        print(f"{loop}, {way}: status {done.returncode}: {done.stderr.strip()[-300:]}", flush=True)
                        continue
                    found = json.loads(lines[-1])
                    stretches[way] += found["us"]
                    scaled[way] += [us / reference for us, reference in zip(found["us"], found["reference_us"])]
            rows = table.setdefault(loop, {})
            plain = stretches["plain"]
            for way, values in stretches.items():
                if not values or not plain:
                    continue
                rows[way] = {
                    "median_us": statistics.median(values),
                    "fastest_us": fastest(values),
                    "median_ratio": statistics.median(values) / statistics.median(plain),
                    "fastest_ratio": fastest(values) / fastest(plain),
                    "equal_speed_ratio": statistics.median(scaled[way]) / statistics.median(scaled["plain"]),
                    "stretches": len(values),
                }
            print(f"\n{loop}\n  {'':22} {'median':>9} {'fastest':>9}   ratio to plain: median, fastest, at equal speed")
            for way, row in rows.items():
                print(f"  {way:22} {row['median_us']:9.1f} {row['fastest_us']:9.1f}   {row['median_ratio']:6.3f} "
                      f"{row['fastest_ratio']:6.3f} {row['equal_speed_ratio']:6.3f}", flush=True)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
