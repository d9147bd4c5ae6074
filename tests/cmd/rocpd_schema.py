#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rocpd_schema.py COLUMNS DATABASE: does the database have ROCpd's tables and views, with their
columns in AMD's order (tests/data/rocpd_columns.txt), and does every view of it run?"""
import sqlite3
import sys


def described(row, with_types):
    _, name, kind, not_null, _, _ = row
    return "%s %s%s" % (name, kind, " NOT NULL" if not_null else "") if with_types else name


def main(columns, database):
    db = sqlite3.connect(database)
    suffix = db.execute("SELECT value FROM rocpd_metadata WHERE tag = 'uuid'").fetchone()[0]
    wrong = 0
    for line in open(columns):
        if line.startswith("#"):
            continue
        head, expected = line.rstrip("\n").split(": ", 1)
        kind, name = head.split(" ")
        table = kind == "table"
        rows = db.execute('PRAGMA table_info("%s")' % (name + suffix if table else name)).fetchall()
        found = ", ".join(described(row, table) for row in rows)
        if found != expected:
            print("%s:\n  expected %s\n  found    %s" % (head, expected, found))
            wrong += 1
    views = [row[0] for row in db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")]
    counts = {name: len(db.execute('SELECT * FROM "%s"' % name).fetchall()) for name in views}
    for name in ("kernels", "kernel", "memory_copies", "copyop", "copy", "regions", "api", "op", "top",
                 "busy", "ktop", "top_kernels", "threads"):
        print("%s %d" % (name, counts[name]))
    return wrong


sys.exit(main(*sys.argv[1:]) != 0)
