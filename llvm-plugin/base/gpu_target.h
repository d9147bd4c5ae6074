/* SPDX-License-Identifier: MIT */
/* Which probes a target can have, and how asm for its waves is written. */
#ifndef PROBE_LLVM_PLUGIN_BASE_GPU_TARGET_H
#define PROBE_LLVM_PLUGIN_BASE_GPU_TARGET_H

#include <stdbool.h>

struct call_units;
struct pass_options;

/*
 * Can the module's kernels have probes? If not, reports the reason in one sentence, and the module
 * gets no clones. If so, restricts the options to those that the target supports.
 */
bool gpu_target_check(const struct call_units *units, struct pass_options *options);

/* How asm for a target's waves is written (inline_asm.h). */
struct wave_form {
	unsigned lanes;
	const char *exec, *vcc;
	const char *place; /* operand of s_getreg_b32 for the index of the compute unit */
	/* Required before scalar code writes EXEC or registers that a memory operation reads. */
	const char *settle;
};

const struct wave_form *gpu_target_wave(const struct pass_options *options);

#endif
