#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Advice is tested by doing it: record generated kernels (cases.py), read the advice about their marked access,
make the change that it names, record again, and compare the counters with what was announced.

Usage: advice.py BUILD [--share N] [--kind memory|trace] [--family NAME] [--keep DIR] [--verbose]

true      the result was announced as verified, and holds: at most the counts announced
estimate  the result is called an estimate, and the change lowers the counts
silent    no fix
false     anything else
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import cases
from kernels import FREE, MARK, Inapplicable

# Kernels of a program. The handler keeps the addresses of at most 256 accesses of a run.
PER_FILE = {"memory": 100, "trace": 40}

HEAD = """#include <hip/hip_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(1024) name(char *in, char *out, const int *idx, \\
	int n, int a, int b)
"""

# Arrays of 4096 indices below 4096. All data is generated, so that every run is the same. Half of the kernels have
# buffers of their own: a fix that moves data counts the other accesses to the buffer.
MAIN = """
static unsigned seed = 1;
static unsigned next() { return seed = seed * 1664525u + 1013904223u, seed >> 8; }
static std::vector<int> make(const char *how)
{
	std::vector<int> v(4096);
	bool sorted = !strncmp(how, "sorted-", 7), chase = !strncmp(how, "chase-", 6);

	how += sorted ? 7 : chase ? 6 : 0;
	for (int i = 0; i < 4096; i++)
		v[i] = !strcmp(how, "random") ? next() % 4096
		     : !strncmp(how, "window", 6) ? i / atoi(how + 6) * atoi(how + 6) + next() % atoi(how + 6)
		     : !strcmp(how, "reversed") ? 4095 - i
		     : !strcmp(how, "clustered") ? next() % 8 * 512 + next() % 8
		     : !strcmp(how, "stride") ? i * 37 % 4096
		     : !strcmp(how, "rising") ? i / 2 * 3 % 4096
		     : 77;
	if (sorted)
		std::sort(v.begin(), v.end());
	return v;
}

struct launch { const char *name; const void *kernel; dim3 groups, block; const char *data; std::vector<int> arguments; };
static void check(hipError_t err, const char *what)
{
	if (err != hipSuccess) { fprintf(stderr, "%s: %s\\n", what, hipGetErrorString(err)); exit(1); }
}
int main()
{
	char *in, *out, *shared_in, *shared_out;
	int *idx, number = 0;
	check(hipMalloc(&shared_in, 1 << 25), "in");
	check(hipMalloc(&shared_out, 1 << 25), "out");
	check(hipMalloc(&idx, 4096 * 4), "idx");
	for (auto &l : launches) {
		in = shared_in;
		out = shared_out;
		if (number++ % 2) {
			check(hipMalloc(&in, 1 << 25), "in");
			check(hipMalloc(&out, 1 << 25), "out");
		}
		std::vector<int> data = make(l.data);
		seed = 1;
		check(hipMemcpy(idx, data.data(), 4096 * 4, hipMemcpyHostToDevice), "copy");
		for (size_t i = 0; i < l.arguments.size(); i += 3) {
			int n = l.arguments[i], a = l.arguments[i + 1], b = l.arguments[i + 2];
			void *args[] = {&in, &out, &idx, &n, &a, &b};
			check(hipLaunchKernel(l.kernel, l.groups, l.block, args, 0, 0), l.name);
			check(hipDeviceSynchronize(), l.name);
		}
	}
}
"""


def dim(value):
    return f"dim3({', '.join(map(str, value))})" if isinstance(value, tuple) else f"dim3({value})"


