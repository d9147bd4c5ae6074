# SPDX-License-Identifier: MIT
"""Rows of `make bench`: what probes cost on the simulated GPU, per kind, over a set of programs.

A program is compiled twice, without and with the plugin, and run as it is and under probe-run with
each kind. Compared are the kernels that ran as clones, by the simulator's own counters: dynamic
instructions, simulated time, vector registers, and the waves a SIMD can hold.

PROBE_BENCH_PROGRAMS names a file with more programs, one to a line: name, the program without
probes, the same with probes (built with -fpass-plugin and PROBE_KINDS as below), arguments;
separated by tabs, and an optional fifth field, the directory to run in.
"""
import os
import pathlib
import re
import shlex
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = ("transpose", "strided_copy", "reduction", "histogram", "convolution")
TESTS = ("matmul", "stencils", "sorting", "hashing", "physics")
FAMILIES = ("neural", "dense", "graphs", "lists", "science")  # 47 kernels that nothing was tuned for
KINDS = {"count": 1.3, "memory": 2.0, "time": None, "trace": 3.0}  # the yardstick, if there is one


class Program:
    def __init__(self, name, plain, probed, arguments=(), directory=None):
        self.name, self.plain, self.probed = name, pathlib.Path(plain), pathlib.Path(probed)
        self.arguments, self.directory = list(arguments), directory


def known_kinds(bench, plugin):
    """Those that the plugin knows; it refuses others."""
    source = HERE.parents[1] / "examples" / "transpose.hip"
    return [kind for kind in KINDS
            if compile_one(source, bench.work / "try", plugin, [kind]).returncode == 0]


