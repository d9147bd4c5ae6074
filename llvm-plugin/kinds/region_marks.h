/* SPDX-License-Identifier: MIT */
/* The calls of include/probe/device.h in a kernel: marks of regions, and messages. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_REGION_MARKS_H
#define PROBE_LLVM_PLUGIN_KINDS_REGION_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

struct call_unit;
struct pass_options;
struct site_table;

/* A call of a function in device.h. */
enum mark_kind {
	PASS_MARK_BEGIN,
	PASS_MARK_END,
	PASS_MARK_EMIT,
	PASS_MARK_LANES,
	PASS_MARK_WORD,
	PASS_MARKS
};

struct pass_mark {
	enum mark_kind kind;
	const char *name; /* not NUL-terminated */
	size_t size;
};

/* False: the instruction is not such a call. ret->name is valid as long as the module. */
bool mark_read(LLVMValueRef inst, struct pass_mark *ret);
bool mark_is_region(const struct pass_mark *mark);
/*
 * Does the mark have a site, if these kinds are requested? Regions have one for the time kind,
 * messages for all kinds with rings.
 */
bool mark_has_site(const struct pass_mark *mark, uint32_t kinds);
/* The instruction at which a block's time starts; NULL for a block that only branches. */
LLVMValueRef pass_block_first(LLVMBasicBlockRef block);
/* Is the block in the requested scope, and does it more than branch? */
bool pass_stamps_block(LLVMBasicBlockRef block, const struct pass_options *options);

/* Is it a call that sends a message? */
bool pass_is_message(LLVMValueRef inst);
bool marks_any(LLVMModuleRef module);
/* Remove the remaining marks from the module. */
void marks_remove(LLVMModuleRef module);
/* Add the unit's sites that are not accesses to the table: for the time kind, and messages. */
void time_list(struct call_unit *unit, struct site_table *table,
	       const struct pass_options *options);

#endif
