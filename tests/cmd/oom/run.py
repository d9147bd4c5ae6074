#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
run.py PRELOAD STEP WORK: allocations of probe-run and its recorder fail, each STEP-th in a run of its own. The program
ends as it does alone, or probe-run could not start it; the database is complete, or a message says that it is not.
"""
import os
import shutil
import subprocess
import sys

LAST = 4000
ACTS = ["connect=4", "announce=x", "memory=5", "trace=3", "exit-record", "exit=4"]
CHECK = """PRAGMA integrity_check;
    SELECT count(*) FROM probe_counter; SELECT sum(size) FROM probe_record; SELECT sum(executions) FROM probe_counter;
    SELECT count(*) FROM probe_site; SELECT coalesce(sum(value), 0) FROM probe_account WHERE name LIKE 'dropped.%';
    SELECT stream FROM probe_account GROUP BY stream HAVING stream <> 'dispatches' AND
        sum(value) FILTER (WHERE name = 'emitted') <> sum(value) FILTER (WHERE name = 'stored' OR name LIKE 'dropped.%');"""


def record(environment):
    shutil.rmtree("out", ignore_errors=True)
    command = [os.path.join(os.environ["PROBE_BIN"], "probe-run"), "-q", "-d", "out", "-o", "x.db", "--kind", "memory", "-a",
               "count", os.environ["FAKE_APP"]] + ACTS
    run = subprocess.run(command, env=dict(os.environ, **environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         check=False)
    found = subprocess.run(["sqlite3", "-readonly", "out/x.db", CHECK], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           check=False).stdout if os.path.exists("out/x.db") else b"none"
    return run.returncode, run.stderr.decode("utf-8", "replace"), found


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
