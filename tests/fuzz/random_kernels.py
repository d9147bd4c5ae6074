#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_kernels.py SEED FIRST COUNT [indices]: device code of kernels FIRST to FIRST + COUNT - 1 of a seed. With
"indices" a kernel is a dozen accesses at nested arithmetic of ids.

They are there to be compiled, not run. Kernel N of a seed is the same whatever is made along with it. No
header is needed: clang -x hip --cuda-device-only -nogpuinc -nogpulib.
"""
import random
import sys

from random_kernels_prelude import PRELUDE

INTEGERS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long"]
FLOATS = ["_Float16", "float", "double"]
SCALARS = INTEGERS + FLOATS
VECTORS = ["float2", "float3", "float4", "float8", "float16", "double2", "half2", "half4", "int2", "int3", "int4",
	"uchar4", "uchar16", "ulong2"]


class Kernel:
	"""A kernel and what it calls. Each idiom adds statements, and may add parameters, LDS and functions."""

	def __init__(self, seed, number):
		self.random = random.Random(f"{seed} {number}")
		self.seed, self.number_of_seed = seed, number
		self.name = f"k{seed}_{number}"
		self.parameters, self.functions, self.lines = [], [], []
		self.depth, self.names, self.lds = 0, 0, 0
		self.variables = {"int": ["t"], "unsigned": [], "float": ["s"], "long": ["g"], "unsigned long": []}

	# ---- Small pieces ------------------------------------------------------------------------------

	def pick(self, *choices):
		return self.random.choice(choices)

	def chance(self, probability):
		return self.random.random() < probability

	def number(self, low, high):
		return self.random.randrange(low, high + 1)

	def put(self, text):
		self.lines += ["\t" * (self.depth + 1) + line for line in text.split("\n")]

	def fresh(self, start="v"):
		self.names += 1
		return f"{start}{self.names}"

	def parameter(self, kind, start="p"):
		"""A kernel argument; pointers may be shared, qualified, or reached through another."""
		old = [name for k, name in self.parameters if k == kind]
		if old and (len(old) > 2 or self.chance(0.7)):
			return self.random.choice(old)
		name = self.fresh(start)
		self.parameters.append((kind, name))
		return name

	def pointer(self, kind, const=False):
		way = self.random.random()
		qualifier = self.pick("", "const ", "const ") if const else ""
		if way < 0.6:
			return self.parameter(f"{qualifier}{kind} *{self.pick('', '__restrict__ ')}")
		if way < 0.75:
			return f"{self.parameter(f'{kind} **')}[{self.pick('0', '1', self.uniform(), 't & 7')}]"
		if way < 0.85:
			return f"(({kind} *)dynamic_lds)"
		if way < 0.9:
			return f"(({kind} *)device_pointer)"
		if way < 0.95:
			return f"({self.condition()} ? {self.parameter(f'{kind} *')} : ({kind} *)dynamic_lds)"
		return f"(({kind} *){self.parameter('struct view')}.{self.pick('data', 'bytes')})"

	def array(self, kind, count):
		"""In LDS, and small enough for a few of them."""
		sizes = {"double": 8, "long": 8, "unsigned long": 8, "float4": 16, "int4": 16, "body": 48}
		size = sizes.get(kind, 4) * count
		if self.lds + size > 24 << 10:
			return f"(({kind} *)dynamic_lds)"
		self.lds += size
		name = self.fresh("lds")
		self.put(f"__shared__ {kind} {name}[{count}];")
		return name

	def uniform(self):
		"""All lanes agree about it, whether the back end knows or not."""
		n, m = self.parameter("int", "n"), self.parameter("unsigned long", "m")
		return self.pick(n, n, f"({n} >> 3)", f"(int){m}", "BID", "BIDY", "NTID", "(GRID / NTID)", str(self.number(1, 4096)),
			f"({n} / {self.parameter('int', 'n')})", f"(long)({m} / {self.parameter('unsigned long', 'm')})",
			f"(int)({self.parameter('float', 'f')} * 3.5f)", f"{self.parameter('const int *')}[{self.pick('0', 'BID', n)}]",
			f"__builtin_amdgcn_readfirstlane({self.variable('int')})", f"least({n}, NTID)", f"(n0 ? {n} : 7)",
			f"({n} % 96)", f"(long){n} * {m}", f"__builtin_popcountl({m})", f"(int)table[{n} & 255]",
			f"(short){n}", f"(unsigned char){n}", f"(int)(__int128){m}", f"__builtin_ctz({n} | 256)")

	def variable(self, kind=None):
		kinds = [kind] if kind and self.variables.get(kind) else [k for k in self.variables if self.variables[k]]
		kind_of = self.random.choice(kinds)
		name = self.random.choice(self.variables[kind_of])
		return name if kind_of == kind or not kind else f"({kind}){name}"

	def new_variable(self, kind, value):
		name = self.fresh()
		self.put(f"{kind} {name} = {value};")
		self.variables.setdefault(kind, []).append(name)
		return name

	def index(self):
		c = self.number(0, 65)
		u, i = self.uniform(), self.variable("int")
		return self.pick("t", "t", "g", f"t + {c}", f"g * {c} + {self.number(-9, 40)}", f"t * {u}", f"g * {u} + {i}",
			f"(long)t * {u} + {self.uniform()}", f"(unsigned){i} % {self.pick(7, 64, 1000, u, 1024)}", f"{u} + {c}", i,
			f"(t ^ {self.pick(1, 16, 31, i)})", f"(t & {self.pick(15, 31, 63)}) * {u} + (t >> {self.pick(4, 5, 6)})",
			f"{self.pointer('int', True)}[t]", f"TIDY * {u} + t", f"({i} + t) & {self.pick(255, 1023, 65535)}",
			f"(unsigned long)g * {self.parameter('unsigned long', 'm')}", f"{self.variable('long')} + t * {c}",
			f"least({i}, {u})", f"t * {c} + (t / {self.number(1, 50)})", f"__builtin_bitreverse32({i}) >> 24",
			f"(unsigned short)({i} * 31)", f"(unsigned)(t * {u}) * 4u", f"g - {self.parameter('unsigned', 'w')}")

	def condition(self):
		i = self.variable("int")
		return self.pick(f"t < {self.uniform()}", f"{i} & {self.pick(1, 32, 64)}", f"{self.uniform()} > {self.number(0, 99)}",
			f"g < (long){self.uniform()}", f"{self.variable('float')} > 0.5f", f"{i} % 3 == 1", f"t % {self.pick(2, 3, 64)} == 0",
			f"{self.uniform()} == {self.uniform()} && t", f"{self.variable()} != {self.variable('int')}")

	def value(self, kind="int", depth=0):
		if depth > 2 or self.chance(0.3):
			return self.variable(kind)
		a, b = self.value(kind, depth + 1), self.value(kind, depth + 1)
		if kind in FLOATS:
			return self.pick(f"({a} + {b})", f"({a} * {b})", f"({a} - {b})", f"({a} / {b})", f"({kind})__builtin_sqrtf({a})",
				f"({a} < {b} ? {a} : {b})", f"({a} * {b} + {a})", f"({kind})__builtin_fabsf({a})", f"({kind})__builtin_floorf({b})",
				f"({kind})__builtin_amdgcn_rcpf({a})", f"(-{a})")
		return self.pick(f"({a} + {b})", f"({a} * {b})", f"({a} - {b})", f"({a} ^ {b})", f"({a} >> ({b} & 7))", f"({a} & {b})",
			f"({a} | {b})", f"({a} / ({b} | 1))", f"({a} % ({b} | 3))", f"least({a}, {b})", f"({a} << ({b} & 15))",
			f"({kind})shuffle({self.variable('int')}, ({b}) & 63)", f"({kind})__builtin_amdgcn_mbcnt_lo(-1, {self.variable('int')})",
			f"({kind})__builtin_popcount({a})", f"({kind})__builtin_clz((unsigned){a} | 1)", f"({kind})(({a}) > ({b}))",
			f"({kind})((unsigned __int128)(unsigned long){a} * (unsigned long){b} >> 64)")

	# ---- Statements --------------------------------------------------------------------------------

	def load(self):
		kind = self.pick(*SCALARS, "float", "float", "int", "unsigned char")
		way = self.pick("{p}[{i}]", "{p}[{i}]", "{p}[{i}]", "__builtin_nontemporal_load(&{p}[{i}])", "*(volatile {k} *)&{p}[{i}]")
		value = way.format(p=self.pointer(kind, not way.startswith("*")), i=self.index(), k=kind)
		self.new_variable(self.pick(kind, "float", "int"), value)

	def store(self):
		kind = self.pick(*SCALARS, "float", "float", "int", "unsigned char")
		self.put(f"{self.pointer(kind)}[{self.index()}] {self.pick('=', '=', '=', '+=', '-=')} {self.value(kind)};")

	def vector(self):
		kind, other = self.random.choice(VECTORS), self.random.choice(VECTORS)
		name = self.fresh()
		self.put(f"{kind} {name} = {self.pointer(kind, True)}[{self.index()}];")
		self.put(self.pick(f"{name} += {self.pointer(kind)}[{self.index()}];", f"{name}.x = {self.variable('int')};",
			f"{name} = {name}.yxyx.{'xyz' if kind[-1] == '3' else 'xy' if kind[-1] == '2' else 'xyzw'} * {name};"
				if kind[-1] in "234" and kind[-2] not in "1" else f"{name} = {name} * {name};",
			f"{name}[{self.variable('int')} & 1] = 1;"))
		self.put(f"{self.pointer(kind)}[{self.index()}] = {name};")
		self.put(f"s += (float){name}.{self.pick('x', 'y')}; {self.pointer(other)}[{self.index()}].y = 3;")

	def structure(self):
		kind = self.pick("body", "cell", "packed3", "blob", "bits")
		member = {"body": ("mass", "id", "at.y", "speed.w"), "cell": ("a[1]", "tag", "flag", "a[t & 1]"),
			"packed3": ("x[0]", "x[2]"), "blob": ("x[3]", "x[11]", "x[t & 7]"), "bits": ("a", "b", "c")}[kind]
		one, two = self.fresh(), self.fresh()
		self.put(f"struct {kind} {one} = {self.pointer('struct ' + kind, True)}[{self.index()}], *{two} = "
			f"&{self.pointer('struct ' + kind)}[{self.index()}];")
		self.put(f"{one}.{self.random.choice(member)} += {self.variable('int')}; {two}->{self.random.choice(member)} += 3;")
		self.put(self.pick(f"*{two} = {one};", f"__builtin_memcpy({two} + 1, {two}, sizeof(*{two}));",
			f"__builtin_memset({two}, 0, {self.pick('sizeof(*' + two + ')', self.uniform())});",
			f"__builtin_memmove({two}, &{one}, sizeof({one}));", f"{two}[{self.index()}] = {two}[{self.variable('int')}];",
			f"__builtin_memcpy({two}, {self.pointer('char')} + t, {self.pick('64', '48', '(unsigned)' + self.variable('int'))});"))

	def atomic(self):
		kind = self.pick("int", "unsigned", "unsigned long", "float", "double")
		way = self.pick("add", "add", "xor", "max", "and", "exchange", "compare")
		target = f"&{self.pointer(kind)}[{self.index()}]"
		scope = self.pick("AGENT", "__ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_SYSTEM",
			"__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP", "__ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT")
		value = self.value(kind, 1)
		if way == "compare":
			kind = "int" if kind in FLOATS else kind
			old = self.new_variable(kind, "3")
			target = f"&{self.pointer(kind)}[{self.index()}]"
			self.put(f"__hip_atomic_compare_exchange_strong({target}, &{old}, {self.value(kind, 1)}, __ATOMIC_RELAXED, {scope});")
		elif way == "exchange":
			self.put(f"s += __hip_atomic_exchange({target}, {value}, {scope});")
		else:
			way = "add" if kind in FLOATS else way
			text = f"__hip_atomic_fetch_{way}({target}, {value}, {scope})"
			self.put(f"{text};" if self.chance(0.5) else f"s += {text};")

	def shared(self):
		kind = self.pick("float", "int", "double", "float4", "unsigned")
		count = self.pick(64, 256, 264, 1056)
		name = self.array(kind, count)
		element = ".x" if kind == "float4" else ""
		at = f"({self.index()}) & {63 if count < 256 else 255}"
		self.put(f"{name}[{at}]{element} = {self.variable('int')};")
		if not self.depth:
			self.put("BARRIER();")
		self.put(f"s += {name}[({self.index()}) & 63]{element} + {name}[(t * {self.number(1, 33)}) & 255 & {count - 1 if count in (64, 256) else 255}]{element};")

	def scratch(self):
		kind, count = self.pick("int", "float", "double", "unsigned char"), self.pick(4, 16, 64)
		name, i = self.fresh("a"), self.fresh("i")
		self.put(f"{kind} {name}[{count}];\nfor (int {i} = 0; {i} < {count}; {i}++)\n\t{name}[{i}] = {self.pointer(kind)}[t + {i}];")
		self.put(f"{name}[{self.variable('int')} & {count - 1}] += 3;\ns += {name}[{self.variable('int')} & {count - 1}];")

	def branch(self):
		self.put(f"if ({self.condition()}) {{")
		self.block(3)
		if self.chance(0.4):
			self.put("} else {")
			self.block(3)
		self.put("}")

	def switch(self):
		self.put(f"switch ({self.value('int', 1)} & 7) {{")
		for case in range(self.number(2, 7)):
			self.put(f"case {case}: {{")
			self.block(2)
			self.put("}" + self.pick("", "\nbreak;", "\nbreak;"))
		self.put("}")

	def loop(self):
		i, bound = self.fresh("i"), self.pick(self.uniform(), self.uniform(), str(self.number(1, 9)), self.variable("int"))
		kind = self.pick("int", "unsigned", "long", "unsigned long", "int")
		step = self.pick("1", "1", "1", "NTID", self.uniform())
		head = self.pick(f"for ({kind} {i} = 0; {i} < {bound}; {i} += {step}) {{",
			f"for ({kind} {i} = t; {i} < {bound}; {i} += NTID) {{", f"for (int {i} = {self.uniform()}; {i} > 0; {i} /= 2) {{",
			f"for (int {i} = 0; {i} < {self.pick(3, 4, 8, 16)}; {i}++) {{")
		if self.chance(0.25):
			self.put(f"#pragma unroll {self.pick('', 2, 4, 8)}")
		self.put(head)
		self.variables["int"].append(f"(int){i}")
		self.block(3)
		if self.chance(0.2):
			self.put(f"\tif ({self.condition()}) {self.pick('break', 'continue')};")
		self.variables["int"].remove(f"(int){i}")
		self.put("}")

	def chase(self):
		kind = self.pick("list", "index")
		at = self.fresh("at")
		if kind == "list":
			self.put(f"for (struct list *{at} = {self.parameter('struct list *')} + t; {at}; {at} = {at}->next) {{")
			self.put(f"\ts += {at}->value; {at}->key += t;\n}}")
			return
		self.put(f"int {at} = t;\nwhile (({at} = {self.pointer('int')}[{at}]) > {self.uniform()})\n\ts += {self.pointer('float')}[{at}];")

	def assembly(self):
		i, name = self.variable("int"), self.fresh()
		self.put(self.pick(
			f'int {name}; asm volatile("v_mov_b32 %0, %1" : "=v"({name}) : "v"({i})); s += {name};',
			f'int {name}; asm("s_mov_b32 %0, 5" : "=s"({name})); {self.pointer("int")}[t * {name}] = 1;',
			f'asm volatile("s_nop 0" ::: "memory");',
			f'asm volatile("s_mov_b32 s{self.pick(5, 33, 76, 77)}, 0" ::: "s{self.pick(5, 33, 76, 77)}");',
			f'asm volatile("v_mov_b32 v{self.pick(1, 20, 40)}, 0" ::: "v{self.pick(1, 20, 40)}");'))

	def wave(self):
		self.put(self.pick(f"s += __builtin_amdgcn_ds_bpermute(t * 4, {self.variable('int')});",
			f"s += __builtin_amdgcn_update_dpp(0, {self.variable('int')}, 0x111, 0xf, 0xf, false);",
			f"g += __builtin_amdgcn_read_exec();", f"s += __builtin_amdgcn_readlane({self.variable('int')}, {self.uniform()} & 31);",
			f"s += __builtin_amdgcn_mov_dpp({self.variable('int')}, 0xb1, 0xf, 0xf, true);",
			f"g += __builtin_readcyclecounter();", f"__builtin_amdgcn_s_sleep(1);",
			f"s += __builtin_amdgcn_ds_swizzle({self.variable('int')}, 0x401f);",
			f"s += __builtin_amdgcn_fmed3f(s, {self.variable('float')}, 3.0f);"))

	def print(self):
		self.put(f'if ({self.condition()})\n\tprintf("%d %s %f\\n", {self.variable("int")}, "text", {self.variable("float")});')

	def leave(self):
		self.put(f"if ({self.condition()})\n\treturn;")

	def call(self):
		kind = self.pick("float", "int", "double", "float4")
		name = f"{self.name}_{self.fresh('f')}"
		body = Kernel(self.random.random(), name)
		body.parameters = [(f"{kind} *", "p"), ("int", "n0"), ("unsigned long", "m0"), ("float", "f0"), ("const int *", "q0")]
		body.pointer = lambda k, const=False: f"(({k} *)p)"
		body.parameter = lambda k, start="p": {"int": "n0", "unsigned long": "m0", "float": "f0", "unsigned": "(unsigned)n0",
			"const int *": "q0", "int *": "((int *)p)", "struct view": "(*(struct view *)p)"}.get(k, f"(({k})p)")
		body.name = name
		for _ in range(body.number(1, 5)):
			body.random.choice([body.load, body.store, body.branch, body.loop, body.atomic, body.scratch])()
		attributes = self.pick("__noinline__", "__noinline__", "__inline__", "", "__attribute__((pure)) __noinline__")
		signature = ", ".join(f"{k} {n}" for k, n in body.parameters)
		self.functions += body.functions
		self.functions.append(f"__device__ {attributes} float {name}({signature}, int t, float s, long g)\n{{\n" +
			"\n".join(body.lines) + "\n\treturn s;\n}\n")
		self.put(f"s += {name}({self.pointer(kind)}, {self.uniform()}, {self.uniform()}, {self.variable('float')}, "
			f"{self.parameter('const int *')}, {self.variable('int')}, s, g);")

	# ---- Whole pieces of programs ------------------------------------------------------------------

	def sort(self):
		kind, count = self.pick("int", "float", "unsigned", "short", "double", "long"), self.pick(4, 8, 8, 16, 16, 32)
		pointer = self.pick(self.pointer(kind), f"({kind} *)dynamic_lds", f"{self.parameter(kind + ' **')}[t & 3]")
		if self.chance(0.4):
			local = self.fresh("a")
			self.put(f"{kind} {local}[{count}];\nfor (int i = 0; i < {count}; i++)\n\t{local}[i] = ({pointer})[t + i * {self.uniform()}];")
			pointer = local
		self.put(f"bitonic<{kind}, {count}>({pointer}, {'0' if pointer[0] == 'a' else f't * {count}'});")
		self.put(f"s += ({pointer})[0] + ({pointer})[{count - 1}];")

	def tile(self):
		"""An outer product in registers."""
		kind = self.pick("float", "float", "double", "_Float16")
		rows, columns = self.pick(2, 4, 8), self.pick(2, 4, 8, 12)
		a, b, c = self.pointer(kind, True), self.pointer(kind, True), self.pointer(kind)
		acc, k = self.fresh("acc"), self.fresh("k")
		self.put(f"""{kind} {acc}[{rows}][{columns}] = {{}};