def emit(path, jobs):
    """jobs: (name, Kernel). Returns the marked lines of each name."""
    text, lines, launches = HEAD, {}, []
    for name, kernel in jobs:
        text += f"KERNEL({name})\n{{\n"
        for line in kernel.body:
            for mark, key in ((MARK, name), (FREE, name + FREE)):
                if mark in line:
                    lines.setdefault(key, set()).add(text.count("\n") + 1)
            text += "\t" + line.replace(MARK, "").replace(FREE, "").rstrip() + "\n"
        # The compiler may attribute merged stores to the end of the function.
        if name in lines and kernel.body[-1].rstrip().endswith(MARK):
            lines[name].add(text.count("\n") + 1)
        text += "}\n"
        arguments = ", ".join(str(v) for launch in kernel.arguments for v in launch)
        launches.append(f'\t{{"{name}", (const void *){name}, {dim(kernel.groups)}, {dim(kernel.block)}, '
                        f'"{kernel.data}", {{{arguments}}}}},\n')
    text += ("#include <vector>\nstruct launch { const char *name; const void *kernel; dim3 groups, block; "
             "const char *data; std::vector<int> arguments; };\n"
             "static std::vector<launch> launches = {\n" + "".join(launches) + "};\n" +
             re.sub(r"struct launch \{.*\};\n", "", MAIN))
    with open(path, "w", encoding="ascii") as out:
        out.write(text)
    return lines


SQL = """SELECT k.display_name, s.line, m.executions, m.lanes, m.lines64, m.lines128, m.conflicts, m.cause, m.fix,
    m.verified, m.before, m.after, m.excess64, m.excess128, s.access, s.frames,
    m.address_class, m.index_source
    FROM probe_memory_site m JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
    JOIN rocpd_info_kernel_symbol k ON k.id = m.kernel"""


class Tool:
    def __init__(self, build, kind, work):
        self.bin, self.kind, self.work = os.path.join(build, "bin"), kind, work
        self.env = dict(os.environ, PROBE_KINDS=kind, PROBE_SIM_MODEL="0")
        for name in ("PROBE_SCOPE", "PROBE_SPACES", "HSA_TOOLS_LIB"):
            self.env.pop(name, None)
        self.plugin = subprocess.run([f"{self.bin}/probe-config", "--pass-plugin"], check=True, capture_output=True,
                                     text=True).stdout.strip()

    def run(self, *command, **more):
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, **more)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")

    def record(self, name, jobs):
        """Compile and run; {kernel: rows of its marked line}."""
        source, program = f"{self.work}/{name}.hip", f"{self.work}/{name}"
        lines = emit(source, jobs)
        self.run("hipcc", "--offload-arch=gfx90a", "-g", "-O2", "-w", f"-fpass-plugin={self.plugin}", source, "-o", program)
        self.run(f"{self.bin}/probe-run", "--device=sim", "--kind", self.kind, "-q", "-a", "memory", "-d", program + ".d",
                 "--", program)
        rows = collections.defaultdict(list)
        [path] = glob.glob(f"{program}.d/*/*.db")
        with sqlite3.connect(path) as db:
            db.row_factory = sqlite3.Row
            for row in db.execute(SQL):
                places = [frame["line"] for frame in json.loads(row["frames"])] + [row["line"]]
                # Accesses that the compiler merged may have no line.
                name = row["display_name"]
                if lines.get(name, set()) & set(places) or not row["line"]:
                    rows[name].append(dict(row))
                if lines.get(name + FREE, set()) & set(places):
                    rows[name + FREE].append(dict(row))
        os.unlink(program)
        return rows

    def record_all(self, name, jobs):
        size = PER_FILE[self.kind]
        parts = [jobs[i:i + size] for i in range(0, len(jobs), size)]
        rows = {}
        with concurrent.futures.ThreadPoolExecutor(max_workers=1 if len(parts) < 2 else 2) as pool:
            for part in pool.map(lambda item: self.record(f"{name}{item[0]}", item[1]), enumerate(parts)):
                rows.update(part)
        return rows


# ---- From a fix to changes ------------------------------------------------------------------------------


def lds_pad(row, by, start=0):
    return {"lds": f"byte + (byte - {start}) / {row}u * {by}u" if start else f"byte + byte / {row}u * {by}u"}


def lds_swizzle(element, row, columns, start=0):
    """Element i goes to i with its column in exclusive-or with its row."""
    return {"lds": f"({{ unsigned at = byte - {start}u, e = at / {element}u; (e / {row}u * {row}u + (e % {row}u ^ "
                   f"e / {row}u % {columns}u)) * {element}u + at % {element}u + {start}u; }})"}


def ints(match):
    return [int(v) if v else 0 for v in match.groups()]


