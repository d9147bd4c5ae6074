#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rdna.py LLVM_BIN OBJECT LANES: the probes in an RDNA code object, as the disassembler and the notes tell.

The site table says how many probes there must be; what is counted is the machine's instructions. Kernels
that call functions of their own are looked at for registers and widths only.
"""
import re
import struct
import subprocess
import sys

MEMORY, TRACE, TIME, COUNT = 1, 2, 3, 4
KINDS = {MEMORY: "memory", TRACE: "trace", TIME: "time", COUNT: "count"}
LOAD, ATOMIC, BLOCK, REGION, FUNCTION, GROUP, COUNTED = 1, 3, 4, 5, 6, 9, 10
FLAT, NONE = 0, 0xffffffff
# What may touch the registers of ring_cursor.h: the cursor's own code.
CURSOR = {"s_mov_b32", "s_mov_b64", "s_cselect_b32", "s_add_u32", "s_addc_u32", "s_sub_u32", "s_cmp_eq_u32",
	"s_swappc_b64", "global_store_dwordx4", "global_store_b128"}
LIMITS = {"vgpr_count": 256, "sgpr_count": 108, "vgpr_spill_count": 0}
SAME = ("group_segment_fixed_size", "max_flat_workgroup_size", "wavefront_size")
# Clocks in what a wave calls: at its begin the constant one; at its end a stamp, four that tell what stamps cost,
# and the constant one.
WAVE_CLOCKS = {"cursor_enter": 1, "cursor_exit": 6}
STACK = 64  # of what a kernel calls, bytes a lane at most

bad = []


def expect(what, got, want):
	if got != want:
		bad.append(f"{what}: {got}, should be {want}")


def run(tool, *args):
	return subprocess.run([tool, *args], check=True, capture_output=True, text=True).stdout


class Table:
	"""Section .probe_sites (wire_sites.h section 2)."""

	def __init__(self, path):
		data = open(path, "rb").read()
		at = data.index(b"PSIT\x0f\0")
		header = struct.unpack_from("<IHH22I", data, at)
		sites, kernels, strings, predicates = header[7], header[8], header[10], header[23]

		def text(offset):
			start = at + strings + offset
			return data[start:data.index(b"\0", start)].decode()

		self.sites = []
		parents = dict(struct.unpack_from("<2I", data, at + predicates + 16 * i) for i in range(header[24]))
		for i in range(header[4]):
			row = struct.unpack_from("<5IHBBHHIII", data, at + sites + 60 * i)
			self.sites.append({"access": row[6], "space": row[7], "size": row[8], "unit": row[9],
				"name": text(row[10]) if row[6] in (REGION, GROUP) else "", "owner": text(row[11]),
				"kinds": row[12], "parent": parents.get(i, NONE), "once": i in parents})
		self.kernels = [(text(row[0]), row[1]) for row in
			(struct.unpack_from("<4I", data, at + kernels + 16 * i) for i in range(header[5]))]

	def of(self, kernel, kind):
		return [site for site in self.sites if site["owner"] == kernel and site["kinds"] >> kind & 1]


def read_notes(llvm, path):
	"""Numbers of each kernel."""
	kernels, current = {}, {}
	for line in run(f"{llvm}/llvm-readelf", "--notes", path).splitlines():
		match = re.match(r"\s+\.(\w+):\s+(\S+)$", line)
		if match and match[1] == "symbol":
			kernels[match[2].removesuffix(".kd")] = current
		elif match and match[2].isdigit():
			current[match[1]] = int(match[2])
		if match and match[1] == "wavefront_size":  # the last of a kernel's
			current = {}
	return kernels


def read_code(llvm, path, lanes):
	"""Instructions of each function: mnemonic and operands."""
	functions, current = {}, None
	for line in run(f"{llvm}/llvm-objdump", "-d", f"--mattr=+wavefrontsize{lanes}", path).splitlines():
		label = re.match(r"[0-9a-f]+ <(.*)>:", line)
		match = re.match(r"\s+(\S+)(.*?)//", line)
		if label:
			current = functions.setdefault(label[1], [])
		elif match:
			current.append((match[1], match[2].strip()))
			if match[1].startswith((".", "<")):
				bad.append(f"{line.strip()}: not decoded")
	return functions


def registers(operands, kind="s"):
	"""Scalar registers named, or vector registers."""
	for match in re.finditer(rf"\b{kind}(?:(\d+)|\[(\d+):(\d+)\])", operands):
		yield from [int(match[1])] if match[1] else range(int(match[2]), int(match[3]) + 1)


def check_widths(name, code, lanes):
	"""EXEC is as wide as the wave."""
	wrong = r"\bexec\b" if lanes == 32 else r"^exec_(lo|hi)\b"
	for mnemonic, operands in code:
		if re.search(wrong, operands):
			bad.append(f"{name}: {mnemonic} {operands} in waves of {lanes}")


def check_refill(name, code):
	"""It is called by asm that declares no other registers to the compiler (CURSOR_CALL_CLOBBERS)."""
	for mnemonic, operands in code:
		if any(32 <= register < 78 for register in registers(operands)) or \
			any(register > 11 for register in registers(operands, "v")):
			bad.append(f"{name}: {mnemonic} {operands}")


def check_cursor(name, code):
	for mnemonic, operands in code:
		if any(78 <= register <= 93 for register in registers(operands)) and mnemonic not in CURSOR:
			bad.append(f"{name}: {mnemonic} {operands} on the cursor's registers")


def number(code, *mnemonics):
	return sum(mnemonic in mnemonics for mnemonic, _ in code)


def calls(code):
	return number(code, "s_swappc_b64")


def clocks(code):
	return number(code, "s_memtime", "s_memrealtime", "s_sendmsg_rtn_b64")


def expected_calls(table, kernel, kind):
	"""Calls of shared functions, one at each place that calls."""
	sites = table.of(kernel, kind)
	if kind == MEMORY:
		return sum(site["size"] // site["unit"] * (2 if site["space"] == FLAT else 1) for site in sites)
	if kind == TRACE:
		# The wave's begin and end, and each base's record.
		groups = {site["name"] for site in sites if site["access"] == GROUP}
		return 2 + sum(1 + max(int(item.split("+")[0].split("-")[0]) for item in
			group.split(":")[1].split(",")) for group in groups)
	# The wave's begin and end, and in each stamp one for room; the first is the kernel's.
	return 3 + sum(site["access"] == REGION for site in sites)


def expected_clocks(table, kernel):
	"""One in each stamp."""
	return 1 + sum(site["access"] == REGION for site in table.of(kernel, TIME))


def check_count(table, kernel, code, plain):
	"""Each row that the launch does not tell is added to memory, from registers at the end (a row's lanes go
	to v4) or at once."""
	rows = sum(not (site["once"] and site["parent"] == NONE) for site in table.of(kernel, COUNT))
	adds = ("global_atomic_add_x2", "global_atomic_add_u64")
	kept = sum(mnemonic == "v_writelane_b32" and operands.startswith("v4,") for mnemonic, operands in code)
	atomics = number(code, *adds) - number(plain, *adds)
	expect(f"{kernel}: rows counted", kept + (atomics - (2 if kept else 0)) / 2, rows)


def check_kernel(table, notes, functions, kernel, kinds, lanes):
	plain = functions[kernel]
	for kind, word in KINDS.items():
		name = f"__probe_{word}_{kernel}"
		if not kinds >> kind & 1:
			continue
		if name not in functions or name not in notes:
			bad.append(f"{name}: not there")
			continue
		code = functions[name]
		check_widths(name, code, lanes)
		if kind in (TRACE, TIME):
			check_cursor(name, code)
		for key, most in LIMITS.items():
			if notes[name][key] > max(most, notes[kernel][key]):
				bad.append(f"{name}: {key} {notes[name][key]}")
		stack = notes[name]["private_segment_fixed_size"] - notes[kernel]["private_segment_fixed_size"]
		if not 0 <= stack <= (STACK if kind != COUNT else 0) and not calls(plain):
			bad.append(f"{name}: {stack} bytes of stack more")
		for key in SAME:
			expect(f"{name}: {key}", notes[name][key], notes[kernel][key])
		if calls(plain):
			continue
		barriers = number(plain, "s_barrier") if kind == TRACE else 0
		if kind != COUNT:
			expect(f"{name}: calls", calls(code) - barriers, expected_calls(table, kernel, kind))
		if kind == TIME:
			expect(f"{name}: clocks", clocks(code) - clocks(plain), expected_clocks(table, kernel))
		if kind == COUNT:
			check_count(table, kernel, code, plain)


def main():
	llvm, path, lanes = sys.argv[1], sys.argv[2], int(sys.argv[3])
	table, notes = Table(path), read_notes(llvm, path)
	functions = read_code(llvm, path, lanes)

	for name, code in functions.items():
		if name.startswith("__probe_dev_"):
			check_widths(name, code, lanes)
		if re.match("__probe_dev_(trace|ring)", name):
			check_cursor(name, code)
		if re.match(r"__probe_dev_ring_refill_\d+_0$", name):
			check_refill(name, code)
		clocks_of = re.match(r"__probe_dev_(cursor_\w+?)_\d", name)
		if clocks_of:
			expect(f"{name}: clocks", clocks(code), WAVE_CLOCKS[clocks_of[1]])
		if name.startswith("__probe_dev_") and not re.search(f"_{lanes}_[0-9a-f]+$", name):
			bad.append(f"{name}: not for waves of {lanes}")
	for kernel, kinds in table.kernels:
		expect(f"{kernel}: lanes", notes[kernel]["wavefront_size"], lanes)
		check_kernel(table, notes, functions, kernel, kinds, lanes)
	# Nothing is left to the loader.
	expect("relocations", "no relocations" in run(f"{llvm}/llvm-readelf", "-r", path), True)
	expect("undefined symbols", re.findall(r"UND (\S+)", run(f"{llvm}/llvm-readelf", "--dyn-syms", path)), [])
	print(f"{len(table.kernels)} kernels, {len(table.sites)} sites, {len(bad)} wrong")
	print("\n".join(bad[:20]))
	sys.exit(1 if bad or not table.kernels else 0)


main()
