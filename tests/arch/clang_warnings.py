#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Compiles each host file once more with clang, for its warnings: the build's own compiler gives
those of gcc. Each file has the options of its first line in BUILD/compile_commands.json, warnings
are errors, and no code is generated.

usage: clang_warnings.py CLANG BUILD [FOLDER...]     FOLDER: only files below it
"""
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys

# Options that take a word, and have no meaning here.
OUTPUTS = {"-o", "-MT", "-MF"}


def command(clang, entry):
    words = iter(shlex.split(entry["command"])[1:])
    kept = []
    for word in words:
        if word in OUTPUTS:
            next(words)
        elif word not in ("-c", "-MD"):
            kept.append(word)
    # The tree is in GNU C: a test may put a kernel's header before its array.
    return [clang, "-fsyntax-only", "-Werror", "-Qunused-arguments",
            "-Wno-gnu-variable-sized-type-not-at-end"] + kept


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    clang, build, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not shutil.which(clang):
        print("needs the package " + os.path.basename(clang))
        return 77
    with open(os.path.join(build, "compile_commands.json")) as file:
        entries = {}
        for entry in json.load(file):
            entries.setdefault(entry["file"], entry)
    top = os.path.commonpath(entries)
    below = tuple(os.path.join(top, folder) for folder in folders) or (top,)
    # Sources that the build generates may not exist yet.
    entries = [entry for name, entry in sorted(entries.items())
               if name.startswith(below) and os.path.exists(name)]

    def compile_one(entry):
        return subprocess.run(command(clang, entry), cwd=entry["directory"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(compile_one, entries))
    wrong = [result for result in results if result.returncode]
    for result in wrong:
        print(result.stdout)
    print("%d files, %d with warnings" % (len(results), len(wrong)))
    return bool(wrong) or not results


if __name__ == "__main__":
    sys.exit(main())
