# SPDX-License-Identifier: MIT
"""Rows of `make bench` about whole programs: what a launch, a first kernel and a trace cost.

CPU time is that of the program, of probe-run and of all processes that it started.
"""
import statistics

LAUNCHES = 100000
TRACED = {"matmul": 1, "transpose": 1, "reduction": 2}


def empty_launches(bench):
    """By kind; less the same program with one launch, which has the cost of starting."""
    count = LAUNCHES - 1
    ways = {"bare": (bench.work / "kernels", None), "not instrumented": (bench.work / "kernels", ["--no-instrumented"])}
    ways.update({kind: (bench.work / "kernels_all", ["--kind", kind]) for kind in ("count", "memory", "time", "trace")})
    for way, (program, options) in ways.items():
        wrap = [] if options is None else bench.probe_run(*options)
        costs = []
        for _ in range(3):
            one, many = (bench.usage([*wrap, program, "empty", str(n)])[0] for n in (1, LAUNCHES))
            costs.append((many - one) / count * 1e6)
        bench.row(f"empty kernel, {way}, CPU per launch", costs, "us", "at most 20")


def first_kernel(bench):
    """Start of a HIP program to the end of a first kernel."""
    runs = [bench.usage([bench.work / "kernels", "empty", "1"]) for _ in range(9)]
    bench.row("HIP program with one kernel, CPU", [cpu for cpu, _ in runs], "s", "at most 0.25")
    bench.row("HIP program with one kernel, resident", [peak for _, peak in runs], "MB", "at most 150")


def trace_run(bench):
    """A whole run with kind trace over the program as it is; the database over what the device wrote."""
    ratios = []
    for kernel, repeats in TRACED.items():
        values = []
        for _ in range(2):
            bare = bench.usage([bench.work / "kernels", kernel, str(repeats)])[0]
            values.append(bench.usage([*bench.probe_run("--kind", "trace"), bench.work / "kernels_all", kernel,
                                       str(repeats)])[0] / bare)
        bench.row(f"trace, {kernel}, CPU of the run / bare", values, "ratio", "-")
        ratios.append(statistics.median(values))
        db = bench.database()
        written = db.execute("SELECT value FROM probe_account WHERE stream='trace' AND name='bytes'").fetchone()[0]
        pages = db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
        bench.row(f"trace, {kernel}, database / written by the device", pages / written, "", "at most 0.6")
    bench.row(f"trace, CPU of the run / bare, mean of {len(ratios)}", statistics.geometric_mean(ratios), "ratio",
              "at most 3")


PARTS = (empty_launches, first_kernel, trace_run)
