#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
recover.py PRELOAD KILLER STEP WORK: allocations of `probe-run --recover` fail, each STEP-th in a run of its own, once and
together with all that follow. The database is complete, or a message says that it is not, and a second --recover
completes it. KILLER ends the recorders of the run that is recovered.
"""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from fake_recording import check, record

LAST = 200000


def leave_interrupted(killer):
    """A run whose recorders were killed when all records were in the spool, in directory left; its complete result."""
    for at in range(2000, 20, -20):
        record({"LD_PRELOAD": killer, "FAIL_PROCESS": "probe-recorder", "FAIL_CALL": "all", "FAIL_AT": str(at),
                "FAIL_ERROR": "kill", "FAIL_ALWAYS": "1"})
        if not os.path.exists("out/x.db-spool"):
            continue
        shutil.rmtree("left", ignore_errors=True)
        shutil.copytree("out", "left")
        recover({})
        whole = check("")
        recover({}) # now without the segment
        if check("") == whole:
            return whole
    sys.exit("no interrupted run")


def recover(environment, again=False):
    if not again:
        shutil.rmtree("out", ignore_errors=True)
        shutil.copytree("left", "out")
    run = subprocess.run([os.path.join(os.environ["PROBE_BIN"], "probe-run"), "-q", "--recover", "out"],
                         env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return run.returncode, run.stderr.decode("utf-8", "replace")


def main():
    preload, killer, step, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    whole = leave_interrupted(killer)
    failed = runs = reported = 0
    at, said = 1, True
    while said and at < LAST: # until there are no more allocations
        for always in ({"FAIL_ALWAYS": "1"}, {}):
            status, err = recover(dict({"LD_PRELOAD": preload, "FAIL_PROGRAM": "probe-run", "FAIL_AT": str(at)}, **always))
            said = "error: " in err
            found = check(err)
            good = (status == 0 and found == whole) or (said and status == 125)
            if said:
                second, _ = recover({}, again=True)
                good = good and second == 0 and check("") == whole
            runs += 1
            reported += said
            if not good:
                failed += 1
                print("allocation %d %s: status %d, '%s', %s, then %s" % (at, always, status, err[:300], found[:200],
                                                                          check("")[:200]))
        at += int(step)
    print("%d runs, of which %d reported it, %d problems" % (runs, reported, failed))
    return bool(failed) or not reported


if __name__ == "__main__":
    sys.exit(main())
