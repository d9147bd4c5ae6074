#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
reserved_registers.py IR ASSEMBLY KIND...: code that the compiler makes for functions with "amdgpu-num-sgpr" uses no
register from that limit, less two for vcc, to s93. What is in ASM blocks is the probes' own. Fails also
if no function of one of these kinds has the limit, or if the program does not need these registers: then the check
would show nothing.
"""
import re
import sys

ir, assembly = (open(name).read() for name in sys.argv[1:3])
limits = {number: int(limit) for number, limit in re.findall(r'^attributes #(\d+) = .*"amdgpu-num-sgpr"="(\d+)"', ir, re.M)}
reserved = {name: limits[number] - 2 for name, number in re.findall(r"^define .*?@([\w.]+)\(.*?#(\d+)", ir, re.M)
	    if number in limits}
bad, used = 0, {}

function, own = None, False
for line in assembly.splitlines():
	label = re.match(r"([\w.]+):", line)
	if label and not line.startswith(".L"):
		function, own = label[1], True
	own = {";;#ASMSTART": False, ";;#ASMEND": True}.get(line.strip(), own)
	text = line.split(";", 1)[0]
	if not own or not re.match(r"\s+[sv]_|\s+(global|flat|buffer|ds)_", text):
		continue
	for first, last in re.findall(r"\bs\[(\d+):(\d+)\]", text) + [(n, n) for n in re.findall(r"\bs(\d+)\b", text)]:
		used[function] = max(used.get(function, 0), int(last))
		if function in reserved and int(last) >= reserved[function] and int(first) <= 93:
			print(f"{function} reserves s{reserved[function]} and up, but: {line.strip()}")
			bad += 1
for kind in sys.argv[3:]:
	names = [name for name in reserved if name.startswith(f"__probe_{kind}_")]
	print(kind, {name: (reserved[name], used.get(name)) for name in names})
	bad += not names
plain = [name for name in used if not name.startswith("__probe_") and used[name] >= 94]
print("originals that need all registers:", plain)
sys.exit(bad or not plain)
