/* SPDX-License-Identifier: MIT */
/*
 * The argument block of a clone, made from the original's.
 *
 * The two layouts are compared once, when the code object is loaded: explicit arguments match by
 * place (the clone has one more, the last, which is the context), hidden ones by value_kind.
 * Neither offsets nor the size of the hidden part can be assumed: both move with the extra pointer.
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
	uint32_t size;	  /* of the clone's block */
	uint32_t align;	  /* of it, up to 64 */
	uint32_t context; /* offset of the pointer to the context */
	uint32_t count;
	struct probe_kernarg_op ops[];
};

/* What hidden arguments that only the clone has are made from. */
struct probe_kernarg_launch {
	const hsa_kernel_dispatch_packet_t *packet; /* the application's */
	uint32_t group_fixed;			    /* LDS bytes the original's metadata asks for */
	uint32_t lds_aperture, scratch_aperture;    /* high halves */
	uint64_t queue;				    /* the hardware queue's amd_queue_t */
};

/* For free(). -EINVAL if the clone is no clone of the original by its arguments, -ENOMEM. */
int probe_kernargs_plan(const struct probe_kernel_meta *original,
			const struct probe_kernel_meta *clone, struct probe_kernarg_plan **ret);

/* `from` has the original's bytes, `to` room for plan->size; 8-byte aligned. */
void probe_kernargs_build(const struct probe_kernarg_plan *plan, const void *from, uint64_t context,
			  const struct probe_kernarg_launch *launch, void *to);

#endif
