#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
errors.py PRELOAD STEP WORK: calls of probe-run and of its recorder fail, each STEP-th of each group in a run of its own,
alone or with all that follow. The program ends as it does alone, or probe-run could not start it; the database is
sound, and complete, or a message says that it is not. Goal R5 of docs/reliability.md.
"""
import errno
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from fake_recording import record

LAST = 3000
ERRORS = (("open", errno.EMFILE), ("open", errno.ENOSPC), ("write", errno.ENOSPC), ("write", errno.EIO),
          ("write", errno.EINTR), ("write", "short"), ("size", errno.ENOSPC), ("map", errno.ENOMEM), ("sync", errno.EIO),
          ("name", errno.ENOSPC))


def problem(call, status, err, found, whole):
    """What is wrong with a run in which a call failed, or None."""
    reported = "error: " in err or "warning: " in err
    # 125: probe-run could not start it. 99: the stand-in of the program insists on being recorded. 3: nothing was stored.
    if status not in ((3, 4, 99, 125) if reported else (4,)):
        return "status"
    # Only where it cannot be removed, a database is left that has no tables.
    sound = (b"ok\n", b"none") + ((b"Error: in prepare, no such table",) if call == "name" or "cannot create the tables" in err else ())
    if not found.startswith(sound):
        return "database"
    if found != whole and not reported:
        return "no message"
    if len(err.splitlines()) > 4:
        return "too many messages"
    return None


def main():
    preload, step, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    note = os.path.join(work, "failed")
    shutil.rmtree(note, ignore_errors=True)
    status, err, whole = record({})
    if status != 4 or err:
        sys.exit("without a failure: status %d, %s" % (status, err))
    bad = runs = reported = 0
    for process in ("probe-run", "probe-recorder"):
        for call, error in ERRORS:
            # A call that a signal interrupts every time is repeated forever.
            for always in ({}, {"FAIL_ALWAYS": "1"}) if error != errno.EINTR else ({},):
                for at in range(1, LAST, int(step)):
                    status, err, found = record(dict({
                        "LD_PRELOAD": preload, "FAIL_PROCESS": process, "FAIL_CALL": call, "FAIL_AT": str(at),
                        "FAIL_ERROR": str(error), "FAIL_NOTE": note}, **always))
                    if not os.path.isdir(note):
                        break
                    os.rmdir(note)
                    wrong = problem(call, status, err, found, whole)
                    runs += 1
                    reported += bool(err)
                    if wrong:
                        bad += 1
                        print("%s, %s %d: error %s%s: %s: status %d, '%s', %s" % (
                            process, call, at, error, " and on" if always else "", wrong, status, err[:400], found[:200]))
    print("%d runs, of which %d reported it, %d problems" % (runs, reported, bad))
    return bool(bad) or not reported


if __name__ == "__main__":
    sys.exit(main())
