/* SPDX-License-Identifier: MIT */
#include "wire/trace_lanes.h"

#include <string.h>

void trace_lanes_begin(struct trace_lanes *lanes, uint64_t exec)
{
	lanes->exec = exec;
	lanes->count = (unsigned)__builtin_popcountll(exec);
	lanes->affine = false;
	lanes->stride = 0;
}

void trace_lanes_find_stride(struct trace_lanes *lanes)
{
	uint64_t rest = lanes->exec & (lanes->exec - 1);
	int first = __builtin_ctzll(lanes->exec);
	int64_t stride = 0;

	if (rest) {
		int64_t gap = __builtin_ctzll(rest) - first;
		int64_t far = (int64_t)(lanes->address[1] - lanes->address[0]);

		stride = far / gap;
		if (stride * gap != far || stride != (int32_t)stride)
			return;
	}
	for (unsigned i = 1; rest; rest &= rest - 1, i++)
		if (lanes->address[i] !=
		    lanes->address[0] + (uint64_t)(stride * (__builtin_ctzll(rest) - first)))
			return;
	lanes->affine = true;
	lanes->stride = (int32_t)stride;
}

/* The i-th site's address, from the address of its base. */
static uint64_t site_address(const struct probe_trace_group *group, uint32_t i, uint64_t address)
{
	address += (uint64_t)(int64_t)group->site[i].distance;
	return group->site[i].lds ? (uint32_t)address : address;
}

size_t trace_put_affine(unsigned char *out, uint32_t site, int32_t stride, uint64_t exec,
			uint64_t base)
{
	const struct probe_rec_affine rec = {
		.word0 = site | (uint32_t)PROBE_FORM_AFFINE << PROBE_FORM_SHIFT,
		.stride = stride,
		.exec = exec,
		.base = base,
	};

	memcpy(out, &rec, sizeof(rec));
	return sizeof(rec);
}

size_t trace_put_site(unsigned char *out, const struct probe_trace_group *group, uint32_t i,
		      const struct trace_lanes *lanes)
{
	uint64_t first = site_address(group, i, lanes->address[0]), address[TRACE_LANES];
	struct probe_rec_lanes rec = {.exec = lanes->exec, .base = first};
	uint32_t site = group->first_site + i;
	int32_t offset[TRACE_LANES + 1];
	bool near = true;
	size_t size;

	if (lanes->affine)
		return trace_put_affine(out, site, lanes->stride, lanes->exec, first);
	for (unsigned k = 0; k < lanes->count; k++) {
		address[k] = site_address(group, i, lanes->address[k]);
		offset[k] = (int32_t)(address[k] - first);
		near = near && address[k] - first == (uint64_t)(int64_t)offset[k];
	}
	offset[lanes->count] = 0;
	rec.base = near ? first : 0;
	rec.word0 = site | (uint32_t)(near ? PROBE_FORM_NEAR : PROBE_FORM_FULL) << PROBE_FORM_SHIFT;
	size = near ? (lanes->count + 1) / 2 * sizeof(uint64_t) : lanes->count * sizeof(*address);
	rec.size = (uint32_t)(sizeof(rec) + size);
	memcpy(out, &rec, sizeof(rec));
	memcpy(out + sizeof(rec), near ? (const void *)offset : (const void *)address, size);
	return rec.size;
}

size_t trace_put_sites(unsigned char *out, const struct probe_trace_group *group,
		       const struct trace_lanes *lanes)
{
	size_t used = 0;

	for (uint32_t i = 0; i < group->sites; i++)
		used += trace_put_site(out + used, group, i, &lanes[group->site[i].base]);
	return used;
}
