#!/usr/bin/env python3
"""Makes the tables of docs/tutorials.md (the tutorials' claims and their places here) from docs/tutorials/claims.toml.

    claims_table.py PROGRAM                  prints the tables
    claims_table.py PROGRAM --write          writes them into docs/tutorials.md, between its two marks
    claims_table.py PROGRAM --check          prints errors; exit status 1 if there are any
    claims_table.py PROGRAM --quotes FOLDER  also prints quotes that are in no file FOLDER/S0*, ... of their tutorial
    claims_table.py PROGRAM --self-test      checks the checker: it must report deliberate errors

Errors are: a claim without a place or a reason; a name of an experiment, number, setting or section that does not exist; and
a published number to which no claim of its tutorial leads.
"""
import copy
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLAIMS, PAGE, MANUAL = ROOT / "docs/tutorials/claims.toml", ROOT / "docs/tutorials.md", ROOT / "docs/manual.md"
BEGIN, END = "<!-- claims: begin -->\n", "<!-- claims: end -->\n"
HEAD = "| | the tutorial | in short | verdict | in Lanescope |\n|---|---|---|---|---|\n"
TITLES = {"S0": "S0: what a transfer costs", "S1": "S1: the data loader", "S2": "S2: asynchronous execution",
          "S3": "S3: pinned memory", "S4": "S4: iris on the GPU"}
KEYS = {"kind", "quote", "says", "where", "why", "verdict", "note"}
KINDS, VERDICTS = {"claim", "figure", "snippet"}, {"right", "wrong", "depends"}
SETTING = re.compile(r"([a-z0-9-]+)\.([a-z_]+)=(.+)")
SECTION = re.compile(r"manual#(.+)")


class Lanescope:
    """The names that exist: experiments, their numbers, settings, sections of the manual."""

    def __init__(self, experiments, settings, manual):
        self.experiments = {experiment["id"]: experiment for experiment in experiments}
        self.settings = {setting["key"]: setting for setting in settings}
        headings = re.findall(r"^#+ (.+)$", manual, re.MULTILINE)
        self.sections = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"): heading for heading in headings}

    def numbers(self, tutorial):
        return [f"{id}.{published['name']}" for id, experiment in self.experiments.items()
                for published in experiment["published"] if published["source"] == tutorial]

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


def run(program, arguments):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
    environment |= {"LC_ALL": "C.UTF-8", "LANESCOPE_CUDA": "off", "XDG_CONFIG_HOME": "/nowhere"}
    done = subprocess.run([program, *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


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
        reached = {place for claim in listed for place in claim.get("where", [])}
        wrong += [f"{tutorial}: {number}: no claim reaches this published number" for number in lanescope.numbers(tutorial)
                  if number not in reached and f"{number.partition('.')[0]}.*" not in reached]
    return wrong


def wrong_quotes(claims, folder):
    texts = {tutorial: "".join(path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).glob(f"{tutorial}*")))
             for tutorial in TITLES}
    return [f"{tutorial}: '{claim['quote']}': is not in the tutorial" for tutorial in TITLES
            for claim in claims.get(tutorial, []) if claim["quote"] not in texts[tutorial]]


def cell(text):
    return text.replace("|", "\\|")


def place_text(place, lanescope):
    if section := SECTION.fullmatch(place):
        return f"[{lanescope.sections.get(section[1], section[1])}](manual.md#{section[1]})"
    if SETTING.fullmatch(place):
        return f"`{place}`"
    name, _, part = place.partition(" ")
    name = name.removesuffix(".*")
    return f"{name} ({part})" if part else name


def table(claims, lanescope):
    text = ""
    for tutorial, title in TITLES.items():
        listed = claims.get(tutorial, [])
        count = {verdict: sum(claim["verdict"] == verdict for claim in listed) for verdict in ("right", "depends", "wrong")}
        text += f"## {title}\n\n{len(listed)} entries: " + ", ".join(f"{n} {verdict}" for verdict, n in count.items())
        text += f".\n\n{HEAD}"
        for claim in listed:
            quote = "``" + claim["quote"].replace("|", "\\|") + "``" if "`" in claim["quote"] else f"`{cell(claim['quote'])}`"
            verdict = claim["verdict"] + (f": {claim['note']}" if claim.get("note") else "")
            here = ", ".join(place_text(place, lanescope) for place in claim.get("where", [])) or claim.get("why", "")
            text += f"| {claim['kind']} | {quote} | {cell(claim['says'])} | {cell(verdict)} | {cell(here)} |\n"
        text += "\n"
    return text


