#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
report.py PRELOAD STEP DIRECTORY VERB...: each STEP-th allocation of `probe-report VERB` fails, once and together
with all that follow: the output is the same, or there is a sentence and status 1. The directory has the databases.
"""
import itertools
import os
import shutil
import subprocess
import sys


PART = 5000  # failures at a time: each leaves an output on the disk


def read(directory, name):
    try:
        with open(os.path.join(directory, name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def check(reference, out, err, status):
    err = err.decode("utf-8", "replace")
    if status == 0:
        return None if out == reference else "status 0, but other output"
    if status != 1:
        return "status %d: %s" % (status, err[:200])
    errors = [line for line in err.splitlines() if "error: " in line]
    return None if len(errors) == 1 else "status 1 with %d sentences: %s" % (len(errors), err[:200])


def sweep_part(preload, step, always, command, part):
    """One part of the allocations, all in one run: the number of failures, and the problems."""
    directory = os.path.abspath("ends-%s" % always)
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    environment = dict(os.environ, LD_PRELOAD=preload, FAIL_PROGRAM="probe-report", FAIL_EACH=directory,
                       FAIL_STEP=str(step), FAIL_FROM=str(part * PART * step + 1), FAIL_TO=str((part + 1) * PART * step),
                       **({"FAIL_ALWAYS": "1"} if always else {}))
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode:
        return 0, ["the run itself: status %d, %s" % (run.returncode, run.stderr)]
    ends = [line.split() for line in read(directory, "ends").decode("ascii").splitlines()]
    results = [(number, read(directory, "out." + number), read(directory, "err." + number), int(status))
               for number, status in ends]
    for line in read(directory, "alone").decode("ascii").splitlines():
        number = line.split()[0]
        one = dict(environment, FAIL_AT=number)
        del one["FAIL_EACH"]
        end = subprocess.run(command, env=one, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        results.append((number, end.stdout, end.stderr, end.returncode))
    found = []
    for number, out, err, status in results:
        problem = check(run.stdout, out, err, status)
        if problem:
            found.append("allocation %s%s: %s" % (number, " and all after it" if always else "", problem))
    shutil.rmtree(directory)
    return len(results), found


def sweep(preload, step, always, command):
    count, found = 0, []
    for part in itertools.count():
        failures, problems = sweep_part(preload, step, always, command, part)
        count += failures
        found += problems
        if not failures:
            return count, found


def main():
    preload, step, directory = sys.argv[1:4]
    os.chdir(directory)
    command = [os.path.join(os.environ["PROBE_BIN"], "probe-report")] + sys.argv[4:]
    failed = 0
    for always in (False, True):
        count, found = sweep(preload, int(step), always, command)
        print("%d allocations, %d problems" % (count, len(found)))
        print("\n".join(found[:20]))
        failed += bool(found) or not count
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
