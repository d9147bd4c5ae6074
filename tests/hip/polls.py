# SPDX-License-Identifier: MIT
"""Waves that only poll are not simulated round by round (simgpu/time/idle_polls.c), unless
PROBE_SIM_POLLS=0. Loops that read the clock take the same time within a thousandth and execute the
same number of instructions either way, other loops the same time within 2 %.

usage: polls.py PROGRAM SCRATCH_FILE
"""
import json
import os
import pathlib
import subprocess
import sys

SKIPPED = {"spin_time", "spin_cycles", "spin_stairs"}  # reading the clock and nothing else
EQUAL = {"spin_limited", "sum_of_clocks"}
POLLED = {"wait_for_flag"}


def dispatches(program, path, polls):
    path.unlink(missing_ok=True)
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, PROBE_SIM_STATS=str(path), PROBE_SIM_POLLS=polls))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if any(name in row["kernel"] for name in SKIPPED | EQUAL | POLLED)]


def far(a, b, part):
    return abs(a - b) > part * b


def check(fast, full):
    name = next(name for name in SKIPPED | EQUAL | POLLED if name in full["kernel"])
    cycles, insts = (fast["cycles"], full["cycles"]), (fast["insts"], full["insts"])
    print(f"{name}: {cycles[0]} cycles, {cycles[1]} with all rounds; {insts[0]} and {insts[1]} instructions")
    if name in EQUAL:
        return cycles[0] == cycles[1] and insts[0] == insts[1]
    if name in POLLED:
        return not far(*cycles, 0.02) and insts[0] < insts[1]
    return not far(*cycles, 0.001) and not far(*insts, 0.001)


def main():
    program, path = [sys.argv[1]], pathlib.Path(sys.argv[2])
    fast, full = dispatches(program, path, "1"), dispatches(program, path, "0")
    wrong = sum(not check(a, b) for a, b in zip(fast, full))
    if len(fast) != 7 or len(full) != 7 or wrong:
        sys.exit(f"{len(fast)} and {len(full)} kernels, {wrong} differ")


if __name__ == "__main__":
    main()
