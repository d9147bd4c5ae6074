#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the pass's proofs about addresses with the addresses of a trace.

    check_proofs.py PROOFS LAUNCHES ACCESSES MINIMUM

PROOFS: the pass's messages, PROBE_VERBOSE=2. LAUNCHES: dispatch|x|y|z|..., workgroup sizes. ACCESSES:
JSON lines of the handler `log`. Work-items are numbered x first, 64 to a wave. The value of a
kernel argument is not in the trace: the first access determines it, for all others.
"""
import json
import re
import sys

DIGIT = re.compile(r" ([+-]\d+)\*bits\(\+1\*([xyz])\)>>(\d+)(?:&(\d+))?")
TERM = re.compile(r" ([+-]\d+)(?:([+-]\d+)\*((?:arg|launch)\d+@\d+))?\*([xyz])")


def read_proofs(path):
    proofs = {}
    for line in open(path):
        match = re.match(r"probe: site (\d+) of (\S+): (U.*|measured)", line)
        # equal_counters.sh checks bit fields masked by an observed value, or times an argument.
        if match and match[3] != "measured" and "*and(" not in match[3] and "*(" not in match[3]:
            strides = [(0, 0, "")] * 3 + [
                (int(times), "xyz".index(axis), int(shift), int(mask or 0xFFFFFFFF))
                for times, axis, shift, mask in DIGIT.findall(match[3])
            ]
            for constant, factor, offset, axis in TERM.findall(match[3]):
                strides["xyz".index(axis)] = int(constant), int(factor or 0), offset
            proofs[int(match[1])] = strides
    return proofs


def item(lane, wave, size):
    n = 64 * wave + lane
    return n % size[0], n // size[0] % size[1], n // size[0] // size[1]


def holds(access, strides, size, arguments):
    lanes = [l for l in range(64) if int(access["exec"], 16) >> l & 1]
    addresses = [int(a, 16) for a in access["addresses"]]
    first = item(lanes[0], access["wave"], size)
    for lane, address in zip(lanes[1:], addresses[1:]):
        steps = [a - b for a, b in zip(item(lane, access["wave"], size), first)]
        rest = address - addresses[0] - sum(n * s[0] for n, s in zip(steps, strides[:3]))
        for times, axis, shift, mask in strides[3:]:
            here = item(lane, access["wave"], size)[axis] >> shift & mask
            rest -= times * (here - (first[axis] >> shift & mask))
        factors = {}
        for n, (_, factor, offset) in zip(steps, strides[:3]):
            if n * factor:
                factors[offset] = factors.get(offset, 0) + n * factor
        for offset in list(factors):
            if (access["dispatch"], offset) in arguments:
                rest -= factors.pop(offset) * arguments[access["dispatch"], offset]
        if len(factors) == 1:
            offset, times = factors.popitem()
            if times and rest % times:
                return False
            if times:
                arguments[access["dispatch"], offset] = rest // times
        elif rest and not factors:
            return False
    return True


def main():
    proofs = read_proofs(sys.argv[1])
    sizes = {}
    for line in open(sys.argv[2]):
        number, *size = line.split("|")[:4]
        sizes[int(number)] = [int(n) for n in size]
    arguments, seen, checked = {}, set(), 0
    for line in open(sys.argv[3]):
        access = json.loads(line)
        strides = proofs.get(access["site"])
        if strides is None:
            continue
        checked += 1
        seen.add(access["site"])
        if not holds(access, strides, sizes[access["dispatch"]], arguments):
            sys.exit(f"site {access['site']} is not {strides}: {line}")
    print(f"{len(seen)} of {len(proofs)} proved sites ran, in {checked} accesses")
    sys.exit(len(seen) < int(sys.argv[4]))


main()
