#!/usr/bin/env python3
"""Checks the tables in docs/ that the experiments fill, and makes them.

    check_tables.py PROGRAM                           prints errors; exit status 1 if there are any
    check_tables.py PROGRAM --write                   writes the tables into the documents, between their marks
    check_tables.py PROGRAM --quotes FOLDER [--write] also looks for each quote in the files FOLDER/S0*, ... of its tutorial;
                                                      with --write it keeps the hashes of those found in quotes.txt

docs/measurements.md has the published numbers beside this program's results: every experiment is run on the simulator, both
sides, so the table is the same on every machine. docs/tutorials.md has the tutorials' claims and their places here, from
docs/tutorials/claims.toml. Errors there are also: a claim without a place or a reason; a name of an experiment, number,
setting or section that does not exist; a published number to which no claim of its tutorial leads; and one that none of the
quotes that lead to it prints, unless it follows from others that are printed. A section of the manual ("manual#report") may
stand in docs/manual.md, docs/reference.md or docs/measurements.md: the first that has it counts.

The tutorials are not ours to copy. docs/tutorials/quotes.txt has a hash of each quote that was found in them, so that a quote
which was changed or invented afterwards is an error here, without the tutorials, too.
"""
import argparse
import concurrent.futures
import copy
import difflib
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLAIMS, QUOTES = ROOT / "docs/tutorials/claims.toml", ROOT / "docs/tutorials/quotes.txt"
MEASUREMENTS, TUTORIALS = ROOT / "docs/measurements.md", ROOT / "docs/tutorials.md"
# Where a section of the manual may stand.
MANUALS = [ROOT / "docs/manual.md", ROOT / "docs/reference.md", MEASUREMENTS]
TITLES = {"S0": "S0: what a transfer costs", "S1": "S1: the data loader", "S2": "S2: asynchronous execution",
          "S3": "S3: pinned memory", "S4": "S4: iris on the GPU"}
KEYS = {"kind", "quote", "says", "where", "why", "verdict", "note"}
KINDS, VERDICTS = {"claim", "figure", "snippet"}, {"right", "wrong", "depends"}
SETTING = re.compile(r"([a-z0-9-]+)\.([a-z_]+)=(.+)")
SECTION = re.compile(r"manual#(.+)")
CHECKS = {"fitted": "fitted", "checked": "checked", "unchecked": "cannot be checked"}
# The document of each table, and the word in its marks.
PLACES = {"sides": MEASUREMENTS, "experiments": MEASUREMENTS, "claims": TUTORIALS}


