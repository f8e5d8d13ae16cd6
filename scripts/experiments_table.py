#!/usr/bin/env python3
"""Makes the manual's table of all experiments: the published numbers beside this program's results.

    experiments_table.py PROGRAM           prints the table
    experiments_table.py PROGRAM --write   writes it into docs/manual.md, between its two marks
    experiments_table.py PROGRAM --check   prints the differences from docs/manual.md; exit status 1 if there are any
    experiments_table.py PROGRAM --times   prints how long each experiment takes to run, the slowest first

Every experiment is run on the simulator, both sides, so the table is the same on every machine.
"""
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

MANUAL = pathlib.Path(__file__).resolve().parent.parent / "docs/manual.md"
BEGIN, END = "<!-- experiments: begin -->\n", "<!-- experiments: end -->\n"
HEAD = ("| | published | value | quality | simulated here | ratio | check | remark |\n"
        "|---|---|---|---|---|---|---|---|\n")
CHECKS = {"fitted": "fitted", "checked": "checked", "unchecked": "cannot be checked"}


def run(program, arguments):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
    environment |= {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "LANESCOPE_CUDA": "off", "XDG_CONFIG_HOME": "/nowhere"}
    done = subprocess.run([program, *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: exit status {done.returncode}: {done.stderr.decode('utf-8').strip()}")
    return json.loads(done.stdout)


def timed_run(program, experiment):
    begin = time.monotonic()
    result = run(program, ["run", "--experiment", experiment["id"], "--lang", "en", "--json", "-"])
    return result, time.monotonic() - begin


def number(value, unit):
    if value is None:
        return "–"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{text} {'×' if unit == 'x' else unit}"


def first_sentence(text):
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])", text or "", maxsplit=1)[0].replace("|", "\\|").replace("\n", " ")


def rows_of(experiment, result):
    """The first row of an experiment names it; a figure without a counterpart has a dash."""
    remark = first_sentence(experiment["correction"])
    name = f"{experiment['id']} {experiment['title']}".replace("|", "\\|")
    if not experiment["published"]:
        return [f"| {name} | no number | – | – | – | – | – | {remark} |"]
    rows = []
    for listed, published, ours in zip(experiment["published"], result["published"], result["simulated_or_measured"],
                                       strict=True):
        ratio = "–" if ours["ratio"] is None else f"{ours['ratio']:.2f}" if ours["ratio"] >= 0.1 else f"{ours['ratio']:.2g}"
        label = published["label"].replace("|", "\\|")
        rows.append(f"| {name} | {label} | {number(published['value'], published['unit'])} | {published['quality']} "
                    f"| {number(ours['value'], ours['unit'])} | {ratio} | {check_text(listed)} | {remark} |")
        name = remark = ""
    return rows


def check_text(published):
    """The label of the number on the device that the experiment is designed for."""
    if published["check"] == "unchecked":
        return f"{CHECKS['unchecked']}: {published['unchecked']}".replace("|", "\\|")
    return CHECKS[published["check"]]


def count_line(experiments):
    """How many numbers there are of each kind. A number that follows from another one is not an independent check."""
    all_published = [published for experiment in experiments for published in experiment["published"]]
    count = {kind: sum(published["check"] == kind for published in all_published) for kind in CHECKS}
    derived = sum(published["check"] == "checked" and bool(published["follows"]) for published in all_published)
    return (f"{count['checked']} checked ({derived} of them follow from another one of these), {count['fitted']} fitted, "
            f"{count['unchecked']} cannot be checked.\n")


def unanswered(experiment, result):
    """Numbers that name a figure must get one."""
    return [f"{experiment['id']}: {published['name']}: the run has no value for {published['figure']}"
            for published, ours in zip(experiment["published"], result["simulated_or_measured"], strict=True)
            if published["figure"] is not None and ours["value"] is None]


def differences(table):
    text = MANUAL.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        return [f"{MANUAL}: the marks '{BEGIN.strip()}' and '{END.strip()}' are missing"]
    said = text.split(BEGIN, 1)[1].split(END, 1)[0].strip().splitlines()
    return list(difflib.unified_diff(said, table.strip().splitlines(), "said", "now", lineterm="", n=0))


def write(table):
    text = MANUAL.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    MANUAL.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


def main(arguments):
    options = [a for a in arguments if a.startswith("--")]
    places = [a for a in arguments if not a.startswith("--")]
    if len(places) != 1 or len(options) > 1 or set(options) - {"--write", "--check", "--times"}:
        print(__doc__, file=sys.stderr)
        return 2
    program = str(pathlib.Path(places[0]).resolve())
    experiments = run(program, ["list", "experiments", "--json"])
    with concurrent.futures.ThreadPoolExecutor(max_workers=1 if "--times" in options else os.cpu_count()) as pool:
        results = list(pool.map(lambda experiment: timed_run(program, experiment), experiments))
    if "--times" in options:
        for seconds, name in sorted(((seconds, e["id"]) for e, (_, seconds) in zip(experiments, results)), reverse=True):
            print(f"{seconds:6.2f} s  {name}")
        return 0
    wrong = [line for e, (result, _) in zip(experiments, results) for line in unanswered(e, result)]
    table = HEAD + "".join(row + "\n" for e, (result, _) in zip(experiments, results) for row in rows_of(e, result))
    table = count_line(experiments) + "\n" + table
    if "--write" in options:
        write(table)
    elif "--check" in options:
        wrong += differences(table)
    else:
        print(table, end="")
    for line in wrong:
        print(line, file=sys.stderr if not options else sys.stdout)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
