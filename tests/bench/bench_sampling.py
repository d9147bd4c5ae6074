# SPDX-License-Identifier: MIT
"""Rows of `make bench` about PC sampling: what it costs, and what samples weigh.

Costs are CPU time of probe-run and all its children, and simulated time by the simulator's own counters.
"""
import resource

STOCHASTIC = ("--pc-sampling-method=stochastic", "--pc-sampling-unit=cycles")
TRAP = ("--pc-sampling-method=host_trap", "--pc-sampling-unit=time")
KERNELS = {"matmul": 3, "transpose": 3, "histogram": 4}
WAYS = {"stochastic, every 256 cycles": (*STOCHASTIC, "--pc-sampling-interval=256"),
        "stochastic, every 65536 cycles": (*STOCHASTIC, "--pc-sampling-interval=65536"),
        "host trap, every 1 us": (*TRAP, "--pc-sampling-interval=1")}


def sampling_decoder(bench):
    rates = {}
    for _ in range(5):
        for line in bench.timed([bench.build / "bin/bench_pcsample"])[1].splitlines():
            name, rate = line.rsplit(" ", 1)
            rates.setdefault(name, []).append(float(rate))
    for name, values in rates.items():
        if name.endswith("_bytes"):
            bench.row(f"samples by dispatch, {name[11:-6]} places, packed", values, "B/sample", "at most 2")
        else:
            bench.row(f"samples decoded and counted, {name} places", values, "M/s, one core",
                      "at least 60" if not name.startswith("dispatches") else "-")


def cpu(bench, command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    bench.timed(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sampling_cost(bench):
    for kernel, repeats in KERNELS.items():
        app = [bench.work / "kernels", kernel, str(repeats)]
        for way, options in WAYS.items():
            ratios = []
            for _ in range(3):
                plain = cpu(bench, [*bench.probe_run("--no-instrumented"), *app])
                ratios.append(cpu(bench, [*bench.probe_run(*options), *app]) / plain)
            bench.row(f"CPU time sampled / not, {kernel}, {way}", ratios, "ratio", "at most 1.3")


def sampling_time(bench):
    for kernel, repeats in KERNELS.items():
        def cycles(*options):
            mine = [d for d in bench.stats([*bench.probe_run(*options), bench.work / "kernels", kernel, str(repeats)])
                    if kernel in d["kernel"]]
            return (sum(d["cycles"] for d in mine), sum(d["counters"]["TRAP_CYCLES"] for d in mine))
        plain = cycles("--no-instrumented")[0]
        for way, options in WAYS.items():
            sampled, trapped = cycles(*options)
            bench.row(f"simulated time changed, {kernel}, {way}", (sampled / plain - 1) * 100, "%",
                      "0" if "stochastic" in way else f"wave cycles in the handler: {trapped}")


def sampling_bytes(bench):
    for kernel, repeats in KERNELS.items():
        bench.timed([*bench.probe_run(*WAYS["stochastic, every 256 cycles"]), bench.work / "kernels", kernel, str(repeats)])
        db = bench.database()
        samples = db.execute("SELECT sum(samples) FROM probe_sample").fetchone()[0]
        size = db.execute("SELECT sum(pgsize) FROM dbstat WHERE name IN ('probe_sample', 'probe_state', "
                          "'probe_sampled', 'probe_profile')").fetchone()[0]
        bench.row(f"database, {kernel}, {samples} samples", size / samples, "B/sample", "at most 2")


PARTS = (sampling_decoder, sampling_cost, sampling_time, sampling_bytes)
