#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of test results in docs/compatibility.md.

  compatibility.py             compare the page with the results; status 1 and a difference
  compatibility.py --update    write the table into the page
  compatibility.py --take STACK JUNIT...
                               store the results of runs of ctest (--output-junit) as STACK's
  compatibility.py --add STACK JUNIT...
                               the same; tests that did not run keep their results

tests/data/stacks/STACK.csv has a line for each test: name, result (passed, failed, skipped), and the
cause of a failure, which is written by hand and kept while the test fails.
"""
import csv
import difflib
import pathlib
import sys
import xml.etree.ElementTree

top = pathlib.Path(__file__).resolve().parent.parent.parent
page = top / "docs/compatibility.md"
results = top / "tests/data/stacks"
begin, end = "<!-- results: begin -->\n", "<!-- results: end -->\n"
stacks = {
    "rocm5.2": "ROCr and HIP 5.2.3, LLVM 15 (Debian 12)",
    "rocm6.1": "ROCr 6.1.2, HIP 5.7.1, LLVM 17 (Debian 13)",
    "rocm6.4": "ROCr and HIP 6.4.3, LLVM 21 (Debian forky)",
    "rocm7.2": "ROCr and HIP 7.2.4, LLVM 22 (Debian experimental)",
}


def read(stack):
    path = results / f"{stack}.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def group(name):
    """Tier of a test, and the GPU if it is not gfx90a."""
    tier, rest = name.split(".", 1)
    return f"{tier}, gfx942" if rest.startswith("gfx942.") else tier


def table():
    out = ["| stack | tests | passed | skipped | failed |\n", "|---|---|---|---|---|\n"]
    failures = []
    for stack, title in stacks.items():
        groups = {}
        for row in read(stack):
            groups.setdefault(group(row["test"]), []).append(row["result"])
            if row["result"] == "failed":
                failures.append(f"| {title} | {row['test']} | {row['cause'] or 'not examined'} |\n")
        for name, list_ in sorted(groups.items()):
            counts = " | ".join(str(list_.count(r)) for r in ("passed", "skipped", "failed"))
            out.append(f"| {title} | {name} | {counts} |\n")
    if failures:
        out += ["\n", "| stack | failing test | cause |\n", "|---|---|---|\n"] + failures
    return out


def take(stack, files, rows):
    """`rows` by test, of which a run in the files replaces those of its tests; the last run counts."""
    causes = {row["test"]: row["cause"] for row in read(stack)}
    for case in (c for f in files for c in xml.etree.ElementTree.parse(f).iter("testcase")):
        name, status = case.get("name"), case.get("status")
        if status == "disabled" or status == "notrun" and case.find("skipped") is None:
            continue
        result = {"run": "passed", "fail": "failed"}.get(status, "skipped")
        rows[name] = (name, result, causes.get(name, "") if result == "failed" else "")
    results.mkdir(exist_ok=True)
    with open(results / f"{stack}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("test", "result", "cause"))
        writer.writerows(sorted(rows.values()))


def main(arguments):
    if arguments[:1] in (["--take"], ["--add"]) and len(arguments) > 2 and arguments[1] in stacks:
        kept = read(arguments[1]) if arguments[0] == "--add" else []
        take(arguments[1], arguments[2:], {row["test"]: tuple(row.values()) for row in kept})
        return 0
    if arguments not in ([], ["--update"]):
        print(__doc__, file=sys.stderr)
        return 2
    text = page.read_text()
    head, rest = text.split(begin)
    old, tail = rest.split(end)
    new = "".join(table())
    if arguments:
        page.write_text(head + begin + new + end + tail)
    elif old != new:
        sys.stdout.writelines(difflib.unified_diff(
            old.splitlines(True), new.splitlines(True), "docs/compatibility.md", "tests/data/stacks"))
        print("docs/compatibility.md is not of these results: tests/cmd/compatibility.py --update")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
