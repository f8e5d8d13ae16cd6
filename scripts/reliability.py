#!/usr/bin/env python3
"""Writes docs/reliability.md: what is promised about faults, how each promise is tested, and what the last run said.

usage: reliability.py [--check | --rows] [BUILD]     default: build/release

Runs the tests that the table names and writes down how they ended. The other rows are what these wrote, with the day and the
commit of that run: build/full-check-*.json (scripts/full-check.sh), build/asan/fuzz.json (scripts/fuzz.sh --json),
build/soak-*.json (scripts/soak.sh), build/repeats.json (scripts/repeat.sh), build/promises.json (scripts/bench.sh --json).
They take hours in all: a row stays on the page until its run is repeated. --rows runs nothing and writes only these rows.
--check runs nothing and writes nothing: every test that the table names must exist. Needs a display, usually a virtual one.
"""

import datetime
import fnmatch
import functools
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NONE = "–"  # the first column of a table without rows
PAGE = ROOT / "docs/reliability.md"
ROWS = "## Last full check"  # what stands above it is of this script's own run

# Test programs and suites that a build without the CUDA toolkit does not have.
NEEDS_CUDA = {"cupti", "inject", "AttachTest", "RealProgramTest", "ViewerTest"}

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
    ("The X server is killed, the terminal closed, the graphics driver reset: the run is saved", "window",
     "OutsideTest.TheRun*:OutsideTest.ItSaysSo*:RescueTest.*"),
    ("What was saved is offered at the next start", "desk", "RescueTest.*"),
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
    ("The same in the window", "desk", "DeviceTest.ALostDeviceLeavesItsTraceAndCanBeRestarted"),
    ("A program that floods: what does not fit is dropped and counted", "inject",
     "Recording.AFullRingDropsAndCountsAndLaterDefinesWhatItMissed"),
    ("A program that lies about lengths, writes nonsense or stops in the middle of a record", "capture",
     "RingReader.RefusesMemoryThatIsNotALibrarys:RingReader.SurvivesRandomMemory:"
     "RingReader.WhatAWriterBeganIsAwaitedWhileItLivesAndSkippedAfterwards"),
    ("Recording goes on and off without switching off what CUPTI cannot bear to lose", "inject",
     "Recording.OfWhatStaysSwitchedOnOnlyTheBurstsAreSent:Recording.BurstsAreSwitchedOnAndOffAndEachIsWhole"),
    ("A buffer that CUPTI never gives back hides no later burst", "inject",
     "Recording.ABufferThatCuptiNeverGivesBackHidesNoLaterBurst"),
    ("CUPTI keeps all buffers: it is said, and another profiler is not blamed", "inject",
     "Recording.ThatCuptiKeepsAllBuffersIsSaid"),
    ("CUPTI hangs, or is left alone at the process's end, or the process forks, while a loop of its own is recorded", "cupti",
     "OwnCaptureDeathTest.*"),
    ("A program that runs far ahead of the GPU: all kernels of a burst are known", "inject",
     "Recording/RunsAhead.AllKernelsOfABurstAreKnown/0"),
    ("CUPTI leaves the process between bursts and comes back, but never where a graph could be replayed after it", "inject",
     "Recording.BetweenBurstsCuptiLeavesTheProcess:Recording.WithGraphsCuptiStaysAndRecordsNothingBetweenBursts:"
     "Recording.ACaptureThatBeginsAtTheLastMomentKeepsCupti"),
    ("It leaves where no thread is in a call: not beside one that waits", "inject",
     "Recording.CuptiStaysWhileAThreadIsInALongCall"),
    ("It leaves and comes back a thousand times: nothing is lost, and nothing grows", "inject",
     "Recording.AThousandCyclesLoseNothingAndLeaveNothingBehind"),
    ("Another profiler takes CUPTI while it is away: it is said, and waited for", "inject",
     "Recording.AnotherProfilerThatComesWhileCuptiIsAwayIsWaitedFor"),
    ("The window is killed while its program is in cuInit: nothing stays switched on", "inject",
     "Life.AViewerThatDiesDuringCuInitLeavesNothingBehind"),
    ("A burst counts whose work is delivered after it", "attach", "RecordedBurstsTest.*:WatchedProcess.ABurstWhoseWork*"),
    ("The watched program's socket is this user's alone; what else comes with a message is closed", "attach",
     "MeetingTest.*"),
    ("A long run keeps as much as a short one, and goes on however many events there were", "trace", "Eviction.*:ManyEvents.*"),
    ("Names and texts from files steer no terminal and are no formulas", "io", "CsvText.*:Xml.*"),
    ("They steer no terminal and no page either where the program prints them", "app",
     "ForTerminal.NamesDoNotSteerIt:Report.NamesInAFileDoNotSteerTheTerminal:HtmlText.EscapesAndShortens"),
    ("The same of what a watched program says", "capture", "CleanText.SteersNothing"),
    ("They hide nothing in the window", "render", "ImGuiNames.*:ImGuiLabels.*"),
    ("Words for another machine's shell stay words", "base", "ShellWords.AreTheSameWordsInAShell"),
    ("Claimed sizes are checked before memory is taken", "io",
     "HostileSession.SizesAreCheckedBeforeMemoryIsTaken:HostileSession.TextsTakeOnlySoMuchMemory"),
    ("Nobody else's link is followed", "io", "AtomicFileTest.DoesNotFollowALinkThatSomebodyElseHasLaid"),
]

# (contract, the test of ctest that compares)
CONTRACTS = [
    ("`.lanescope` files of every version are read as they were, the JSON that the program writes and every command's "
     "`--help` are what they were", "golden"),
    ("The manual's commands, keys, texts and figures are the program's", "manual"),
]


