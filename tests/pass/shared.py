#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Registers and stack of the shared functions in a compiler's assembly, read from stdin."""
import re
import sys

bad, count, current, values = 0, 0, None, {}
for line in sys.stdin:
	label = re.match(r"(__probe_dev_\w+):", line)
	if label:
		current, values = label[1], {}
	match = re.match(r"; (NumSgprs|NumVgprs|ScratchSize): (\d+)", line)
	if not match or not current:
		continue
	values[match[1]] = int(match[2])
	if match[1] == "ScratchSize":
		count += 1
		if values["NumSgprs"] > 36 or values["NumVgprs"] > 16 or values["ScratchSize"]:
			print(current, values)
			bad += 1
		current = None
print(f"{count} shared functions, {bad} use too much")
sys.exit(bad or not count)
