#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""address_terms.py CODE_OBJECT: the terms of each access's address in the site table, one line per kernel, access and line of
source:

kernel line access [member] STEP*VALUE*VALUE ...
"""
import struct
import sys

import address_classes

# enum probe_term_flag
VALUES = ["item.x", "item.y", "item.z", "group.x", "group.y", "group.z", "size", "loop", "value", "part", "unknown"]


def terms(table):
	"""For each site, in the order of the table."""
	first, count = struct.unpack_from("<II", table.data, 112)
	ret = [[] for _ in range(table.count)]
	for i in range(count):
		site, of, _, step = struct.unpack_from("<IHHq", table.data, first + 16 * i)
		ret[site].append("*".join([str(step)] + [word for bit, word in enumerate(VALUES) if of >> bit & 1]))
	return ret


def main(path):
	table, seen = address_classes.Table(path), set()
	every = terms(table)
	for number, owner, line, access, flags in table.places():
		row = f"{owner} {line} {access} " + ("member " if flags & 1 else "") + " ".join(sorted(every[number]))
		if row not in seen:
			print(row)
		seen.add(row)


if __name__ == "__main__":
	main(sys.argv[1])
