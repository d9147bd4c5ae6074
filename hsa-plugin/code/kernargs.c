/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/code/kernargs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool inside(const struct probe_arg *arg, const struct probe_kernel_meta *meta)
{
	return arg->size <= meta->kernarg_size && arg->offset <= meta->kernarg_size - arg->size;
}

static const struct probe_arg *find_hidden(const struct probe_kernel_meta *meta, uint32_t kind)
{
	for (uint32_t i = 0; i < meta->arg_count; i++)
		if (meta->args[i].kind == kind)
			return &meta->args[i];
	return NULL;
}

static uint32_t explicit_count(const struct probe_kernel_meta *meta)
{
	uint32_t n = 0;

	while (n < meta->arg_count && meta->args[n].kind == PROBE_ARG_EXPLICIT)
		n++;
	return n;
}

static void add(struct probe_kernarg_plan *plan, uint32_t kind, uint32_t from, uint32_t to,
		uint32_t size)
{
	struct probe_kernarg_op *last = plan->count ? &plan->ops[plan->count - 1] : NULL;

	/* Adjacent arguments that stay adjacent are copied together. */
	if (kind == PROBE_ARG_EXPLICIT && last && last->kind == PROBE_ARG_EXPLICIT &&
	    last->from + last->size == from && last->to + last->size == to) {
		last->size += size;
		return;
	}
	plan->ops[plan->count++] = (struct probe_kernarg_op){kind, from, to, size};
}

/*
 * A hidden argument that only the clone has, and whose value only the application knows, stays
 * zero. Nothing reads it: the clone is the original plus the device library, which uses none of
 * these.
 */
static int add_hidden(struct probe_kernarg_plan *plan, const struct probe_kernel_meta *original,
		      const struct probe_arg *arg)
{
	const struct probe_arg *source = find_hidden(original, arg->kind);

	if (arg->kind == PROBE_ARG_NONE)
		return 0;
	if (arg->kind == PROBE_ARG_UNKNOWN || arg->kind == PROBE_ARG_EXPLICIT)
		return -EINVAL;
	if (source && !inside(source, original))
		return -EINVAL;
	if (source)
		add(plan, PROBE_ARG_EXPLICIT, source->offset, arg->offset,
		    source->size < arg->size ? source->size : arg->size);
	else if (arg->kind < PROBE_ARG_PRINTF_BUFFER)
		add(plan, arg->kind, 0, arg->offset, arg->size);
	return 0;
}

int probe_kernargs_plan(const struct probe_kernel_meta *original,
			const struct probe_kernel_meta *clone, struct probe_kernarg_plan **ret)
{
	uint32_t count = explicit_count(original);
	struct probe_kernarg_plan *plan;
	int err = 0;

	if (explicit_count(clone) != count + 1 || clone->args[count].size != 8 ||
	    clone->kernarg_size > PROBE_KERNARG_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < clone->arg_count; i++)
		if (!inside(&clone->args[i], clone))
			return -EINVAL;
	plan = calloc(1, sizeof(*plan) + clone->arg_count * sizeof(plan->ops[0]));
	if (!plan)
		return -ENOMEM;
	plan->size = clone->kernarg_size;
	plan->align = clone->kernarg_align > 32 ? 64 : 32;
	plan->context = clone->args[count].offset;
	for (uint32_t i = 0; i < count && !err; i++) {
		if (!inside(&original->args[i], original) ||
		    original->args[i].size != clone->args[i].size)
			err = -EINVAL;
		else
			add(plan, PROBE_ARG_EXPLICIT, original->args[i].offset,
			    clone->args[i].offset, clone->args[i].size);
	}
	for (uint32_t i = count + 1; i < clone->arg_count && !err; i++)
		err = add_hidden(plan, original, &clone->args[i]);
	if (err) {
		free(plan);
		return err;
	}
	*ret = plan;
	return 0;
}

static uint64_t divided(uint32_t grid, uint16_t group, bool remainder)
{
	if (!group)
		return 0;
	return remainder ? grid % group : grid / group;
}

/*
 * Code object v5: where hidden values come from. Global offsets exist in OpenCL only; here they are
 * 0.
 */
static uint64_t synthesise(uint32_t kind, const struct probe_kernarg_launch *launch)
{
	const hsa_kernel_dispatch_packet_t *packet = launch->packet;

	switch (kind) {
	case PROBE_ARG_BLOCK_COUNT_X:
		return divided(packet->grid_size_x, packet->workgroup_size_x, false);
	case PROBE_ARG_BLOCK_COUNT_Y:
		return divided(packet->grid_size_y, packet->workgroup_size_y, false);
	case PROBE_ARG_BLOCK_COUNT_Z:
		return divided(packet->grid_size_z, packet->workgroup_size_z, false);
	case PROBE_ARG_GROUP_SIZE_X:
		return packet->workgroup_size_x;
	case PROBE_ARG_GROUP_SIZE_Y:
		return packet->workgroup_size_y;
	case PROBE_ARG_GROUP_SIZE_Z:
		return packet->workgroup_size_z;
	case PROBE_ARG_REMAINDER_X:
		return divided(packet->grid_size_x, packet->workgroup_size_x, true);
	case PROBE_ARG_REMAINDER_Y:
		return divided(packet->grid_size_y, packet->workgroup_size_y, true);
	case PROBE_ARG_REMAINDER_Z:
		return divided(packet->grid_size_z, packet->workgroup_size_z, true);
	case PROBE_ARG_GRID_DIMS:
		return packet->setup & 3;
	case PROBE_ARG_DYNAMIC_LDS_SIZE:
		return packet->group_segment_size > launch->group_fixed
			       ? packet->group_segment_size - launch->group_fixed
			       : 0;
	case PROBE_ARG_PRIVATE_BASE:
		return launch->scratch_aperture;
	case PROBE_ARG_SHARED_BASE:
		return launch->lds_aperture;
	case PROBE_ARG_QUEUE_PTR:
		return launch->queue;
	default:
		return 0;
	}
}

void probe_kernargs_build(const struct probe_kernarg_plan *plan, const void *from, uint64_t context,
			  const struct probe_kernarg_launch *launch, void *to)
{
	memset(to, 0, plan->size);
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct probe_kernarg_op *op = &plan->ops[i];
		uint64_t value;

		if (op->kind == PROBE_ARG_EXPLICIT) {
			memcpy((char *)to + op->to, (const char *)from + op->from, op->size);
			continue;
		}
		value = synthesise(op->kind, launch);
		memcpy((char *)to + op->to, &value, op->size < 8 ? op->size : 8);
	}
	memcpy((char *)to + plan->context, &context, sizeof(context));
}
