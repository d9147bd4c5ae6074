#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What compiles without the plugin compiles with it: random kernels, in files of a few, each file with a target,
options and probe kinds of its own.

A file that fails is compiled again kernel by kernel. Where the compiler makes no code for a clone, the plugin leaves
it out, as it does if the plugin crashed, which is a failure; --no-fallback makes the first a failure, too. A kernel on which the compiler alone takes more than --limit seconds of
CPU time says nothing: LLVM 15 does not end on some. The last line says how many kernels were compiled, how many have not
all the clones, and the CPU time of compilers with and without the plugin, which is no part of the verdict.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

import random_kernels

TARGETS = [("gfx90a", [])] * 8 + [("gfx908", []), ("gfx940", []), ("gfx1030", []), ("gfx1030", ["-mwavefrontsize64"]), ("gfx1100", [])]
LEVELS = ["-O0", "-O1", "-O2", "-O2", "-O3", "-O3"]
OPTIONS = [[], [], ["-g"], ["-g"], ["-ffast-math"], ["-fno-inline"], ["-munsafe-fp-atomics"], ["-Os"],
	["-g", "-mllvm", "-amdgpu-function-calls=1"]]
KINDS = ["memory", "memory", "trace", "memory,trace", "time", "count", "memory,trace,time,count"]
Setting = collections.namedtuple("Setting", "target options kinds")
SLOW = "takes more CPU time than the limit"
# With the plugin: several clones, a trial compile of each, and compiles that the fallback repeats.
PLUGIN_LIMITS = 40


def setting_of(seed, number, targets):
	choose = random.Random(f"setting {seed} {number}").choice
	target, more = choose([t for t in TARGETS if not targets or t[0] in targets])
	return Setting(target, more + [choose(LEVELS)] + choose(OPTIONS), choose(KINDS))


class Compiler:
	def __init__(self, arguments, folder):
		self.clang, self.plugin, self.folder = arguments.clang, arguments.plugin, folder
		self.verify, self.limit = arguments.verify_machineinstrs, arguments.limit
		self.fallback = "0" if arguments.no_fallback else "1"

	def command(self, setting, plugin, source):
		return [self.clang, "-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib", "-w", "-fno-caret-diagnostics", "-fno-crash-diagnostics",
			"--offload-arch=" + setting.target, *setting.options, *(["-mllvm", "-verify-machineinstrs"] if self.verify else []),
			*(["-fpass-plugin=" + self.plugin] if plugin else []), "-c", source, "-o", "/dev/null"]

	def run(self, setting, plugin, text, name):
		"""CPU time in seconds, the first error or None, and (kernel, kind, why) of clones left out."""
		source = os.path.join(self.folder, f"{name}.hip")
		with open(source, "w") as out:
			out.write(text)
		environment = dict(os.environ, PROBE_KINDS=setting.kinds, PROBE_FALLBACK=self.fallback)
		limit = self.limit * (PLUGIN_LIMITS if plugin else 1)

		def prepare():
			os.nice(5)
			resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

		process = subprocess.Popen(self.command(setting, plugin, source), stderr=subprocess.PIPE, text=True,
			errors="replace", env=environment, preexec_fn=prepare)
		errors = process.stderr.read()
		_, status, usage = os.wait4(process.pid, 0)
		process.returncode = status
		error = None
		if status:
			lines = [line for line in errors.splitlines() if "error" in line.lower() or "assert" in line.lower()
				or "bad machine code" in line.lower()]
			slow = usage.ru_utime + usage.ru_stime >= 0.9 * limit
			error = SLOW if slow else (lines or [f"status {status}"])[0][:300]
		left_out = re.findall(r"kernel (\S+) is compiled without probes of kind (\w+): (.*)", errors)
		return usage.ru_utime + usage.ru_stime, error, left_out


class Result:
	def __init__(self):
		self.kernels = self.refused = self.endless = 0
		self.plain = self.probed = 0.0
		self.failures, self.slow, self.left_out = [], [], []


