#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
random_options.py BIN COUNT [SEED]: random options, values and PROBE_ variables for probe-run and probe-report. Each
ends with a documented status, and with a sentence if that is not 0.
"""
import os
import random
import subprocess
import sys

VALUES = ["", "0", "1", "-1", "x", "4294967296", "99999999999999999999", "%", "%pid", "%env{", "%rank%", "a" * 5000, "\t\n", "\xff\xfe",
          "memory", "trace,count", "memory:", "memory:::", "log:file=%n%", ",", "0:0:0", "1-", "-5", "3-1", "every=0", "sample=0", "drop",
          "[", "(", "a{99999999}", "*", "/", "/dev/null/x", "..", "all", "none", "json", "csv", "1e999", "0x10", "+line,-", "*=?"]
VARIABLES = ["PROBE_KIND", "PROBE_WHEN_FULL", "PROBE_INSTRUMENTED", "PROBE_KERNEL_INCLUDE", "PROBE_DISPATCHES", "PROBE_GROUPS_X",
             "PROBE_DEVICE", "PROBE_SOCKET", "PROBE_VERBOSE", "TMPDIR", "XDG_RUNTIME_DIR", "HSA_TOOLS_LIB",
             "LD_PRELOAD_NOT", "COLUMNS", "TERM", "NO_COLOR"]
STATUSES = {"probe-run": (0, 1, 2, 3, 125, 126, 127), "probe-report": (0, 1, 2)}


def main():
    binaries, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    failed = 0
    for program, statuses in STATUSES.items():
        path = os.path.join(binaries, program)
        if program == "probe-run":
            options = subprocess.run([path, "--print-options"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
            verbs = ["--print-env"]
        else:
            options = ["--format=", "--fields=", "--sort=", "--limit=", "--kernel=", "--source-dir=", "--color=", "--last=", "--all", "-d",
                       "--by=", "--fail-on=", "--baseline=", "-o", "--runs", "--unfold", "--no-such-option", "-q"]
            verbs = ["lines", "kernels", "samples", "annotate", "info", "list", "tables", "check", "diff", "export", "flame", "doctor",
                     "nonsense", ""]
        options = [option for option in options if option not in ("--recover=", "--list")]
        for number in range(count):
            words = [rng.choice(verbs)]
            for _ in range(rng.randrange(5)):
                option = rng.choice(options)
                value = rng.choice(VALUES)
                words += [option + value] if option.endswith("=") else rng.choice([[option], [option, value]])
            if program == "probe-report":
                words.append(rng.choice(["/nonexistent.db", "/dev/null", path]))
            environment = dict(os.environ)
            for _ in range(rng.randrange(3)):
                environment[rng.choice(VARIABLES)] = rng.choice(VALUES)
            run = subprocess.run([path] + words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, check=False)
            if run.returncode not in statuses or (run.returncode and not run.stderr.strip()):
                failed += 1
                print("%s %d: status %d of %r: %r" % (program, number, run.returncode, words, run.stderr[:200]))
    print("%d of %d failed" % (failed, 2 * count))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
