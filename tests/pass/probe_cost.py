#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the `memory` kind costs: instructions of a program's clones over those of its kernels.

    probe_cost.py BUILD HIPCC SOURCE LIMIT

Both are dynamic counts of the simulated GPU, which are the same on every run and machine. The test fails if
the ratio is above LIMIT. With PROBE_DISABLE=<mechanism>,... in the environment it shows what a mechanism
saves (docs/mechanisms.md).
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]


def compile_program(hipcc, source, output, flags=()):
    subprocess.run([hipcc, "--offload-arch=gfx90a", "-g", "-O2", "-I", TREE / "include", *flags, source, "-o", output],
                   check=True, env=dict(os.environ, PROBE_KINDS="memory"))


def instructions(build, command, stats):
    """Dynamic instructions and dispatches by kernel, a clone under its original's name; and the clones' names."""
    env = dict(os.environ, LD_PRELOAD=str(build / "lib/probe/sim/libprobe-sim.so"), PROBE_SIM_STATS=str(stats))
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
    sums, clones = {}, set()
    for line in stats.read_text().splitlines():
        dispatch = json.loads(line)
        match = re.match(r"__probe_memory_(.*)", dispatch["kernel"])
        name = match[1] if match else dispatch["kernel"]
        count, total = sums.get(name, (0, 0))
        sums[name] = count + 1, total + dispatch["insts"]
        if match:
            clones.add(name)
    return sums, clones


def main():
    build, hipcc, source, limit = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])
    plugin = build / "lib/probe/llvm-15/libprobe.so"
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        compile_program(hipcc, source, work / "plain")
        compile_program(hipcc, source, work / "probed", [f"-fpass-plugin={plugin}"])
        before, _ = instructions(build, [work / "plain"], work / "plain.json")
        record = [build / "bin/probe-run", "--device=sim", "-q", "-d", work / "out", "--kind", "memory", "--"]
        after, clones = instructions(build, [*record, work / "probed"], work / "probed.json")
    if not clones:
        sys.exit(f"{source}: no clone ran")
    for name in clones:
        if after[name][0] != before[name][0]:
            sys.exit(f"{source}: {after[name][0]} dispatches of {name} with probes, {before[name][0]} without")
    ratio = sum(after[name][1] for name in clones) / sum(before[name][1] for name in clones)
    print(f"{pathlib.Path(source).stem}: {ratio:.3f} times the instructions, limit {limit}")
    sys.exit(ratio > limit)


if __name__ == "__main__":
    main()
