#!/usr/bin/env python3
"""Checks that every module of src/ includes only the modules it may depend on, and a system's own headers only where
that system's part of the program is.

    check_modules.py SRC     prints one line per forbidden include; exit status 1 if there are any, or if it misses one of
                             its own
"""
import pathlib
import re
import sys
import tempfile

# The dependencies of each module; the same as in CMakeLists.txt and docs/architecture.md.
DEPENDENCIES = {
    "base": set(),
    "inject": set(),
    "trace": {"base"},
    "device": {"base", "trace"},
    "capture": {"base", "trace", "inject"},
    "attach": {"base", "trace", "capture", "inject"},
    "workload": {"base", "trace", "device"},
    "analysis": {"base", "trace"},
    "calibration": {"base", "trace", "device"},
    "cuda_backend": {"base", "trace", "device", "capture", "inject"},
    "io": {"base", "trace", "analysis"},
    "experiment": {"base", "trace", "device", "capture", "workload", "analysis", "io"},
    "lesson": {"base", "trace", "device", "capture", "workload", "analysis", "io", "experiment"},
    "inspect": {"base", "trace", "device", "workload", "analysis"},
    "timeline": {"base", "trace", "device", "workload", "analysis", "inspect"},
    "picture": {"base", "trace", "device", "capture", "workload", "analysis", "io", "experiment",
                "inspect", "timeline"},
    "render": {"base", "trace", "device", "capture", "workload", "analysis", "io", "experiment",
               "inspect", "timeline", "picture"},
    "model": {"base", "attach", "inject", "trace", "device", "capture", "workload", "analysis",
              "io", "experiment", "lesson", "inspect", "timeline", "picture"},
    "shell": {"base", "attach", "inject", "trace", "device", "capture", "workload", "analysis", "io",
              "experiment", "lesson", "inspect", "timeline", "picture", "render", "model"},
    "window": {"base", "attach", "inject", "trace", "device", "capture", "workload", "analysis", "io",
               "experiment", "lesson", "inspect", "timeline", "picture", "render", "model", "shell"},
    "app": {"base", "attach", "inject", "trace", "device", "capture", "workload", "analysis", "io", "experiment",
            "lesson", "calibration", "inspect", "timeline", "picture", "render", "model", "shell",
            "window"},
}
# Headers generated from assets/ and shaders/, and the modules that embed them.
GENERATED = {"lanescope_assets.h": {"device", "workload", "calibration", "experiment"}, "lanescope_captures.h": {"model"},
             "lanescope_experiments.h": {"experiment"}, "lanescope_knobs.h": {"inject"}, "lanescope_lessons.h": {"lesson"},
             "lanescope_report.h": {"app"}, "lanescope_shaders.h": {"render"}, "lanescope_translations.h": {"base"}}

# Drawing libraries, and the modules that may use them; all others must work without them.
DRAWING = {"imgui": {"render", "shell", "window"}, "GLFW": {"render", "window"}, "epoxy": {"render", "window"},
           "GL": set(), "X11": set()}

# Headers of one system, and where they may be: in base/platform, and in what only Linux has.
SYSTEM = re.compile(r"(sys|linux|arpa|netinet|net|xcb|X11|emscripten)/.*|.*\b(unistd|fcntl|poll|dlfcn|spawn|pwd|grp|signal|"
                    r"termios|glob|dirent|pthread|sched|link|elf|ucontext|unwind|strings|sysexits)\.h")
OF_ONE_SYSTEM = ("base/platform/", "attach/", "inject/", "cuda_backend/", "model/source/followed_source.",
                 "app/steer_recording.")

QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
ANGLED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.MULTILINE)
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".cu", ".cuh", ".inl"}


