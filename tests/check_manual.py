#!/usr/bin/env python3
"""Checks that the README and docs/ agree with the program.

    check_manual.py ROOT PROGRAM           prints one line per error, also where it misses a deliberate one; exit status 1
                                           if there are any
    check_manual.py ROOT PROGRAM --write   writes the program's output into the documents' console blocks, and what the
                                           program says of itself into the tables after their markers

In a console block every line "$ lanescope ..." is run, and what follows must be what it prints; a line "..." stands for
any number of lines. A toml block whose first line is "# NAME.toml" is there as that file, and tests/data is at hand.
The tables of docs/reference.md after a marker are what the program says: keys, the mouse, options of every command, settings,
figures, experiments, lessons. A table under "<!-- keys in SOURCE: kLIST -->" is written by hand and must have the keys of that
list in that source, and all lists such a table. The manual is short, and the Chinese one has its chapters, in their order: over
each of its headings stands "<!-- chapter: ANCHOR -->", the anchor of the English one. Links lead somewhere.
"""
import difflib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

MANUAL, REFERENCE, MEASUREMENTS = "docs/manual.md", "docs/reference.md", "docs/measurements.md"
CHINESE = "docs/manual.zh-CN.md"
MOST_WORDS = 14_000  # of the manual: one that people read
ANYTHING = "..."
KEYS = {"Comma": ",", "Period": ".", "LeftBracket": "[", "RightBracket": "]", "PageUp": "PgUp", "PageDown": "PgDn",
        "Delete": "Del", "Backslash": "\\", "Apostrophe": "'", "Escape": "Esc", "Up": "↑", "Down": "↓", "Left": "←",
        "Right": "→", "Equal": "=", "Minus": "−", "Slash": "/"}
STRING = r'"((?:[^"\\]|\\.)*)"'
ACTION = re.compile(rf'\{{\s*Action::\w+,\s*ActionGroup::(\w+),\s*"([\w-]+)",\s*N_\({STRING}\),'
                    rf'\s*\{{((?:\s*\{{[^{{}}]*\}},?)*)\s*\}},')
FEATURE = re.compile(r"^std::vector<ActionInfo> (\w+)\(\) \{", re.MULTILINE)
GESTURE = re.compile(rf"\{{\s*N_\({STRING}\),\s*N_\({STRING}\)\s*\}}")
# In the reference, over what the program says of itself.
MARKER = "<!-- keys of the group {} -->"
MOUSE = "<!-- the mouse -->"
OPTIONS = "<!-- options of {} -->"
SETTINGS = "<!-- settings of {} -->"
SHARED = "several workloads"
FIGURES, OWN_FIGURES = "<!-- figures -->", "<!-- figures of the loops -->"
EXPERIMENTS, LESSONS = "<!-- experiments -->", "<!-- lessons -->"
# Settings with which a loop has more figures of its own than with its defaults.
MORE_FIGURES = {"linear-mse": ["timing=naive", "timing=events"], "iris-mlp": ["model_on=cpu", "hook=reads"],
                "readback": ["method=list-of-items", "method=tensorboard"]}
README_MARKER = "<!-- the keys to begin with -->"
# The keys in the README; they lead to the others.
FIRST_KEYS = ["pause", "zoom-in", "pan-left", "pan-right", "fit", "resume", "search", "ruler", "gallery", "flip", "presentation",
              "palette", "help"]
