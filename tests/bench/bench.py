#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measure what the README claims: prints a table and writes BUILD/bench.json.

    bench.py BUILD [--parts NAME,...]

A part is a function below or in one of the bench_*.py; after each, its time is printed.

Every figure is a median of several runs with its spread (largest - smallest, as a share of the
median). Ratios are measured side by side, runs of both sides alternating. Nothing here passes or
fails: machines are noisy. The yardstick is what the figure is held against.
"""
import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

import bench_codeobj
import bench_ingest
import bench_launches
import bench_sampling
import bench_probes
import bench_sim

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Bench:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.work = self.build / "bench"
        self.rows = []
        self.run_program = self.build / "bin" / "probe-run"
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    # -- running ------------------------------------------------------------------------------

    def environment(self, **extra):
        env = dict(os.environ, LD_PRELOAD=str(self.build / "lib/probe/sim/libprobe-sim.so"), PROBE_SIM_THREADS="1")
        env.update(extra)
        return env

    def timed(self, command, **extra):
        start = time.perf_counter()
        done = subprocess.run(command, env=self.environment(**extra), cwd=self.work,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        took = time.perf_counter() - start
        if done.returncode:
            sys.exit(f"bench: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
        return took, done.stdout

    def usage(self, command, **extra):
        """CPU seconds with children that it waited for, and the largest resident size in MB."""
        child = subprocess.Popen(command, env=self.environment(**extra), cwd=self.work, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"bench: {' '.join(map(str, command))} ended with {child.returncode}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6

    def peak(self, command, **extra):
        """The largest resident size, MB."""
        return self.usage(command, **extra)[1]

    def probe_run(self, *options):
        shutil.rmtree(self.work / "out", ignore_errors=True)
        return [self.run_program, "--device=sim", "-q", "--force", "-d", self.work / "out", *options, "--"]

    def stats(self, command, **extra):
        """Run on the simulator; one dict per dispatch, from its own counters."""
        path = self.work / "stats.json"
        path.unlink(missing_ok=True)
        self.timed(command, PROBE_SIM_STATS=str(path), **extra)
        return [json.loads(line) for line in path.read_text().splitlines()]

    def database(self):
        found = list((self.work / "out").glob("*/*.db"))
        if len(found) != 1:
            sys.exit(f"bench: expected one database, found {len(found)}")
        return sqlite3.connect(found[0])

    # -- reporting ----------------------------------------------------------------------------

    def row(self, name, values, unit, yardstick):
        values = values if isinstance(values, list) else [values]
        median = statistics.median(values)
        spread = (max(values) - min(values)) / median if median else 0.0
        self.rows.append({"name": name, "value": median, "unit": unit, "yardstick": yardstick,
                          "spread": round(spread, 4)})
        print(f"{name:<46} {median:>12.4g} {unit:<22} {spread * 100:5.1f} %  {yardstick}", flush=True)

    def finish(self):
        (self.build / "bench.json").write_text(json.dumps(self.rows, indent=1) + "\n")
        print(f"\nwritten: {self.build / 'bench.json'}")


def compile_kernels(bench):
    plugin = subprocess.run([bench.build / "bin/probe-config", "--pass-plugin"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    source = SOURCE / "tests/bench/kernels.hip"
    for name, kinds in (("kernels", None), ("kernels_all", "memory,trace,time,count")):
        subprocess.run(["hipcc", "--offload-arch=gfx90a", "-g", "-O2", *([f"-fpass-plugin={plugin}"] if kinds else []),
                        source, "-o", bench.work / name], check=True, env=dict(os.environ, PROBE_KINDS=kinds or "memory"))


def trace_bytes(bench):
    bench.timed([*bench.probe_run("--kind", "trace"), bench.build / "examples/strided_copy"])
    db = bench.database()
    written = db.execute("SELECT value FROM probe_account WHERE stream='trace' AND name='bytes'").fetchone()[0]
    records = db.execute("SELECT value FROM probe_account WHERE stream='trace' AND name='stored'").fetchone()[0]
    accesses = db.execute("SELECT sum(executions) FROM probe_memory_site").fetchone()[0]
    bench.row("trace, bytes per record, affine, whole wave", written / records, "B", "at most 32; reference 832")
    bench.row("trace, bytes per access, waves' own included", written / accesses, "B", "reference 832")
    stored = db.execute("SELECT sum(length(spans) + length(bytes)) FROM probe_record").fetchone()[0]
    bench.row("trace, bytes stored per byte that the device wrote", stored / written, "", "at most 0.6")


ACCESS_HANDLERS = ("memory", "divergence", "heatmap", "cache", "log", "race")
MEMORY_YARDSTICKS = {"affine, coalesced": "at least 30; reference 0.31",
                     "affine, coalesced, place changing": "at least 30",
                     "affine, one line per lane": "at least 30; reference 0.18",
                     "LDS, no conflict": "at least 30",
                     "LDS, 32-way conflict": "at least 2",
                     "LDS, 32-way conflict, no stride": "at least 2",
                     "tile through LDS": "at least 30",
                     "random gather": "at least 5"}


SCATTERED = {(handler, name) for handler in ("cache", "heatmap")
             for name in ("affine, one line per lane", "random gather")}


def rates_of(bench, names, runs):
    command = [bench.build / "bin/bench_handler", *(bench.build / f"lib/probe/handlers/{name}.so" for name in names)]
    rates = {}
    for _ in range(runs):
        for line in bench.timed(command)[1].splitlines():
            name, rate = line.rsplit(" ", 1)
            rates.setdefault(name, []).append(float(rate))
    return rates


def handler_speed(bench):
    """Records per second on one core, through the public ABI; log writes to a file."""
    for name, values in rates_of(bench, ["memory"], 5).items():
        bench.row(f"memory handler, {name}", values, "M records/s", MEMORY_YARDSTICKS[name])
    for handler in ACCESS_HANDLERS[1:]:
        for name, values in rates_of(bench, [handler], 1).items():
            bench.row(f"{handler} handler, {name}", values, "M records/s",
                      "at least 5" if (handler, name) in SCATTERED else "-")
    for name, values in rates_of(bench, ACCESS_HANDLERS, 3).items():
        bench.row(f"all six together, {name}", values, "M records/s", "at least 2")


def simulator_launches(bench):
    """Tiny kernels in a row, and what a program that has no data of its own weighs."""
    count = 200000
    rates, peaks = [], []
    for _ in range(5):
        rates.append(count / float(bench.timed([bench.work / "kernels", "empty", str(count)])[1].split()[1]) / 1e3)
        peaks.append(bench.peak([bench.work / "kernels", "empty", "1000"]))
    bench.row("simulator, empty kernels launched in a row", rates, "k/s", "at least 30")
    bench.row("simulator, memory of a program without data", peaks, "MB", "at most 200")


def start_up(bench):
    app = [bench.work / "kernels", "empty", "1"]
    bare, run = [], []
    for _ in range(15):
        bare.append(bench.timed(app)[0])
        command = [*bench.probe_run(), *app]
        run.append(bench.timed(command)[0])
    bench.row("HIP program alone, on the simulator", [t * 1e3 for t in bare], "ms", "at most 350")
    bench.row("start-up of probe-run over the program",
              [(r - b) * 1e3 for r, b in zip(run, bare)], "ms", "at most 50")


def dispatch_cost(bench):
    count = 5000
    app = [bench.work / "kernels", "empty", str(count)]
    costs = []
    for _ in range(5):
        bare = float(bench.timed(app)[1].split()[1])
        seen = float(bench.timed([*bench.probe_run("--no-instrumented"), *app])[1].split()[1])
        costs.append((seen - bare) / count * 1e6)
    bench.row("uninstrumented dispatch, added cost", costs, "us", "under 2")


PARTS = (*bench_sim.PARTS, *bench_launches.PARTS, *bench_probes.PARTS, *bench_sampling.PARTS, *bench_codeobj.PARTS,
         *bench_ingest.PARTS, trace_bytes, handler_speed, simulator_launches, start_up, dispatch_cost)


def chosen_parts(text):
    parts = {part.__name__: part for part in PARTS}
    names = text.replace(",", " ").split() or list(parts)
    unknown = [name for name in names if name not in parts]
    if unknown:
        sys.exit(f"bench: no part is called {unknown[0]}; expected {', '.join(parts)}")
    return [parts[name] for name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--parts", default="", help="only these parts, separated by commas or spaces")
    args = parser.parse_args()
    parts = chosen_parts(args.parts)
    bench = Bench(args.build)
    print(f"{'what':<46} {'median':>12} {'unit':<22} {'spread':>7}  yardstick")
    compile_kernels(bench)
    for part in parts:
        start = time.perf_counter()
        part(bench)
        bench.row(f"time of part {part.__name__}", time.perf_counter() - start, "s", "-")
    bench.finish()


if __name__ == "__main__":
    main()
