# SPDX-License-Identifier: MIT
"""
same_accesses.py A.jsonl B.jsonl: two traces of a program have the same accesses, wave by wave and in
order. Addresses are relative to the lowest one of their site and dispatch: allocations of two runs have
different addresses.
"""
import json
import sys


def read(name):
    waves, lowest = {}, {}
    with open(name, encoding="utf-8") as log:
        rows = [row for row in map(json.loads, log) if "site" in row]
    for row in rows:
        site = row["dispatch"], row["site"]
        row["addresses"] = [int(address, 16) for address in row["addresses"]]
        lowest[site] = min(row["addresses"] + [lowest.get(site, 1 << 64)])
    for row in rows:
        start = lowest[row["dispatch"], row["site"]]
        access = row["site"], row["exec"], [address - start for address in row["addresses"]]
        waves.setdefault((row["dispatch"], *row["group"], row["wave"]), []).append(access)
    return waves


first, second = read(sys.argv[1]), read(sys.argv[2])
if not first:
    sys.exit(f"{sys.argv[1]} has no accesses")
for wave in first.keys() | second.keys():
    if first.get(wave) != second.get(wave):
        sys.exit(f"dispatch, group and wave {wave} differ between {sys.argv[1]} and {sys.argv[2]}")
