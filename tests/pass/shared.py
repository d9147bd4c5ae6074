#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
shared.py [VECTOR-REGISTERS]: registers and stack of the shared functions in a compiler's assembly, read
from stdin. What is called as measure_access.h and trace_probe.c say begins with a wait of 4 bytes, and then
with its block. They leave s0 to s3 to the caller, unless they save all scalar registers. The function that counts a batch may use 36 vector registers (batch_code.h), the slow paths of a wave's start and end (ring_cursor.c) more scalar registers.
"""
import re
import sys

most = int(sys.argv[1]) if len(sys.argv) > 1 else 28
bad, count, current, values, start = 0, 0, None, {}, None
for line in sys.stdin:
	label = re.match(r"(__probe_dev_\w+):", line)
	if label:
		current, values = label[1], {}
		start = [] if re.search("_(memory_first|trace_call)_", current) else None
	text = line.split(";", 1)[0].strip() or line.strip()
	if start is not None and (text.startswith(("s_", "v_")) or text == ";;#ASMSTART"):
		start.append(text)
		# A constant in a register that the caller gives up anyway.
		if re.match(r"v_mov_b32_e32 v\d+, -?\d+$", text):
			start.pop()
		if len(start) == 2:
			if start != ["s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)", ";;#ASMSTART"]:
				print(current, "begins with", start)
				bad += 1
			start = None
	saves = current and re.search("_(enter|time_exit|stored_exit)_slow_", current)
	if current and not saves and re.search(r"\bs(\[?)[0-3]\b", text):
		print(current, "uses a register of the caller:", text)
		bad += 1
	match = re.match(r"; (?:Total(?=NumSgprs))?(NumSgprs|NumVgprs|NumAgprs|ScratchSize): (\d+)", line)
	if not match or not current:
		continue
	values[match[1]] = int(match[2])
	if match[1] == "ScratchSize":
		count += 1
		scalars = 104 if saves else 38
		# Compilers that use them (LLVM 21): callers say so in the asm of the call (SLOW_AGPRS).
		accumulation = 4 if "_enter_slow_" in current else 0
		vectors = 36 if "_memory_batch_" in current else most
		if values["NumSgprs"] > scalars or values["NumVgprs"] > vectors or values["ScratchSize"] or values.get("NumAgprs", 0) > accumulation:
			print(current, values)
			bad += 1
		current = None
print(f"{count} shared functions, {bad} use too much")
sys.exit(bad or not count)