def compile_file(compiler, arguments, number):
	setting = setting_of(arguments.seed, number, arguments.targets)
	first = number * arguments.per_file
	wanted = range(first, min(first + arguments.per_file, arguments.first + arguments.count))
	result = Result()
	texts = {n: random_kernels.kernel(arguments.seed, n, arguments.indices) for n in wanted}

	def attempt(plugin, numbers):
		text = random_kernels.PRELUDE + "\n".join(texts[n] for n in numbers)
		return compiler.run(setting, plugin, text, f"kernels{number}")

	seconds, error, _ = attempt(False, texts)
	if error:
		# Kernels that the compiler rejects without the plugin say nothing about the plugin.
		refused = {n: error for n in texts if (error := attempt(False, [n])[1])}
		for n in refused:
			del texts[n]
		result.endless = list(refused.values()).count(SLOW)
		result.refused = len(refused) - result.endless
		seconds, error, _ = attempt(False, texts)
		if error:
			result.refused += len(texts) * (error != SLOW)
			result.endless += len(texts) * (error == SLOW)
			return setting, result
	result.kernels, result.plain = len(texts), seconds
	result.probed, error, result.left_out = attempt(True, texts)
	if error:
		for n in texts:
			alone = attempt(True, [n])[1]
			if alone:
				result.failures.append((n, alone))
		if not result.failures:
			result.failures.append((first, f"only with the whole file: {error}"))
	elif any("pass crashed" in why for _, _, why in result.left_out):
		result.failures = [(first, f"{name}: {why}") for name, _, why in result.left_out if "pass crashed" in why]
	elif result.probed > 4 * (1 + setting.kinds.count(",")) * seconds + 2:
		result.slow.append((first, seconds, result.probed))
	return setting, result


def main():
	parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	parser.add_argument("--clang", default="clang-15")
	parser.add_argument("--plugin", required=True)
	parser.add_argument("--seed", type=int, default=1)
	parser.add_argument("--first", type=int, default=0, help="kernel to begin with")
	parser.add_argument("--count", type=int, default=100)
	parser.add_argument("--indices", action="store_true", help="kernels of accesses at nested arithmetic alone")
	parser.add_argument("--per-file", type=int, default=10)
	parser.add_argument("--jobs", type=int, default=1)
	parser.add_argument("--targets", nargs="*", default=[], help="only these")
	parser.add_argument("--limit", type=int, default=20, help="seconds of CPU time of a compile without the plugin")
	parser.add_argument("--no-fallback", action="store_true")
	parser.add_argument("--verify-machineinstrs", action="store_true")
	arguments = parser.parse_args()
	total = Result()
	files = range(arguments.first // arguments.per_file, -(-(arguments.first + arguments.count) // arguments.per_file))
	with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
		compiler = Compiler(arguments, folder)
		for setting, result in pool.map(lambda number: compile_file(compiler, arguments, number), files):
			total.kernels += result.kernels
			total.refused += result.refused
			total.endless += result.endless
			total.plain += result.plain
			total.probed += result.probed
			command = " ".join(["PROBE_KINDS=" + setting.kinds] + compiler.command(setting, True, "kernel.hip"))
			for n, error in result.failures:
				total.failures.append(n)
				print(f"kernel {n}: {error}\n\trandom_kernels.py {arguments.seed} {n} 1{' indices' * arguments.indices} >kernel.hip; {command}", flush=True)
			for name, kind, why in result.left_out:
				total.left_out.append(name)
				if "inline assembly uses" not in why and "its callee" not in why:
					print(f"left out: {name}, {kind}: {why}\n\t{command}", flush=True)
			for n, plain, probed in result.slow:
				print(f"slow: from kernel {n}: {plain:.1f} s, {probed:.1f} s with the plugin: {command}", flush=True)
	print(f"{total.kernels} kernels, {len(total.failures)} failed with the plugin; {len(set(total.left_out))} lack clones; {total.refused} more fail without it; "
		f"{total.endless} more take over {arguments.limit} s without it; CPU time {total.plain:.0f} s without, {total.probed:.0f} s with the plugin")
	return 1 if total.failures or not total.kernels else 0


if __name__ == "__main__":
	sys.exit(main())
