#!/usr/bin/env python3
"""Measures the error of predictions: predicts every single change of a setting, and runs it.

    prediction_table.py BINARY [--markdown] [--experiments P09,R1] [--sides before] [--knobs log_interval] [--device D] [--all] [--jobs N]

Every side of every experiment runs on its simulated device; each of its settings is changed, alone, to all other choices,
to the other of true and false, and to representative numbers below and above. Prints the errors by experiment, the refused
predictions with their reasons, and a summary; --all prints every case. Exit status 1 if the median error is over 3 % or the
worst over 10 %.
"""
import argparse
import collections
import concurrent.futures
import json
import subprocess
import sys

MEDIAN, WORST = 0.03, 0.10
# Enough for a stable mean, and few where an iteration moves a gigabyte.
ITERATIONS = {"bandwidth": 60, "dataloader": 256, "plot-transfer": 240}
USUAL = 300


def ask(binary, *arguments):
    done = subprocess.run([binary, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return json.loads(done.stdout), ""


def text_of(value):
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def other_numbers(setting, limits, value):
    """Two or three representative numbers: the next stop but one, or a quarter and four times as much."""
    least, most, stops = limits["minimum"], limits["maximum"], limits["stops"]
    if setting["key"] == "seed":
        return [7 if value != 7 else 8]
    if stops:
        below = [s for s in stops if s < value]
        above = [s for s in stops if s > value]
        wanted = [below[-2] if len(below) > 1 else below[-1] if below else None, below[0] if below else None,
                  above[1] if len(above) > 1 else above[0] if above else None]
    else:
        wanted = [value / 4, value * 4] if value else [least, min(most, max(1, most / 50))]
    numbers = []
    for number in wanted:
        if number is None:
            continue
        number = min(max(number, least), most)
        if setting["type"] == "integer":
            number = int(round(number))
        if number != value and number not in numbers:
            numbers.append(number)
    return numbers


def changes(setting, workload, value):
    if setting["type"] == "bool":
        return [not value]
    if setting["type"] == "choice":
        return [choice for choice in setting["choices"] if choice != value]
    return other_numbers(setting, setting["of"][workload], value)


def cases(binary, options):
    settings, _ = ask(binary, "list", "settings", "--json")
    experiments, _ = ask(binary, "list", "experiments", "--json")
    seen = set()
    for experiment in experiments:
        if options.experiments and experiment["id"] not in options.experiments.split(","):
            continue
        workload = experiment["workload"]
        for side in ("before", "after"):
            if options.sides and side not in options.sides.split(","):
                continue
            device = experiment[side]["device"]
            if not device.startswith("sim:"):
                continue
            iterations = ITERATIONS.get(workload, USUAL)
            run = ["run", "--experiment", experiment["id"], "--side", side, "--iterations", str(iterations), "--json", "-"]
            if options.device:
                device = options.device
                run += ["--device", device]
            now, error = ask(binary, *run)
            if now is None:
                sys.exit(f"{experiment['id']} {side}: {error}")
            for setting in settings:
                if workload not in setting["defaults"] or setting["key"] not in now["settings"]:
                    continue
                if options.knobs and setting["key"] not in options.knobs.split(","):
                    continue
                for value in changes(setting, workload, now["settings"][setting["key"]]):
                    assignment = f"{setting['key']}={text_of(value)}"
                    key = (workload, device, json.dumps(now["settings"], sort_keys=True), assignment)
                    if key in seen:  # two experiments may have a side in common
                        continue
                    seen.add(key)
                    yield experiment["id"], side, assignment, [*run, "--predict", assignment, "--verify"]


def solve(binary, case):
    experiment, side, assignment, arguments = case
    answer, error = ask(binary, *arguments)
    row = {"experiment": experiment, "side": side, "change": assignment, "error": None, "refused": None,
           "wrong": None}
    if answer is None:
        # Some settings exclude each other.
        row["wrong"] = error
        return row
    prediction = answer["prediction"]
    row["refused"] = prediction["refused"]
    row["fidelity"] = prediction["fidelity_error"]
    if row["refused"] is None:
        if prediction["verified"] is None:
            row["wrong"] = "not verified"
        else:
            row["error"] = prediction["verified"]["error"]
            row["measured"] = prediction["measured_ns"]
            row["predicted"] = prediction["iteration_ns"]["mean"]
            row["verified"] = prediction["verified"]["iteration_ns"]["mean"]
    return row


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def print_rows(titles, rows, markdown):
    if markdown:
        print("| " + " | ".join(titles) + " |")
        print("|" + "---|" * len(titles))
        for row in rows:
            print("| " + " | ".join(row) + " |")
        return
    widths = [max(len(r[i]) for r in [titles, *rows]) for i in range(len(titles))]
    for row in [titles, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--experiments", default="")
    parser.add_argument("--sides", default="")
    parser.add_argument("--knobs", default="")
    parser.add_argument("--device", default="", help="instead of each experiment's own")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda case: solve(options.binary, case), cases(options.binary, options)))
    tried = [r for r in rows if r["wrong"] is None]
    given = [r for r in tried if r["error"] is not None]
    refused = [r for r in tried if r["refused"] is not None]
    if not given:
        sys.exit("no prediction was given")

    if options.all:
        def cells(r):
            if r["wrong"]:
                return [r["experiment"], r["side"], r["change"], "", "", "", "not possible: " + r["wrong"][:90]]
            if r["refused"]:
                return [r["experiment"], r["side"], r["change"], "", "", "", "no prediction: " + r["refused"]]
            return [r["experiment"], r["side"], r["change"], f"{r['measured'] / 1e3:.2f}",
                    f"{r['predicted'] / 1e3:.2f}", f"{r['verified'] / 1e3:.2f}", f"{100 * r['error']:+.1f} %"]
        print_rows(["experiment", "side", "change", "now, µs", "predicted", "measured", "error"],
                   [cells(r) for r in rows], options.markdown)
        print()

    by_side = collections.defaultdict(list)
    for r in tried:
        by_side[r["experiment"], r["side"]].append(r)
    table = []
    for (experiment, side), group in by_side.items():
        errors = [abs(r["error"]) for r in group if r["error"] is not None]
        worst = max((r for r in group if r["error"] is not None), key=lambda r: abs(r["error"]), default=None)
        table.append([experiment, side, str(len(group)), str(len(errors)),
                      f"{100 * percentile(errors, 0.5):.1f} %" if errors else "–",
                      f"{100 * worst['error']:+.1f} %" if worst else "–", worst["change"] if worst else ""])
    print_rows(["experiment", "side", "changes", "predicted", "median error", "worst", "of"], table, options.markdown)

    reasons = collections.Counter()
    for r in refused:
        why = r["refused"]
        if "fitted machine is" in why:
            why = "the fitted machine is off"
        reasons[why] += 1
    print()
    print_rows(["no prediction, because", "changes"], [[why, str(n)] for why, n in reasons.most_common()],
               options.markdown)
    errors = [abs(r["error"]) for r in given]
    median, high, worst = percentile(errors, 0.5), percentile(errors, 0.9), max(errors)
    print()
    print(f"{len(tried)} changes: {len(given)} predicted ({100 * len(given) / len(tried):.0f} %), {len(refused)} refused."
          f" Error: median {100 * median:.2f} %, 90th percentile {100 * high:.2f} %, worst {100 * worst:.1f} %.")
    return 1 if median > MEDIAN or worst > WORST else 0


if __name__ == "__main__":
    sys.exit(main())
