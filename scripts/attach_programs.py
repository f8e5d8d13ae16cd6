#!/usr/bin/env python3
"""Watches real programs, and compares what `lanescope attach` found with what they say of themselves.

    attach_programs.py LANESCOPE [--only gpt,loader] [--level acquire] [--json FILE] [--keep FOLDER] [--together N]

For a machine with a GPU, PyTorch, and what the programs in scripts/programs use: transformers, Lightning, JAX, CuPy, nvcc;
a program whose library is missing is named. Each prints how often its loop went round and what a round took. In its text,
"# the loop" marks the line that its iterations should be counted by ("# or this loop": or by this one), and "# waits" the
line that should be found to wait the most.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "programs"
PYTHON = sys.executable
PROGRAMS = {  # how it is started, and how it ends; after `stop` seconds it is killed
    "gpt": ("gpt.py",),
    "gpt without reads": ("gpt.py", "--read", "0"),
    "gpt accumulating": ("gpt.py", "--accumulate", "4"),
    "gpt compiled": ("gpt.py", "--compile"),
    "torchrun": ("gpt.py",),
    "ranks without reads": ("ddp.py",),  # on as many GPUs as there are; two at least
    "ranks with reads": ("ddp.py", "--late", "idle"),
    "trainer": ("trainer.py",),
    "lightning": ("fit.py",),
    "loader fork": ("loader.py",),
    "loader forkserver": ("loader.py", "--method", "forkserver"),
    "graph": ("graph.py",),
    "jax": ("jax_loop.py",),
    "cupy": ("cupy_loop.py",),
    "cuda c++": ("saxpy.cu",),
    "profiler": ("profiled.py",),
    "exception": ("ends.py", "exception"),
    "_exit": ("ends.py", "_exit"),
    "abort": ("ends.py", "abort"),
    "segfault": ("ends.py", "segfault"),
    "hang": ("ends.py", "hang"),
}
ENDS = {"exception": 1, "_exit": 7, "abort": 128 + signal.SIGABRT, "segfault": 128 + signal.SIGSEGV,
        "hang": 128 + signal.SIGKILL}
HANG_S = 25


def lines_marked(path, mark):
    return [f"{path.name}:{number}" for number, line in enumerate(path.read_text().splitlines(), 1)
            if "#" in line and mark in line.split("#", 1)[1]]


def command_of(name, folder):
    file, *words = PROGRAMS[name]
    path = HERE / file
    if path.suffix == ".cu":
        binary = folder / path.stem
        subprocess.run(["nvcc", "-O2", "-o", binary, path], check=True, capture_output=True)
        return [str(binary), *words], path
    if name == "torchrun" or name.startswith("ranks"):
        ranks = 1 if name == "torchrun" else "gpu"
        return [PYTHON, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={ranks}", str(path), *words], path
    return [PYTHON, str(path), *words], path


def watch(options, name, folder):
    row = {"program": name, "wrong": []}
    try:
        command, path = command_of(name, folder)
        file = folder / f"{name.replace(' ', '-').replace('+', 'p')}.lanescope"
        attach = [options.lanescope, "attach", "--level", options.level, "--record", file, "--", *command]
        process = subprocess.Popen(attach, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=HANG_S if name == "hang" else options.limit)
        except subprocess.TimeoutExpired:  # the program is killed, not what watches it
            subprocess.run(["pkill", "-KILL", "-f", "^" + re.escape(" ".join(command))], check=False)
            out, err = process.communicate(timeout=options.limit)
        row["status"], row["said"] = process.returncode, err.strip().splitlines()[-3:]
        if row["status"] != ENDS.get(name, 0):
            row["wrong"].append(f"exit status {row['status']}")
        printed = [line for line in out.splitlines() if line.startswith('{"iterations"')]
        row["own"] = json.loads(printed[-1]) if printed else {}
        report = subprocess.run([options.lanescope, "report", file, "--json", "-"], capture_output=True, text=True)
        if report.returncode != 0:
            raise RuntimeError(report.stderr.strip())
        found = json.loads(report.stdout)
        compare(row, found, path)
    except Exception as error:  # the others are still watched
        row["wrong"].append(f"{type(error).__name__}: {error}")
    return row


def compare(row, found, path):
    wrong, own = row["wrong"], row["own"]
    row["iterations"], row["by"] = found["iterations"], found.get("iterations_by", "")
    pace = found["pace"]["ns"] if found["pace"] else None
    row["us"] = pace / 1e3 if pace else None
    loops = lines_marked(path, "the loop") + lines_marked(path, "this loop")
    if loops and not any(row["by"].startswith(line + " ") for line in loops):
        wrong.append(f"iterations by {row['by'] or 'nothing'}, not {' or '.join(loops)}")
    if own and any(row["by"].startswith(line + " ") for line in lines_marked(path, "the loop")):
        if not 0.9 * own["iterations"] - 20 <= row["iterations"] <= own["iterations"] + 1:
            wrong.append(f"{row['iterations']} iterations of {own['iterations']}")
        if own["us"] and row["us"] and not 0.9 <= row["us"] / own["us"] <= 1.1:
            wrong.append(f"{row['us']:.0f} us each, not {own['us']:.0f}")
    waited = collections.Counter()
    for site in found["breakdown"]["call_sites"]:
        waited[site["range"]] += site["wait_ns"] + site["bubbles_by_fine_cause"]["loader"]
    most = max(waited, key=waited.get, default="")
    row["waits"] = (most or "") if waited[most] > 0 else ""
    waits = lines_marked(path, "waits")
    if waits and "without" not in row["program"] and not any(row["waits"].startswith(line + " ") for line in waits):
        wrong.append(f"waits most in {row['waits'] or 'nothing'}, not {waits[0]}")
    if "ranks" in own:
        compare_ranks(row, found["collectives"])
    capture = found.get("capture") or {}
    row["calls"], row["operations"] = capture.get("calls", 0), capture.get("operations", 0)
    row["dropped"] = capture.get("dropped", 0)
    for what in ("calls", "operations"):
        if not row[what]:
            wrong.append(f"no {what}")
    row["verdict"], row["cards"] = found["verdict_sentence"], []
    for card in found["advice"]["cards"]:
        row["cards"].append({key: card[key] for key in ("title", "share", "what_if") if key in card})
    recorded = found.get("gpu_recorded")
    row["recorded"] = recorded["recorded_ns"] / recorded["of_ns"] if recorded and recorded["of_ns"] else None


def compare_ranks(row, collectives):
    """The last rank has more to do by `late_us` in each iteration, which has one all-reduce."""
    wrong, own = row["wrong"], row["own"]
    row["collectives"] = collectives
    if not collectives or len(collectives["gpus"]) != own["ranks"]:
        wrong.append(f"collectives of {len(collectives['gpus']) if collectives else 0} ranks, not {own['ranks']}")
        return
    last = f"rank {own['ranks'] - 1}"
    late = collectives.get("late")
    names = {gpu["gpu"]: gpu["name"] for gpu in collectives["gpus"]}
    if not late or last not in names[late["gpu"]] or late["by"] != own["late_by"]:
        wrong.append(f"late: {late and (names[late['gpu']], late['by'])}, not {last}, {own['late_by']}")
    elif not 0.85 <= late[own["late_by"] + "_ns"] / 1e3 / own["late_us"] <= 1.15:
        wrong.append(f"late by {late[own['late_by'] + '_ns'] / 1e3:.0f} us, not {own['late_us']:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lanescope")
    parser.add_argument("--only", default="", help="gpt,jax: of the programs")
    parser.add_argument("--level", default="acquire")
    parser.add_argument("--json")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the session files")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one program (default: %(default)s)")
    parser.add_argument("--together", type=int, default=1, help="programs at a time (default: %(default)s)")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if not options.only or name in options.only.split(",")]
    if len(subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout.splitlines()) < 2:
        names = [name for name in names if not name.startswith("ranks")]
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.together) as pool:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rows = []
        # Those that use all GPUs come last, one by one: what else ran on one of them would make its rank late.
        alone = [name for name in names if name.startswith("ranks")]
        together = pool.map(lambda name: watch(options, name, folder), [name for name in names if name not in alone])
        for row in itertools.chain(together, (watch(options, name, folder) for name in alone)):
            rows.append(row)
            figures = ", ".join(f"{key} {row[key]}" for key in ("status", "iterations", "by", "waits", "calls", "operations")
                                if key in row)
            print(f"{row['program']}: {'; '.join(row['wrong']) or 'right'} | {figures}", flush=True)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    right = sum(not row["wrong"] for row in rows)
    print(f"{right} of {len(rows)} programs as they say of themselves")
    sys.exit(0 if right == len(rows) else 1)


if __name__ == "__main__":
    main()