# The keys that a parser accepts, and in the reference the line over the table of them.
KEY_LIST = re.compile(r"constexpr auto (k\w+Keys)\s*=\s*std::to_array<std::string_view>\(\s*\{(.*?)\}\)", re.DOTALL)
KEY_SOURCES = ["src/experiment/parse_experiment.cpp", "src/experiment/toml_reader.cpp", "src/lesson/parse_lesson.cpp"]
KEY_MARKER = "<!-- keys in {}: {} -->"
PROFILE_NUMBER = re.compile(r"LANESCOPE_NUMBER\((\w+), (\w+), \w+\)")
CONSOLE = re.compile(r"(^```console\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
TOML = re.compile(r"^```toml\n# (\S+\.toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CHAPTER = re.compile(r"^## (.+)$", re.MULTILINE)
CHINESE_CHAPTER = re.compile(r"(?:^<!-- chapter: (\S+) -->\n\n?)?^## .+$", re.MULTILINE)
OPTION = re.compile(r"^  (\S.*?)(?: {2,}(\S.*))?$")


def documents(root):
    paths = [root / "README.md", root / "README.zh-CN.md", *sorted((root / "docs").glob("*.md"))]
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in paths}


def key_text(chord):
    parts = re.findall(r"\bkey::(\w+)|\b(k[A-Z]\w*)", chord)
    name = next(key for key, _ in parts if key)
    modifiers = {modifier for _, modifier in parts if modifier}
    if name.startswith("Keypad"):
        return None  # another + and -
    if name == "Slash" and modifiers == {"kShift"}:
        return "?"
    held = "".join(text for flag, text in (("kCtrl", "Ctrl+"), ("kAlt", "Alt+"), ("kShift", "Shift+")) if flag in modifiers)
    return held + KEYS.get(name, name.removeprefix("Digit"))


def read_actions(root):
    """The table of actions as (group, name, keys, text), and the gestures as (gesture, text)."""
    source = (root / "src/shell/actions.cpp").read_text(encoding="utf-8")
    # Each feature's rows are in a function of its own; the table has them in this order.
    rows = {}
    for path in (root / "src/shell").glob("*.cpp"):
        parts = FEATURE.split(path.read_text(encoding="utf-8"))
        rows.update(zip(parts[1::2], parts[2::2]))
    features = re.search(r"for \(const auto feature :\s*\{([^}]*)\}", source).group(1)
    actions = []
    for group, name, text, chords in (row for f in re.findall(r"\w+", features) for row in ACTION.findall(rows.get(f, ""))):
        keys = [key for chord in re.findall(r"\{([^{}]+)\}", chords) if (key := key_text(chord))]
        actions.append((group, name, " · ".join(f"`{key}`" for key in keys) or "–", text))
    header = (root / "src/shell/actions.h").read_text(encoding="utf-8")
    declared = re.search(r"enum class Action : [\w:]+ \{(.*?)\};", header, re.DOTALL).group(1)
    count = len(re.findall(r"^  (\w+),", declared, re.MULTILINE))
    return actions, GESTURE.findall(source), count


def key_tables(root):
    """For each document and marker the table that must follow it."""
    actions, gestures, count = read_actions(root)
    if len(actions) != count or not gestures:
        raise ValueError(f"src/shell: {len(actions)} of {count} actions and {len(gestures)} gestures were understood")
    tables = {}
    for group in dict.fromkeys(group for group, *_ in actions):
        rows = [f"| {keys} | {text} | `{name}` |" for of, name, keys, text in actions if of == group]
        tables[REFERENCE, MARKER.format(group)] = ["| key | what it does | name |", "|---|---|---|", *rows]
    rows = [f"| {gesture} | {text} |" for gesture, text in gestures]
    tables[REFERENCE, MOUSE] = ["| gesture | what it does |", "|---|---|", *rows]
    by_name = {name: f"| {keys} | {text} |" for _, name, keys, text in actions}
    tables["README.md", README_MARKER] = ["| key | what it does |", "|---|---|", *(by_name[name] for name in FIRST_KEYS)]
    return tables


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def listed(program, what):
    return json.loads(run(program, ["list", what, "--json"]))


def option_rows(help_text):
    """Of the parts "Positionals:" and "Options:" of a command's help, a row for each but --help."""
    rows, inside = [], False
    for line in help_text.splitlines():
        if not line.startswith(" "):
            inside = line in ("Positionals:", "Options:")
        elif inside and (found := OPTION.match(line)):
            rows.append([found[1], found[2] or ""])
        elif inside and rows:  # a name so long that its text is on the next line
            rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
    return [f"| `{cell(name)}` | {cell(text)} |" for name, text in rows if not name.startswith("-h,")]


def option_tables(program):
    tables, of_program = {}, run(program, ["--help"])
    subcommands = re.search(r"^Subcommands:\n((?: .*\n)+)", of_program, re.MULTILINE)[1]
    commands = ["", *re.findall(r"^  ([\w-]+) ", subcommands, re.MULTILINE)]
    for command in commands:
        rows = option_rows(run(program, [command, "--help"]) if command else of_program)
        name = f"lanescope {command}".strip()
        tables[REFERENCE, OPTIONS.format(name)] = [f"| {name} | |", "|---|---|", *rows]
    return tables


def by_value(values):
    """The value that most workloads have, then the others with theirs: "1; 0 (control-flow)"."""
    having = {}
    for workload, value in values.items():
        having.setdefault(value, []).append(workload)
    ordered = sorted(having.items(), key=lambda item: -len(item[1]))
    if len(ordered) > 1 and len(ordered[0][1]) == len(ordered[1][1]):
        return "; ".join(f"{value} ({', '.join(workloads)})" for value, workloads in ordered)
    return "; ".join([ordered[0][0], *(f"{value} ({', '.join(workloads)})" for value, workloads in ordered[1:])])


def said(value):
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def allowed(setting, of):
    if choices := of.get("choices") or setting["choices"]:
        return ", ".join(f"`{choice}`" for choice in choices)
    if setting["type"] == "bool":
        return "true, false"
    unit = f" {setting['unit']}" if setting["unit"] else ""
    return f"{said(of['minimum'])} to {said(of['maximum'])}{unit}"


def default(setting, workload):
    value = said(setting["defaults"][workload])
    return f"`{value}`" if setting["type"] == "choice" else value


def setting_tables(program):
    workloads = [workload["name"] for workload in listed(program, "workloads")]
    heads = {SHARED: ["| key | in | allowed | default | what it does |", "|---|---|---|---|---|"]}
    tables = {}
    for setting in listed(program, "settings"):
        having = [workload for workload in workloads if workload in setting["of"]]
        place = having[0] if len(having) == 1 else SHARED
        others = [workload for workload in workloads if workload not in having]
        where = ("all" if not others else "all but " + ", ".join(others) if len(others) < len(having) else ", ".join(having))
        cells = [f"`{setting['key']}`", *([where] if place == SHARED else []),
                 by_value({workload: allowed(setting, setting["of"][workload]) for workload in having}),
                 by_value({workload: default(setting, workload) for workload in having}), setting["help"]]
        head = heads.get(place, ["| key | allowed | default | what it does |", "|---|---|---|---|"])
        tables.setdefault((REFERENCE, SETTINGS.format(place)), list(head)).append(f"| {' | '.join(map(cell, cells))} |")
    return tables


def list_tables(program):
    """What the other lists of the program have."""
    figures = [f"| `{figure['name']}` | {cell(figure['label'])} | {cell(figure['unit'] or '')} |"
               for figure in listed(program, "figures")]
    experiments = [f"| {e['id']} | {cell(e['title'])} | {e['workload']} | `{e['name']}` |"
                   for e in listed(program, "experiments")]
    lessons = [f"| `{lesson['name']}` | {cell(lesson['title'])} | {lesson['minutes']:g} | {len(lesson['steps'])} |"
               for lesson in listed(program, "lessons")]
    return {(REFERENCE, FIGURES): ["| figure | what it is | unit |", "|---|---|---|", *figures],
            (REFERENCE, EXPERIMENTS): ["| | title | loop | name |", "|---|---|---|---|", *experiments],
            (REFERENCE, LESSONS): ["| name | title | minutes | steps |", "|---|---|---|---|", *lessons]}


def own_figures(program):
    """The figures that only one loop has, as its runs name them."""
    rows = ["| loop | figure | what it is | unit |", "|---|---|---|---|"]
    for workload in [workload["name"] for workload in listed(program, "workloads")]:
        own = {}
        for more in [[], *(["--set", setting] for setting in MORE_FIGURES.get(workload, []))]:
            arguments = ["run", "--workload", workload, *more, "--iterations", "200", "--json", "-"]
            own |= json.loads(run(program, arguments))["own"]
        rows += [f"| {workload} | `own.{name}` | {cell(figure['label'])} | {cell(figure['unit'] or '')} |"
                 for name, figure in own.items()]
    return {(REFERENCE, OWN_FIGURES): rows}


def generated_tables(root, program):
    """For each document and marker the table that must follow it."""
    return (key_tables(root) | option_tables(program) | setting_tables(program) | list_tables(program) |
            own_figures(program))


def after_marker(text, marker):
    """Where the table after a marker begins and ends in the text; None when there is no marker."""
    found = re.search(re.escape(marker) + r"\n\n?((?:\|.*\n)*)", text)
    return found and found.span(1)


def wrong_tables(tables, docs):
    wrong = []
    for (name, marker), wanted in tables.items():
        place = after_marker(docs[name], marker) if name in docs else None
        if place is None:
            wrong.append(f"{name}: '{marker}' is missing, the line over a table of what the program says")
            continue
        found = docs[name][slice(*place)].splitlines()
        wrong += [f"{name}: not in its table, or in another place: {row}" for row in wanted if row not in found]
        wrong += [f"{name}: not in the program: {row}" for row in found if row not in wanted]
        if not wrong and found != wanted:
            wrong.append(f"{name}: the table after '{marker}' is in another order")
    markers = {marker for _, marker in tables}
    for name, text in docs.items():
        of_commands = re.findall(r"<!-- (?:options|settings) of .* -->", text)
        wrong += [f"{name}: '{marker}': the program has no such command or workload" for marker in of_commands
                  if marker not in markers]
    return wrong


def write_tables(tables, docs):
    for (name, marker), table in tables.items():
        place = after_marker(docs[name], marker)
        if place:
            rest = docs[name][place[1]:]
            docs[name] = docs[name][:place[0]] + "\n".join(table) + ("\n" if rest.startswith("\n") else "\n\n") + rest


def wrong_file_keys(root, docs):
    """The keys of experiment and lesson files: the reference's tables against the parsers' lists."""
    wrong = []
    for source in KEY_SOURCES:
        lists = KEY_LIST.findall((root / source).read_text(encoding="utf-8"))
        if not lists:
            wrong.append(f"{source}: no list of keys was found")
        for name, keys in lists:
            marker = KEY_MARKER.format(source, name)
            place = after_marker(docs[REFERENCE], marker)
            if place is None:
                wrong.append(f"{REFERENCE}: '{marker}' is missing, the line over a table of keys")
                continue
            rows = docs[REFERENCE][slice(*place)].splitlines()[2:]
            said = {key for row in rows for key in re.findall(r"`(\w+)`", row.split("|")[1])}
            accepted = set(re.findall(r'"(\w+)"', keys))
            wrong += [f"{REFERENCE}: {name} of {source}: {key} is not in the table" for key in sorted(accepted - said)]
            wrong += [f"{REFERENCE}: {name} of {source}: {key} is not a key" for key in sorted(said - accepted)]
    return wrong


def wrong_names(root, program, docs):
    """Profile numbers and fields of the JSON: each must stand in one of the three documents in code type."""
    source = (root / "src/device/sim/profile.cpp").read_text(encoding="utf-8")
    numbers = [f"{table}.{key}" for table, key in PROFILE_NUMBER.findall(source) if key != "key"]
    fields = []

    def collect(json_value):
        if isinstance(json_value, dict):
            for key, value in json_value.items():
                fields.append(key)
                if key != "settings":
                    collect(value)

    collect(json.loads(run(program, ["run", "--workload", "iris-mlp", "--iterations", "3", "--json", "-"])))
    if not numbers or not fields:
        return ["the names of profile numbers or of JSON fields were not found"]
    text = "".join(docs[name] for name in (MANUAL, REFERENCE, MEASUREMENTS))
    return [f"{name} is not in the documents" for name in numbers + fields if f"`{name}`" not in text]


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(text):
    return [slug(heading) for heading in re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.MULTILINE)]