def complaint(module, header, quoted):
    """Why `module` may not include `header`, or None."""
    if quoted and header in GENERATED:
        return None if module in GENERATED[header] else f"only {', '.join(sorted(GENERATED[header]))} may include it"
    library = re.match(r"[A-Za-z0-9]+", header)
    if library and library.group() in DRAWING and module not in DRAWING[library.group()]:
        return f"only {', '.join(sorted(DRAWING[library.group()])) or 'no module'} may include it"
    first, _, rest = header.partition("/")
    if not rest or first not in DEPENDENCIES:
        if not quoted:
            return None  # a library's header
        return "not a module's header; write it as seen from src/"
    if first == module or first in DEPENDENCIES[module]:
        return None
    return f"{module} may depend on {', '.join(sorted(DEPENDENCIES[module])) or 'nothing'}"


def wrong_includes(src):
    found = []
    for path in sorted(src.rglob("*")):
        if path.suffix not in SOURCES:
            continue
        where = path.relative_to(src)
        module = where.parts[0]
        if module not in DEPENDENCIES:
            found.append(f"{where}: '{module}' is not a module; the modules are {', '.join(DEPENDENCIES)}")
            continue
        text = path.read_text(encoding="utf-8")
        for pattern, quoted in ((QUOTED, True), (ANGLED, False)):
            for match in pattern.finditer(text):
                why = complaint(module, match.group(1), quoted)
                if not quoted and SYSTEM.fullmatch(match.group(1)) and not str(where).startswith(OF_ONE_SYSTEM):
                    why = "only base/platform may include a system's own headers"
                if why:
                    line = text.count("\n", 0, match.start()) + 1
                    found.append(f"{where}:{line}: includes {match.group(1)}: {why}")
    return found


def self_test():
    cases = [  # file, text, is it an error
        ("trace/a.h", '#include "base/time.h"\n', False),
        ("trace/b.h", '#include <vector>\n#include "trace/a.h"\n', False),
        ("trace/c.cpp", '#include "device/device.h"\n', True),
        ("base/d.h", '  #  include "trace/trace.h"\n', True),
        ("analysis/e.cpp", '#include "device/device.h"\n', True),
        ("analysis/f.cpp", "#include <device/device.h>\n", True),
        ("analysis/g.cpp", '// #include "device/device.h"\n', False),
        ("io/h.cpp", '#include "../timeline/theme.h"\n', True),
        ("io/i.cpp", '#include "experiment/session.h"\n', True),
        ("experiment/j.h", '#include "workload/runner.h"\n', False),
        ("experiment/k.h", '#include "window/window.h"\n', True),
        ("render/l.cpp", '#include "lanescope_shaders.h"\n#include <GLFW/glfw3.h>\n', False),
        ("timeline/o.cpp", "#include <imgui.h>\n", True),
        ("model/p.h", "#include <imgui_internal.h>\n", True),
        ("inspect/q.cpp", "#include <GLFW/glfw3.h>\n", True),
        ("picture/r.cpp", "#include <epoxy/gl.h>\n", True),
        ("model/s.cpp", '#include "window/window.h"\n', True),
        ("timeline/t.cpp", '#include "model/model.h"\n', True),
        ("inject/l.cpp", '#include "inject/wire.h"\n', False),
        ("inject/m.cpp", '#include "base/time.h"\n', True),
        ("base/m.cpp", '#include "lanescope_assets.h"\n', True),
        ("base/v.cpp", "#include <unistd.h>\n", True),
        ("io/v.cpp", "#include <sys/stat.h>\n", True),
        ("shell/v.h", "#include <dlfcn.h>\n", True),
        ("model/v.cpp", "#include <xcb/xcb.h>\n", True),
        ("io/w.cpp", "#include <csignal>\n#include <zlib.h>\n", False),
        ("base/platform/v_posix.cpp", "#include <fcntl.h>\n", False),
        ("attach/v.cpp", "#include <poll.h>\n", False),
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
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    found = wrong_includes(pathlib.Path(arguments[0]))
    for line in found:
        print(line)
    return 1 if found or self_test() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
