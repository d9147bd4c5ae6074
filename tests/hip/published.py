# SPDX-License-Identifier: MIT
"""Compares what the program `published` prints with published_figures.csv.

usage: published.py PROGRAM FIGURES.csv

Prints a table, then fails if a figure that the model was not fitted to is too far off: more than 15 %
in the median, or more than 30 % for more than one in ten of them; or if a rate is above what the
hardware can do.
"""
import csv
import statistics
import subprocess
import sys

# MI210: 104 units at 1.7 GHz; HBM 4096 bits wide at 3.2 Gbit/s.
PEAK = {"hbm": 1638.4, "l2": 104 * 64 * 1.7, "l1": 104 * 64 * 1.7, "lds": 104 * 128 * 1.7,
        "fma": 22.63, "mfma_f16": 181.0, "mfma_bf16": 181.0, "mfma_i8": 181.0, "mfma_f32": 45.3,
        "mfma_f64": 45.3}


def peak(name):
    if not name.endswith(("_gb", "_tflops")):
        return float("inf")
    return next(value for key, value in PEAK.items() if name.startswith(key + "_"))


def main():
    program, figures = sys.argv[1:]
    done = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True)
    ours = {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}
    bad = [f"{name}: {value:g} is above the peak, {peak(name):g}" for name, value in ours.items()
           if value > peak(name)]
    errors = []
    with open(figures, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            value, want = ours[row["figure"]], float(row["hardware"])
            error = abs(value / want - 1)
            print(f"{row['figure']:34} {want:>12.6g} {value:>12.6g} {100 * (value / want - 1):+6.1f} % {row['kind']}")
            if row["kind"] == "other":
                errors.append(error)
    errors.sort()
    print(f"not fitted: {len(errors)}, median error {100 * statistics.median(errors):.1f} %, "
          f"nine in ten within {100 * errors[len(errors) * 9 // 10 - 1]:.1f} %")
    if statistics.median(errors) > 0.15 or sum(error > 0.3 for error in errors) > len(errors) / 10:
        bad.append("the figures that were not fitted are too far off")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
