/* SPDX-License-Identifier: MIT */
/*
 * Builds the argument block of a clone from the original's.
 *
 * The two layouts are compared once, when the code object is loaded. Explicit arguments match by
 * position; the clone has one more, the last, which points to the context. Hidden arguments match
 * by value_kind. Their offsets and total size differ, because the extra pointer moves them.
 */
#ifndef PROBE_HSA_PLUGIN_CODE_KERNARGS_H
#define PROBE_HSA_PLUGIN_CODE_KERNARGS_H

#include <stddef.h>
#include <stdint.h>

#include <hsa/hsa.h>

#include "hsa-plugin/code/metadata.h"

struct probe_kernarg_op {
	uint32_t kind; /* enum probe_arg_kind; EXPLICIT = copy from the original's block */
	uint32_t from, to, size;
};

struct probe_kernarg_plan {
	uint32_t size;	  /* size in the clone's block */
	uint32_t align;	  /* its alignment, up to 64 */
	uint32_t context; /* offset of the pointer to the context */
	uint32_t count;
	struct probe_kernarg_op ops[];
};

/* The sources of hidden arguments that only the clone has. */
struct probe_kernarg_launch {
	const hsa_kernel_dispatch_packet_t *packet; /* the application's packet */
	uint32_t group_fixed;			    /* LDS bytes that the original's metadata
						     * requests */
	uint32_t lds_aperture, scratch_aperture;    /* high halves */
	uint64_t queue;				    /* amd_queue_t of the hardware queue */
};

/*
 * The caller frees the plan. -EINVAL if the arguments are not those of a clone of the original,
 * -ENOMEM.
 */
int probe_kernargs_plan(const struct probe_kernel_meta *original,
			const struct probe_kernel_meta *clone, struct probe_kernarg_plan **ret);

/*
 * `from` holds the original's arguments; `to` has a capacity of plan->size bytes. Both are 8-byte
 * aligned.
 */
void probe_kernargs_build(const struct probe_kernarg_plan *plan, const void *from, uint64_t context,
			  const struct probe_kernarg_launch *launch, void *to);

#endif
