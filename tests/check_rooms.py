#!/usr/bin/env python3
"""Checks that every module of src/ includes only the modules it may depend on.

    check_rooms.py SRC          prints one line per wrong include; exit status 1 if there are any
    check_rooms.py --self-test  checks the checker: wrong includes must be caught, right ones must pass
"""
import pathlib
import re
import sys
import tempfile

# The dependencies of each module; the same as in CMakeLists.txt and docs/architecture.md.
MAY_KNOW = {
    "base": set(),
    "trace": {"base"},
    "ops": {"base"},
    "device": {"base", "trace", "ops"},
    "capture": {"base", "trace"},
    "workload": {"base", "trace", "ops", "device"},
    "analysis": {"base", "trace"},
    "session": {"base", "trace", "ops", "device", "capture", "workload", "analysis"},
    "prediction": {"base", "trace", "ops", "device", "capture", "workload", "analysis"},
    "calibration": {"base", "trace", "ops", "device"},
    "cuda_backend": {"base", "trace", "ops", "device", "capture"},
    "io": {"base", "trace", "analysis"},
    "experiment": {"base", "trace", "ops", "device", "capture", "workload", "analysis", "session", "io"},
    "ui": {"base", "trace", "ops", "device", "capture", "workload", "analysis", "session", "io", "experiment",
           "prediction"},
    "app": {"base", "trace", "ops", "device", "capture", "workload", "analysis", "session", "io",
            "experiment", "ui", "calibration", "prediction"},
}
# Headers that the build makes from assets/ and shaders/, and the modules that embed them.
GENERATED = {"lanescope_assets.h": {"device", "workload"}, "lanescope_captures.h": {"ui"},
             "lanescope_experiments.h": {"experiment"}, "lanescope_report.h": {"app"},
             "lanescope_shaders.h": {"ui"}, "lanescope_translations.h": {"base"}}

QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
ANGLED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.MULTILINE)
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".cu", ".cuh", ".inl"}


def complaint(room, header, quoted):
    """Why `room` may not include `header`, or None."""
    if quoted and header in GENERATED:
        return None if room in GENERATED[header] else f"only {', '.join(sorted(GENERATED[header]))} may include it"
    first, _, rest = header.partition("/")
    if not rest or first not in MAY_KNOW:
        if not quoted:
            return None  # a library's header
        return "not a module's header; write it as seen from src/"
    if first == room or first in MAY_KNOW[room]:
        return None
    return f"{room} may depend on {', '.join(sorted(MAY_KNOW[room])) or 'nothing'}"


def wrong_includes(src):
    found = []
    for path in sorted(src.rglob("*")):
        if path.suffix not in SOURCES:
            continue
        where = path.relative_to(src)
        room = where.parts[0]
        if room not in MAY_KNOW:
            found.append(f"{where}: '{room}' is not a module; the modules are {', '.join(MAY_KNOW)}")
            continue
        text = path.read_text(encoding="utf-8")
        for pattern, quoted in ((QUOTED, True), (ANGLED, False)):
            for match in pattern.finditer(text):
                why = complaint(room, match.group(1), quoted)
                if why:
                    line = text.count("\n", 0, match.start()) + 1
                    found.append(f"{where}:{line}: includes {match.group(1)}: {why}")
    return found


def self_test():
    cases = [  # file, text, is it wrong
        ("trace/a.h", '#include "base/time.h"\n', False),
        ("trace/b.h", '#include <vector>\n#include "trace/a.h"\n', False),
        ("trace/c.cpp", '#include "device/device.h"\n', True),
        ("base/d.h", '  #  include "trace/trace.h"\n', True),
        ("analysis/e.cpp", '#include "device/device.h"\n', True),
        ("analysis/f.cpp", "#include <device/device.h>\n", True),
        ("analysis/g.cpp", '// #include "device/device.h"\n', False),
        ("io/h.cpp", '#include "../ui/theme.h"\n', True),
        ("io/i.cpp", '#include "session/session.h"\n', True),
        ("session/j.h", '#include "workload/runner.h"\n', False),
        ("session/k.h", '#include "ui/window.h"\n', True),
        ("ui/gl/l.cpp", '#include "lanescope_shaders.h"\n#include <GLFW/glfw3.h>\n', False),
        ("base/m.cpp", '#include "lanescope_assets.h"\n', True),
        ("utils/n.h", "\n", True),
    ]
    failures = 0
    for name, text, wrong in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            found = wrong_includes(pathlib.Path(folder))
            if bool(found) != wrong:
                print(f"self-test: {name} with {text!r}: expected {'a complaint' if wrong else 'none'}, got {found}")
                failures += 1
    return failures


def main(arguments):
    if arguments == ["--self-test"]:
        return 1 if self_test() else 0
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    found = wrong_includes(pathlib.Path(arguments[0]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
