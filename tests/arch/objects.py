#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Checks what object files use of each other (nm): no function or variable of a folder that the row
in arrows.txt does not allow, and no circle of files that needs each other but those listed there.
Only sources in folders with a row count; symbols that several files define are left out.

usage: objects.py TOP BUILD [FOLDER]     FOLDER: only files below it
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from arrows import Table


def source_of(top, build, path):
    """The source file of an object: BUILD/DIR/CMakeFiles/TARGET.dir/FILE.o is DIR/FILE."""
    before, marker, after = os.path.relpath(path, build).partition("CMakeFiles/")
    if not marker or ".dir/" not in after:
        return None
    source = os.path.join(before, after.split(".dir/", 1)[1].replace("__", ".."))[:-2]
    source = os.path.normpath(source)
    return source if os.path.exists(os.path.join(top, source)) else None


def objects(top, build, table, below):
    """(source, object) of all objects that the build makes and that exist; not left-over ones."""
    for line in open(os.path.join(build, "build.ninja")):
        match = re.match(r"build (\S+\.o): ", line)
        path = os.path.join(build, match.group(1)) if match else ""
        source = source_of(top, build, path) if match and os.path.exists(path) else None
        if source and source.startswith(below) and table.folder(source):
            yield source, path


def read_symbols(paths):
    """Global symbols of object files: {path: (defined ones, undefined ones)}"""
    symbols = {path: (set(), set()) for path in paths}
    listed = subprocess.run(["nm", "-A", "-g"] + paths, stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    for line in listed.splitlines():
        path, _, rest = line.partition(".o:")
        words = rest.split()
        symbols[path + ".o"][words[-2] in "Uw"].add(words[-1])
    return symbols


def read(pairs, interposing):
    """{file: {file it uses: {symbols}}}; who uses the C library's functions uses no file that
    defines them again."""
    owners, uses, graph = {}, {}, {}
    pairs = list(pairs)
    symbols = read_symbols([path for _, path in pairs])
    for source, path in pairs:
        defined, used = symbols[path]
        for symbol in () if source in interposing else defined:
            owners.setdefault(symbol, set()).add(source)
        uses.setdefault(source, set()).update(used)
    for source, used in uses.items():
        edges = graph.setdefault(source, {})
        for symbol in used:
            owner = owners.get(symbol, ())
            if len(owner) == 1 and source not in owner:
                edges.setdefault(next(iter(owner)), set()).add(symbol)
    return graph


def circles(graph):
    """Strongly connected components of more than one file (Tarjan, without recursion)."""
    index, low, stack, on, found, count = {}, {}, [], set(), [], 0
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = count
        count += 1
        stack.append(root)
        on.add(root)
        while work:
            node, edges = work[-1]
            for target in edges:
                if target not in index:
                    index[target] = low[target] = count
                    count += 1
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = stack[stack.index(node):]
                    del stack[stack.index(node):]
                    on.difference_update(part)
                    if len(part) > 1:
                        found.append(sorted(part))
    return found


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    top, build, below = (sys.argv + [""])[1:4]
    table = Table(os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrows.txt"))
    graph = read(objects(top, build, table, below), table.interposing)
    wrong = []
    for source in sorted(graph):
        for target, symbols in sorted(graph[source].items()):
            if not table.may_use(source, target):
                wrong.append("%s may not use %s: %s" % (source, target, " ".join(sorted(symbols))))
    found = circles(graph)
    unknown = [c for c in found if not any(set(c) <= known for known in table.circles)]
    for circle in unknown:
        wrong.append("circle of %d files that need each other:" % len(circle))
        for source in circle:
            wrong.append("  %s uses %s" % (source, ", ".join(
                "%s (%s)" % (t, " ".join(sorted(s))) for t, s in sorted(graph[source].items())
                if t in circle)))
    print("\n".join(wrong + ["%d files, %d circles, %d of them not in arrows.txt" % (
        len(graph), len(found), len(unknown))]))
    return bool(wrong) or not graph


if __name__ == "__main__":
    sys.exit(main())