def wrong_links(root, docs):
    wrong = []
    for name, text in docs.items():
        for link in LINK.findall(FENCED.sub("", text)):
            if "://" in link:
                continue
            path, _, anchor = link.partition("#")
            target = (root / name).parent / path if path else root / name
            if not target.exists():
                wrong.append(f"{name}: {link} does not exist")
            elif anchor and anchor not in anchors(text if not path else target.read_text(encoding="utf-8")):
                wrong.append(f"{name}: {link} names no heading")
    return wrong


def wrong_shape(docs):
    """The manual's length, and the chapters of the Chinese one."""
    words = len(docs[MANUAL].split())
    wrong = [f"{MANUAL}: {words:,} words; allowed: {MOST_WORDS:,}"] if words > MOST_WORDS else []
    chapters = [slug(heading) for heading in CHAPTER.findall(FENCED.sub("", docs[MANUAL]))]
    chinese = CHINESE_CHAPTER.findall(FENCED.sub("", docs[CHINESE]))
    difference = difflib.unified_diff(chapters, chinese, lineterm="", n=0)
    return wrong + [f"{CHINESE}: other chapters than {MANUAL}: {line or 'a heading without a comment over it'}"
                    for line in list(difference)[2:] if not line.startswith("@@")]


def run(program, arguments, folder=None):
    """Standard output and error as a terminal shows them, on the simulator, and without the line that says why."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
    environment |= {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "LANESCOPE_CUDA": "off", "XDG_CONFIG_HOME": "/nowhere"}
    done = subprocess.run([program, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    lines = done.stdout.decode("utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("lanescope: no GPU: "))


def same(wanted, printed):
    pattern = "".join("(?:.*\n)*?" if line == ANYTHING else re.escape(line) + "\n" for line in wanted.splitlines())
    return re.fullmatch(pattern, printed) is not None


def abridged(wanted, printed):
    """Of what was printed, the lines that the document has, by their first words, with "..." for all others."""
    def label(line):
        return re.split(r"\s{2,}", line.strip())[0]
    if ANYTHING not in wanted.splitlines():
        return printed
    kept, at, lines = [], 0, printed.splitlines()
    for line in wanted.splitlines():
        found = next((i for i in range(at, len(lines)) if label(lines[i]) == label(line)), None)
        if line == ANYTHING or found is None:
            continue
        kept += [ANYTHING] * (found > at) + [lines[found]]
        at = found + 1
    return "\n".join(kept + [ANYTHING] * (at < len(lines))) + "\n"


def play(root, program, docs):
    """Runs what the console blocks say; the documents with what was really printed, and what was wrong."""
    wrong, played = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for path in (root / "tests/data").glob("*.json.gz"):
            shutil.copy(path, folder)
        for text in docs.values():
            for name, content in TOML.findall(text):
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
        for name, text in docs.items():
            def replay(block, name=name):
                body = ""
                for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.group(2), re.MULTILINE):
                    words = shlex.split(command)
                    if words[0] != "lanescope":
                        wrong.append(f"{name}: a console block runs only lanescope, not '{words[0]}'")
                        continue
                    printed = run(program, words[1:], folder)
                    if not same(wanted, printed):
                        difference = difflib.unified_diff(wanted.splitlines(), printed.splitlines(), "said", "printed",
                                                          lineterm="", n=0)
                        wrong.append("\n    ".join([f"{name}: $ {command}", *difference]))
                        wanted = abridged(wanted, printed)
                    body += f"$ {command}\n{wanted}"
                return block.group(1) + body + block.group(3)

            played[name] = CONSOLE.sub(replay, text)
    return played, wrong


def self_test(root, program, docs, tables):
    def without(text):
        return {name: content.replace(text, "") for name, content in docs.items()}

    def instead(name, old, new):
        return docs | {name: docs[name].replace(old, new)}

    figure = re.search(r"per iteration, by elapsed time +([\d.]+)", docs["README.md"]).group(1)
    # All files, and only the commands that read the one that is made wrong.
    key = "[steps.question]  "
    everything = "\n".join(docs.values())
    lesson = next(name for name, content in TOML.findall(everything) if key in content)
    commands = [found.group() for found in CONSOLE.finditer(everything) if lesson in found.group()]
    lesson_docs = {REFERENCE: "\n".join([found.group() for found in TOML.finditer(everything)] + commands)}
    assert commands and not play(root, program, lesson_docs)[1]
    last_chapter = CHAPTER.findall(FENCED.sub("", docs[MANUAL]))[-1]
    cases = [
        ("a missing key", wrong_tables(tables, without("| `R` | restart the run | `restart` |\n"))),
        ("a key that does nothing", wrong_tables(tables, instead(REFERENCE, "| `R` |", "| `G` |"))),
        ("a missing gesture", wrong_tables(tables, without("| drag an edge of the range | move it |\n"))),
        ("a missing table", wrong_tables(tables, without(MARKER.format("Lanes")))),
        ("a missing setting", wrong_tables(tables, without("| `seed` |"))),
        ("a missing option", wrong_tables(tables, without("| `--what-if CHANGE ...` |"))),
        ("an option that is none", wrong_tables(tables, instead(REFERENCE, "| `--share PERCENT` |", "| `--part PERCENT` |"))),
        ("a missing command", wrong_tables(tables, without(OPTIONS.format("lanescope grade")))),
        ("a command that is none", wrong_tables(tables, docs | {MANUAL: docs[MANUAL] + OPTIONS.format("lanescope probe")})),
        ("a missing figure", wrong_tables(tables, without("| `bubble_percent` |"))),
        ("a missing key of a file", wrong_file_keys(root, without("`turned_knob`"))),
        ("a key that no file has", wrong_file_keys(root, instead(REFERENCE, "`hints`", "`hint`"))),
        ("a missing table of keys", wrong_file_keys(root, without("kGoalKeys"))),
        ("a file that is wrong", play(root, program, {
            REFERENCE: lesson_docs[REFERENCE].replace(key, "[steps.questions]  ")})[1]),
        ("a missing profile number", wrong_names(root, program, without("`cpu.wake_us`"))),
        ("a missing field", wrong_names(root, program, without("`bubbles_by_cause`"))),
        ("a dangling link", wrong_links(root, {"README.md": "[x](docs/none.md)"})),
        ("a dangling anchor", wrong_links(root, {MANUAL: "# A\n[x](#b)"})),
        ("a dangling anchor of another document", wrong_links(root, {MANUAL: "[x](reference.md#b)"})),
        ("a manual that is too long", wrong_shape(docs | {MANUAL: docs[MANUAL] + " word" * MOST_WORDS})),
        ("a chapter that is not in Chinese", wrong_shape(docs | {MANUAL: docs[MANUAL] + "\n## More\n"})),
        ("a chapter in Chinese only", wrong_shape(docs | {CHINESE: docs[CHINESE] + "\n## 更多\n"})),
        ("a chapter in another place", wrong_shape(instead(CHINESE, f"<!-- chapter: {slug(last_chapter)} -->",
                                                           "<!-- chapter: installing -->"))),
        ("a figure that is not so", play(root, program, {"README.md": docs["README.md"].replace(figure, "1.5", 1)})[1]),
    ]
    return [f"self-test: no complaint about {what}" for what, complaints in cases if not complaints]


def main(arguments):
    options = [a for a in arguments if a.startswith("--")]
    places = [a for a in arguments if not a.startswith("--")]
    if len(places) != 2 or set(options) - {"--write"}:
        print(__doc__, file=sys.stderr)
        return 2
    root, program = pathlib.Path(places[0]), str(pathlib.Path(places[1]).resolve())
    docs = documents(root)
    played, wrong = play(root, program, docs)
    try:
        tables = generated_tables(root, program)
    except ValueError as error:  # the action table was not understood
        print(error)
        return 1
    if "--write" in options:
        write_tables(tables, played)
        for name, text in played.items():
            (root / name).write_text(text, encoding="utf-8")
        wrong = []
        docs = played
    wrong += (wrong_tables(tables, docs) + wrong_file_keys(root, docs) + wrong_names(root, program, docs) +
              wrong_links(root, docs) + wrong_shape(docs) + self_test(root, program, docs, tables))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
