# SPDX-License-Identifier: MIT
"""Compares what `published` or `published_unseen` prints with published_figures.csv.

usage: published.py PROGRAM FIGURES.csv [PAGE.md]
       published.py --draw SEED FIGURES.csv

Prints a table of the program's figures, then fails if those that the model was not fitted to are too
far off: more than 15 % in the median, or more than 30 % for more than one in ten of them; or if a rate
is above what the hardware can do. The third set, that of published_unseen, has no limit on its errors:
more than one in ten are above 30 %. With PAGE.md, the page's table is replaced (with UPDATE=1 in the
environment).

--draw decides which figures the model may be fitted to: of those without a kind, so many at random
that half of all are "fitted"; the others become "other".
"""
import csv
import os
import pathlib
import random
import statistics
import subprocess
import sys

# MI210: 104 units at 1.7 GHz, HBM 4096 bits wide at 3.2 Gbit/s. MI300X: 304 units at 2.1 GHz.
PEAK = {"hbm": 1638.4, "stream": 1638.4, "jacobi": 1638.4, "transpose": 1638.4, "yax": 1638.4,
        **{f"laplacian{kernel}": 1638.4 for kernel in range(1, 8)}, "seis": 1638.4,
        "l2": 104 * 64 * 1.7, "l1": 104 * 64 * 1.7, "cache": 104 * 64 * 1.7, "lds": 104 * 128 * 1.7,
        "fma": 22.63, "mfma_f16": 181.0, "mfma_bf16_old": 90.5, "mfma_bf16": 181.0,
        "mfma_i8": 181.0, "mfma_f32": 45.3, "mfma_f64": 45.3,
        "mi300x_hbm": 5324.8, "mi300x_mall": 17200, "mi300x_l2": 304 * 64 * 2.1}
THIRD_SET, THIRD_SET_FIRST = "MI210, third set", "seis_x_r1_gb"
BEGIN, END = "<!-- published.py: {}: begin -->\n", "<!-- published.py: {}: end -->\n"


def peak(name):
    if not name.endswith(("_gb", "_tflops")):
        return float("inf")
    return next((value for key, value in PEAK.items() if name.startswith(key + "_")), float("inf"))


def draw(seed, path):
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    empty = [row for row in rows if not row["kind"]]
    count = len(rows) // 2 - sum(row["kind"] == "fitted" for row in rows)
    chosen = {row["figure"] for row in random.Random(seed).sample(empty, max(0, count))}
    for row in empty:
        row["kind"] = "fitted" if row["figure"] in chosen else "other"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def summary(errors):
    within = sum(error <= 0.3 for error in errors)
    return (f"{len(errors)} figures, median error {100 * statistics.median(errors):.1f} %, "
            f"{within} within 30 %")


def tables(rows):
    """The rows of each of the page's tables. One program measures all figures of a table."""
    found = {"MI210": [], THIRD_SET: [], "MI300X": []}
    name = "MI210"
    for row in rows:
        if row["figure"] == THIRD_SET_FIRST:
            name = THIRD_SET
        found["MI300X" if row["figure"].startswith("mi300x_") else name].append(row)
    return found


def relative_error(value, want):
    if want == 0:
        return 0 if value == 0 else float("inf")
    return value / want - 1


def replace_table(page, table, rows, lines):
    begin, end = (mark.format(table) for mark in (BEGIN, END))
    text = page.read_text(encoding="utf-8")
    head, rest = text.split(begin)
    body = ["| figure | hardware | simulated | error | |\n", "|---|---|---|---|---|\n"]
    body += [f"| `{row['figure']}` | {want:g} | {value:.5g} | {100 * relative_error(value, want):+.1f} % | "
             f"{'fitted' if row['kind'] == 'fitted' else ''} |\n" for row, want, value in rows]
    page.write_text(head + begin + "".join(line + "\n" for line in lines) + "\n" + "".join(body) +
                    end + rest.split(end)[1], encoding="utf-8")


def main():
    if sys.argv[1] == "--draw":
        draw(int(sys.argv[2]), pathlib.Path(sys.argv[3]))
        return
    program, figures = sys.argv[1:3]
    done = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True)
    ours = {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}
    bad = [f"{name}: {value:g} is above the peak, {peak(name):g}" for name, value in ours.items()
           if value > peak(name)]
    rows, errors = [], {"fitted": [], "other": []}
    with open(figures, encoding="utf-8") as file:
        measured = tables(csv.DictReader(file))
    table = next(name for name, its_rows in measured.items() if its_rows[0]["figure"] in ours)
    for row in measured[table]:
        value, want = ours[row["figure"]], float(row["hardware"])
        error = relative_error(value, want)
        print(f"{row['figure']:34} {want:>12.6g} {value:>12.6g} {100 * error:+6.1f} % {row['kind']}")
        rows.append((row, want, value))
        errors[row["kind"]].append(abs(error))
    lines = [f"Not fitted: {summary(errors['other'])}.", f"Fitted: {summary(errors['fitted'])}."]
    print("\n".join(lines))
    if len(sys.argv) > 3 and os.environ.get("UPDATE"):
        replace_table(pathlib.Path(sys.argv[3]), table, rows, lines)
    far = sum(error > 0.3 for error in errors["other"])
    if table == THIRD_SET:
        print("This set has no limit on its errors.")
    elif statistics.median(errors["other"]) > 0.15 or far > len(errors["other"]) / 10:
        bad.append("the figures that were not fitted are too far off")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
