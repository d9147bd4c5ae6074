#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""generate.py SEED COUNT OUTPUT: a program of COUNT random kernels for equal.h.

A work-item stores only into its own slice of `out`, its own LDS and scratch, and adds to `acc` by
operations that commute, so what a kernel leaves does not depend on how waves take turns.
"""
import random
import sys

SCALARS = ["uint8_t", "int8_t", "uint16_t", "int16_t", "uint32_t", "int32_t", "uint64_t", "float", "double"]
SIZES = {"uint8_t": 1, "int8_t": 1, "uint16_t": 2, "int16_t": 2, "uint32_t": 4, "int32_t": 4, "uint64_t": 8,
	"uint2": 8, "uint3": 12, "uint4": 16, "packed3": 3, "packed20": 20, "blob32": 32}
BLOCKS = [(64, 1, 1), (128, 1, 1), (33, 1, 1), (100, 1, 1), (8, 8, 1), (16, 3, 2), (256, 1, 1), (1, 1, 1), (20, 7, 1)]


class Kernel:
	def __init__(self, seed, name):
		self.random = random.Random(seed)
		self.marks = random.Random(f"{seed} regions")
		self.marked = self.marks.random() < 0.6
		self.name = name
		self.lines = []
		self.depth = 0
		self.returned = False
		self.args = []

	def pick(self, *choices):
		return self.random.choice(choices)

	def put(self, text):
		self.lines.append("\t" * (self.depth + 1) + text)

	def var(self):
		return self.pick("a", "b", "c", "d", "e", "f")

	def expr(self, level=0):
		if level > 2 or self.random.random() < 0.3:
			return self.pick(self.var(), self.var(), str(self.random.randrange(1, 1 << 16)) + "u", "t", "bx")
		x, y = self.expr(level + 1), self.expr(level + 1)
		return self.pick(f"({x} + {y})", f"({x} ^ {y})", f"({x} * {y})", f"({x} - {y})",
			f"({x} >> ({y} & 7))", f"({x} & {y})", f"rot({x}, {y})", f"min({x}, {y})")

	def condition(self):
		return self.pick(f"({self.expr(1)} & {self.pick(1, 3, 7, 31)}) == {self.pick(0, 1)}",
			f"t < {self.random.randrange(1, 70)}", f"{self.var()} > {self.var()}", f"(t & 32) != 0")

	def access_type(self):
		return self.random.choice(list(SIZES))

	def load(self):
		kind = self.access_type()
		count = 32768 // SIZES[kind]
		index = self.pick(f"t", f"t * {self.random.randrange(1, 40)}", self.expr(1), f"(bx * 97 + t / 4)", "5u")
		# A flat access loses the address space, because the pointer comes from memory.
		pointer = self.pick("in", "in", "*where")
		self.put(f"{self.var()} ^= fold(((const {kind} *)({pointer}))[({index}) % {count}u]);")

	def store(self):
		kind = self.access_type()
		slots = 64 // SIZES[kind]
		index = self.pick("0u", self.expr(2), str(self.random.randrange(slots)))
		self.put(f"(({kind} *)mine)[({index}) % {slots}u] = make<{kind}>({self.var()});")

	def lds(self):
		self.put(self.pick(
			f"lds[t] = {self.var()};",
			f"{self.var()} += lds[t];",
			f"((uint8_t *)&lds[t])[{self.expr(2)} & 3] ^= {self.var()};",
			f"*(uint2 *)&wide[t] = make<uint2>({self.var()}); {self.var()} ^= fold(wide[t]);",
			f"atomicAdd(&lds[t], {self.var()});"))

	def neighbours(self):
		if self.depth or self.returned:
			return
		self.put("__syncthreads();")
		self.put(f"{self.var()} ^= lds[(t * {self.random.randrange(1, 40)}) % n];")
		self.put("__syncthreads();")

	def flat(self):
		self.put("{")
		self.put(f"\tuint32_t *p = {self.condition()} ? &lds[t] : (uint32_t *)mine + {self.random.randrange(16)};")
		self.put(f"\t{self.var()} += *p; " + self.pick(f"*p = {self.var()};", f"atomicXor(p, {self.var()});",
			f"{self.var()} ^= atomicMax(p, {self.var()});"))
		self.put("}")

	def atomic(self):
		place = f"({self.expr(2)}) % 512u"
		self.put(self.pick(
			f"atomicAdd(&acc[{place}], {self.var()});",
			f"atomicAdd(&acc[0], 1u);",
			f"atomicXor(&acc[512 + {place} / 2], {self.var()});",
			f"atomicMax(&acc[768 + {place} / 4], {self.var()});",
			f"atomicAdd((unsigned long long *)acc + 448 + {place} / 16, (unsigned long long){self.var()});",
			f"{self.var()} ^= atomicExch((uint32_t *)mine, {self.var()});",
			f"{self.var()} ^= atomicCAS((uint32_t *)mine + 1, {self.var()}, {self.var()});"))

	def scratch(self):
		self.put(self.pick(f"local[{self.expr(2)} & 15] = {self.var()};", f"{self.var()} ^= local[{self.expr(2)} & 15];"))

	def tables(self):
		self.put(self.pick(f"{self.var()} ^= table[{self.expr(2)} & 63];", f"{self.var()} ^= device_table[{self.expr(2)} & 63];",
			f"{self.var()} ^= table[bx & 63];"))

	def call(self):
		self.put(f"{self.var()} ^= {self.name}_f{self.random.randrange(2)}({self.var()}, (uint32_t *)mine, lds + t, "
			f"{self.pick(1, 2, 5)});")

	def argument(self):
		if self.args:
			kind, name = self.random.choice(self.args)
			self.put(f"{self.var()} ^= fold({name});")

	def branch(self):
		self.put(f"if ({self.condition()}) {{")
		self.block(3)
		if self.pick(True, False):
			self.put("} else {")
			self.block(3)
		self.put("}")

	def loop(self):
		counter = f"i{self.depth}"
		self.put(f"for (uint32_t {counter} = 0; {counter} < ({self.var()} & {self.pick(1, 3, 7)}); {counter}++) {{")
		self.put(f"\t{self.var()} += {counter};")
		self.block(3)
		self.put("}")

	def leave(self):
		self.put(f"if ({self.condition()}) {{ *(uint32_t *)(mine + 60) = {self.var()}; return; }}")
		self.returned = True

	def statement(self):
		ways = [self.load] * 4 + [self.store] * 4 + [self.lds] * 2 + [self.flat, self.atomic, self.atomic,
			self.scratch, self.tables, self.call, self.argument, self.neighbours]
		if self.depth < 3:
			ways += [self.branch, self.branch, self.loop]
		if self.random.random() < 0.03:
			ways = [self.leave]
		self.region(self.random.choice(ways))
		if self.pick(True, False, False):
			self.put(f"{self.var()} = {self.expr()};")

	def region(self, way):
		"""A statement in a region, whose end or begin may lack."""
		name = f"r{self.marks.randrange(6)}" if self.marked and self.marks.random() < 0.2 else None
		if name and self.marks.random() < 0.9:
			self.put(f'probe_region_begin("{name}");')
		way()
		if name and self.marks.random() < 0.9:
			self.put(f'probe_region_end("{name}");')

	def block(self, most):
		self.depth += 1
		for _ in range(self.random.randrange(1, most + 1)):
			self.statement()
		self.depth -= 1

	def functions(self):
		bodies = [self.pick(
			"return depth ? {n}(x * 3 + 1, out, lds, depth - 1) ^ out[x & 7] : x;",
			"for (uint32_t i = 0; i < (x & 3); i++) out[i] += x; return *lds + out[0];",
			"*lds ^= x; out[8 + (x & 7)] = *lds; return *lds * 5;",
			"uint32_t a[4] = {{x, x + 1, x + 2, x + 3}}; a[x & 3] ^= *lds; return a[depth & 3] + a[0];")
			for _ in range(2)]
		# Recursive kernels have it in their name: their stack cannot be bounded, and they
		# may run uninstrumented.
		if any("depth - 1" in body for body in bodies):
			self.name += "r"
		names = [f"{self.name}_f{i}" for i in range(2)]
		return "".join(f"__device__ __noinline__ uint32_t {name}(uint32_t x, uint32_t *out, uint32_t *lds, uint32_t depth)\n"
			f"{{\n\t{body.format(n=name)}\n}}\n" for name, body in zip(names, bodies))

	def text(self):
		functions = self.functions()
		block = self.random.choice(BLOCKS)
		threads = block[0] * block[1] * block[2]
		groups = max(1, min(self.random.randrange(1, 5), 1024 // threads))
		for i in range(self.random.randrange(0, 9)):
			self.args.append((self.random.choice(SCALARS + ["uint3", "packed3", "packed20", "bool"]), f"x{i}"))
		order = [("uint8_t *", "in"), ("uint8_t *", "out"), ("uint32_t *", "acc"), ("uint8_t **", "where")] + self.args
		self.random.shuffle(order)
		bounds = self.pick("", "", f"__launch_bounds__({threads}) ", f"__launch_bounds__({threads}, 4) ")
		for _ in range(self.random.randrange(6, 18)):
			self.statement()
		params = ", ".join(f"{kind} {name}" for kind, name in order)
		out = functions + f"""