def run(program, arguments):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
    environment |= {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "LANESCOPE_CUDA": "off", "XDG_CONFIG_HOME": "/nowhere"}
    done = subprocess.run([program, *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: exit status {done.returncode}: {done.stderr.decode('utf-8').strip()}")
    return json.loads(done.stdout)


# --- The experiments -------------------------------------------------------------------------------------------------


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
    for listed, published in zip(experiment["published"], result["published"], strict=True):
        ours = published["here"]
        label = published["label"].replace("|", "\\|")
        rows.append(f"| {name} | {label} | {number(published['value'], published['unit'])} | {published['quality']} "
                    f"| {number(ours['value'], published['unit'])} | {number(published['in_pytorch'], published['unit'])} "
                    f"| {check_text(listed)} | {remark} |")
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


def pace(us):
    return "–" if not us else f"{us / 1000:,.3g} ms" if us >= 1000 else f"{us:.3g} µs"


def sides_table(experiments, results):
    """Both sides of each experiment, here and in PyTorch, and whether the two tell the same direction."""
    rows, agree, measured = [], 0, 0
    for experiment, result in zip(experiments, results):
        there = result["in_pytorch"]
        here = [run["pace"]["ns"] / 1e3 for run in result["runs"]]
        factors = (result["gain"]["factor"] if result["gain"] else None, there["factor"] if there else None)
        told = [None if f is None else 0 if 1 / 1.05 <= f <= 1.05 else 1 if f > 1 else -1 for f in factors]
        near = None in told or max(factors) / min(factors) < 1.1
        says = "–" if None in told else "yes" if told[0] == told[1] or near else "no"
        measured += says != "–"
        agree += says == "yes"
        rows.append("| {} {} | {} → {} | {} | {} | {} | {} |".format(
            experiment["id"], experiment["title"].replace("|", "\\|"), pace(here[0]), pace(here[1]),
            "–" if factors[0] is None else f"{factors[0]:.2f}",
            f"{pace(there['before']['us'])} → {pace(there['after']['us'])}" if there else "–",
            "–" if factors[1] is None else f"{factors[1]:.2f}", says))
    machine = next((result["in_pytorch"]["machine"] for result in results if result["in_pytorch"]), "not measured")
    return "\n".join([f"In PyTorch: {machine}. {agree} of {measured} with a factor on both sides tell the same direction.\n",
                      "| | simulated here, an iteration | factor | in PyTorch | factor | same direction |",
                      "|---|---|---|---|---|---|", *rows])


def experiments_table(experiments, results):
    rows = [row for experiment, result in zip(experiments, results) for row in rows_of(experiment, result)]
    return "\n".join([count_line(experiments), "| | published | value | quality | simulated here | in PyTorch | check | remark |",
                      "|---|---|---|---|---|---|---|---|", *rows])


def unanswered(experiment, result):
    """Numbers that name a figure must get one."""
    return [f"{experiment['id']}: {published['name']}: the run has no value for {published['figure']}"
            for published, ours in zip(experiment["published"], result["published"], strict=True)
            if published["figure"] is not None and ours["here"]["value"] is None]


# --- The claims --------------------------------------------------------------------------------------------------------


class Lanescope:
    """The names that exist: experiments, their numbers, settings, sections of the manual."""

    def __init__(self, experiments, settings, manuals):
        """`manuals`: the text of each document that has sections, by its name."""
        self.experiments = {experiment["id"]: experiment for experiment in experiments}
        self.settings = {setting["key"]: setting for setting in settings}
        self.sections = {}  # anchor: (document, heading)
        for name, text in manuals.items():
            prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
            for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE):
                anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
                self.sections.setdefault(anchor, (name, heading))

    def published(self, tutorial):
        return {f"{id}.{published['name']}": published for id, experiment in self.experiments.items()
                for published in experiment["published"] if published["source"] == tutorial}

    def setting_allows(self, workload, key, value):
        setting = self.settings.get(key)
        if setting is None or workload not in setting["of"]:
            return False
        if setting["type"] == "choice":
            return value in setting["choices"]
        if setting["type"] == "bool":
            return value in ("true", "false")
        limits = setting["of"][workload]
        return re.fullmatch(r"-?[0-9.]+", value) is not None and limits["minimum"] <= float(value) <= limits["maximum"]

    def complaint(self, place):
        """What is wrong with the name of a place, or None."""
        if section := SECTION.fullmatch(place):
            return None if section[1] in self.sections else "no such section of the manual"
        if setting := SETTING.fullmatch(place):
            return None if self.setting_allows(*setting.groups()) else "no such setting of that workload"
        name, _, part = place.partition(" ")
        id, _, number = name.partition(".")
        if id not in self.experiments:
            return "no such experiment"
        experiment = self.experiments[id]
        if part not in ("", "correction", "sweep"):
            return "is no place"
        if part and experiment[part] is None:
            return f"has no {part}"
        if number == "*":
            return None if experiment["published"] else "has no published numbers"
        if number and number not in (published["name"] for published in experiment["published"]):
            return "no such published number"
        return None


def wrong_in(tutorial, claim, lanescope):
    where = f"{tutorial}: '{claim.get('quote', '?')}'"
    wrong = [f"{where}: unknown key '{key}'" for key in sorted(set(claim) - KEYS)]
    wrong += [f"{where}: {key} is missing" for key in ("quote", "says") if not claim.get(key)]
    if claim.get("kind") not in KINDS:
        wrong.append(f"{where}: kind must be one of {', '.join(sorted(KINDS))}")
    if claim.get("verdict") not in VERDICTS:
        wrong.append(f"{where}: verdict must be one of {', '.join(sorted(VERDICTS))}")
    elif claim["verdict"] != "right" and not claim.get("note"):
        wrong.append(f"{where}: note is missing: the error, or the dependency")
    if bool(claim.get("where")) == bool(claim.get("why")):
        wrong.append(f"{where}: must have a place (where) or a reason (why)")
    for place in claim.get("where", []):
        if complaint := lanescope.complaint(place):
            wrong.append(f"{where}: {place}: {complaint}")
    return wrong


def wrong_claims(claims, lanescope):
    wrong = [f"{tutorial}: is no tutorial" for tutorial in claims if tutorial not in TITLES]
    for tutorial in TITLES:
        listed = claims.get(tutorial, [])
        wrong += [line for claim in listed for line in wrong_in(tutorial, claim, lanescope)]
        for name, published in lanescope.published(tutorial).items():
            places = {name, f"{name.partition('.')[0]}.*"}
            quotes = [claim.get("quote", "") for claim in listed if places & set(claim.get("where", []))]
            if not quotes:
                wrong.append(f"{tutorial}: {name}: no claim reaches this published number")
            elif not published["follows"] and not prints(quotes, published["value"]):
                wrong.append(f"{tutorial}: {name}: no quote that leads to it prints {published['value']}")
    return wrong


def prints(quotes, value):
    """Whether the quotes have this number, perhaps in another unit, as a change in percent, or as the sum of two (P26)."""
    told = [float(number) for quote in quotes for number in re.findall(r"\d+(?:\.\d+)?", quote)]
    told += [a + b for a, b in itertools.combinations(told, 2)]
    same = [each for n in told for each in (n, 1000 * n, n / 1000, 1 + n / 100, 1 / (1 - n / 100) if n < 100 else n)]
    return any(math.isclose(each, value, rel_tol=0.005) for each in same)


def quote_line(tutorial, quote):
    """The line of a quote in quotes.txt."""
    return f"{tutorial} {hashlib.sha256(quote.encode('utf-8')).hexdigest()[:16]}"


def quotes_in(claims):
    return [(tutorial, claim["quote"]) for tutorial in TITLES for claim in claims.get(tutorial, []) if claim.get("quote")]


def missing_quotes(claims, folder):
    """The quotes that are not in the tutorials themselves."""
    texts = {tutorial: "".join(path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).glob(f"{tutorial}*")))
             for tutorial in TITLES}
    return [(tutorial, quote) for tutorial, quote in quotes_in(claims) if quote not in texts[tutorial]]


