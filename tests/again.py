#!/usr/bin/env python3
"""Runs a GoogleTest program; tests that fail are run once more, alone.

    tests/again.py PROGRAM [ARGUMENTS...]

For the window's tests under a sanitizer on a busy machine: a frame can then take seconds, and a gesture is taken for
another one. A crash or a sanitizer's report is never run again: it fails at once.
"""
import json
import os
import subprocess
import sys
import tempfile


def failed_tests(report):
    return [f"{suite['name']}.{test['name']}" for suite in report.get("testsuites", [])
            for test in suite.get("testsuite", []) if test.get("failures")]


def run(command, environment):
    """The exit status, and the failed tests if the program came to its end and nothing but tests failed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        status = subprocess.run(command + [f"--gtest_output=json:{path}"], env=environment).returncode
        if status != 1 or not os.path.exists(path):
            return status, []
        with open(path) as file:
            return status, failed_tests(json.load(file))


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit("usage: tests/again.py PROGRAM [ARGUMENTS...]")
    status, failed = run(command, os.environ)
    if not failed:
        return status
    print("== once more: " + " ".join(failed), flush=True)
    alone = {name: value for name, value in os.environ.items()
             if name not in ("GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_FILTER")}
    status, again = run(command + ["--gtest_filter=" + ":".join(failed)], alone)
    if status == 0:
        print("== passed the second time: " + " ".join(failed), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
