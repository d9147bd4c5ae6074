#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
clang-tidy (.clang-tidy at the top) over host files. Findings whose check and file are in
cmake/clang-tidy-suppressions.txt are left out; each has its reason there. Takes minutes of processor
time per folder.

usage: clang_tidy.py CLANG-TIDY BUILD FOLDER...     FOLDER: only files below it
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

SUPPRESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cmake",
                            "clang-tidy-suppressions.txt")
FINDING = re.compile(r"(.*?):(\d+):\d+: (?:error|warning): (.*) \[([^,\]]+)")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    tidy, build, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not shutil.which(tidy):
        sys.exit("needs the package " + os.path.basename(tidy))
    with open(SUPPRESSIONS) as file:
        suppressed = {line.strip() for line in file if not line.startswith("#")}
    with open(os.path.join(build, "compile_commands.json")) as file:
        sources = {entry["file"] for entry in json.load(file)}
    top = os.path.commonpath(sources)
    below = tuple(os.path.join(top, folder, "") for folder in folders)
    sources = sorted(name for name in sources if name.startswith(below) and os.path.exists(name))

    def run(source):
        return subprocess.run([tidy, "-quiet", "-p", build, source], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    findings = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(run, sources):
            for path, line, message, check in FINDING.findall(text):
                name = os.path.relpath(path, top)
                if "%s:%s" % (check, name) not in suppressed:
                    findings.add("%s:%s: %s [%s]" % (name, line, message, check))
    print("\n".join(sorted(findings)))
    print("%d files, %d findings" % (len(sources), len(findings)))
    return bool(findings) or not sources


if __name__ == "__main__":
    sys.exit(main())
