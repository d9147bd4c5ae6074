#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_databases.py BIN COUNT [SEED]: databases of a recording (of fake-app, next to BIN) in which bytes of the file,
or values of cells, are random. Each verb of probe-report ends with a documented status, and with a sentence if that is
not 0, within 20 seconds of processor time and 1 GB of memory."""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ACTS = ["connect=4", "announce=x", "sampler=1", "memory=3", "trace=2", "stored=1", "samples=20", "lost=3", "exit-record"]
VERBS = ["summary", "lines", "kernels", "dispatches", "samples", "annotate", "flame", "occupancy", "timeline", "stats", "launches",
         "check", "tables", "info", "doctor", "export", "copies", "markers"]
VALUES = [None, 0, 1, -1, 2**31, 2**32, 2**63 - 1, -2**63, 1e308, float("inf"), "", "x", "a" * 100000, "\x1b[31m", "%s%n", "../../x",
          b"", b"\xff" * 4096, b"\x28\xb5\x2f\xfd" + bytes(100)]
SECONDS, KILOBYTES = 20, 1 << 20


def record(binaries, path):
    app = os.path.join(binaries, "..", "tests", "fake-app")
    subprocess.run([f"{binaries}/probe-run", "-q", "--device", "sim", "-d", os.path.dirname(path), "-o", os.path.basename(path), "--kind",
                    "trace", app] + ACTS, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def damage_bytes(path, rng):
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        for _ in range(rng.randrange(1, 30)):
            file.seek(rng.randrange(size))
            file.write(bytes(rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256))) for _ in range(rng.randrange(1, 5))))
        if not rng.randrange(8):
            file.truncate(rng.randrange(size))


def damage_cells(path, rng):
    database = sqlite3.connect(path)
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
    filled = [name for name in tables if database.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()]
    for _ in range(rng.randrange(1, 8)):
        table = rng.choice(filled)
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
        column, where = rng.choice(columns), rng.choice(("", " WHERE random() % 2", " WHERE rowid = 1"))
        try:
            database.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ?{where}', (rng.choice(VALUES),))
        except sqlite3.Error:
            pass  # a rule of the schema forbids it
    if not rng.randrange(10):
        database.execute(f'DROP TABLE "{rng.choice(tables)}"')
    database.commit()
    database.close()


def report(binaries, words):
    """What is wrong with how it ends; None: nothing."""
    with tempfile.TemporaryFile() as err:
        run = subprocess.Popen([f"{binaries}/probe-report"] + words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        said = err.read(500)
    if run.returncode not in (0, 1, 2) or (run.returncode and not said.strip()):
        return f"status {run.returncode}: {said!r}"
    if usage.ru_utime + usage.ru_stime > SECONDS or usage.ru_maxrss > KILOBYTES:
        return f"{usage.ru_utime + usage.ru_stime:.0f} s, {usage.ru_maxrss} KB"
    return None


def main():
    binaries, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    failed = 0
    with tempfile.TemporaryDirectory() as top:
        good, path = f"{top}/good.db", f"{top}/x.db"
        record(binaries, good)
        for number in range(count):
            shutil.copy(good, path)
            rng.choice((damage_bytes, damage_cells, damage_cells))(path, rng)
            verb = rng.choice(VERBS)
            options = {"export": ["--format", rng.choice(("html", "chrome", "perfetto", "speedscope", "json")), "-o", f"{top}/out",
                                  "--force"], "check": ["--fail-on", "line.conflicts > 0"]}
            words = [verb] + options.get(verb, rng.choice(([], ["--format", "json"], ["--all"]))) + [path]
            wrong = report(binaries, words)
            if wrong:
                failed += 1
                print(f"{number}: {words}: {wrong}")
    print(f"{failed} of {count} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
