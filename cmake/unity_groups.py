"""Which sources can be compiled together: those whose file-local names differ.

usage: unity_groups.py SIZE FILE...      prints one line per group of at most SIZE files, separated by '|'

A name counts as file-local where a declaration begins in the first column of a .cpp. That takes too many, which only
makes a group smaller.
"""
import re
import sys

CONSTANTS = re.compile(r"\b(k[A-Z]\w*)\s*[={(\[]")
TYPES = re.compile(r"(?:class|struct|enum|enum class|union)\s+(\w+)\s*[:;{]|using\s+(\w+)\s*=")
FUNCTIONS = re.compile(r"[A-Za-z\[][\w:<>,&*\s\[\]\"'().-]*?(?<!::)\b(\w+)\(")
VARIABLES = re.compile(r"[A-Za-z][\w:<>,&* ]*?[ *&](\w+)(?: = |[{;])")
# These affect other sources in ways that this script does not see: an enum's names, overloads, macros.
ALONE = re.compile(r"^using enum |^[^#/ ].*\boperator\W|^#include <X11/Xlib", re.MULTILINE)
TESTS = re.compile(r"(?:TYPED_)?TEST\w*\(|INSTANTIATE|BENCHMARK|GTEST")


def local_names(text):
    names = set()
    for line in text.splitlines():
        if not line or line[0] in " #/})\t" or TESTS.match(line):
            continue
        if line.startswith(("constexpr", "const ", "static const", "inline const", "struct", "enum")):
            names.update(CONSTANTS.findall(line))
        if match := TYPES.match(line):
            names.add(match.group(1) or match.group(2))
        elif match := FUNCTIONS.match(line) or VARIABLES.match(line):
            names.add(match.group(1))
    return names


def groups_of(files, size):
    alone, groups = [], []
    for file in files:
        with open(file, encoding="utf-8") as source:
            text = source.read()
        if ALONE.search(text):
            alone.append([file])
            continue
        names = local_names(text)
        home = next((g for g in groups if len(g[0]) < size and not g[1] & names), None)
        if home is None:
            groups.append(([file], names))
        else:
            home[0].append(file)
            home[1].update(names)
    return alone + [files for files, _ in groups]


if __name__ == "__main__":
    for group in groups_of(sys.argv[2:], int(sys.argv[1])):
        print("|".join(group))
