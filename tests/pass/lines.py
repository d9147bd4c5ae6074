#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lines.py CODE_OBJECT: the position of each access, one line per access in the order of the site table:

kernel access LINE:COLUMN [likely]
"""
import struct
import sys

import address_classes

LIKELY_LINE = 1 << 31  # PROBE_SITE_LIKELY_LINE of wire_sites.h


def main(path):
	table = address_classes.Table(path)
	for number, owner, line, access, _ in table.places():
		column, = struct.unpack_from("<I", table.data, table.first + 60 * number + 12)
		kinds, = struct.unpack_from("<I", table.data, table.first + 60 * number + 36)
		print(f"{owner} {access} {line}:{column}" + (" likely" if kinds & LIKELY_LINE else ""))


if __name__ == "__main__":
	main(sys.argv[1])