def program_of(build, suite):
    return build / "tests" / f"{suite}_tests"


@functools.cache
def names_of(program):
    """Its tests; GoogleTest lists a suite, then its tests, indented."""
    done = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True)
    names, suite = [], ""
    for line in done.stdout.splitlines():
        name = line.partition("  # ")[0]
        if name.startswith("  "):
            names.append(suite + name.strip())
        else:
            suite = name.strip()
    return names


def missing(build):
    has_cuda = program_of(build, "inject").exists()
    for promise, suite, tests in TESTS:
        if not program_of(build, suite).exists():
            if has_cuda or suite not in NEEDS_CUDA:
                yield f"{promise}: there is no {suite}_tests"
            continue
        for one in tests.split(":"):
            known = has_cuda or one.partition(".")[0] not in NEEDS_CUDA
            if known and not fnmatch.filter(names_of(program_of(build, suite)), one):
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


def contract_result(build, test):
    done = subprocess.run(["ctest", "--test-dir", build, "-R", f"^{test}$"], capture_output=True, text=True, check=False)
    return "passed" if done.returncode == 0 and "100% tests passed" in done.stdout else "FAILED"


def rows_before(heading):
    """The rows below a table's heading on the page as it is, by their first column."""
    lines = PAGE.read_text().splitlines() if PAGE.exists() else []
    begin = lines.index(heading) + 2 if heading in lines else len(lines)
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[begin:])
    return {row.split("|")[1].strip(): row for row in rows}


def written(pattern, columns, row_of):
    """The heading and the rows of a table: what runs have written, and what the page says of others."""
    heading = f"| {' | '.join(columns)} | run |"
    rows = rows_before(heading)
    rows.pop(NONE, None)
    for path in sorted((ROOT / "build").glob(pattern)):
        for each in json.loads(path.read_text()):
            row = row_of(each)
            rows[row[0]] = f"| {' | '.join(row)} | {each['date']} {each['commit']} |"
    none = f"| {NONE} " + "| " * (len(columns) - 1) + "| not run |"
    return [heading, "|---" * (len(columns) + 1) + "|", *(rows.values() or [none])]


def number(value):
    return f"{value:,.4g}" if isinstance(value, float) and not value.is_integer() else f"{value:,.0f}"


def tested(build):
    now = datetime.date.today().isoformat()
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            check=False).stdout.strip() or "no commit"
    lines = ["# Reliability", "",
             f"`scripts/reliability.py` wrote this page on {now} at {commit}; every result in it is from a run: "
             "then, or on the day and at the commit in its row.", "",
             "## Faults and foreign input", "", "| promise | tests | result |", "|---|---|---|"]
    for promise, suite, tests in TESTS:
        shown = ", ".join(f"`{test}`" for test in tests.split(":"))
        result = result_of(build, suite, tests) if program_of(build, suite).exists() else "not built"
        lines.append(f"| {promise} | {suite}: {shown} | {result} |")
    lines += ["", "## Contracts", "", "| contract | test | result |", "|---|---|---|"]
    lines += [f"| {contract} | `ctest -R ^{test}$` | {contract_result(build, test)} |" for contract, test in CONTRACTS]
    return "\n".join(lines) + "\n\n"


def rows():
    def said(ok):
        return "ok" if ok else "FAILED"

    lines = [ROWS, "", "`scripts/full-check.sh`", ""]
    lines += written("full-check-*.json", ["part", "seconds", "result"], lambda each: [
        each["part"], number(each["seconds"]), each["result"]])
    lines += ["", "## Fuzzing", "", "`scripts/fuzz.sh --json build/asan/fuzz.json`", ""]
    lines += written("asan/fuzz.json", ["target", "CPU seconds, executions, edges", "result"], lambda each: [
        each["target"], f"{number(each['seconds'])} s, {number(each['executions'])}, {number(each['edges'])}", each["result"]])
    lines += ["", "## Long runs", "", "`scripts/soak.sh`", ""]
    lines += written("soak-*.json", ["check", "value, at most", "result"], lambda each: [
        each["check"], f"{number(each['value'])}, {number(each['goal'])}", said(each["ok"])])
    lines += ["", "## Smooth, and on time", "",
              "`scripts/bench.sh --json >build/promises.json`. Step: the time of one step of an empty Python loop just before and "
              "after. A shared machine can become half as fast within minutes, which doubles everything measured in seconds.", ""]
    lines += written("promises.json", ["promise", "value, goal", "result", "step"], lambda each: [
        each["promise"], "failed" if each["value"] is None else f"{number(each['value'])}, {each['goal']}", said(each["ok"]),
        f"{number(each['step_ns'])} ns"])
    lines += ["", "## The whole suite again and again", "", "`scripts/repeat.sh`", ""]
    lines += written("repeats.json", ["run", "seconds", "result"], lambda each: [
        each["run"], number(each["seconds"]), each["result"]])
    return "\n".join(lines) + "\n"


def main():
    words = sys.argv[1:]
    options = [word for word in words if word.startswith("-")]
    places = [word for word in words if not word.startswith("-")]
    if len(places) > 1 or options not in ([], ["--check"], ["--rows"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build = pathlib.Path(places[0]) if places else ROOT / "build/release"
    if options == ["--rows"]:
        PAGE.write_text(PAGE.read_text().split(ROWS)[0] + rows())
        return 0
    wrong = list(missing(build))
    for line in wrong:
        print(f"reliability.py: {line}", file=sys.stderr)
    if wrong or options:
        return 1 if wrong else 0
    PAGE.write_text(tested(build) + rows())
    return 0


sys.exit(main())
