#!/usr/bin/env python3
"""What `lanescope attach` costs a PyTorch program, against the same program that is not attached. On a machine with a GPU.

    attach_cost.py LANESCOPE [--minutes M] [--loop LOOP] [--levels waits,acquire,calls] [--json FILE]

The loops are those of attach_loop.py. attach_check.py compares stretches of one process that is attached. But CUPTI slows a
process from the first recording on, also between bursts, so this compares processes: in random order, one at a time on each GPU,
each with cores of its own. A process's speed differs by 10 % from that of the next, so many are needed: about four a minute on
each GPU. Printed is how much longer the mean iteration took than the median of the plain processes on that GPU, the median of
that, and how well it is known (twice the standard error, that of the plain ones included).
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

LOOP = str(pathlib.Path(__file__).resolve().parent / "attach_loop.py")


def lane(gpu, cores, lanescope, ways, loop, end):
    """The mean iterations in microseconds, by way, until `end`."""
    took = {way: [] for way in ways}
    os.sched_setaffinity(0, cores)  # of this thread and what it starts
    with tempfile.TemporaryDirectory() as folder:
        while True:
            for way in random.sample(ways, len(ways)):
                if time.monotonic() > end:
                    return took
                command = [sys.executable, LOOP, "--loop", loop, "--by", "none", "--seconds", "4"]
                if way != "plain":
                    command = [lanescope, "attach", "--level", way, "--record", f"{folder}/run.lanescope", "--"] + command
                done = subprocess.run(command, capture_output=True, text=True,
                                      env=os.environ | {"CUDA_VISIBLE_DEVICES": str(gpu)})
                lines = [line for line in done.stdout.splitlines() if line.startswith('{"mean')]
                if done.returncode != 0 or not lines:
                    raise SystemExit(f"{way}: status {done.returncode}: {done.stderr.strip()[-300:]}")
                took[way].append(json.loads(lines[-1])["mean_us"])


def error(values):
    """Twice the standard error of the median, which varies 1.25 times as much as the mean."""
    return 2.5 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--loop", default="copy")
    parser.add_argument("--levels", default="waits,acquire,calls")
    parser.add_argument("--json")
    options = parser.parse_args()
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout
    gpus = sum(line.startswith("GPU ") for line in listed.splitlines())
    cores = sorted(os.sched_getaffinity(0))
    each = len(cores) // gpus
    end = time.monotonic() + options.minutes * 60
    ways = ["plain"] + options.levels.split(",")
    with concurrent.futures.ThreadPoolExecutor(gpus) as pool:
        lanes = list(pool.map(lambda gpu: lane(gpu, cores[gpu * each:(gpu + 1) * each], options.lanescope, ways,
                                               options.loop, end), range(gpus)))
    longer = {way: [] for way in ways}
    for took in lanes:
        if min(map(len, took.values())) == 0:
            raise SystemExit("too short: not every way has had its turn on each GPU")
        plain = statistics.median(took["plain"])
        for way, values in took.items():
            longer[way] += [value / plain - 1 for value in values]
    print(f"loop {options.loop}, {gpus} GPU, plain {statistics.median(sum((t['plain'] for t in lanes), [])):.0f} us")
    table = {}
    for way in ways[1:]:
        known = math.hypot(error(longer[way]), error(longer["plain"]))
        table[way] = {"longer": statistics.median(longer[way]), "known_to": known, "processes": len(longer[way])}
        print(f"  {way:8} {table[way]['longer']:+6.1%} +- {known:5.1%}   {len(longer[way])} processes")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"table": table, "processes": lanes}, indent=1))


if __name__ == "__main__":
    main()