for (int {k} = 0; {k} < {self.uniform()}; {k}++)
#pragma unroll
	for (int i = 0; i < {rows}; i++)
#pragma unroll
		for (int j = 0; j < {columns}; j++)
			{acc}[i][j] += ({a})[(g * {rows} + i) * {self.uniform()} + {k}] * ({b})[{k} * {self.uniform()} + t * {columns} + j];
#pragma unroll
for (int i = 0; i < {rows}; i++)
#pragma unroll
	for (int j = 0; j < {columns}; j++)
		({c})[(g * {rows} + i) * {self.uniform()} + t * {columns} + j] = {acc}[i][j];""")

	def product(self):
		"""A matrix product with tiles in LDS."""
		n, kind = self.pick(8, 16, 16, 32), self.pick("float", "double", "int")
		pad = self.pick(0, 0, 1)
		one, two = self.array(kind, n * (n + pad)), self.array(kind, n * (n + pad))
		a, b, size = self.pointer(kind), self.pointer(kind), self.uniform()
		if self.depth:
			return
		self.put(f"""{{
	{kind} sum = 0;
	int x = t % {n}, y = (t / {n}) % {n};
	for (int k = 0; k < {size}; k += {n}) {{
		{one}[y * {n + pad} + x] = ({a})[(BIDY * {n} + y) * {size} + k + x];
		{two}[y * {n + pad} + x] = ({b})[(k + y) * {size} + BID * {n} + x];
		BARRIER();
		for (int j = 0; j < {n}; j++)
			sum += {one}[y * {n + pad} + j] * {two}[j * {n + pad} + x];
		BARRIER();
	}}
	({self.pointer(kind)})[(BIDY * {n} + y) * {size} + BID * {n} + x] = sum;
}}""")

	def stencil(self):
		kind, pitch, p = self.pick("float", "double", "int"), self.uniform(), self.pointer("float")
		points = [(self.number(-3, 3), self.number(-3, 3)) for _ in range(self.number(3, 27))]
		terms = " + ".join(f"({p})[(g / {pitch} + {y}) * {pitch} + t + {x}]" for x, y in points)
		self.put(f"if (t > 3 && t < {self.uniform()})\n\t{self.pointer(kind)}[g] = {terms};")

	def straight(self):
		"""Many statements in one block."""
		a, b = self.pointer("float", True), self.pointer(self.pick("float", "double"))
		scale, index = self.number(1, 9), self.pointer("int")
		for i in range(self.pick(10, 20, 40, 80)):
			self.put(self.pick(f"s = s * 1.5f + ({a})[t * {scale} + {self.number(0, 999)}];", f"({b})[t * 3 + {i}] = s;",
				f"s += ({a})[{index}[(t + {i}) & 1023]];", f"({b})[g + {self.number(0, 9)} * {self.parameter('int', 'n')}] = s + t;"))

	def live(self):
		"""Many values at once."""
		kind, count, a = self.pick("float", "double", "int", "float4"), self.pick(8, 16, 32, 48), self.fresh("a")
		p, q, stride = self.pointer(kind), self.pointer(kind), self.uniform()
		self.put(f"{kind} {a}[{count}];\n#pragma unroll\nfor (int i = 0; i < {count}; i++)\n\t{a}[i] = ({p})[t + i * {stride}];")
		self.put(f"#pragma unroll\nfor (int i = 0; i < {count}; i++)\n\t({q})[t * {self.pick(count, 1)} + i * {self.pick(stride, 1)}]"
			f" = {a}[{count - 1} - i] * {a}[i ^ 1];")

	def chunks(self):
		"""A chunk for each work-item, of a size that all agree about."""
		p, per, i = self.pointer(self.pick("unsigned char", "int", "double")), self.fresh("per"), self.fresh("i")
		self.put(f"unsigned long {per} = {self.parameter('unsigned long', 'm')} / {self.parameter('unsigned long', 'm')};")
		self.put(f"for (unsigned long {i} = 0; {i} < {per}; {i}++)\n\ts += ({p})[t * {per} + {i}];")
		self.variables["unsigned long"].append(per)

	def sparse(self):
		rows, columns, i = self.parameter("const int *"), self.pointer("int", True), self.fresh("i")
		self.put(f"for (int {i} = ({rows})[g]; {i} < ({rows})[g + 1]; {i}++)\n\ts += ({self.pointer('float')})[{i}] * "
			f"({self.pointer('float')})[({columns})[{i}]];")

	def reduction(self):
		if self.depth:
			return
		name, j = self.array("float", 1024), self.fresh("j")
		self.put(f"{name}[t & 1023] = s;\nBARRIER();\nfor (int {j} = {self.pick('NTID / 2', '128', '512')}; {j} > 0; {j} /= 2) {{")
		self.put(f"\tif (t < {j})\n\t\t{name}[t & 511] += {name}[(t + {j}) & 1023];\n\tBARRIER();\n}}\ns = {name}[0];")

	def histogram(self):
		p, i = self.pointer("unsigned char", True), self.fresh("i")
		bins = self.array("unsigned", 256) if not self.depth else "((unsigned *)dynamic_lds)"
		self.put(f"for (int {i} = g; {i} < {self.uniform()}; {i} += GRID)\n\t__hip_atomic_fetch_add(&{bins}[({p})[{i}]], 1u, "
			f"__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);")

	def butterflies(self):
		n, a = self.pick(4, 8, 16), self.fresh("z")
		p = self.pointer("float2")
		self.put(f"""float2 {a}[{n}];
