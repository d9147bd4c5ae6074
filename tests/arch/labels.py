#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Checks that each test of a build has two labels: its tier, with which its name begins, and the
folder of the tree whose code it tests (besides "long", if it is left out by default, and the goals
of reliability that it proves: R1 ...); and that no test has a time limit that a busy machine could
exceed.

usage: labels.py TOP BUILD CTEST
"""
import json
import os
import re
import subprocess
import sys

TIERS = ("unit", "arch", "cmd", "pass", "fuzz", "devlib", "hip", "hsa", "equal", "e2e")
SHORTEST_LIMIT = 1800  # seconds
GOALS = {"R%d" % i for i in range(1, 16)}  # docs/reliability.md


def proved(tests):
    return {label for test in tests for p in test.get("properties", ()) if p["name"] == "LABELS"
            for label in p["value"]}


def problems(top, test):
    properties = {p["name"]: p["value"] for p in test.get("properties", ())}
    labels = set(properties.get("LABELS", ()))
    tier = test["name"].split(".")[0]
    # The name of folder devlib/ is also that of its tier.
    goals = {label for label in labels if re.fullmatch("R[0-9]+", label)}
    folders = sorted(labels - {tier, "long"} - goals) or [tier]
    if tier not in TIERS or tier not in labels or len(folders) != 1:
        yield "labels are '%s'; expected the tier that the name begins with, and a folder" % (
            " ".join(sorted(labels)))
    elif not os.path.isdir(os.path.join(top, folders[0])):
        yield "there is no folder '%s'" % folders[0]
    if properties.get("TIMEOUT", 0) < SHORTEST_LIMIT:
        yield "time limit of %s s; add the test with probe_test() (tests/CMakeLists.txt)" % (
            properties.get("TIMEOUT"))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    top, build, ctest = sys.argv[1:]
    listed = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], check=True,
                            stdout=subprocess.PIPE).stdout
    tests = json.loads(listed)["tests"]
    wrong = ["%s: %s" % (test["name"], problem) for test in tests for problem in problems(top, test)]
    # A build under sanitizers has the tests of the host programs only.
    if any(test["name"].startswith("e2e.") for test in tests):
        wrong += ["goal %s has no test (tests/goals.cmake)" % goal for goal in GOALS - proved(tests)]
    print("\n".join(wrong + ["%d tests, %d problems" % (len(tests), len(wrong))]))
    return bool(wrong) or not tests


if __name__ == "__main__":
    sys.exit(main())
