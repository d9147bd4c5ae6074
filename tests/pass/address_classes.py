#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""address_classes.py CODE_OBJECT: the site table's view of each access, one line per kernel, access and line of source:

kernel line access class [staged] [shifts] [result] [exchange] [variable NUMBER [rows of BYTES] [elements of BYTES]] address [from LINE]
"""
import struct
import sys

ACCESS = {1: "load", 2: "store", 3: "atomic"}
CLASSES = ["unknown", "uniform", "affine", "rows", "wrapped", "computed", "gather", "chase"]
FLAGS = {8: "staged", 16: "shifts", 32: "result", 64: "exchange"}  # enum probe_address_flag

data = open(sys.argv[1], "rb").read()
data = data[data.index(b"PSIT"):]
_, _, _, _, count, _, _, first, _, _, strings = struct.unpack_from("<IHHIIIIIIII", data, 0)
variables, _ = struct.unpack_from("<II", data, 96)


def text(offset):
	return data[strings + offset:data.index(b"\0", strings + offset)].decode()


def declared(number):
	row, element = struct.unpack_from("<II", data, variables + 8 * (number - 1))
	return f" variable {number}" + (f" rows of {row}" if row else "") + (f" elements of {element}" if element else "")


seen = set()
for i in range(count):
	(_, _, line, _, _, _, access, _, _, _, _, owner, _, address, source, _, _, kind, flags,
		variable) = struct.unpack_from("<5IHBBHHIIIIIIiBBH", data, first + 60 * i)
	if access not in ACCESS:
		continue
	row = f"{text(owner)} {line} {ACCESS[access]} {CLASSES[kind]}" + "".join(" " + word for bit, word in FLAGS.items() if flags & bit) + \
		(declared(variable) if variable else "") + " " + text(address) + \
		(" from " + text(source).rsplit(":", 1)[1] if text(source) else "")
	if row not in seen:
		print(row)
	seen.add(row)
