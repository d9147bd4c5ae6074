#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
After the tests of the preset `coverage`: executed lines and functions per folder, and the files of
which less than half is executed.

usage: coverage_table.py SOURCE BUILD
"""
import json
import os
import subprocess
import sys

SPLIT = {"cmds", "hsa-plugin"}  # folders of several parts


def folder_of(name):
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] in SPLIT and len(parts) > 2 else parts[0]


def executed(source, build):
    """{file: ({line: executions}, {function: calls})}, over all objects that contain a part of it."""
    files = {}
    data = [os.path.join(at, name) for at, _, names in os.walk(build) for name in names
            if name.endswith(".gcno")]
    text = subprocess.run(["gcov", "--json-format", "--stdout"] + data, check=True, cwd=build,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for line in filter(None, text.splitlines()):
        for file in json.loads(line)["files"]:
            name = os.path.relpath(os.path.join(build, file["file"]), source)
            if name.startswith(("..", "tests/", "build/")):
                continue
            lines, functions = files.setdefault(name, ({}, {}))
            for row in file["lines"]:
                lines[row["line_number"]] = lines.get(row["line_number"], 0) + row["count"]
            for row in file["functions"]:
                functions[row["name"]] = functions.get(row["name"], 0) + row["execution_count"]
    return files


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, build = sys.argv[1:]
    files = [{"filename": name, "line_covered": sum(map(bool, lines.values())), "line_total": len(lines),
              "function_covered": sum(map(bool, functions.values())), "function_total": len(functions)}
             for name, (lines, functions) in sorted(executed(source, build).items())]
    keys = ("line_covered", "line_total", "function_covered", "function_total")
    folders = {}
    for file in files:
        for name in (folder_of(file["filename"]), "all"):
            sums = folders.setdefault(name, dict.fromkeys(keys, 0))
            for key in keys:
                sums[key] += file[key]
    print("%-22s %15s %7s %13s %7s" % ("folder", "lines", "", "functions", ""))
    for name, sums in sorted(folders.items(), key=lambda row: (row[0] == "all", row[0])):
        covered, total, called, functions = (sums[key] for key in keys)
        print("%-22s %7d/%7d %6.1f%% %6d/%6d %6.1f%%" % (name, covered, total, percent(covered, total),
                                                        called, functions, percent(called, functions)))
    print("\nless than half:")
    for file in files:
        if percent(file["line_covered"], file["line_total"]) < 50:
            print("%7d/%7d %s" % (file["line_covered"], file["line_total"], file["filename"]))


if __name__ == "__main__":
    main()
