#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""address_values.py DIRECTORY COMPILER OPTIONS...: expressions of addresses have the values of the indices they are of.

Each index, in C of a work-item's id `i`, is compiled for the GPU as a kernel's index, and for the host as a function. The
expression in the site table, evaluated with integers of Python and C's division, must have the function's value for every id,
or contain a part that it calls unknown. Indices are those written below, and random ones of narrow and mixed types.
"""
import ctypes
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import address_classes

KNOWN = [  # (element's bytes, index), expressed without an unknown part
	(20, "(i * 8 + i / 16) & 127"),
	(4, "(i * 16 + i / 8) & 127"),
	(4, "(unsigned char)(i * 9) * 4"),
	(4, "(short)(i * 700) / 4 + 9000"),
	(1, "(signed char)(i * 5) + 128"),
	(8, "(signed char)(-i) * -3 + 512"),
	(4, "((short)(i * 300) >> 3) + 4096"),
	(4, "(unsigned short)(i * 300) >> 3"),
	(4, "(i * 2654435761u) >> 24"),
	(4, "(i * 0x9E3779B97F4A7C15ull) >> 55"),
	(4, "(i ^ i >> 3) & 255"),
	(4, "i << 4 | i & 15"),
	(4, "(i | 7) ^ 3"),
	(4, "(unsigned char)(i - 100)"),
	(4, "(63u - i) / 4 & 15"),
	(4, "(63u - i) % 10"),
	(2, "(long)(short)(i * 129) + 40000"),
	(4, "(unsigned char)((unsigned char)(i * 7) / 3 + 200)"),
	(12, "((int)i - 512) / 7 + 100"),
	(12, "((int)i - 512) % 7 + 100"),
	(4, "(unsigned)(unsigned char)(i * 3) * 5 & 63"),
]
RANDOM = 100
ITEMS = 1024  # ids are less
UNKNOWN = re.compile(r"computed value|choice of|a variable|\.\.\.|^$")


def expression(rng, depth):
	"""Unsigned; signed operations are of narrow operands, so that they are defined."""
	if not depth or rng.random() < .1:
		return rng.choice(["i", "i", "i", str(rng.choice([1, 3, 7, 100, 255, 700, 65521])) + "u"])
	one = expression(rng, depth - 1)
	kind = rng.randrange(5)
	if kind == 0:
		narrow = rng.choice(["signed char", "unsigned char", "short", "unsigned short"])
		return f"(unsigned)({narrow})({one})"
	if kind == 1:
		narrow = rng.choice(["signed char", "short"])
		return f"(unsigned)(({narrow})({one}) {rng.choice(['>>', '/', '%', '* -'])} {rng.randrange(1, 9)})"
	if kind == 2:
		return f"(({one}) {rng.choice(['>>', '<<', '/', '%', '&', '|', '^', '*'])} {rng.randrange(1, 24)}u)"
	if kind == 3:
		return f"(unsigned)(((unsigned long)({one}) * {rng.choice([5, 1000003, 2 ** 60 + 9])}ul) >> {rng.randrange(0, 60)})"
	return f"(({one}) {rng.choice(['+', '-', '*', '&', '|', '^'])} ({expression(rng, depth - 1)}))"


class Number:
	"""An integer with C's division."""
	def __init__(self, value):
		self.value = int(value)

	def quotient(self, other):
		value = abs(self.value) // abs(other.value)
		return value if (self.value < 0) == (other.value < 0) else -value


def operator(compute):
	def method(self, other):
		return Number(compute(self, other if isinstance(other, Number) else Number(other)))
	return method


for name, compute in {
	"add": lambda a, b: a.value + b.value, "sub": lambda a, b: a.value - b.value, "mul": lambda a, b: a.value * b.value,
	"and": lambda a, b: a.value & b.value, "or": lambda a, b: a.value | b.value, "xor": lambda a, b: a.value ^ b.value,
	"lshift": lambda a, b: a.value << b.value, "rshift": lambda a, b: a.value >> b.value,
	"truediv": lambda a, b: a.quotient(b), "mod": lambda a, b: a.value - a.quotient(b) * b.value,
}.items():
	setattr(Number, f"__{name}__", operator(compute))
Number.__neg__ = lambda self: Number(-self.value)


def names():
	ret = {"N": Number, "a": Number(0), "min": lambda *all: min(all, key=lambda one: one.value),
		"max": lambda *all: max(all, key=lambda one: one.value)}
	for bits in range(1, 65):
		ret[f"uint{bits}"] = lambda x, bits=bits: Number(x.value & ((1 << bits) - 1))
		ret[f"int{bits}"] = lambda x, bits=bits: Number((x.value + (1 << bits - 1) & ((1 << bits) - 1)) - (1 << bits - 1))
	return ret


def values(text):
	code = re.sub(r"(?<![\w.])(\d+)", r"N(\1)", text.replace("threadIdx.x", "T"))
	code = compile(code, text, "eval")
	known = names()
	return [eval(code, known, {"T": Number(item)}).value for item in range(ITEMS)]


def main(directory, *compiler):
	rng = random.Random(5)
	indices = KNOWN + [(rng.choice([1, 4, 12]), f"({expression(rng, 4)}) & {rng.choice([255, 1023])}") for _ in range(RANDOM)]
	device, host = "#include <hip/hip_runtime.h>\n", ""
	for number, (size, index) in enumerate(indices):
		device += f"struct s{number} {{ char c[{size}]; }};\nextern \"C\" __global__ void k{number}(char *out, const s{number} *a)\n" \
			f"{{\n\tunsigned i = threadIdx.x;\n\tout[i] = a[{index}].c[0];\n}}\n"
		host += f"long k{number}(unsigned i) {{ return (long)({index}) * {size}; }}\n"
	for name, text in (("device.hip", device), ("host.c", host)):
		with open(f"{directory}/{name}", "w", encoding="utf-8") as file:
			file.write(text)
	subprocess.run([*compiler, f"{directory}/device.hip", "-o", f"{directory}/device"], check=True)
	subprocess.run(["cc", "-O0", "-w", "-shared", "-fPIC", f"{directory}/host.c", "-o", f"{directory}/host.so"], check=True)
	texts = dict(address_classes.loads(f"{directory}/device"))
	library = ctypes.CDLL(os.path.abspath(f"{directory}/host.so"))
	wrong = unknown = 0
	for number, (_, index) in enumerate(indices):
		text = texts[f"k{number}"]
		if UNKNOWN.search(text):
			unknown += 1
			if number < len(KNOWN):
				wrong += 1
				print(f"{index}: {text}: unknown")
			continue
		function = getattr(library, f"k{number}")
		function.restype = ctypes.c_long
		for item, value in enumerate(values(text)):
			if value != function(item):
				wrong += 1
				print(f"{index}: {text}: {value} for {item}, not {function(item)}")
				break
	print(f"{len(indices)} indices, {unknown} unknown, {wrong} wrong")
	return wrong > 0


if __name__ == "__main__":
	sys.exit(main(*sys.argv[1:]))
