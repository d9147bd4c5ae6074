#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compile time with the plugin over that without it, as code grows: statements in one basic block, kernels in one file,
loops and conditional blocks in one kernel, and nested loops. CPU seconds of the whole compiler for device code at -O3
(the median of --runs runs), and the memory of its largest process: without the plugin, and for the kind that needs most.
"clones" is kind memory without its probes: what it costs to compile each kernel twice.

compile_curves.py --print statements 100 prints the source text of one point instead.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

SIZES = {"statements": (100, 200, 400, 800, 1600), "kernels": (100, 200, 500, 1000), "loops": (50, 100, 200, 400),
	"blocks": (250, 500, 1000, 2000), "nested": (2, 4, 8)}
KINDS = ("memory", "trace", "time", "count", "memory,trace", "clones")
PRELUDE = """#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define TID ((int)__builtin_amdgcn_workitem_id_x())
#define INDEX ((int)(__builtin_amdgcn_workgroup_id_x() * 256 + TID))
"""
PARAMETERS = "float *out, const float *in, const int *index, int n, int m, float scale"
# Affine, strided, gathered and swizzled accesses, and arithmetic between them.
STATEMENTS = (
	"out[i + {k} * n] = x;",
	"x = x * scale + in[i * m + {k}];",
	"x += in[index[i + {k}]];",
	"tile[(t + {k}) & 255] = x;",
	"x += tile[(t ^ {k}) & 255] * {k}.5f;",
	"x = x * x + scale * {k}.25f;",
)


def block(first, count):
	return "\n".join("\t" + STATEMENTS[k % len(STATEMENTS)].format(k=k) for k in range(first, first + count))


def statements(count):
	return PRELUDE + f"""__global__ void statements({PARAMETERS})
{{
	__shared__ float tile[256];
	int t = TID, i = INDEX;
	float x = 0;
{block(1, count)}
	out[i] = x;
}}
"""


def kernels(count):
	return PRELUDE + "\n".join(f"""__global__ void kernel{n}({PARAMETERS})
{{
	__shared__ float tile[256];
	int t = TID, i = INDEX;
	float x = {n};
	if (i >= n)
		return;
{block(n, 6)}
	for (int j = 0; j < m; j++) {{
{block(n + 6, 6)}
	}}
	out[i] = x;
}}
""" for n in range(1, count + 1))


def one_kernel(name, body):
	return PRELUDE + f"""__global__ void {name}({PARAMETERS})
{{
	__shared__ float tile[256];
	int t = TID, i = INDEX;
	float x = 0;
{body}
	out[i] = x;
}}
"""


def loops(count):
	return one_kernel("loops", "\n".join(
		f"\tfor (int j = 0; j < m + {n}; j++) {{\n{block(n, 2)}\n\t}}" for n in range(1, count + 1)))


def blocks(count):
	return one_kernel("blocks", "\n".join(
		f"\tif (index[i + {n}] & {1 << n % 8}) {{\n{block(n, 1)}\n\t}}" for n in range(1, count + 1)))


def nested(depth):
	heads = "".join(f"\tfor (int j{n} = 0; j{n} < m + {n}; j{n}++) {{\n{block(n, 3)}\n" for n in range(1, depth + 1))
	return one_kernel("nested", heads + "\t}\n" * depth)


SOURCES = {"statements": statements, "kernels": kernels, "loops": loops, "blocks": blocks, "nested": nested}


def compile_once(arguments, source, kind):
	"""CPU seconds, and the most memory of one process in MB; kind None = without the plugin."""
	command = [arguments.clang, "-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib", "-w", "-O3", "-g",
		"--offload-arch=gfx90a", *(["-fpass-plugin=" + arguments.plugin] if kind else []), "-c", source, "-o", "/dev/null"]
	kinds = {"PROBE_KINDS": "memory", "PROBE_DISABLE": "probes"} if kind == "clones" else {"PROBE_KINDS": kind or "memory"}
	# Of clones without probes the plugin warns.
	process = subprocess.Popen(command, env=dict(os.environ, **kinds),
		stderr=subprocess.DEVNULL if kind == "clones" else None)
	_, status, usage = os.wait4(process.pid, 0)
	process.returncode = status
	if status:
		sys.exit(f"{' '.join(command)} failed")
	return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(arguments, source):
	"""Medians of compile_once() by kind."""
	kinds = (None, *arguments.kinds)
	runs = [{kind: compile_once(arguments, source, kind) for kind in kinds} for _ in range(arguments.runs)]
	return {kind: [statistics.median(run[kind][i] for run in runs) for i in range(2)] for kind in kinds}


def main():
	parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	parser.add_argument("--clang", default="clang-15")
	parser.add_argument("--plugin")
	parser.add_argument("--kinds", nargs="*", default=KINDS)
	parser.add_argument("--runs", type=int, default=1)
	parser.add_argument("--most", type=int, default=1600, help="largest size")
	parser.add_argument("--curves", nargs="*", default=list(SIZES))
	parser.add_argument("--print", nargs=2, metavar=("CURVE", "SIZE"))
	arguments = parser.parse_args()
	if arguments.print:
		print(SOURCES[arguments.print[0]](int(arguments.print[1])), end="")
		return
	print(f"{'':20}{'plain':>8}" + "".join(f"{kind:>16}" for kind in arguments.kinds) + f"{'memory':>18}")
	with tempfile.TemporaryDirectory() as folder:
		source = os.path.join(folder, "curve.hip")
		for curve in arguments.curves:
			for size in (size for size in SIZES[curve] if size <= arguments.most):
				with open(source, "w") as out:
					out.write(SOURCES[curve](size))
				costs = measure(arguments, source)
				plain, megabytes = costs.pop(None)
				print(f"{size:>6} {curve:13}{plain:7.2f}s" + "".join(
					f"{s:8.2f}s {s / plain:5.2f}x" for s, _ in costs.values()) +
					f"{megabytes:8.0f}/{max(m for _, m in costs.values()):.0f} MB", flush=True)


if __name__ == "__main__":
	main()
