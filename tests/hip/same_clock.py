# SPDX-License-Identifier: MIT
"""Counters per instruction (PROBE_SIM_PC) change how code runs, and each instruction is issued by itself, where plain
ones are otherwise issued together (simgpu/time/wave_issue.c). Vector level `base` (PROBE_SIM_ISA) has a copy of the
cost model of its own. The clock and the counters of every dispatch must be the same with and without both.

usage: same_clock.py SCRATCH_FILE PROGRAM...
"""
import json
import os
import pathlib
import subprocess
import sys


def dispatches(program, path, **environment):
    path.unlink(missing_ok=True)
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, PROBE_SIM_STATS=str(path), **environment))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{key: value for key, value in row.items() if key != "host_ns"} for row in rows]


def main():
    path = pathlib.Path(sys.argv[1])
    for program in sys.argv[2:]:
        at_once = dispatches([program], path)
        one_by_one = dispatches([program], path, PROBE_SIM_PC="1", PROBE_SIM_ISA="base")
        if len(at_once) != len(one_by_one) or not any(row["cycles"] for row in at_once):
            sys.exit(f"{program}: {len(at_once)} dispatches, and {len(one_by_one)}")
        for number, (a, b) in enumerate(zip(at_once, one_by_one)):
            if a != b:
                sys.exit(f"{program}: dispatch {number} differs:\n{a}\n{b}")
        print(f"{program}: {len(at_once)} dispatches are the same")


if __name__ == "__main__":
    main()
