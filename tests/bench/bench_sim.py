# SPDX-License-Identifier: MIT
"""Rows of `make bench` about the simulator: kernels per vector level, and side by side with pocl.

A kernel's rate is its lane-operations over the host time of its dispatches, both from the
simulator's own counters, on one thread. The first dispatches of a process are interpreted until the
translation of their code is there, so each run makes several and the slowest ones count as well.
"""
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = {"saxpy": 6, "matmul": 3, "transpose": 3, "reduction": 6, "stencil": 3, "histogram": 4}
RUNS = 3
# Waves of kernels that contend for one place or wait for each other; 3,328 is all that the GPU holds.
CONTENDED = {"print_once": (1, 64, 1024, 4096), "print_lanes": (1024, 4096), "swap_sum": (1024, 4096),
             "spin_lock": (1024, 4096), "ticket_lock": (1024, 3328), "grid_barrier": (1024, 3328), "grid_sync": (1024, 3328),
             "allocate": (1024, 4096), "spin_clock": (1024, 3328)}
MATRIX_INSTRUCTIONS = 4 * 4 * 2000  # in a launch of matrix.hip: waves, accumulators, iterations
LEVELS = {"avx512": "at least 2.0", "avx2": "at least 1.2", "base": "-"}


def host_has(level):
    flags = pathlib.Path("/proc/cpuinfo").read_text().split("flags", 1)[-1].split("\n", 1)[0].split()
    return level == "base" or {"avx512": "avx512dq", "avx2": "avx2"}[level] in flags


def rate(bench, kernel, **env):
    mine = [d for d in bench.stats([bench.work / "kernels", kernel, str(KERNELS[kernel])], **env)
            if kernel in d["kernel"]]
    return sum(d["lane_ops"] for d in mine) / sum(d["host_ns"] for d in mine)


def per_launch(output, repeats):
    return float(output.split()[1]) / repeats


def simulator_speed(bench):
    for level, yardstick in LEVELS.items():
        if not host_has(level):
            continue
        for kernel in KERNELS:
            rates = [rate(bench, kernel, PROBE_SIM_ISA=level) for _ in range(RUNS)]
            bench.row(f"simulator, {kernel}, {level}, one thread", rates, "G lane-op/s", yardstick)


def compared(bench, name, kernel, this, other, yardstick):
    """Ratio of rates, sides alternating."""
    pairs = [(rate(bench, kernel, **this), rate(bench, kernel, **other)) for _ in range(RUNS)]
    bench.row(name, [a / b for a, b in pairs], "ratio", yardstick)


def simulator_model(bench):
    for kernel in KERNELS:
        compared(bench, f"simulator, {kernel}, model on / off", kernel,
                 {"PROBE_SIM_MODEL": "1"}, {"PROBE_SIM_MODEL": "0"}, "at least 0.5")


def simulator_translation(bench):
    for kernel in KERNELS:
        compared(bench, f"simulator, {kernel}, translated / interpreted", kernel,
                 {"PROBE_SIM_JIT": "1"}, {"PROBE_SIM_JIT": "0"}, "-")


def simulator_threads(bench):
    if (os.cpu_count() or 1) < 2:
        return
    # HIP's waiting thread spins unless the program asks for sleep, and two CPUs are then too few.
    for kernel in KERNELS:
        for wait in ("spin", "sleep"):
            compared(bench, f"simulator, {kernel}, two threads / one, host: {wait}", kernel,
                     {"PROBE_SIM_THREADS": "2", "BENCH_WAIT": wait}, {"PROBE_SIM_THREADS": "1", "BENCH_WAIT": wait},
                     "at least 1.7")


def simulator_pocl(bench):
    program = bench.build / "bin/bench_opencl"
    if not program.exists():
        print("pocl: not built (cmake/packages.sh bench installs what it needs)")
        return
    # One thread for pocl, and without the simulator's entry in the library path.
    env = dict(os.environ, POCL_MAX_PTHREAD_COUNT="1")
    for model, yardstick in (("1", "at least 0.25"), ("0", "at least 0.6")):
        compare_pocl(bench, program, env, model, yardstick)


def compare_pocl(bench, program, env, model, yardstick):
    name, medians = "model on" if model == "1" else "model off", []
    for kernel, repeats in KERNELS.items():
        ratios = []
        for _ in range(RUNS):
            _, mine = bench.timed([bench.work / "kernels", kernel, str(repeats)], PROBE_SIM_MODEL=model)
            done = subprocess.run([program, HERE / "kernels.cl", kernel, str(repeats)], env=env,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode:
                sys.exit(f"bench: {kernel} under pocl ended with {done.returncode}:\n{done.stderr}")
            ratios.append(per_launch(done.stdout, repeats) / per_launch(mine, repeats))
        bench.row(f"simulator / pocl, {kernel}, {name}, one thread", ratios, "speed ratio", "-")
        medians.append(statistics.median(ratios))
    bench.row(f"simulator / pocl, {name}, geometric mean", statistics.geometric_mean(medians), "speed ratio", yardstick)


def simulator_memory(bench):
    """What the process holds at most, less the application's own buffers on device and host."""
    app = 2 * 2 * 4096 * 4096 * 4  # saxpy: two vectors, on both sides
    child = subprocess.Popen([bench.work / "kernels", "saxpy", "2"], env=bench.environment(),
                             cwd=bench.work, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"bench: kernels saxpy ended with {status}")
    bench.row("simulator, memory beyond the application's", (usage.ru_maxrss * 1024 - app) / 1e6, "MB",
              "at most 200")


def simulator_matrix(bench):
    """Host time of a matrix instruction of a wave, with the loop around it."""
    subprocess.run(["hipcc", "--offload-arch=gfx90a", "-O2", HERE / "matrix.hip", "-o", bench.work / "matrix"], check=True)
    for kind in ("i8", "bf16", "f16", "f32"):
        values = []
        for _ in range(RUNS):
            mine = [d for d in bench.stats([bench.work / "matrix", kind]) if kind in d["kernel"]]
            values.append(sum(d["host_ns"] for d in mine) / (len(mine) * MATRIX_INSTRUCTIONS) / 1e3)
        bench.row(f"simulator, matrix instruction, {kind}, 32x32", values, "us", "at most 2")


def simulator_contention(bench):
    """CPU of whole programs, whose other thread spins in ROCr while it waits."""
    subprocess.run(["hipcc", "--offload-arch=gfx90a", "-O2", HERE / "contention.hip", "-o", bench.work / "contention"], check=True)
    for kernel, counts in CONTENDED.items():
        for waves in counts:
            cpu = bench.usage([bench.work / "contention", kernel, str(waves)])[0]
            bench.row(f"simulator, {kernel}, {waves} waves, CPU", cpu, "s", "at most 10")


PARTS = (simulator_speed, simulator_model, simulator_translation, simulator_threads, simulator_pocl,
         simulator_memory, simulator_matrix, simulator_contention)
