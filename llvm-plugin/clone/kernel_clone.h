/* SPDX-License-Identifier: MIT */
/* Clones of a unit: its base, and one of its base for each kind. */
#ifndef PROBE_LLVM_PLUGIN_CLONE_KERNEL_CLONE_H
#define PROBE_LLVM_PLUGIN_CLONE_KERNEL_CLONE_H

#include <llvm-c/Core.h>

#include <probe/wire.h>

struct call_unit;
struct call_units;
struct pass_options;

/*
 * The base clone of a unit, and a kind's clone of that base. The memory kind's clone is made last:
 * it is the base, which the unit then no longer has.
 */
void clone_base(struct call_unit *unit, LLVMModuleRef module, const struct pass_options *options,
		void *analyses);
void clone_kind(struct call_unit *unit, LLVMModuleRef module, enum probe_kind kind);
/* Make a clone call the clones of its callees, which take the context and the wave's word. */
void clone_rewrite_calls(const struct call_units *units, LLVMValueRef clone, enum probe_kind kind,
			 LLVMValueRef ctx, LLVMValueRef wave);

#endif