def compile_one(source, output, plugin=None, kinds=()):
    flags = ["-I", HERE.parents[1] / "include", *([f"-fpass-plugin={plugin}"] if plugin else [])]
    env = dict(os.environ, PROBE_KINDS=",".join(kinds) or "memory", PROBE_VERBOSE="1")
    return subprocess.run(["hipcc", "--offload-arch=gfx90a", "-g", "-O2", *flags, source, "-o", output],
                          env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def own_programs(bench, plugin, kinds):
    root = HERE.parents[1]
    sources = [root / "examples" / f"{name}.hip" for name in EXAMPLES]
    sources += [root / "tests/hip" / f"{name}.hip" for name in TESTS]
    for source in sources:
        plain, probed = bench.work / f"plain_{source.stem}", bench.work / f"probed_{source.stem}"
        done = [compile_one(source, plain), compile_one(source, probed, plugin, kinds)]
        if any(d.returncode for d in done):
            print(f"{source.stem}: does not compile:\n{done[0].stderr}{done[1].stderr}")
            continue
        growth = re.search(r"(\d+) instructions, and (\d+) in clones", done[1].stderr)
        program = Program(source.stem, plain, probed)
        program.growth = int(growth[2]) / len(kinds) / int(growth[1]) if growth else None
        yield program


def other_programs():
    listing = os.environ.get("PROBE_BENCH_PROGRAMS")
    for line in open(listing) if listing else ():
        name, plain, probed, arguments, *directory = line.rstrip("\n").split("\t")
        yield Program(name, plain, probed, shlex.split(arguments), directory[0] if directory else None)


def kernels(dispatches):
    """Sums by kernel; a clone under the name of its original."""
    sums = {}
    for d in dispatches:
        match = re.match(r"__probe_[a-z]+_(.*)", d["kernel"])
        name = match[1] if match else d["kernel"]
        row = sums.setdefault(name, {"count": 0, "insts": 0, "ticks": 0, "vgprs": 0, "clone": False})
        row["count"] += 1
        row["insts"] += d["insts"]
        row["ticks"] += d["end_tick"] - d["start_tick"]
        row["vgprs"] = max(row["vgprs"], d["vgprs"] + d["agprs"])
        row["clone"] |= bool(match)
    return sums


def waves(vgprs):
    """That a SIMD of a gfx90a holds: 512 registers to a lane, in eights, eight waves at most."""
    return min(8, 512 // max(8, (vgprs + 7) // 8 * 8))


def run(bench, program, *wrap):
    command = [*wrap, (program.probed if wrap else program.plain).resolve(), *program.arguments]
    if program.directory:
        command = ["env", "-C", program.directory, *command]
    return kernels(bench.stats(command))


def compare(plain, probed):
    """(instructions, time, more registers, fewer waves) or None."""
    both = [(plain[k], row) for k, row in probed.items()
            if row["clone"] and k in plain and plain[k]["count"] == row["count"]]
    if not both:
        return None
    return (sum(b["insts"] for _, b in both) / sum(a["insts"] for a, _ in both),
            sum(b["ticks"] for _, b in both) / max(1, sum(a["ticks"] for a, _ in both)),
            max(b["vgprs"] - a["vgprs"] for a, b in both),
            max(waves(a["vgprs"]) - waves(b["vgprs"]) for a, b in both))


def region_cost(bench, plugin):
    """Kind time, kernel by kernel, where each has regions."""
    source, plain, probed = HERE / "regions.hip", bench.work / "plain_regions", bench.work / "probed_regions"
    done = [compile_one(source, plain), compile_one(source, probed, plugin, ["time"])]
    if any(d.returncode for d in done):
        print(f"regions: does not compile:\n{done[0].stderr}{done[1].stderr}")
        return
    program = Program("regions", plain, probed)
    before, after = run(bench, program), run(bench, program, *bench.probe_run("--kind", "time"))
    for index, what in ((0, "instructions"), (1, "simulated time")):
        values = []
        for name in sorted(name for name, row in after.items() if row["clone"]):
            values.append(compare({name: before[name]}, {name: after[name]})[index])
            bench.row(f"time, regions, {name}, {what}", values[-1], "ratio", "-")
        bench.row(f"time, regions, {what}, geometric mean of {len(values)}",
                  statistics.geometric_mean(values), "ratio", "at most 1.1")


def families_cost(bench):
    """Each kernel of families/ by itself, so that none hides behind the others of its program."""
    plugin, kinds = pass_plugin(bench), tuple(KINDS)
    costs = {kind: {} for kind in kinds if kind != "time"}
    for name in FAMILIES:
        source = HERE / "families" / f"{name}.hip"
        plain, probed = bench.work / f"plain_{name}", bench.work / f"probed_{name}"
        done = [compile_one(source, plain), compile_one(source, probed, plugin, costs)]
        if any(d.returncode for d in done):
            print(f"{name}: does not compile:\n{done[0].stderr}{done[1].stderr}")
            continue
        program = Program(name, plain, probed)
        before = run(bench, program)
        for kind, cost in costs.items():
            after = run(bench, program, *bench.probe_run("--kind", kind))
            for kernel in after:
                row = compare(before, {kernel: after[kernel]})
                if row:
                    cost[f"{name} {kernel}"] = row
    for kind, cost in costs.items():
        for kernel, row in sorted(cost.items(), key=lambda item: -item[1][0]):
            bench.row(f"{kind}, families, {kernel}, instructions", row[0], "ratio", "-")
        summary(bench, f"{kind}, families", list(cost.values()), KINDS[kind])


def bytes_per_access(bench):
    account = "SELECT value FROM probe_account WHERE stream='trace' AND name='bytes'"
    written = bench.database().execute(account).fetchone()
    accesses = bench.database().execute("SELECT sum(executions) FROM probe_memory_site").fetchone()
    return written[0] / accesses[0] if written and accesses and accesses[0] else None


def summary(bench, kind, rows, bar):
    limit = f"at most {bar}" if bar else "-"
    for index, what in ((0, "instructions"), (1, "simulated time")):
        values = [row[index] for row in rows]
        bench.row(f"{kind}, {what}, geometric mean of {len(rows)}",
                  statistics.geometric_mean(values), "ratio", limit)
        bench.row(f"{kind}, {what}, worst", max(values), "ratio", "-")
    bench.row(f"{kind}, vector registers, most added", max(row[2] for row in rows), "registers", "-")
    bench.row(f"{kind}, waves per SIMD, most lost", max(row[3] for row in rows), "waves", "0")


def pass_plugin(bench):
    return subprocess.run([bench.build / "bin/probe-config", "--pass-plugin"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def probe_cost(bench):
    plugin = pass_plugin(bench)
    kinds = known_kinds(bench, plugin)
    results, sizes, growth = {kind: [] for kind in kinds}, [], []
    for program in (*own_programs(bench, plugin, kinds), *other_programs()):
        plain = run(bench, program)
        if getattr(program, "growth", None):
            growth.append(program.growth)
        for kind in kinds:
            row = compare(plain, run(bench, program, *bench.probe_run("--kind", kind)))
            if not row:
                continue
            results[kind].append(row)
            bench.row(f"{kind}, {program.name}, instructions", row[0], "ratio", "-")
            bench.row(f"{kind}, {program.name}, simulated time", row[1], "ratio", "-")
            if kind == "trace" and (size := bytes_per_access(bench)):
                sizes.append(size)
    for kind in kinds:
        if results[kind]:
            summary(bench, kind, results[kind], KINDS[kind])
    if "time" in kinds:
        region_cost(bench, plugin)
    if sizes:
        bench.row("trace, bytes per access, mean over programs", statistics.mean(sizes), "B", "at most 40")
    if growth:
        bench.row("IR of a clone over its original's", statistics.geometric_mean(growth), "ratio", "-")


PARTS = (probe_cost, families_cost)
