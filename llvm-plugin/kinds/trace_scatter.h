/* SPDX-License-Identifier: MIT */
/*
 * Accesses at addresses from data, for which the trace kind records the address of each lane
 * (wire_device.h section 5: LOW).
 */
#ifndef PROBE_LLVM_PLUGIN_KINDS_TRACE_SCATTER_H
#define PROBE_LLVM_PLUGIN_KINDS_TRACE_SCATTER_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/kinds/ring_kind.h"

/* Do loaded values, or bits of ids combined by xor, make the address of lanes differ? */
bool trace_is_scattered(const struct analysis *in, LLVMValueRef pointer);

/*
 * Most bases of a group: a record is 8 bytes and 4 per lane. Records that do not fit before the end
 * of the ring need its rest as well as their own size, and would wait forever in a ring that is not
 * twice as large.
 */
enum { TRACE_SCATTER_BASES = PROBE_RING_SIZE_MIN / 2 / (8 + 4 * 64) };

/* A group to be written at the position of the ring's builder. */
struct trace_scatter_group {
	uint32_t id, sites, bases;
	const LLVMValueRef *address; /* by base: 64 bits, or 32 bits in LDS */
	const uint32_t *weight;	     /* sites of each base */
};

/* Build the code that records the group's addresses. */
void trace_scatter_write(struct ring_context *ring, const struct trace_scatter_group *group);

#endif
