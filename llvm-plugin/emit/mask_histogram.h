/* SPDX-License-Identifier: MIT */
/* Histograms of execution masks (wire_device.h section 3); registers as in counter_rows.h. */
#ifndef PROBE_LLVM_PLUGIN_EMIT_MASK_HISTOGRAM_H
#define PROBE_LLVM_PLUGIN_EMIT_MASK_HISTOGRAM_H

#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/counter_rows.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/emit/residue_histogram.h"
#include "llvm-plugin/plan/group_plan.h"

struct asm_block;
struct plan_group;

/*
 * Count this execution in the bucket for its EXEC, each aligned stream's address modulo 128, and
 * the observed value if there is one; then go to .Lprobe_end. Fall through if no bucket is free.
 */
void mask_histogram_emit(struct asm_block *code, const struct plan_group *group,
			 const struct residue_operands *bases, LLVMValueRef observed, unsigned ctx,
			 LLVMValueRef function);

#endif
