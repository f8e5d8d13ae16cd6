#!/usr/bin/env python3
"""Writes docs/reliability.md: what is promised about faults, how each promise is tested, and what the last run said.

usage: reliability.py [--check] [BUILD]     default: build/release

Runs the tests that the table names and writes down how they ended. The rows about fuzzing, long runs and measurements are
what these wrote: build/asan/fuzz.json (scripts/fuzz.sh --json), build/soak*.json (build/release/bench/soak --json),
build/repeats.json (scripts/repeat.sh). A row whose run is missing says so. --check runs nothing: every test that the table
names must exist. Needs a display, usually a virtual one.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# (promise, test program, its tests)
TESTS = [
    ("A full disk: the message says so, the old file stays", "io",
     "AtomicFileTest.ReportsAFullDisk:SessionFile.AFullDiskIsSaidAndLeavesTheOldFile:"
     "SessionFile.WhatWasAppendedBeforeTheDiskWasFullIsKept"),
    ("The same of standard output", "app", "StandardOutput.OnAFullDiskIsAnError"),
    ("A read-only file or folder: the message says so, nothing is half-written", "io", "AtomicFileTest.AReadOnlyFileOrFolderIsSaidAndLeft"),
    ("Killed while saving: the old file or the new one, never a part", "io", "SessionFile.SurvivesKillAtAnyMoment"),
    ("A file that is cut off or damaged shows what is whole and names what is not", "io",
     "SessionFile.ATruncatedFileShowsWhatIsWhole:SessionFile.ADamagedByteIsNamedAndNothingOfItIsShown:"
     "SessionFile.RandomDamageDoesNoHarm:HostileSession.*"),
    ("The X server is killed, the terminal closed, the graphics driver reset: the run is saved and offered again", "window",
     "OutsideTest.TheRun*:OutsideTest.ItSaysSo*:RescueTest.*"),
    ("The monitor of a full-screen window is unplugged: the window goes on", "window",
     "OutsideTest.AFullScreenWindowOutlivesItsMonitor"),
    ("A recording is killed: what was written can be read, and the watched program runs to its end", "app",
     "AttachTest.ARecorderThatIsKilledLeavesWhatItHadAndItsProgramRunsToItsEnd"),
    ("A watched program is killed: what it had sent is there", "window",
     "RealProgramTest.ItsLanesLinesFileAndIterationsAreThereAndStayWhenItIsKilled"),
    ("The window is killed or suspended: the watched program runs to its end", "window",
     "ViewerTest.AProgramWhoseWindowIsKilledRunsToItsEnd:ViewerTest.AProgramWhoseWindowIsSuspendedRunsToItsEnd"),
    ("The memory cap is reached: nothing goes uncounted", "app", "Run.UnderATightMemoryCapNothingGoesUncounted"),
    ("No more file descriptors: the message says so, the old file stays", "io",
     "AtomicFileTest.WithoutFileDescriptorsTheOldFileStays"),
    ("The wall clock steps: it is seen and taken out", "inject", "Recording.AStepOfTheWallClockIsSeen"),
    ("A GPU fault, or a lost driver: the run ends, its trace stays, it can be started again", "cuda",
     "Restart.*:GpuSession.ALostDeviceEndsTheRunKeepsTheTraceAndIsRestarted"),
    ("The same in the window", "window", "DeviceTest.ALostDeviceLeavesItsTraceAndCanBeRestarted"),
    ("A program that floods: what does not fit is dropped and counted", "inject",
     "Recording.AFullRingDropsAndCountsAndLaterDefinesWhatItMissed"),
    ("A program that lies about lengths, writes nonsense or stops in the middle of a record", "attach",
     "RingReader.RefusesMemoryThatIsNotALibrarys:RingReader.SurvivesRandomMemory:"
     "RingReader.WhatAWriterBeganIsAwaitedWhileItLivesAndSkippedAfterwards"),
    ("Recording goes on and off without switching off what CUPTI cannot bear to lose", "inject",
     "Recording.OfWhatStaysSwitchedOnOnlyTheBurstsAreSent:Recording.BurstsAreSwitchedOnAndOffAndEachIsWhole"),
    ("A buffer that CUPTI never gives back hides no later burst", "inject",
     "Recording.ABufferThatCuptiNeverGivesBackHidesNoLaterBurst"),
    ("A burst counts whose work is delivered after it", "attach", "RecordedBurstsTest.*:WatchedProcess.ABurstWhoseWork*"),
    ("Several windows on one recorder; another user is refused", "attach", "SteeringTest.*"),
    ("Names and texts from files steer no terminal and are no formulas", "io", "CsvText.*:Xml.*"),
    ("The same of what a watched program says", "attach", "CleanText.SteersNothing"),
    ("Claimed sizes are checked before memory is taken", "io",
     "HostileSession.SizesAreCheckedBeforeMemoryIsTaken:HostileSession.TextsTakeOnlySoMuchMemory"),
    ("Nobody else's link is followed", "io", "AtomicFileTest.DoesNotFollowALinkThatSomebodyElseHasLaid"),
]


def program_of(build, suite):
    return build / "tests" / f"{suite}_tests"


def names_of(build, suite, tests):
    """The tests that the filter finds; GoogleTest lists a suite, then its tests, indented."""
    done = subprocess.run([program_of(build, suite), "--gtest_list_tests", f"--gtest_filter={tests}"], check=True,
                          capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if line.startswith("  ")]


def missing(build):
    for promise, suite, tests in TESTS:
        if not program_of(build, suite).exists():
            continue  # not part of a build without CUDA's headers
        for one in tests.split(":"):
            if not names_of(build, suite, one):
                yield f"{promise}: {suite}_tests has no test {one}"


def result_of(build, suite, tests):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([program_of(build, suite), f"--gtest_filter={tests}", f"--gtest_output=json:{out.name}"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        text = pathlib.Path(out.name).read_text()
    if not text:
        return "the tests ended early"
    report = json.loads(text)
    skipped = sum(test.get("result") == "SKIPPED" for each in report["testsuites"] for test in each["testsuite"])
    passed = report["tests"] - report["failures"] - report["errors"] - skipped
    return f"{passed} of {report['tests']} passed" + (f", {skipped} skipped" if skipped else "")


def written(pattern, row_of):
    rows = [row_of(each) for path in sorted((ROOT / "build").glob(pattern)) for each in json.loads(path.read_text())]
    return rows or ["| – | | not run |"]


def number(value):
    return f"{value:,.4g}" if isinstance(value, float) and not value.is_integer() else f"{value:,.0f}"


def page(build):
    now = datetime.date.today().isoformat()
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            check=False).stdout.strip() or "no commit"
    lines = ["# Reliability", "",
             f"`scripts/reliability.py` wrote this page on {now} at {commit}; every result in it is from a run.", "",
             "## Faults and foreign input", "", "| promise | tests | result |", "|---|---|---|"]
    for promise, suite, tests in TESTS:
        shown = ", ".join(f"`{test}`" for test in tests.split(":"))
        result = result_of(build, suite, tests) if program_of(build, suite).exists() else "not built"
        lines.append(f"| {promise} | {suite}: {shown} | {result} |")
    lines += ["", "## Fuzzing", "", "`scripts/fuzz.sh --json build/asan/fuzz.json`", "",
              "| target | CPU seconds, executions, edges | result |", "|---|---|---|"]
    lines += written("asan/fuzz.json", lambda each: f"| {each['target']} | {number(each['seconds'])} s, "
                     f"{number(each['executions'])}, {number(each['edges'])} | {each['result']} |")
    lines += ["", "## Long runs", "", "`build/release/bench/soak --json build/soak.json`", "",
              "| check | value, at most | result |", "|---|---|---|"]
    lines += written("soak*.json", lambda each: f"| {each['check']} | {number(each['value'])}, "
                     f"{number(each['goal'])} | {'ok' if each['ok'] else 'FAILED'} |")
    lines += ["", "## The whole suite again and again", "", "`scripts/repeat.sh`", "", "| run | seconds | result |",
              "|---|---|---|"]
    lines += written("repeats.json", lambda each: f"| {each['run']} | {number(each['seconds'])} | "
                     f"{each['result']} |")
    return "\n".join(lines) + "\n"


def main():
    words = sys.argv[1:]
    check = "--check" in words
    rest = [word for word in words if word != "--check"]
    if len(rest) > 1 or any(word.startswith("-") for word in rest):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build = pathlib.Path(rest[0]) if rest else ROOT / "build/release"
    wrong = list(missing(build))
    for line in wrong:
        print(f"reliability.py: {line}", file=sys.stderr)
    if wrong or check:
        return 1 if wrong else 0
    (ROOT / "docs/reliability.md").write_text(page(build))
    return 0


sys.exit(main())
