#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Does the modelled cost of findings (cmds/report/site_cost.h) rank them as samples of the original
kernels do? For the programs of tests/bench/families, on the simulated GPU: of all pairs of findings
of a program whose sampled costs differ by more than a factor of two, the share that the model puts in
the same order. It also prints the share for bytes of bandwidth, by which findings were ranked before.

usage: bench_ranking.py BUILD_DIR SOURCE_DIR [PROGRAM...]
"""
import itertools
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

FIELDS = "file,line,column,kernel,access,space,cycles,kernel_samples,finding,lines64_excess,lines128_excess,conflicts"
MODELS = {
    "cycles": lambda row: row["cycles"],
    "bytes": lambda row: max(64 * row["lines64_excess"], 128 * row["lines128_excess"]) + 128 * row["conflicts"],
}


def run(*words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def findings(build, database, cost):
    rows = json.loads(run(build / "bin/probe-report", "lines", "-q", "--format", "json", "-f", FIELDS, database))
    ret = {}
    for row in rows:
        if row["finding"] != 1 or row["cycles"] is None:
            continue
        key = tuple(row[name] for name in FIELDS.split(",")[:6])
        ret[key] = ret.get(key, 0) + cost(row)
    return ret


def measure(build, source, program, work):
    env = dict(os.environ, PROBE_KINDS="memory")
    plugin = run(build / "bin/probe-config", "--pass-plugin").strip()
    run("hipcc", "--offload-arch=gfx90a", "-g", "-O2", "-std=c++17", f"-fpass-plugin={plugin}",
        source / f"tests/bench/families/{program}.hip", "-o", work / program, env=env)
    run(build / "bin/probe-run", "-q", "--twice", "--device=sim", "-d", work / "run", "-o", "run.db", "--",
        work / program, stderr=subprocess.DEVNULL)
    shutil.copy(work / "run/run.db", work / "probed.db")
    with sqlite3.connect(work / "probed.db") as database:
        database.execute("DELETE FROM probe_sampled")
    # Kernels with too few samples use the model in both rankings.
    rows = json.loads(run(build / "bin/probe-report", "lines", "-q", "--format", "json", "-f", FIELDS,
                          work / "run/run.db"))
    enough = {tuple(row[name] for name in FIELDS.split(",")[:6]) for row in rows
              if (row["kernel_samples"] or 0) >= 100}
    sampled = findings(build, work / "run/run.db", MODELS["cycles"])
    return {key: value for key, value in sampled.items() if key in enough}


def concordant(sampled, modelled):
    """Pairs that differ by more than a factor of two, and those of them in the same order."""
    pairs = [(a, b) for a, b in itertools.combinations([key for key in sampled if key in modelled], 2)
             if 2 * min(sampled[a], sampled[b]) <= max(sampled[a], sampled[b])]
    return len(pairs), sum((sampled[a] - sampled[b]) * (modelled[a] - modelled[b]) > 0 for a, b in pairs)


def main(build, source, *programs):
    build, source = pathlib.Path(build).resolve(), pathlib.Path(source).resolve()
    totals = {name: [0, 0] for name in MODELS}
    for program in programs or ("dense", "graphs", "lists", "neural", "science"):
        with tempfile.TemporaryDirectory() as folder:
            sampled = measure(build, source, program, pathlib.Path(folder))
            for name, cost in MODELS.items():
                pairs, same = concordant(sampled, findings(build, pathlib.Path(folder) / "probed.db", cost))
                totals[name][0] += pairs
                totals[name][1] += same
                print(f"{program}: {name}: {same} of {pairs} pairs in the order of samples")
    for name, (pairs, same) in totals.items():
        print(f"all: {name}: {100 * same / max(pairs, 1):.1f} % of {pairs} pairs in the order of samples")


main(*sys.argv[1:])
