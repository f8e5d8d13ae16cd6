#!/usr/bin/env python3
"""Checks a catalogue of translations (.po).

    check_translations.py FILE.po     prints one line per fault; exit status 1 if there are any, or if it misses one of its own
"""
import ast
import re
import sys

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
CHINESE = re.compile(r"[\u3400-\u9fff]")
# Two words of plain English: such a text has something to translate.
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")


def read(text):
    """Entries as (line, flags, msgid, msgstr), without the header."""
    entries, flags, fields, current, line = [], set(), {}, None, 0

    def end():
        nonlocal flags, fields, current
        if fields.get("msgid"):
            entries.append((line, flags, fields["msgid"], fields.get("msgstr", "")))
        flags, fields, current = set(), {}, None

    for number, row in enumerate(text.splitlines(), 1):
        if row.startswith("#~"):
            entries.append((number, {"obsolete"}, row, ""))
        elif row.startswith("#,"):
            flags |= {flag.strip() for flag in row[2:].split(",")}
        elif match := re.match(r"(msgid|msgstr)\s+(\".*\")$", row):
            if match.group(1) == "msgid":
                line = number
            current = match.group(1)
            fields[current] = ast.literal_eval(match.group(2))
        elif row.startswith('"') and current:
            fields[current] += ast.literal_eval(row)
        elif not row.strip():
            end()
    end()
    return entries


def placeholders(text):
    """What is filled in: {} by its place, {0} by its number, with their formats."""
    found, place = [], 0
    for match in PLACEHOLDER.finditer(text):
        if match.group(1) is None:
            continue
        number, _, form = match.group(1).partition(":")
        if not number:
            number, place = str(place), place + 1
        found.append((number, form))
    return sorted(found)


def faults(text):
    for line, flags, msgid, msgstr in read(text):
        short = msgid if len(msgid) < 60 else msgid[:57] + "..."
        short = short.replace("\n", " ")
        if "obsolete" in flags:
            yield line, f"obsolete: {short}"
        elif "fuzzy" in flags:
            yield line, f"fuzzy: '{short}'"
        elif not msgstr:
            yield line, f"not translated: '{short}'"
        else:
            if placeholders(msgid) != placeholders(msgstr):
                yield line, f"other placeholders: '{short}': {placeholders(msgid)} and {placeholders(msgstr)}"
            if msgid.startswith(">") != msgstr.startswith(">"):
                yield line, f"'>' in front, which aligns a column, is in one of the two only: '{short}'"
            if msgid.endswith("\n") != msgstr.endswith("\n"):
                yield line, f"a line feed ends one of the two only: '{short}'"
            if SENTENCE.search(msgid) and not CHINESE.search(msgstr):
                yield line, f"no Chinese: '{short}'"


def self_test():
    right = 'msgid ""\nmsgstr "x"\n\n#, c++-format\nmsgid "{} of {:.1f}"\n"two lines"\nmsgstr "{1:.1f} 中 {0}"\n'
    cases = [
        (right, 0),
        ('msgid "a text"\nmsgstr ""\n', 1),
        ('#, fuzzy\nmsgid "a text"\nmsgstr "文"\n', 1),
        ('#~ msgid "a"\n', 1),
        ('msgid "{} at {}"\nmsgstr "{} 在"\n', 1),
        ('msgid "{:.1f} at"\nmsgstr "{} 在"\n', 1),
        ('msgid "{:.1f} at {}"\nmsgstr "{} 在 {:.1f}"\n', 1),
        ('msgid "{{}} is literal"\nmsgstr "字面 {{}}"\n', 0),
        ('msgid ">ratio"\nmsgstr "比值"\n', 1),
        ('msgid "line\\n"\nmsgstr "行"\n', 1),
        ('msgid "two words"\nmsgstr "two words"\n', 1),
        ('msgid "GPU"\nmsgstr "GPU"\n', 0),
    ]
    wrong = [text for text, count in cases if len(list(faults(text))) != count]
    for text in wrong:
        print(f"not as expected: {list(faults(text))}\n{text}")
    return 1 if wrong else 0


def main(arguments):
    if self_test() != 0:
        return 1
    with open(arguments[0], encoding="utf-8") as file:
        found = list(faults(file.read()))
    for line, fault in found:
        print(f"{arguments[0]}:{line}: {fault}")
    print(f"{len(found)} faults" if found else "complete", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
