/* SPDX-License-Identifier: MIT */
#include "handlers/advice/buffers.h"

#include <stdlib.h>

#include "handlers/advice/layouts.h"

enum {
	LINE = 128,
	STRUCT_MAX = 64,     /* bytes; larger structs are not split */
	SITES_MAX = 1 << 14, /* the work is quadratic; if there are more sites, each is evaluated
			      * alone */
};

void buffer_use_add(struct buffer_use *use, const struct probe_host *host,
		    const struct probe_dispatch_info *dispatch, uint64_t address)
{
	const struct probe_allocation_info *info = NULL;

	use->dispatch = dispatch->id;
	if (host->size > offsetof(struct probe_host, allocation) && host->allocation)
		info = host->allocation(host->ctx, dispatch, address);
	for (unsigned i = 0; info && i < use->count; i++)
		if (use->id[i] == info->id)
			return;
	if (info && use->count < BUFFERS_OF_ACCESS)
		use->id[use->count++] = info->id;
	else
		use->unknown = true;
}

static bool overlap(const struct buffer_use *a, const struct buffer_use *b)
{
	for (unsigned i = 0; i < a->count; i++)
		for (unsigned k = 0; k < b->count; k++)
			if (a->id[i] == b->id[k])
				return true;
	return false;
}

static unsigned lanes_of(const struct advice_site *site)
{
	const uint64_t *c = site->counters;

	return (unsigned)((c[PROBE_C_LANES] + c[PROBE_C_EXECUTIONS] - 1) / c[PROBE_C_EXECUTIONS]);
}

/* Contiguous lanes, each in one machine access. */
static bool is_contiguous(const struct advice_site *site)
{
	return layout_stride(site) == (int64_t)site->bytes && site->bytes == site->unit;
}

/* The distinct cache lines of one execution in a new layout, by number. */
struct moved {
	uint64_t line[64 * 16];
	unsigned count;
};

static void add_line(struct moved *moved, uint64_t line)
{
	for (unsigned i = 0; i < moved->count; i++)
		if (moved->line[i] == line)
			return;
	if (moved->count < sizeof(moved->line) / sizeof(*moved->line))
		moved->line[moved->count++] = line;
}

/* For each byte of a struct: the beginning and the length of its member. */
struct members {
	uint8_t begin[STRUCT_MAX], size[STRUCT_MAX];
};

/* The parts of a struct that accesses at this stride use. */
struct struct_use {
	uint64_t ends[STRUCT_MAX]; /* indexed by first byte: bit i = an access whose last byte is i
				    */
	unsigned least;		   /* bytes of the smallest access */
	bool cut[STRUCT_MAX + 1];
};

static void add_access(const struct buffer_site *one, unsigned stride, struct struct_use *use)
{
	unsigned begin = one->use->phase % stride, end = begin + one->site.bytes;

	end = end < stride ? end : stride;
	use->ends[begin] |= 1ull << (end - 1);
	use->cut[begin] = use->cut[end] = true;
	if (one->site.bytes < use->least)
		use->least = one->site.bytes;
}

/*
 * A struct is cut wherever an access begins or ends. A part that no access uses as a whole is
 * assumed to consist of members as long as the smallest access.
 */
static void find_members(const struct buffer_site *sites, size_t count,
			 const struct buffer_site *one, unsigned stride, struct members *ret)
{
	struct struct_use use = {.least = stride, .cut = {[0] = true}};

	for (size_t i = 0; i < count; i++) {
		int64_t step = layout_stride(&sites[i].site);

		if (step && step % (int64_t)stride == 0 && sites[i].site.bytes &&
		    overlap(one->use, sites[i].use))
			add_access(&sites[i], stride, &use);
	}
	use.cut[stride] = true;
	for (unsigned begin = 0, end; begin < stride; begin = end) {
		unsigned size;

		for (end = begin + 1; !use.cut[end];)
			end++;
		size = use.ends[begin] >> (end - 1) & 1 ? end - begin : use.least;
		for (unsigned i = begin; i < end; i++) {
			unsigned from = begin + (i - begin) / size * size;

			ret->begin[i] = (uint8_t)from;
			ret->size[i] = (uint8_t)(end - from < size ? end - from : size);
		}
	}
}

/*
 * Cache lines if structs of `stride` bytes are split into their members, the lowest struct at the
 * start of a line. Assumes that structs begin at multiples of their size; this gives the offset of
 * an access in its struct.
 */
static double split_of(const struct buffer_site *one, uint64_t stride,
		       const struct members *members)
{
	const struct advice_site *site = &one->site;
	int64_t step = layout_stride(site);
	uint64_t base = (stride << 34) + one->use->phase % stride;
	struct moved moved = {.count = 0};

	if (!step && site->counters[PROBE_C_AFFINE] != site->counters[PROBE_C_EXECUTIONS])
		return (double)site->counters[PROBE_C_LINES128];
	if (step < 0)
		base += (0 - (uint64_t)step) * (lanes_of(site) - 1u) / stride * stride;
	for (unsigned lane = 0; lane < lanes_of(site) && lane < 64; lane++) {
		uint64_t at = base + (uint64_t)step * lane, end = at + site->bytes;

		while (at < end) {
			unsigned in = (unsigned)(at % stride), begin = members->begin[in];
			unsigned size = members->size[begin];

			add_line(&moved,
				 (uint64_t)begin << 48 | (at / stride * size + in - begin) / LINE);
			at += size - (in - begin);
		}
	}
	return (double)moved.count * (double)site->counters[PROBE_C_EXECUTIONS];
}

/* Cache lines if the whole buffer is moved up by `shift` bytes. */
static double shifted_of(const struct buffer_site *one, unsigned shift)
{
	const struct advice_site *site = &one->site;
	unsigned begin = (one->use->phase + shift) % LINE;

	if (!is_contiguous(site) || !one->use->begun || one->use->moves)
		return (double)site->counters[PROBE_C_LINES128];
	return (double)((begin + lanes_of(site) * site->bytes + LINE - 1) / LINE) *
	       (double)site->counters[PROBE_C_EXECUTIONS];
}

static void find(const struct buffer_site *sites, size_t count, struct buffer_site *one)
{
	uint64_t stride = (uint64_t)llabs((long long)layout_stride(&one->site));
	unsigned shift = (LINE - one->use->phase) % LINE;
	bool apart = stride && stride <= STRUCT_MAX;
	struct members members;

	one->known = one->use->count && !one->use->unknown;
	if (one->known && apart)
		find_members(sites, count, one, (unsigned)stride, &members);
	for (size_t i = 0; i < count && one->known; i++) {
		const struct buffer_site *other = &sites[i];

		if (!overlap(one->use, other->use))
			continue;
		one->layout.others += other != one;
		one->layout.contiguous += other != one && is_contiguous(&other->site);
		one->layout.before += (double)other->site.counters[PROBE_C_LINES128];
		one->layout.strideless += other != one && !layout_stride(&other->site);
		if (apart)
			one->layout.split += split_of(other, stride, &members);
		one->layout.shifted += shifted_of(other, shift);
	}
}

void buffers_find(struct buffer_site *sites, size_t count)
{
	/* Only accesses that cost too much get advice. */
	for (size_t i = 0; i < count && count <= SITES_MAX; i++)
		if (sites[i].site.counters[PROBE_C_EXCESS64] ||
		    sites[i].site.counters[PROBE_C_EXCESS128])
			find(sites, count, &sites[i]);
}
