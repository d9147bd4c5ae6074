#!/bin/sh
# SPDX-License-Identifier: MIT
# Folder: hsa-plugin
# A runtime whose tables Probe does not know: the program runs, and the run says why nothing is
# recorded. The program here plays the runtime.
. "$(dirname "$0")/lib.sh"

cat >runtime.c <<'END'
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct table { uint32_t major, minor, step, reserved; void *entry[200]; };
struct root { uint32_t major, minor, step, reserved; struct table *core, *amd, *others[6]; };

/* runtime CORE_BYTES AMD_BYTES ROOT_BYTES */
int main(int argc, char **argv)
{
	static struct table core, amd;
	static struct root root = {.core = &core, .amd = &amd};
	void *tool = dlopen(getenv("HSA_TOOLS_LIB"), RTLD_NOW);
	bool (*load)(void *, uint64_t, uint64_t, const char *const *);

	if (argc != 4 || !tool)
		return 2;
	core.minor = (uint32_t)atoi(argv[1]);
	amd.minor = (uint32_t)atoi(argv[2]);
	root.minor = (uint32_t)atoi(argv[3]);
	*(void **)&load = dlsym(tool, "OnLoad");
	/* Twice: a program may start the runtime again. */
	return load(&root, 1, 0, NULL) && load(&root, 1, 0, NULL) ? 7 : 1;
}
END
gcc runtime.c -o runtime -ldl

# unknown CORE AMD ROOT: the sentence, once
unknown()
{
	rm -rf out
	_status=0
	probe-run --device=sim -d out -- ./runtime "$@" 2>err.txt || _status=$?
	expect "$*: status" "$_status" 7
	expect "$*: sentences" "$(grep -c 'nothing is recorded: .* of ROCr 5.2 or later' err.txt)" 1
}
unknown 1000 400 64	# core too small
unknown 1016 400 64	# functions missing
unknown 1016 400 16	# no tables
unknown 1016 392 64
grep -q '1016 bytes, and AMD.s 392' err.txt || fail "the sizes are not named: $(cat err.txt)"
