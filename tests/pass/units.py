#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""units.py LLVM_BIN PLUGIN: the unit of a site is the width of the instructions llc makes of it.

Every width, alignment, space and direction of interest as a kernel of its own; llc's instructions are
read from its output, the units from the site table. Sizes that llc splits into different widths have
a site for each width, or, in flat accesses that are not aligned to a dword and in most LDS accesses, are
covered by a unit that divides all widths.
"""
import re
import struct
import subprocess
import sys
import tempfile

LAYOUT = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32" \
	"-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
TYPES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "double": 8, "<2 x i32>": 8, "<4 x half>": 8,
	"<3 x i32>": 12, "<4 x i32>": 16, "<2 x i64>": 16, "<8 x i16>": 16, "<5 x i32>": 20,
	"<6 x i32>": 24, "<8 x i32>": 32, "<16 x i32>": 64, "<7 x i32>": 28, "<3 x double>": 24,
	"<12 x half>": 24, "<10 x i32>": 40, "<3 x i8>": 3, "<6 x i8>": 6, "<3 x i16>": 6}
WIDTHS = {"ubyte": 1, "u8": 1, "b8": 1, "byte": 1, "ushort": 2, "u16": 2, "b16": 2, "short": 2,
	"byte_d16_hi": 1, "b8_d16_hi": 1, "short_d16_hi": 2, "dword": 4, "b32": 4, "dwordx2": 8, "b64": 8, "dwordx3": 12,
	"b96": 12, "dwordx4": 16, "b128": 16}

# llc cuts 20 unaligned bytes of a flat load into an odd 4 and a 16 that it takes for aligned: no unit fits.
# It rounds aligned loads of vectors without a register class (12 half, 10 i32) up to 16 bytes.
# Six bytes of a flat load without alignment become single ones.
UNEVEN = {"k_0_11_1_load", "k_0_11_2_load", "k_0_20_1_load", "k_0_21_1_load"} | {
	f"k_{space}_{kind}_16_load" for space in (0, 1, 3) for kind in (17, 18)}
# Loads of 3 or 6 bytes that are aligned for a wider one become that one; their sites do so in global memory only.
WIDER = {f"k_{space}_{kind}_{align}_load": size for space in (0, 1, 3) for kind, size, least in ((19, 4, 4), (20, 8, 4), (21, 8, 8))
	for align in (4, 8, 16) if align >= least}
UNEVEN |= {name for name in WIDER if not name.startswith("k_1")}


def kernels():
	for space in (0, 1, 3):
		for index, (kind, size) in enumerate(TYPES.items()):
			for align in (1, 2, 4, 8, 16):
				for access in ("load", "store"):
					yield f"k_{space}_{index}_{align}_{access}", space, kind, size, align, access


def module():
	text = f'target datalayout = "{LAYOUT}"\ntarget triple = "amdgcn-amd-amdhsa"\n'
	for name, space, kind, _, align, access in kernels():
		pointer = f"ptr addrspace({space})"
		body = f"%v = load {kind}, {pointer} %q, align {align}\n  " \
			f"store volatile {kind} %v, ptr addrspace(5) null, align 4" if access == "load" else \
			f"store {kind} %v, {pointer} %q, align {align}"
		value = f", {kind} %v" if access == "store" else ""
		text += f"""
define amdgpu_kernel void @{name}({pointer} %p{value}) #0 {{
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i8, {pointer} %p, i32 %id
  {body}
  ret void
}}
"""
	return text + """declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx90a" }
"""


def selected(llvm, path):
	"""Widths of the memory instructions of each kernel."""
	text = subprocess.run([f"{llvm}/llc", "-mcpu=gfx90a", path, "-o", "-"], check=True,
		capture_output=True, text=True).stdout
	widths, current = {}, None
	for line in text.splitlines():
		label = re.match(r"(k_\w+):", line)
		if label:
			current = widths.setdefault(label[1], [])
		match = re.match(r"\s+(?:global|flat)_(?:load|store)_(\w+)", line) or \
			re.match(r"\s+ds_(?:read|write)(2?)_(\w+)", line)
		if match and current is not None:
			groups = match.groups()
			current += [WIDTHS[groups[-1]]] * (2 if groups[0] == "2" else 1)
	return widths


def sites(llvm, plugin, path, out):
	subprocess.run([f"{llvm}/opt", "-load-pass-plugin", plugin, "-passes=probe,verify", path, "-o", out],
		check=True)
	text = subprocess.run([f"{llvm}/llvm-dis", out, "-o", "-"], check=True, capture_output=True,
		text=True).stdout
	blob = re.search(r'@__probe_sites = .*? c"(.*?)", section', text)[1]
	# LLVM escapes a byte as two hexadecimal digits, and the backslash as two backslashes.
	data = re.sub(rb"\\(\\|[0-9A-F]{2})",
		lambda m: m[1] if m[1] == b"\\" else bytes([int(m[1], 16)]), blob.encode())
	_, _, _, _, count, *_ = struct.unpack_from("<IHHII", data, 0)
	first, strings = struct.unpack_from("<I", data, 24)[0], struct.unpack_from("<I", data, 36)[0]
	units = {}
	for i in range(count):
		site = struct.unpack_from("<5IHBBHHIII", data, first + 60 * i)
		start = strings + site[11]
		owner = data[start:data.index(b"\0", start)].decode()
		if site[6] > 3:
			continue  # no access
		units.setdefault(owner, []).append((site[8], site[9]))
	return units


def main():
	llvm, plugin = sys.argv[1:]
	with tempfile.TemporaryDirectory() as directory:
		path = f"{directory}/units.ll"
		open(path, "w").write(module())
		widths = selected(llvm, path)
		units = sites(llvm, plugin, path, f"{directory}/units.bc")
	bad = 0
	for name, space, kind, size, align, access in kernels():
		if name in UNEVEN:
			continue
		got, expected = units[name], widths[name]
		own = [unit for bytes, unit in got for _ in range(bytes // unit)]
		same = sorted(own) == sorted(expected) or len(set(expected)) > 1 and align < (4, 1, 0, 16)[space] and \
			all(width % got[0][1] == 0 for width in expected)
		size = WIDER.get(name, size)
		if sum(bytes for bytes, _ in got) != size or sum(expected) != size or not same:
			print(f"{name}: {access} {kind} align {align}: llc {expected}, site {got}")
			bad += 1
	print(f"{len(units) - len(UNEVEN)} accesses, {bad} differ")
	sys.exit(bad != 0)


main()
