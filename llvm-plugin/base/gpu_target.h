/* SPDX-License-Identifier: MIT */
/* Which probes a target supports, and what differs between targets in the asm of probes. */
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

/* Size of a wave, and the names and instructions that asm uses for it (inline_asm.h). */
struct wave_form {
	unsigned lanes;
	const char *exec, *vcc;
	const char *hw_id; /* operand of s_getreg_b32 for the index of the compute unit */
	/*
	 * Instruction that waits until memory operations have read their registers, required before
	 * scalar code writes these or EXEC; NULL = the hardware waits.
	 */
	const char *read_wait;
};

const struct wave_form *gpu_target_wave(const struct pass_options *options);

#endif
