# SPDX-License-Identifier: MIT
"""Rows of `make bench` about debug information: how fast lines are loaded and looked up."""
import subprocess

FUNCTIONS, STATEMENTS = 100, 1500


def big_object(bench):
    """A library with some hundred thousand line rows, as a compiler writes them."""
    source, library = bench.work / "big.c", bench.work / "big.so"
    body = "".join(f"\tp[{k % 64}] += p[{k * 7 % 64}];\n" for k in range(STATEMENTS))
    source.write_text("".join(f"int f{i}(volatile int *p)\n{{\n{body}\treturn p[0];\n}}\n"
                              for i in range(FUNCTIONS)))
    subprocess.run(["gcc", "-g", "-O0", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def line_tables(bench):
    library = big_object(bench)
    units = {"decode": ("line rows loaded, child and checks included", "M rows/s of CPU", "at least 3"),
             "search": ("lines looked up by search", "M/s of CPU", "-"),
             "index": ("lines looked up by index", "M/s of CPU", "at least 15")}
    rates = {}
    for _ in range(5):
        for line in bench.timed([bench.build / "bin/bench_lines", library])[1].splitlines():
            name, rate = line.rsplit(" ", 1)
            rates.setdefault(name, []).append(float(rate))
    for name, (title, unit, yardstick) in units.items():
        bench.row(title, rates[name], unit, yardstick)


PARTS = (line_tables,)
