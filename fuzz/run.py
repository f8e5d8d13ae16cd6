"""Runs fuzz targets, as many at once as there are CPUs, and prints a table; see scripts/fuzz.sh."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

MEMORY_MB = 2560
TIMEOUT_S = 25
# Larger inputs are only slower: what is looked for is in the structure.
LARGEST = {"chrome": 32768, "chrome_gzip": 16384, "nsys": 32768, "session": 32768, "session_follow": 32768,
           "ring": 20480, "command_line": 2048, "link": 1024, "hello": 128, "controls": 128, "words": 2048,
           "source_lines": 4096, "marks": 4096}


def command_of(target, options, limit_s):
    """A run of libFuzzer; one without a limit only reads the first inputs."""
    folder = options.folder
    corpus, found, seeds = (folder / kind / target for kind in ("corpus", "crashes", "seeds"))
    for each in (corpus, found, seeds):
        each.mkdir(parents=True, exist_ok=True)
    words = [folder / "fuzz" / f"fuzz_{target}", f"-timeout={TIMEOUT_S}", f"-rss_limit_mb={MEMORY_MB}",
             f"-artifact_prefix={found}/", "-print_final_stats=1"]
    if options.replay:
        return [str(word) for word in [*words, "-runs=0", seeds]]
    words += [f"-max_total_time={limit_s}", f"-max_len={LARGEST.get(target, 32768)}", f"-seed={options.seed}"]
    dictionary = pathlib.Path(__file__).resolve().parent / "dictionaries" / f"{target}.dict"
    if dictionary.exists():
        words.append(f"-dict={dictionary}")
    return [str(word) for word in [*words, corpus, seeds]]


def run_once(target, options, limit_s, environment):
    """One run of libFuzzer: what it said, its exit status and its CPU time. It limits elapsed time only."""
    with tempfile.TemporaryFile(dir=options.scratch) as said:
        started = subprocess.Popen(command_of(target, options, limit_s), env=environment, stdout=said, stderr=said)
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)  # so that it is not waited for again
        said.seek(0)
        return said.read().decode(errors="replace"), started.returncode, used.ru_utime + used.ru_stime


def run(target, options):
    environment = dict(os.environ, TMPDIR=options.scratch, LC_ALL="C.UTF-8")
    environment["ASAN_OPTIONS"] = "quarantine_size_mb=16:allocator_may_return_null=1:" + os.environ.get("ASAN_OPTIONS", "")
    symbolizer = shutil.which("llvm-symbolizer-19")
    if symbolizer:
        environment["ASAN_SYMBOLIZER_PATH"] = environment["UBSAN_SYMBOLIZER_PATH"] = symbolizer
    environment["UBSAN_OPTIONS"] = "print_stacktrace=1:" + os.environ.get("UBSAN_OPTIONS", "")
    row = {"target": target, "seconds": 0.0, "executions": 0, "edges": 0, "features": 0, "result": "ok", "input": ""}
    if options.replay and not any((options.folder / "seeds" / target).glob("*")):
        return row | {"result": "it has no first inputs", "per_second": 0}
    # On a busy machine a second is less than a second of CPU time, so it goes on until that is used up.
    while row["seconds"] < options.seconds - 0.5:
        left = max(1, round(options.seconds - row["seconds"]))
        said, status, used = run_once(target, options, left, environment)
        row["seconds"] += used
        executed = re.search(r"^stat::number_of_executed_units: *(\d+)", said, re.M)
        row["executions"] += int(executed[1]) if executed else 0
        for key, word in (("edges", "cov"), ("features", "ft")):
            seen = re.findall(rf"^#\d+.*\b{word}: (\d+)", said, re.M)
            row[key] = max([row[key], *map(int, seen)])
        if status != 0:
            found = re.findall(r"Test unit written to (\S+)", said)
            reason = re.findall(r"^(?:SUMMARY: |==\d+== ?ERROR: )(.*)$", said, re.M)
            row["result"] = (reason[-1] if reason else f"exit status {status}")[:100]
            row["input"] = found[-1] if found else ""
            report = options.folder / "crashes" / target / "report.txt"
            report.write_text(said[-100_000:])
            print(f"fuzz.sh: {target}: {row['result']}", file=sys.stderr)
            if row["input"]:
                again = shlex.join([str(options.folder / "fuzz" / f"fuzz_{target}"), row["input"]])
                print(f"  the input: {row['input']}\n  again:     {again}", file=sys.stderr)
            print(f"  the report: {report}", file=sys.stderr)
        if status != 0 or options.replay:
            break
    row["per_second"] = round(row["executions"] / row["seconds"]) if row["seconds"] > 0 else 0
    row["seconds"] = round(row["seconds"], 1)
    return row


def note(row, path):
    """Writes the row into the file, in the place of what it said of this target."""
    rows = json.loads(path.read_text()) if path.exists() else []
    rows = {each["target"]: each for each in rows} | {row["target"]: row}
    path.write_text(json.dumps(list(rows.values()), indent=2) + "\n")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--folder", type=pathlib.Path, required=True)
    arguments.add_argument("--scratch", required=True)
    arguments.add_argument("--seconds", type=int, required=True)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--replay", action="store_true")
    arguments.add_argument("--json", default="")
    arguments.add_argument("targets", nargs="+")
    options = arguments.parse_args()
    print(f"{'target':<15} {'CPU s':>7} {'executions':>11} {'per s':>7} {'edges':>7} {'features':>9}  result", flush=True)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for row in pool.map(lambda target: run(target, options), options.targets):
            failed |= row["result"] != "ok"
            print(f"{row['target']:<15} {row['seconds']:>7} {row['executions']:>11,} {row['per_second']:>7,} "
                  f"{row['edges']:>7,} {row['features']:>9,}  {row['result']}", flush=True)
            if options.json:
                note(row, pathlib.Path(options.json))
    return 1 if failed else 0


sys.exit(main())
