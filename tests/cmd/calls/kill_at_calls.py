#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill_at_calls.py PROBE_BIN FAKE_APP TEST_HANDLERS PRELOAD STEP: the recorder is killed before each of its first 60
calls that open, change or remove files, and before each STEP-th of the others; then probe-run --recover. With a STEP of
1, those that replace it are killed, too. The same must hold as for kills.py at random times. Goal R2 of docs/reliability.md."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import kills

EACH = 60  # the recorder has then made its files
LAST = 5000


def kill_at(top, app, preload, number, always):
    directory, own, note = f"{top}/out", f"{top}/own", f"{top}/killed"
    environment = dict(kills.settings(top), LD_PRELOAD=preload, FAIL_PROCESS="probe-recorder", FAIL_CALL="all",
                       FAIL_AT=str(number), FAIL_ERROR="kill", FAIL_NOTE=note)
    if always:
        environment["FAIL_ALWAYS"] = "1"
    if os.path.exists(own):
        os.unlink(own)
    run = subprocess.run([f"{top}/bin/probe-run", "-q", "-d", directory, "-o", "x.db", "--kind", "trace", app] +
                         kills.program(own, 4, 3), env=environment, capture_output=True)
    killed = os.path.exists(note)
    if killed:
        os.rmdir(note)
    problems, rows = kills.check_recovered(top, directory, True) if os.listdir(directory) else ([], 0)
    if problems:
        print(f"call {number}{' and each later one' if always else ''}: {problems}\n{run.stderr.decode()}")
    return killed, problems, rows


def main():
    binaries, app, handlers, preload, step = sys.argv[1:]
    kills.have_own_shared_memory()
    number, count, bad, total = 1, 0, 0, 0
    with tempfile.TemporaryDirectory() as top:
        kills.install(top, binaries, handlers)
        killed = True
        while killed and number < LAST:
            for always in (False, True) if step == "1" else (False,):
                killed, problems, rows = kill_at(top, app, preload, number, always)
                count += killed
                bad += bool(problems)
                total += rows
            number += 1 if number < EACH else int(step)
    print(f"{count} kills: {bad} with problems; {total} counter rows by the program's own count")
    return bool(bad) or not count or killed


if __name__ == "__main__":
    sys.exit(main())
