#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""address_classes.py CODE_OBJECT: the site table's view of each access, one line per kernel, access and line of source:

kernel line access class [staged] [shifts | listed] [result] [exchange] [variable NUMBER [rows of BYTES] [elements of BYTES]] address [from LINE]
"""
import struct
import sys

ACCESS = {1: "load", 2: "store", 3: "atomic"}
CLASSES = ["unknown", "uniform", "affine", "rows", "wrapped", "computed", "gather", "chase"]
FLAGS = {8: "staged", 16: "shifts", 32: "result", 64: "exchange"}  # enum probe_address_flag
GATHER_FLAGS = {**FLAGS, 16: "listed"}


class Table:
	"""The site table of a code object."""
	def __init__(self, path):
		with open(path, "rb") as file:
			data = file.read()
		self.data = data = data[data.index(b"PSIT"):]
		_, _, _, _, self.count, _, _, self.first, _, _, self.strings = struct.unpack_from("<IHHIIIIIIII", data, 0)
		self.variables, _ = struct.unpack_from("<II", data, 96)

	def text(self, offset):
		return self.data[self.strings + offset:self.data.index(b"\0", self.strings + offset)].decode()

	def declared(self, number):
		row, element = struct.unpack_from("<II", self.data, self.variables + 8 * (number - 1))
		return f" variable {number}" + (f" rows of {row}" if row else "") + (f" elements of {element}" if element else "")

	def accesses(self):
		for i in range(self.count):
			(_, _, line, _, _, _, access, _, _, _, _, owner, _, address, source, _, _, kind, flags,
				variable) = struct.unpack_from("<5IHBBHHIIIIIIiBBH", self.data, self.first + 60 * i)
			if access in ACCESS:
				yield self.text(owner), line, ACCESS[access], CLASSES[kind], flags, variable, self.text(address), self.text(source)


	def places(self):
		"""Number, kernel, line, access and flags."""
		for i in range(self.count):
			row = struct.unpack_from("<5IHBBHHIIIIIIiBBH", self.data, self.first + 60 * i)
			if row[6] in ACCESS:
				yield i, self.text(row[11]), row[2], ACCESS[row[6]], row[18]


def loads(path):
	"""Kernel and address of each load."""
	return [(row[0], row[6]) for row in Table(path).accesses() if row[2] == "load"]


def main(path):
	table, seen = Table(path), set()
	for owner, line, access, kind, flags, variable, address, source in table.accesses():
		words = (GATHER_FLAGS if kind == "gather" else FLAGS).items()
		row = f"{owner} {line} {access} {kind}" + "".join(" " + word for bit, word in words if flags & bit) + \
			(table.declared(variable) if variable else "") + " " + address + \
			(" from " + source.rsplit(":", 1)[1] if source else "")
		if row not in seen:
			print(row)
		seen.add(row)


if __name__ == "__main__":
	main(sys.argv[1])