#pragma unroll
for (int i = 0; i < {n}; i++)
	{a}[i] = ({p})[t + i * {self.uniform()}];
#pragma unroll
for (int h = 1; h < {n}; h *= 2)
#pragma unroll
	for (int i = 0; i < {n}; i++)
		if (!(i & h)) {{
			float2 x = {a}[i], y = {a}[i + h] * __builtin_amdgcn_cosf(i * 0.1f * t);
			{a}[i] = x + y;
			{a}[i + h] = x - y;
		}}
#pragma unroll
for (int i = 0; i < {n}; i++)
	({p})[t * {n} + i] = {a}[i];""")

	def matrix(self):
		self.put(f"""#ifdef __gfx90a__
{{
	typedef float f4 __attribute__((ext_vector_type({self.pick(4, 16)})));
	f4 acc = {{}};
	for (int k = 0; k < {self.uniform()}; k++)
		acc = sizeof(f4) == 16 ? acc : acc;
#define M4(a, b, c) __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0)
	float4 c4 = {{}};
	for (int k = 0; k < {self.uniform()}; k++)
		c4 = M4(({self.pointer('float')})[t + k * {self.uniform()}], ({self.pointer('float')})[t * 4 + k], c4);
	float16 c16 = {{}};
	for (int k = 0; k < {self.pick(4, self.uniform())}; k++)
		c16 = __builtin_amdgcn_mfma_f32_32x32x2f32(({self.pointer('float')})[t + k], c4.x, c16, 0, 0, 0);
	for (int i = 0; i < 16; i++)
		({self.pointer('float')})[(t & 31) * {self.uniform()} + i] = c16[i] + c4[i & 3];
}}
#endif
""")

	def copy(self):
		kind, i = self.pick("float4", "int", "struct blob", "struct packed3", "uchar16", "double2"), self.fresh("i")
		self.put(f"for (long {i} = g; {i} < {self.uniform()}; {i} += GRID)\n\t({self.pointer(kind)})[{i}] = ({self.pointer(kind)})[{self.pick(i, i + ' * 3', 'least<long>(' + i + ', 77)')}];")

	# ---- What few programs have ---------------------------------------------------------------------

	def jump(self):
		"""A loop with two entries."""
		one, two = self.fresh("label"), self.fresh("label")
		i, p = self.fresh("i"), self.pointer("int")
		self.put(f"""int {i} = {self.variable("int")};
