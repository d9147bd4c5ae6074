#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Checks the #include lines of the folders that have a row in arrows.txt: project headers are named
by their path from the top of the tree (public ones as <probe/...>), and no arrow leads to a folder
that the row does not allow.

usage: includes.py TOP [FOLDER]     FOLDER: only files below it
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from arrows import Table

SOURCES = (".c", ".h", ".inc", ".cpp")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(probe/[^>]+)>)')


def sources(top, folder):
    for directory, folders, files in os.walk(os.path.join(top, folder)):
        folders[:] = [f for f in folders if f not in ("build", ".git")]
        for name in files:
            if name.endswith(SOURCES):
                yield os.path.relpath(os.path.join(directory, name), top)


def check(top, table, path):
    for number, line in enumerate(open(os.path.join(top, path), errors="replace"), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1) or "include/" + match.group(2)
        where = "%s:%d: " % (path, number)
        if not os.path.exists(os.path.join(top, target)):
            if os.path.exists(os.path.join(top, os.path.dirname(path), target)):
                yield where + "%s: name the header by its path from the top" % target
        elif not table.may_use(path, target):
            yield where + "%s may not include %s (tests/arch/arrows.txt)" % (
                table.folder(path), target)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    top, below = sys.argv[1], (sys.argv + [""])[2]
    table = Table(os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrows.txt"))
    checked, wrong = 0, []
    for path in sorted(sources(top, below)):
        if table.folder(path):
            checked += 1
            wrong += check(top, table, path)
    print("\n".join(wrong + ["%d files, %d forbidden includes" % (checked, len(wrong))]))
    return bool(wrong) or not checked


if __name__ == "__main__":
    sys.exit(main())
