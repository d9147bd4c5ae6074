/* SPDX-License-Identifier: MIT */
/*
 * Code that compiles without probes must compile with them. No limit on a probe's registers can
 * ensure this, because the code generator runs after the pass, and its limits are not known here.
 * The process therefore forks before the pass changes anything, and the child tries. If it fails,
 * the parent, whose module is unchanged, continues without the clones that failed.
 *
 * - In clang, which has one thread, the child continues with probes in the parent's place. The cost
 *   is one fork.
 * - A linker, or an application that compiles with hipRTC, has other threads, which the child
 *   lacks. The child generates the module's code, for nothing, and exits; then the parent continues
 *   with probes. This costs the pass and the code generator a second time.
 */
#ifndef PROBE_LLVM_PLUGIN_MODULE_CHECKPOINT_H
#define PROBE_LLVM_PLUGIN_MODULE_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <llvm-c/Core.h>

/* An error of the compiler, or a crash. Longer names are truncated. */
struct compile_failure {
	char function[1024]; /* "" = unknown */
	char message[256];
};

struct compile_failures {
	struct compile_failure *failure;
	size_t count;
};

/* Does this process generate code after the pass? */
bool checkpoint_possible(void);
/*
 * Returns true in the process that continues with probes, and calls checkpoint_end() after it has
 * inserted them. Returns false in the parent after the child failed, with at least one failure, to
 * be freed by the caller.
 */
bool checkpoint_attempt(LLVMModuleRef module, struct compile_failures *ret);
/*
 * The clone that the pass works on from now on, which a crash is about: of that kind, or "base" for
 * all; no `original`: it works on the module.
 */
void checkpoint_at(const char *kind, LLVMValueRef original);
/* The pass has finished. Does not return in a child that only tries. */
void checkpoint_end(LLVMModuleRef module);

#endif
