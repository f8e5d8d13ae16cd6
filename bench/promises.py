#!/usr/bin/env python3
"""Runs the benchmark programs of a build folder and reports which promises are kept.

    promises.py BUILD_FOLDER [--json] [--check]

"step_ns" says how fast the machine was around the measurement: the time of one step of an empty Python loop. On a shared
machine it can double within minutes, and everything that is measured in seconds doubles with it.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

# The virtual screen is larger than the window that is measured.
VIRTUAL_DISPLAY = ["xvfb-run", "-a", "-s", "-screen 0 3840x2400x24"]
PROGRAMS = [  # name, what starts it
    ("timeline", []),
    ("scale", []),
    ("recording", []),
    ("memory", []),
    ("query", []),
    ("join", []),
    ("simulator", []),
    ("inject", []),
    ("session", []),
    ("nsys", []),
    ("json", []),
    ("window", VIRTUAL_DISPLAY),
    ("live", VIRTUAL_DISPLAY),
    ("working", VIRTUAL_DISPLAY),
    ("busy", VIRTUAL_DISPLAY),
    ("latency", VIRTUAL_DISPLAY),
    ("opening", VIRTUAL_DISPLAY),
]


def step_ns():
    """The time of one step of an empty loop, now."""
    steps = 300_000
    times = []
    for _ in range(9):
        begin = time.perf_counter_ns()
        for _ in range(steps):
            pass
        times.append((time.perf_counter_ns() - begin) / steps)
    return statistics.median(times)


def measure(folder, name, launcher):
    """The benchmarks of one program, as Google Benchmark reports them."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "out.json"
        command = launcher + [
            str(folder / "bench" / f"{name}_bench"), f"--benchmark_out={out}", "--benchmark_out_format=json"
        ]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{name}_bench failed with status {done.returncode}")
        return json.loads(out.read_text(encoding="utf-8"))["benchmarks"]


def promise(benchmark):
    """One row of the table. A benchmark without a goal or with an error is a broken promise, not a missing one."""
    name = benchmark["name"].split("/iterations:")[0]
    if benchmark.get("error_occurred") or "value" not in benchmark:
        return {"promise": name, "value": None, "goal": None, "ok": False}
    value = benchmark["value"]
    if "at_least" in benchmark:
        return {"promise": name, "value": value, "goal": f">= {benchmark['at_least']:g}",
                "ok": value >= benchmark["at_least"]}
    return {"promise": name, "value": value, "goal": f"<= {benchmark['at_most']:g}", "ok": value <= benchmark["at_most"]}


def table(rows):
    width = max(len(row["promise"]) for row in rows)
    lines = [f"{'promise':{width}}  {'measured':>10}  {'goal':>8}  {'':6}  {'step, ns':>8}"]
    for row in rows:
        value = "failed" if row["value"] is None else f"{row['value']:.4g}"
        lines.append(f"{row['promise']:{width}}  {value:>10}  {row['goal'] or '':>8}  {'ok' if row['ok'] else 'BROKEN':6}  "
                     f"{row['step_ns']:8.1f}")
    return "\n".join(lines)


def main(arguments):
    folders = [a for a in arguments if not a.startswith("--")]
    if len(folders) != 1 or set(arguments) - set(folders) - {"--json", "--check"}:
        print(__doc__, file=sys.stderr)
        return 2
    rows = []
    for name, launcher in PROGRAMS:
        print(f"== measuring: {name}", file=sys.stderr, flush=True)
        before = step_ns()
        try:
            measured = [promise(benchmark) for benchmark in measure(pathlib.Path(folders[0]), name, launcher)]
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            print(f"promises.py: {error}", file=sys.stderr)
            measured = [{"promise": name, "value": None, "goal": None, "ok": False}]
        around = round((before + step_ns()) / 2, 1)
        rows += [row | {"step_ns": around} for row in measured]
    print(json.dumps(rows, indent=2) if "--json" in arguments else table(rows))
    return 1 if "--check" in arguments and not all(row["ok"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
