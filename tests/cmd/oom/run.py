#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
run.py PRELOAD STEP WORK: allocations of probe-run and its recorder fail, each STEP-th in a run of its own. The program
ends as it does alone, or probe-run could not start it; the database is complete, or a message says that it is not.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from fake_recording import record

LAST = 4000


def main():
    preload, step, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    status, err, whole = record({})
    if status != 4 or err:
        sys.exit("without a failure: status %d, %s" % (status, err))
    failed = runs = reported = 0
    for at in range(1, LAST, int(step)):
        for always in ({}, {"FAIL_ALWAYS": "1"}):
            status, err, found = record(dict({"LD_PRELOAD": preload, "FAIL_PROGRAM": "probe-run", "FAIL_AT": str(at)}, **always))
            said = "error: " in err
            # 125: probe-run could not start it. 99: the stand-in of the program insists on being recorded.
            good = (status == 4 and found == whole) or (said and status in (4, 125)) or (said and status == 99)
            runs += 1
            reported += said
            if not good:
                failed += 1
                print("allocation %d %s: status %d, '%s', %s" % (at, always, status, err[:300], found[:200]))
    print("%d runs, of which %d reported it, %d problems" % (runs, reported, failed))
    return bool(failed) or not reported


if __name__ == "__main__":
    sys.exit(main())