__global__ {bounds}void {self.name}({params})
{{
	__shared__ uint32_t lds[{threads}];
	__shared__ uint4 wide[{threads}];
	const uint32_t n = {threads}, t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	const uint32_t bx = blockIdx.x, all = bx * n + t;
	uint8_t *mine = out + all * SLICE;
	uint32_t a = t, b = bx, c = all * 77, d = 4, e = gridDim.x, f = 6, local[16];

	for (uint32_t i = 0; i < 16; i++)
		local[i] = i * a;
	lds[t] = t;
	wide[t] = make<uint4>(t);
""" + "\n".join(self.lines) + """
	*(uint32_t *)(mine + 4 * (t & 15)) = a ^ b ^ c ^ d ^ e ^ f ^ local[t & 15] ^ lds[t];
}
"""
		values = {"in": "w.in", "out": "w.out", "acc": "(uint32_t *)w.acc", "where": "where(w)"}
		given = ", ".join(values.get(name) or f"make<{kind}>({self.random.randrange(1 << 32)}u)" for kind, name in order)
		self.case = f'\tCASE("{self.name}", {self.name}<<<{groups}, dim3({block[0]}, {block[1]}, {block[2]})>>>({given})),'
		return out


PRELUDE = """// Made by generate.py.
#include <probe/device.h>

#include "equal.h"

struct packed3 { uint8_t x[3]; };
struct packed20 { uint32_t x[5]; };
struct blob32 { uint4 x[2]; };

__host__ __device__ inline uint32_t rot(uint32_t x, uint32_t n) { return x << (n & 31) | x >> (-n & 31); }
template <typename T> __host__ __device__ inline T make(uint32_t x)
{
	union { T value; uint32_t word[8]; } u;
	for (uint32_t i = 0; i < sizeof(T) / 4 + 1 && i < 8; i++)
		u.word[i] = x * (i + 1);
	return u.value;
}
template <> __host__ __device__ inline float make<float>(uint32_t x) { return x & 0xffff; }
template <> __host__ __device__ inline double make<double>(uint32_t x) { return x; }
template <> __host__ __device__ inline bool make<bool>(uint32_t x) { return x & 1; }
template <typename T> __host__ __device__ inline uint32_t fold(const T &value)
{
	uint32_t hash = 0;
	uint8_t bytes[sizeof(T)];
	__builtin_memcpy(bytes, &value, sizeof(T));
	for (uint32_t i = 0; i < sizeof(T); i++)
		hash ^= (uint32_t)bytes[i] << i % 4 * 8;
	return hash;
}

__constant__ uint32_t table[64] = {1, 2, 3, 5, 8, 13, 21, 34};
__device__ uint32_t device_table[64] = {9, 8, 7, 6, 5, 4, 3, 2, 1};

// A pointer that kernels load: what they reach by it is flat.
static uint8_t **where(const world &w)
{
	static uint8_t **place;

	if (!place)
		HIP(hipMalloc((void **)&place, sizeof(*place)));
	HIP(hipMemcpy(place, &w.in, sizeof(w.in), hipMemcpyHostToDevice));
	return place;
}
"""


def main():
	seed, count = int(sys.argv[1]), int(sys.argv[2])
	kernels = [Kernel(seed * 1000 + i, f"g{seed}_{i}") for i in range(count)]
	texts = [kernel.text() for kernel in kernels]
	cases = "\n".join(kernel.case for kernel in kernels)
	with open(sys.argv[3], "w") as out:
		out.write(PRELUDE + "\n" + "\n".join(texts) + f"""
static const test_case cases[] = {{
{cases}
}};

int main(int argc, char **argv)
{{
	return run_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}}
""")


main()
