#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""near_accesses.py CODE_OBJECT: how far accesses are from the first one of their block, one line per access in the order of the
site table:

kernel access DISTANCE from NUMBER

Numbers count the accesses of each kernel.
"""
import struct
import sys

import address_classes


def main(path):
	table, first = address_classes.Table(path), {}
	for number, owner, _, access, _ in table.places():
		near, distance = struct.unpack_from("<Ii", table.data, table.first + 60 * number + 48)
		first.setdefault(owner, number)
		print(f"{owner} {access} {distance} from {near - first[owner]}")


if __name__ == "__main__":
	main(sys.argv[1])
