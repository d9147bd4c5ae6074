/* SPDX-License-Identifier: MIT */
/*
 * Code that compiles without probes must compile with them. No limit on a probe's registers can
 * ensure this, because the code generator runs after the pass, and its limits are not known here.
 * The compiler therefore forks before the pass changes anything, and the child continues with
 * probes. If the child fails, the parent, whose module is unchanged, continues without the clones
 * that failed. Otherwise the cost is one fork.
 */
#ifndef PROBE_LLVM_PLUGIN_MODULE_CHECKPOINT_H
#define PROBE_LLVM_PLUGIN_MODULE_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <llvm-c/Core.h>

/* An error of the code generator. Longer names are truncated. */
struct compile_failure {
	char function[1024]; /* "" = unknown */
	char message[256];
};

struct compile_failures {
	struct compile_failure *failure;
	size_t count;
};

/* Is this process a compiler, and can it fork? Not an application that uses one as a library. */
bool checkpoint_possible(void);
/*
 * Returns true in the child, which continues with probes. Returns false in the parent after the
 * child failed, with at least one failure, to be freed by the caller. If the child succeeds, the
 * parent exits with its status.
 */
bool checkpoint_attempt(LLVMModuleRef module, struct compile_failures *ret);

#endif
