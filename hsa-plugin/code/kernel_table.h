/* SPDX-License-Identifier: MIT */
/*
 * Maps the kernel_object of a packet to the kernel and its verdict (kernel_verdict.h).
 *
 * Every dispatch looks it up without a lock. Kernels and outgrown tables are never freed, because
 * another thread's dispatch may still hold them; they are small (about 300 bytes per kernel).
 */
#ifndef PROBE_HSA_PLUGIN_CODE_KERNEL_TABLE_H
#define PROBE_HSA_PLUGIN_CODE_KERNEL_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hsa-plugin/code/kernargs.h"

struct probe_kernel {
	uint32_t id;
	uint32_t code_object;
	uint64_t object; /* address of the kernel descriptor */
	uint32_t kind;	 /* enum probe_kind; NONE = an original */
	uint32_t group_size, private_size;
	uint32_t max_group;
	uint32_t vgprs, agprs;
	uint32_t stack_growth; /* stack bytes per lane that a clone's callees may need beyond the
				* compiler's estimate */
	/* PROBE_V_* of an original, before launch_verdict.h refines it */
	uint32_t verdict;
	const struct probe_kernel *clone;
	struct probe_kernarg_plan *plan;
	uint32_t site_first, site_count;
	_Atomic uint64_t seen; /* dispatches so far that passed all other filters */
};

/* Callers hold a lock of their own (code_objects.c). -ENOMEM. */
int probe_kernel_table_add(struct probe_kernel *kernel);
void probe_kernel_table_remove(const struct probe_kernel *kernel);

/* NULL if the kernel belongs to no known code object. */
struct probe_kernel *probe_kernel_table_find(uint64_t object);

#endif