def differences(text):
    page = PAGE.read_text(encoding="utf-8")
    if BEGIN not in page or END not in page:
        return [f"{PAGE}: the marks '{BEGIN.strip()}' and '{END.strip()}' are missing"]
    said = page.split(BEGIN, 1)[1].split(END, 1)[0].strip().splitlines()
    return list(difflib.unified_diff(said, text.strip().splitlines(), "said", "now", lineterm="", n=0))


def write(text):
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n{text}{END}{rest.split(END, 1)[1]}", encoding="utf-8")


def self_test():
    """Every kind of error, in claims of a made-up program."""
    lanescope = Lanescope([{"id": "X1", "correction": "c", "sweep": None,
                            "published": [{"name": "total", "source": "S0"}, {"name": "gain", "source": "other"}]},
                           {"id": "X2", "correction": None, "sweep": {}, "published": []}],
                          [{"key": "size", "type": "integer", "choices": None, "of": {"loop": {"minimum": 1, "maximum": 9}}},
                           {"key": "how", "type": "choice", "choices": ["a", "b"], "of": {"loop": {}}},
                           {"key": "on", "type": "bool", "choices": None, "of": {"loop": {}}}], "## One section (X1)\n")
    good = {"kind": "claim", "quote": "q", "says": "s", "verdict": "right",
            "where": ["X1.total", "X1", "X1 correction", "X2 sweep", "X1.*", "loop.size=9", "loop.how=b", "loop.on=true",
                      "manual#one-section-x1"]}
    failed = [f"of what is right: {line}" for line in wrong_claims({"S0": [good]}, lanescope)]
    bad = [({"kind": "opinion"}, "kind must be"), ({"verdict": "perhaps"}, "verdict must be"), ({"verdict": "wrong"}, "note is"),
           ({"says": ""}, "says is missing"), ({"colour": "red"}, "unknown key 'colour'"), ({"where": []}, "must have a place"),
           ({"why": "so"}, "must have a place"), ({"where": ["X1"]}, "X1.total: no claim reaches"),
           ({"where": ["X2.*"]}, "X2.*: has no published"), ({"where": ["X3"]}, "X3: no such experiment"),
           ({"where": ["X1.none"]}, "X1.none: no such published"), ({"where": ["X2 correction"]}, "has no correction"),
           ({"where": ["X1 sweep"]}, "has no sweep"), ({"where": ["X1 story"]}, "is no place"),
           ({"where": ["loop.size=10"]}, "no such setting"), ({"where": ["loop.how=c"]}, "no such setting"),
           ({"where": ["loop.on=1"]}, "no such setting"), ({"where": ["loop.none=1"]}, "no such setting"),
           ({"where": ["walk.size=1"]}, "no such setting"), ({"where": ["manual#none"]}, "no such section")]
    for change, said in bad:
        lines = wrong_claims({"S0": [copy.deepcopy(good) | change]}, lanescope)
        if not any(said in line for line in lines):
            failed.append(f"{change}: not reported: '{said}', but {lines}")
    if not wrong_claims({"S9": []} | {"S0": [good]}, lanescope):
        failed.append("S9: was taken for a tutorial")
    return failed


def main(arguments):
    options = [a for a in arguments if a.startswith("--")]
    places = [a for a in arguments if not a.startswith("--")]
    if len(options) > 1 or set(options) - {"--write", "--check", "--quotes", "--self-test"} or \
            len(places) != (2 if options == ["--quotes"] else 1):
        print(__doc__, file=sys.stderr)
        return 2
    if options == ["--self-test"]:
        wrong = self_test()
        print(*wrong, sep="\n", end="\n" if wrong else "")
        return 1 if wrong else 0
    program = str(pathlib.Path(places[0]).resolve())
    lanescope = Lanescope(run(program, ["list", "experiments", "--json"]), run(program, ["list", "settings", "--json"]),
                          MANUAL.read_text(encoding="utf-8"))
    claims = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))
    wrong = wrong_claims(claims, lanescope)
    if options == ["--quotes"]:
        wrong += wrong_quotes(claims, places[1])
    text = table(claims, lanescope)
    if options == ["--write"]:
        write(text)
    elif options == ["--check"]:
        wrong += differences(text)
    elif not options:
        print(text, end="")
    for line in wrong:
        print(line, file=sys.stdout if options else sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