def own_row(case):
    """The row of a case in its own elements, where the fix does not say how long it is."""
    p = case.p
    if case.family == "lds_table":
        return p["bins"]
    return p["pitch"] * p.get("times", 1) if "pitch" in p else p.get("bytes", 4) // 4 if case.family == "lds_struct" else p.get("by", 1)


RULES = [
    (r"pad the row from (\d+) to (\d+) elements of (\d+) B", lambda c, a, b, e: lds_pad(a * e, (b - a) * e)),
    (r"pad the row by (\d+) B to (\d+) B", lambda c, by, to: lds_pad(to - by, by)),
    (r"pad the row by (\d+) elements? of (\d+) B", lambda c, n, e: lds_pad(own_row(c) * c.p["size"], n * e)),
    (r"pad each row of (\d+) B(?: in the accessed bytes (\d+) to \d+ of LDS)? by (\d+) B", lambda c, row, low, by: lds_pad(row, by, low)),
    (r"put element i \(of (\d+) B(?:, in the accessed bytes (\d+) to \d+ of LDS)?\) at i \+ i / (\d+) \* (\d+)",
     lambda c, e, low, n, by: lds_pad(n * e, by * e, low)),
    (r"put element i \(of (\d+) B(?:, in the accessed bytes (\d+) to \d+ of LDS)?\) at i \+ i / (\d+)\b(?! \*)",
     lambda c, e, low, n: lds_pad(n * e, e, low)),
    (r"put byte i(?: in the accessed bytes (\d+) to \d+ of LDS)? at i \+ i / (\d+) \* (\d+)",
     lambda c, low, n, by: lds_pad(n, by, low)),
    (r"put element i \(of (\d+) B(?:, in the accessed bytes (\d+) to \d+ of LDS)?\) at i \^ \(i / (\d+) % (\d+)(?: \* (\d+))?\)",
     lambda c, e, low, n, k, s: lds_swizzle(e * (s or 1), n // (s or 1), k, low)),
    (r"pad each (\d+) B by (\d+) B", lambda c, row, by: lds_pad(row, by)),
    (r"store column c \(of (\d+) B\) of row r in column c \^ \(r % (\d+)\)", lambda c, e, k: lds_swizzle(e, k, k)),
    (r"store column c \(of (\d+) B\) of row r \(of (\d+) B(?: in the accessed bytes (\d+) to \d+ of LDS)?\) in column c \^ \(r % (\d+)"
     r"(?: \* (\d+))?\)", lambda c, e, row, low, k, s: lds_swizzle(e * (s or 1), row // (e * (s or 1)), k, low)),
    (r"in rows of (\d+) B .* in column c \^ r", lambda c, row: lds_swizzle(c.p.get("size", 4), row // c.p.get("size", 4), 1 << 30)),
    (r"active lanes use neighbouring elements", lambda c: {"neighbours": True}),
    (r"neighbouring lanes access neighbouring \d+ B pieces|lay the data out so that neighbouring lanes",
     lambda c: {"pieces": True}),
    (r"reduce within the wave first|reduce within each row first|combine equal indices", lambda c: {"reduce": True}),
    (r"keep (\d+) copies .* begins with copy l(?: / (\d+))? % \d+\)", lambda c, n, d: {"copies": n, "sum": d or 1}),
    (r"align the address of the first lane", lambda c: {"align": "lane 0"}),
    (r"align the address of the first active lane", lambda c: {"align": "active lane"}),
    (r"structure of arrays", lambda c: {"soa": True}),
    (r"let neighbouring lanes use neighbouring elements (?:\(swap|in every)", lambda c: {"swap": True}),
    (r"let threadIdx.x run along consecutive addresses", lambda c: {"swap": True}),
    # For the marked access, a tile has the effect of swapped indices.
    (r"stage a tile in LDS, with as many rows as columns, so that", lambda c: {"tile" if c.family == "staged" else "swap": True}),
    (r"make the workgroup wider", lambda c: {"wide": True}),
    (r"align the rows of the data", lambda c: {"align": True}),
    (r"consecutive lanes use consecutive elements", lambda c: {"runs": True}),
    (r"make the workgroup a multiple", lambda c: {"multiple": True}),
    (r"sort or bin the indices|sort it", lambda c: {"sort": True}),
]
# Changes that a fix joins by "and"; all other changes are alternatives.
TOGETHER = [{"swap", "wide"}, {"tile", "wide"}, {"wide", "align"}, {"swap", "soa"}]


# The same, for a family whose changes are those of a programmer, in rows and columns.
SOURCE_RULES = [
    (r"pad the row from \d+ to (\d+) elements of (\d+) B", lambda c, to, e: {"pitch": to * e}),
    (r"pad the row by \d+ B to (\d+) B", lambda c, to: {"pitch": to}),
    (r"pad each row of (\d+) B(?: in the accessed bytes \d+ to \d+ of LDS)? by (\d+) B", lambda c, row, by: {"pitch": row + by}),
    (r"store column c \(of (\d+) B\) of row r (?:\(of .*?\) )?in column c \^ \(r % (\d+)\)", lambda c, e, k: {"columns": (e, k)}),
    (r"neighbouring lanes access neighbouring \d+ B pieces|lay the data out so that neighbouring lanes",
     lambda c: {"pieces": True}),
    (r"put element i \(of (\d+) B\) at i \+ i / (\d+)(?: \* (\d+))?", lambda c, e, row, by: {"element": (e, row, by or 1)}),
    (r"put (?:element|byte) i .*(?:\^|accessed)|column c \^ \(r % \d+ \*", lambda c: {"other": True}),
]


def changes(case, fix):
    found = []
    for pattern, make in SOURCE_RULES if case.family == "own_row" else RULES:
        match = re.search(pattern, fix)
        if match:
            found.append(make(case, *ints(match)))
    if "the first lane is at the start of a cache line" in fix:
        found = [{**change, "align": True} for change in found]
    if len(found) == 2 and set(found[0]) | set(found[1]) in TOGETHER and ", and " in fix.split("; ")[0]:
        return [{**found[0], **found[1]}]
    return found


def label(change):
    if "lds" in change:
        return "swizzle" if "^" in change["lds"] else "pad"
    return "+".join(sorted(change))


# ---- Comparing
# ------------------------------------------------------------------------------------------


COLUMNS = {"conflicts": "conflicts", "cache lines of 64 B": "lines64", "cache lines of 128 B": "lines128",
           "updates of the word": "lanes", "updates": "lanes"}


def counts(rows, what, per):
    total = sum(row[COLUMNS[what]] for row in rows)
    return total / max(1, sum(row[per] for row in rows)) * (64 if per == "lanes" else 1)


def subject(fix, row):
    if row["verified"]:
        return row["verified"]
    found = re.search(r"(conflict|cache line(?=s? of))s?( of \d+ B)?", fix)
    return found.group(1) + "s" + (found.group(2) or "") if found else "conflicts" if row["conflicts"] else "cache lines of 128 B"


def judge(case, rows, change, after):
    worst = max(rows, key=lambda row: row["conflicts"] * 128 + row["excess128"] * 128 + row["excess64"] * 64)
    fix = worst["fix"]
    what = subject(fix, worst)
    per = "lanes" if "per 64 lanes" in fix else "executions"
    if not isinstance(after, str):
        after = [row for row in after if row["access"] == case.access()]
    if isinstance(after, str):
        # An estimate whose stated assumption does not hold.
        return ("silent" if "fit in LDS" in fix and after.endswith(": copies") else "false"), after
    if not after:
        return "false", "no counters with the change"
    then, now = counts(after, what, per), counts(rows, what, per)
    measured = f"{then:.4g} after, {now:.4g} before"
    if worst["verified"]:
        # If the line has several accesses, the fix is for the most expensive one: the others must
        # not become worse.
        column = COLUMNS[what]
        sum_of = sum(row["after"] * row["executions"] if row is worst else row[column] for row in rows) / sum(
            row["executions"] for row in rows)
        return ("true" if then <= sum_of + 1e-9 else "false"), measured
    return ("estimate" if then < now - 1e-9 and "estimate" in fix else "false"), measured


MOVES = "swapping the indices alone would move the cost"


def judge_others(case, rows, change, after):
    """The other accesses of the marked lines: a tile does not change their cost, swapped indices alone do."""
    lines = [sum(row["lines128"] for row in part if row["access"] != case.access()) for part in (rows, after)]
    worse = lines[1] > lines[0]
    measured = f"others {lines[1]} after, {lines[0]} before"
    return ("true" if worse == bool(change.get("moved")) else "false"), measured


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--kind", default="memory")
    parser.add_argument("--family")
    parser.add_argument("--keep")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    work = options.keep or tempfile.mkdtemp(prefix="advice.")
    os.makedirs(work, exist_ok=True)
    tool = Tool(os.path.abspath(options.build), options.kind, work)
    chosen = [case for case in cases.all_cases(options.share) if options.family in (None, case.family)]
    before = tool.record_all("base", [(case.name, cases.kernel(case, {})) for case in chosen])

    todo, jobs, outcome = [], [], []
    for case in chosen:
        rows = [row for row in before.get(case.name, []) if row["access"] == case.access()]
        if not rows:
            outcome.append((case, "missing", "false", "no counters", ""))
            continue
        worst = max(rows, key=lambda row: row["conflicts"] * 128 + row["excess128"] * 128 + row["excess64"] * 64)
        fix = worst["fix"] or ""
        # The marked line may also contain the load of an index.
        given = {row["address_class"] for row in rows}
        sourceless = case.family != "chase" and worst["address_class"] == "gather" and ".hip:" not in worst["index_source"]
        if not given & case.classes() or sourceless:
            outcome.append((case, "class", "false", ", ".join(given) + " " + worst["index_source"], worst["cause"]))
        named = changes(case, fix)
        if case.family == "staged" and named:
            named += [{**named[0], "moved": True}] if MOVES in fix else []
        if "make the workgroup wider" in fix and case.fixed_shape() != ("are made for dim3(%d, %d)" % case.p["block"][:2] in fix):
            outcome.append((case, "shape", "false", "arrays and constants of the kernel", fix))
        if not named:
            silent = not fix or "verified" not in fix.replace("not verified", "") and "estimate" not in fix
            bare = not worst["cause"] or "not verified" not in fix
            outcome.append((case, "none", "silent" if silent and bare else "false", worst["cause"] or "", fix))
        for i, change in enumerate(named):
            name = f"{case.name}_{i}"
            try:
                jobs.append((name, cases.kernel(case, change)))
                todo.append((case, rows, change, name))
            except Inapplicable as why:
                todo.append((case, rows, change, f"cannot be done: {why}"))
    after = tool.record_all("fixed", jobs) if jobs else {}
    for case, rows, change, name in todo:
        if case.family == "staged" and ("tile" in change or "moved" in change):
            verdict, measured = judge_others(case, before[case.name], change, after.get(name, []))
            outcome.append((case, label(change) + " (others)", verdict, measured, rows[0]["fix"]))
        if "moved" in change:
            continue
        verdict, measured = judge(case, rows, change, name if name.startswith("cannot") else after.get(name, []))
        # Loads only: a line of the same number may be that of an update, in a header.
        conflicts = sum(row["conflicts"] for row in after.get(name + FREE, []) if row["access"] == 1)
        if conflicts:
            verdict, measured = "false", f"{conflicts} conflicts of the sum"
        worst = max(rows, key=lambda row: row["conflicts"] * 128 + row["excess128"] * 128 + row["excess64"] * 64)
        outcome.append((case, label(change), verdict, measured, worst["cause"] + " => " + worst["fix"]))

    names = ("true", "estimate", "silent", "false")
    for heading, key in (("advice", lambda row: row[1]), ("family", lambda row: row[0].family)):
        table = collections.defaultdict(collections.Counter)
        for row in outcome:
            table[key(row)][row[2]] += 1
            table["all"][row[2]] += 1
        print(f"{heading:20s}" + "".join(f"{name:>10s}" for name in names))
        for name in sorted(table, key=lambda name: (name == "all", name)):
            print(f"{name:20s}" + "".join(f"{table[name][kind]:10d}" for kind in names))
    bad = [row for row in outcome if row[2] == "false"]
    for case, change, verdict, measured, text in outcome if options.verbose else bad[:20]:
        print(f"{verdict}: {case}: {change}: {measured}: {text}", file=sys.stderr)
    if not options.keep:
        shutil.rmtree(work)
    print(f"{len(chosen)} cases, {len(bad)} false")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