if ({self.condition()})
	goto {two};
{one}:
	({p})[{i} & 1023] += {i};
{two}:
	{i} -= 3;
	s += ({p})[({i} * 5) & 1023];
	if ({i} > {self.uniform()})
		goto {one};""")

	def recursion(self):
		name = f"{self.name}_{self.fresh('r')}"
		self.functions.append(f"__device__ __noinline__ float {name}(float *p, int n)\n{{\n"
			f"\treturn n <= {self.pick(0, 1)} ? p[0] : {name}(p + n, n - {self.pick(1, 2)}) + p[n]{self.pick('', f' * {name}(p, n / 2)')};\n}}\n")
		self.put(f"s += {name}({self.pointer('float')}, {self.variable('int')} & 15);")

	def by_pointer(self):
		one, two, call = (f"{self.name}_{self.fresh('c')}" for _ in range(3))
		for name, text in (one, "p[n & 255] + 1"), (two, "(p[n & 63] = n)"):
			self.functions.append(f"__device__ __noinline__ float {name}(float *p, int n)\n{{\n\treturn {text};\n}}\n")
		self.put(f"float (*{call})(float *, int) = {self.condition()} ? {one} : {two};")
		self.put(f"s += {call}({self.pointer('float')}, {self.variable('int')});")

	def generic(self):
		"""Pointers that lead to LDS in some lanes, and to global memory or scratch in others."""
		kind, name, local = self.pick("int", "float", "double"), self.fresh("f"), self.fresh("a")
		self.put(f"{kind} {local}[4] = {{({kind})t, 1, 2, 3}};")
		self.put(f"{kind} *{name} = {self.condition()} ? ({kind} *)dynamic_lds : {self.pick(local, self.pointer(kind))};")
		self.put(f"{name}[{self.variable('int')} & 3] += 1;\ns += {name}[t & 3] + {local}[1];")

	def many_operands(self):
		"""Inline assembly that leaves few registers for anything else."""
		kind, count = self.pick(("s", 20), ("s", 60), ("s", 76), ("v", 16), ("v", 29), ("a", 8))
		# The target's LLVM has accumulation registers on two of the targets only.
		load = f"table[{self.parameter('int', 'n')} + %d & 255]" if kind == "s" else f"(int)({self.pointer('int', True)})[t + %d]"
		operands = [load.replace("%d", str(i)) for i in range(count)]
		text = ", ".join(f'"{kind}"({operand})' for operand in operands)
		guard = "#if defined(__gfx90a__) || defined(__gfx908__)\n" if kind == "a" else "{\n"
		self.put(f'{guard}asm volatile("s_nop 0" :: {text});\n{"#endif" if kind == "a" else "}"}')

	def registers(self):
		one = self.pick(*[f"s{i}" for i in (32, 53, 54, 70, 77, 78, 85, 93, 96)], "vcc", "v31", "v63", "m0")
		self.put(f'asm volatile("s_nop 1" ::: "{one}");')

	def union(self):
		name, kind = self.fresh("u"), self.pick("double", "unsigned long", "float4")
		self.put(f"union {{ {kind} whole; unsigned char byte[sizeof({kind})]; short half[2]; }} {name};")
		self.put(f"{name}.whole = {self.pointer(kind)}[t];\n{name}.byte[{self.variable('int')} & 7] ^= t;")
		self.put(f"{name}.half[1] += 5;\n{self.pointer(kind)}[{self.index()}] = {name}.whole;")

	def wide(self):
		kind = self.pick("long16", "double8", "short16", "bool", "__int128", "char3", "ushort8")
		self.put(f"{self.pointer(kind)}[{self.index()}] = {self.pointer(kind)}[{self.index()}];")

	def unaligned(self):
		kind = self.pick("int", "long", "double", "float4")
		self.put(f"struct {{ char pad; {kind} value; }} __attribute__((packed)) *{(name := self.fresh('q'))} = "
			f"(decltype({name}))({self.pointer('unsigned char')} + {self.variable('int')});")
		self.put(f"{name}->value = {name}[1].value; s += (float){name}[t].{self.pick('pad', 'value' + ('.x' if kind == 'float4' else ''))};")

	def by_value(self):
		kind, name = self.pick("body", "cell", "blob", "view"), f"{self.name}_{self.fresh('b')}"
		self.functions.append(f"__device__ __noinline__ struct {kind} {name}(struct {kind} one, struct {kind} *two, int n)\n{{\n"
			f"\ttwo[n] = one;\n\treturn two[n + 1];\n}}\n")
		p = self.pointer("struct " + kind)
		self.put(f"({p})[t] = {name}(({p})[{self.variable('int')}], {p}, {self.variable('int')});")

	def stop(self):
		self.put(f"if ({self.condition()} && {self.condition()})\n\t{self.pick('__builtin_trap()', '__builtin_unreachable()', '__builtin_amdgcn_endpgm()')};")

	def odd(self, seed, number):
		"""With numbers of its own: what else the kernel is does not depend on this."""
		old, self.random = self.random, random.Random(f"odd {seed} {number}")
		for _ in range(self.pick(0, 0, 1, 1, 2, 4)):
			self.random.choice([self.jump, self.recursion, self.by_pointer, self.generic, self.many_operands, self.registers, self.union,
				self.wide, self.unaligned, self.by_value, self.stop])()
		self.random = old

	# ---- Kernels of accesses alone -------------------------------------------------------------------

	def nested(self, depth):
		"""Arithmetic of ids, arguments and constants, in which powers of two are frequent."""
		if not depth or self.chance(0.1):
			return self.pick("t", "t", "TIDY", "(TIDY * 8 + t)", "(t + TIDY)", "TIDZ", "BID", "g32", self.parameter("int", "n"), str(self.number(0, 65)))
		a, b = self.nested(depth - 1), self.nested(self.number(0, depth - 1))
		log = self.number(0, 8)
		return self.pick(f"({a} % {1 << log})", f"({a} * {1 << log})", f"({a} / {1 << log})", f"({a} % {1 << log} * {1 << log})",
			f"({a} + {b})", f"({a} - {b})", f"({a} << {log})", f"({a} >> {log})", f"({a} & {(1 << log) - 1})", f"({a} | {b})",
			f"({a} ^ {b})", f"({a} & {b})", f"({a} % {self.number(1, 100)})", f"({a} / {self.number(1, 100)})",
			f"({a} * {self.parameter('int', 'n')})", f"(int)((unsigned){a} {self.pick('/', '%')} {1 << log}u)",
			f"(int)((long){a} * {b} {self.pick('/', '%', '>>')} {1 << self.number(0, 5)})", f"(unsigned char)({a})", f"(short)({a})")

	def padded(self):
		"""An index, from the same index, shifted or masked again, as padding and swizzles do it."""
		i = self.fresh("i")
		log = self.number(1, 7)
		self.put(f"int {i} = {self.nested(self.number(1, 4))}{self.pick('', f' % {1 << log} * {1 << log} + {self.nested(2)}')};")
		at = self.pick(i, f"{i} + {i} / {1 << log}", f"{i} + {i} / {1 << log} * {self.number(1, 9)}", f"{i} + ({i} >> {log})",
			f"{i} ^ ({i} >> {log})", f"{i} / {1 << log} * {(1 << log) + 1} + {i} % {1 << log}", f"({i} & {(1 << log) - 1}) * {self.number(1, 9)}",
			f"({i} ^ {self.nested(1)}) + {i} % {1 << log}", f"{i} * 5 / {1 << log} + {i}")
		if self.chance(0.5):
			self.variables["int"].append(i)
		pointer = self.pick(lambda: self.pointer("int"), lambda: self.pointer("double"), lambda: "((float *)dynamic_lds)")()
		self.put(self.pick(f"s += {pointer}[{at}];", f"{pointer}[{at}] = t;"))

	def indices(self):
		self.parameters = [("int", "n0"), ("float *", "out")]
		self.put("int t = TID, g32 = BID * NTID + t;\nlong g = g32;\nfloat s = 0;")
		for _ in range(12):
			if self.chance(0.2):
				i = self.fresh("i")
				self.put(f"for (int {i} = {self.pick('0', 't')}; {i} < {self.pick(self.uniform(), '4', '1024')}; {i} += {self.pick('1', 'NTID')}) {{")
				self.variables["int"].append(i)
				self.depth += 1
				self.put(f"t = {self.pick('t', i, 't + ' + i)};")
				self.padded()
				self.depth -= 1
				self.variables["int"] = ["t"]
				self.put("}")
			else:
				self.padded()
		self.put("out[g] = s;")
		signature = ", ".join(f"{kind}{'' if kind[-1] in '* ' else ' '}{name}" for kind, name in self.parameters)
		return f"__global__ {self.attributes()} void {self.name}({signature})\n{{\n" + "\n".join(self.lines) + "\n}\n"

	# ---- A kernel ----------------------------------------------------------------------------------

	def block(self, count):
		"""Statements whose variables end with them."""
		old = {kind: list(names) for kind, names in self.variables.items()}
		self.depth += 1
		for _ in range(self.number(1, count)):
			self.statement()
		self.depth -= 1
		self.variables = old

	def statement(self):
		ways = [self.load] * 6 + [self.store] * 6 + [self.vector] * 3 + [self.structure, self.atomic, self.atomic, self.shared,
			self.scratch, self.call, self.chase, self.assembly, self.wave, self.print]
		if self.depth < 3:
			ways += [self.branch] * 4 + [self.loop] * 4 + [self.switch]
		if self.depth < 2:
			ways += [self.sort, self.tile, self.product, self.stencil, self.live, self.chunks, self.sparse, self.reduction,
				self.histogram, self.butterflies, self.matrix, self.copy]
		if not self.depth:
			ways += [self.leave, self.straight]
		self.random.choice(ways)()

	def attributes(self):
		group = self.pick("", "GROUP(1, 256)", "GROUP(1, 256)", "GROUP(64, 64)", "GROUP(1, 1024)", "GROUP(1024, 1024)", "GROUP(1, 128)",
			"GROUP(1, 512)")
		waves = self.pick("", "", "", "", "WAVES(2)", "WAVES(4)", "WAVES(8)", "WAVES(1, 1)", "WAVES(8, 8)", "WAVES(4, 6)", "VGPRS(64)",
			"VGPRS(32)", "VGPRS(24)", "SGPRS(40)", "SGPRS(64)", "SGPRS(102)")
		return f"{group} {waves}"

	def text(self):
		template = self.chance(0.15)
		attributes = self.attributes()
		self.parameters = [("int", "n0"), ("float *", "out")]
		self.put("int t = TID;\nlong g = (long)BID * NTID + t;\nfloat s = 0;")
		for _ in range(self.pick(1, 1, 2, 3, 4, 6, 10)):
			self.statement()
		self.odd(self.seed, self.number_of_seed)
		self.put("out[g] = s + g;")
		self.random.shuffle(self.parameters)
		signature = ", ".join(f"{kind}{'' if kind[-1] in '* ' else ' '}{name}" for kind, name in self.parameters)
		functions = "".join(self.functions)
		body = "\n".join(self.lines)
		if not template:
			return f"{functions}__global__ {attributes} void {self.name}({signature})\n{{\n{body}\n}}\n"
		return (f"{functions}template <typename T, int N> __global__ {attributes} void {self.name}({signature})\n{{\n{body}\n"
			f"\tout[g * N] = (T)(s * N);\n}}\ntemplate __global__ void {self.name}<int, 3>({signature});\n"
			f"template __global__ void {self.name}<double, 64>({signature});\n")


def kernel(seed, number, indices=False):
	return Kernel(seed, number).indices() if indices else Kernel(seed, number).text()


if __name__ == "__main__":
	seed, first, count = (int(argument) for argument in sys.argv[1:4])
	sys.stdout.write(PRELUDE + "\n".join(kernel(seed, number, "indices" in sys.argv[4:]) for number in range(first, first + count)))
