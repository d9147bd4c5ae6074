#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes hsa_functions.h, the table of HSA's functions, from the headers of two releases of ROCr.

  hsa_functions.py OLD NEW > hsa_functions.h   OLD: of ROCr 5.2 to 5.4, NEW: of 5.6 or later
  hsa_functions.py --check DIRECTORY TABLE     does the table agree with these headers?

A directory holds hsa.h, hsa_ext_amd.h and hsa_api_trace.h. Parameters are counted only: each is
passed in one register or in eight bytes of the stack (hsa_calls.c).
"""
import re
import sys

HEADERS = ("hsa.h", "hsa_ext_amd.h", "hsa_api_trace.h")
TABLES = {"CORE": "CoreApiTable", "AMD": "AmdExtTable"}
# Passed by value, in one register: handles, and integers.
LARGE = re.compile(r"\b(float|double|hsa_dim3_t|hsa_pitched_ptr_t|hsa_amd_ipc_\w+_t)\b(?!\s*\*)")


def read(directory):
    text = "".join(open("%s/%s" % (directory, name), errors="replace").read() for name in HEADERS)
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)


def order(text, table):
    """The functions of a table, in its order."""
    body = re.search(r"struct %s \{(.*?)\n\};" % table, text, re.S).group(1)
    return re.findall(r"decltype\((\w+)\)", body)


def parameters(text, name):
    """How many parameters a function has, or None if it is not declared."""
    for found in re.finditer(r"\b%s\b\s*\(" % name, text):
        depth, at = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        inner = text[found.end():at - 1].strip()
        if inner.startswith(")") or "decltype" in text[found.start() - 9:found.start()]:
            continue
        if LARGE.search(inner):
            sys.exit("%s: a parameter that takes more than a register: %s" % (name, inner))
        if inner in ("", "void"):
            return 0
        return len(re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", inner)).split(","))
    return None


def rows(old, new):
    for name in order(new, TABLES["CORE"]):
        yield "CORE", name, parameters(new, name), order(new, TABLES["CORE"]).index(name), None
    before, after = order(old, TABLES["AMD"]), order(new, TABLES["AMD"])
    for name in after:
        yield ("AMD", name, parameters(new, name), before.index(name) if name in before else -1,
               after.index(name))


def put(old, new):
    print("""/* SPDX-License-Identifier: MIT */
/*
 * Functions of HSA that a tool may replace; made by hsa_functions.py from AMD's headers.
 *   CORE(name, parameters, index)                           CoreApiTable
 *   AMD(name, parameters, index 5.2 to 5.4, index >= 5.6)   AmdExtTable; -1: not there
 */
/* clang-format off */
#define PROBE_HSA_FUNCTIONS(CORE, AMD) \\""")
    lines = []
    for kind, name, count, first, second in rows(old, new):
        if count is None:
            sys.exit("%s: no declaration" % name)
        places = "%d" % first if second is None else "%d, %d" % (first, second)
        lines.append("\t%s(%s, %d, %s)" % (kind, name, count, places))
    print(" \\\n".join(lines))
    print("/* clang-format on */")


def check(directory, table):
    text = read(directory)
    listed = {name: (kind, int(count), places.split(", "))
              for kind, name, count, places in
              re.findall(r"\t(CORE|AMD)\((\w+), (\d+), ([-\d, ]+)\)", open(table).read())}
    wrong = 0
    for kind, struct in TABLES.items():
        functions = order(text, struct)
        # The layout of the AMD table, identified by its size as in api_table.c.
        column = 0 if kind == "CORE" or len(functions) < 51 else 1
        for index, name in enumerate(functions):
            row = listed.get(name)
            count = parameters(text, name)
            if row and row[:2] == (kind, count) and int(row[2][column]) == index:
                continue
            print("%s: %s parameters at %d, the table has %s" % (name, count, index, row))
            wrong += 1
        if len(functions) < 48:
            sys.exit("%s: %d functions only" % (struct, len(functions)))
    sys.exit(wrong != 0)


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--check":
        check(sys.argv[2], sys.argv[3])
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    put(read(sys.argv[1]), read(sys.argv[2]))