def unproved_quotes(claims, proved):
    return [f"{tutorial}: '{quote}': is not known to be in the tutorial; if it is, --quotes FOLDER --write says so"
            for tutorial, quote in quotes_in(claims) if quote_line(tutorial, quote) not in proved]


def cell(text):
    return text.replace("|", "\\|")


def place_text(place, lanescope):
    if section := SECTION.fullmatch(place):
        name, heading = lanescope.sections.get(section[1], (MANUALS[0].name, section[1]))
        return f"[{heading}]({name}#{section[1]})"
    if SETTING.fullmatch(place):
        return f"`{place}`"
    name, _, part = place.partition(" ")
    name = name.removesuffix(".*")
    return f"{name} ({part})" if part else name


def claims_table(claims, lanescope):
    text = ""
    for tutorial, title in TITLES.items():
        listed = claims.get(tutorial, [])
        count = {verdict: sum(claim["verdict"] == verdict for claim in listed) for verdict in ("right", "depends", "wrong")}
        text += f"## {title}\n\n{len(listed)} entries: " + ", ".join(f"{n} {verdict}" for verdict, n in count.items())
        text += f".\n\n| | the tutorial | in short | verdict | in Lanescope |\n|---|---|---|---|---|\n"
        for claim in listed:
            quote = "``" + claim["quote"].replace("|", "\\|") + "``" if "`" in claim["quote"] else f"`{cell(claim['quote'])}`"
            verdict = claim["verdict"] + (f": {claim['note']}" if claim.get("note") else "")
            here = ", ".join(place_text(place, lanescope) for place in claim.get("where", [])) or claim.get("why", "")
            text += f"| {claim['kind']} | {quote} | {cell(claim['says'])} | {cell(verdict)} | {cell(here)} |\n"
        text += "\n"
    return text


# --- The documents ---------------------------------------------------------------------------------------------------


def parts_of(text, name):
    """What is before the table's first mark, between the marks, and after them; None without the marks."""
    before, begin, rest = text.partition(f"<!-- {name}: begin -->\n")
    table, end, after = rest.partition(f"<!-- {name}: end -->\n")
    return (before + begin, table, end + after) if begin and end else None


def differences(name, table):
    parts = parts_of(PLACES[name].read_text(encoding="utf-8"), name)
    if parts is None:
        return [f"{PLACES[name]}: the marks of the {name} are missing"]
    return list(difflib.unified_diff(parts[1].strip().splitlines(), table.strip().splitlines(), "said", "now", lineterm="", n=0))


def write(name, table):
    before, _, after = parts_of(PLACES[name].read_text(encoding="utf-8"), name)
    PLACES[name].write_text(f"{before}\n{table.strip()}\n\n{after}", encoding="utf-8")


