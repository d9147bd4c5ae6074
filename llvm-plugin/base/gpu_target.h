/* SPDX-License-Identifier: MIT */
/* What a target can have, and how asm for its waves is written. */
#ifndef PROBE_LLVM_PLUGIN_BASE_GPU_TARGET_H
#define PROBE_LLVM_PLUGIN_BASE_GPU_TARGET_H

#include <stdbool.h>

struct call_units;
struct pass_options;

/*
 * Can the module's kernels have probes? If not, one sentence, and it gets no clones. If so, options
 * are narrowed to what their target can have.
 */
bool gpu_target_check(const struct call_units *units, struct pass_options *options);

/*
 * Scalar registers left to the compiler where ring_cursor.h keeps some, and those it reserves on
 * top: 2 for vcc, or 6 with flat_scratch and xnack, which a kernel or function may do without. The
 * fewest count: with 6, one that reserves 2 would reach s81.
 */
#define PASS_CURSOR_SGPRS "80"
enum { PASS_CURSOR_LAST = 93 }; /* the last one that it keeps */

/* How asm for a target's waves is written (inline_asm.h). */
struct wave_form {
	unsigned lanes;
	const char *exec, *vcc;
	const char *place; /* operand of s_getreg_b32 with the number of the compute unit */
	/* Before scalar code may write EXEC or registers that a memory operation reads. */
	const char *settle;
};

const struct wave_form *gpu_target_wave(const struct pass_options *options);

#endif
