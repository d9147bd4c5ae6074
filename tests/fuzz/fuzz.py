#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz.py BUILD FUZZ_BUILD [NAME...]: runs each fuzzer for FUZZ_SECONDS (3600), from FUZZ_SEED (1) on. Those that
have a corpus are targets with libFuzzer in FUZZ_BUILD, which collect new inputs in FUZZ_BUILD/inputs/NAME. The
others are generators: programs that try COUNT inputs from a SEED on, one batch after the other. Each failing input
(of a generator: its command line and its output) becomes a file in FUZZ_BUILD/findings/NAME. Goal R6 of
docs/reliability.md."""
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FINDINGS_MAX = 20  # of a fuzzer; then it is stopped
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1")
# Larger allocations fail there, as in the child processes that read debug information: libdwarf asks for as much as a
# count in the file says.
LIMITED = ("debug_info",)
# Their allocations live as long as the process, by design.
NO_LEAK_CHECK = ("environment",)


def generators(build):
    """Name: the command line of a batch, by its number, and how many inputs it tries."""
    python, binaries = sys.executable, os.path.join(build, "bin")
    kernels = [python, f"{HERE}/compile_kernels.py", "--clang", "/usr/lib/llvm-15/bin/clang++", "--plugin",
               f"{build}/lib/probe/llvm-15/libprobe.so", "--count", "20", "--seed"]
    return {"databases": (lambda n: [python, f"{HERE}/random_databases.py", binaries, "20", str(n)], 20),
            "kernels": (lambda n: kernels + [str(n)], 20),
            "options": (lambda n: [python, f"{HERE}/random_options.py", binaries, "20", str(n)], 40),
            "segments": (lambda n: [f"{binaries}/hostile_segments", "50", str(50 * n)], 50)}


def run_generator(command_of, inputs, seconds, seed, findings):
    tried = found = 0
    end = time.monotonic() + seconds
    number = seed * 1000000  # seeds are apart by more batches than an hour has
    while time.monotonic() < end and found < FINDINGS_MAX:
        command = command_of(number)
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if run.returncode:
            found += 1
            with open(f"{findings}/{number}", "wb") as file:
                file.write(" ".join(command).encode() + b"\n" + run.stdout)
        tried += inputs
        number += 1
    return tried, found


def run_target(program, name, seconds, seed, findings, own):
    tried = found = 0
    end = time.monotonic() + seconds
    leaks = [] if name not in NO_LEAK_CHECK else ["-detect_leaks=0"]
    environment = dict(ENVIRONMENT)
    if name in LIMITED:
        environment["ASAN_OPTIONS"] += ":max_allocation_size_mb=512"
    while time.monotonic() < end and found < FINDINGS_MAX:
        command = [program, f"-max_total_time={max(1, int(end - time.monotonic()))}", f"-seed={seed + found}",
                   f"-artifact_prefix={findings}/", "-print_final_stats=1", "-rss_limit_mb=2048", "-malloc_limit_mb=512",
                   "-timeout=20", "-close_fd_mask=1", "-verbosity=1"] + leaks + [own, f"{HERE}/corpus/{name}"]
        run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, check=False)
        text = run.stderr.decode(errors="replace")
        executed = re.findall(r"number_of_executed_units: *(\d+)", text) or re.findall(r"^#(\d+)", text, re.MULTILINE)
        tried += int(executed[-1]) if executed else 0
        if run.returncode:
            found += 1
            with open(f"{findings}/log-{seed + found}", "w") as file:
                file.write(text)
    return tried, found


def main():
    build, fuzz_build = (os.path.abspath(path) for path in sys.argv[1:3])
    seconds, seed = int(os.environ.get("FUZZ_SECONDS") or 3600), int(os.environ.get("FUZZ_SEED") or 1)
    batches = generators(build)
    names = sys.argv[3:] or sorted(os.listdir(f"{HERE}/corpus")) + sorted(batches)
    bad = 0
    for name in names:
        findings, own = (f"{fuzz_build}/{folder}/{name}" for folder in ("findings", "inputs"))
        os.makedirs(findings, exist_ok=True)
        os.makedirs(own, exist_ok=True)
        begin = time.monotonic()
        if name in batches:
            tried, found = run_generator(*batches[name], seconds, seed, findings)
        else:
            tried, found = run_target(f"{fuzz_build}/bin/fuzz_{name}", name, seconds, seed, findings, own)
        bad += found > 0 or not tried
        where = f": see {findings}" if found else ""
        print(f"{name}: {tried} inputs in {time.monotonic() - begin:.0f} s, {found} findings{where}", flush=True)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