def self_test():
    """Every kind of error, in claims of a made-up program."""
    lanescope = Lanescope([{"id": "X1", "correction": "c", "sweep": None,
                            "published": [{"name": "total", "source": "S0", "value": 400, "follows": []},
                                          {"name": "gain", "source": "other", "value": 2, "follows": []}]},
                           {"id": "X2", "correction": None, "sweep": {}, "published": []}],
                          [{"key": "size", "type": "integer", "choices": None, "of": {"loop": {"minimum": 1, "maximum": 9}}},
                           {"key": "how", "type": "choice", "choices": ["a", "b"], "of": {"loop": {}}},
                           {"key": "on", "type": "bool", "choices": None, "of": {"loop": {}}}],
                          {"manual.md": "## One section (X1)\n```\n# no section\n```\n",
                           "reference.md": "## Another\n### One section (X1)\n"})
    good = {"kind": "claim", "quote": "0.4 s", "says": "s", "verdict": "right",
            "where": ["X1.total", "X1", "X1 correction", "X2 sweep", "X1.*", "loop.size=9", "loop.how=b", "loop.on=true",
                      "manual#one-section-x1", "manual#another"]}
    failed = [f"of what is right: {line}" for line in wrong_claims({"S0": [good]}, lanescope)]
    for place, wanted in (("manual#another", "[Another](reference.md#another)"),
                          ("manual#one-section-x1", "[One section (X1)](manual.md#one-section-x1)")):
        if place_text(place, lanescope) != wanted:
            failed.append(f"{place}: became {place_text(place, lanescope)}")
    bad = [({"kind": "opinion"}, "kind must be"), ({"verdict": "perhaps"}, "verdict must be"), ({"verdict": "wrong"}, "note is"),
           ({"quote": "0.3 s"}, "prints 400"), ({"says": ""}, "says is missing"), ({"colour": "red"}, "unknown key 'colour'"), ({"where": []}, "must have a place"),
           ({"why": "so"}, "must have a place"), ({"where": ["X1"]}, "X1.total: no claim reaches"),
           ({"where": ["X2.*"]}, "X2.*: has no published"), ({"where": ["X3"]}, "X3: no such experiment"),
           ({"where": ["X1.none"]}, "X1.none: no such published"), ({"where": ["X2 correction"]}, "has no correction"),
           ({"where": ["X1 sweep"]}, "has no sweep"), ({"where": ["X1 story"]}, "is no place"),
           ({"where": ["loop.size=10"]}, "no such setting"), ({"where": ["loop.how=c"]}, "no such setting"),
           ({"where": ["loop.on=1"]}, "no such setting"), ({"where": ["loop.none=1"]}, "no such setting"),
           ({"where": ["walk.size=1"]}, "no such setting"), ({"where": ["manual#none"]}, "no such section"),
           ({"where": ["manual#no-section"]}, "no such section")]
    for change, said in bad:
        lines = wrong_claims({"S0": [copy.deepcopy(good) | change]}, lanescope)
        if not any(said in line for line in lines):
            failed.append(f"{change}: not reported: '{said}', but {lines}")
    if not wrong_claims({"S9": []} | {"S0": [good]}, lanescope):
        failed.append("S9: was taken for a tutorial")
    for proved, faults in (([quote_line("S0", "0.4 s")], 0), ([quote_line("S1", "0.4 s"), quote_line("S0", "4 s")], 1)):
        if len(unproved_quotes({"S0": [good]}, proved)) != faults:
            failed.append(f"a quote of S0 beside {proved}: {faults} faults were expected")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quotes", metavar="FOLDER")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    experiments = run(program, ["list", "experiments", "--json"])
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(pool.map(lambda each: run(program, ["run", "--experiment", each["id"], "--lang", "en", "--json", "-"]),
                                experiments))
    manuals = {path.name: path.read_text(encoding="utf-8") for path in MANUALS}
    lanescope = Lanescope(experiments, run(program, ["list", "settings", "--json"]), manuals)
    claims = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))
    tables = {"sides": sides_table(experiments, results), "experiments": experiments_table(experiments, results),
              "claims": claims_table(claims, lanescope)}
    wrong = self_test() + [line for each, result in zip(experiments, results) for line in unanswered(each, result)]
    wrong += wrong_claims(claims, lanescope)
    if options.quotes:
        missing = missing_quotes(claims, options.quotes)
        wrong += [f"{tutorial}: '{quote}': is not in the tutorial" for tutorial, quote in missing]
        if options.write:
            found = [quote_line(*quote) for quote in quotes_in(claims) if quote not in missing]
            QUOTES.write_text("\n".join(found) + "\n", encoding="utf-8")
    wrong += unproved_quotes(claims, QUOTES.read_text(encoding="utf-8").splitlines())
    for name, table in tables.items():
        if options.write:
            write(name, table)
        wrong += differences(name, table)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
