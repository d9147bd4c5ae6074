/* SPDX-License-Identifier: MIT */
/* Accesses by allocation; see buffers.h. */
#include "handlers/advice/buffers.h"

#include <stdlib.h>

#include "handlers/advice/layouts.h"

enum {
	LINE = 128,
	STRUCT_MAX = 64,     /* bytes; larger ones are not taken apart */
	SITES_MAX = 1 << 14, /* each is held against all: of more each is judged alone */
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

static bool meet(const struct buffer_use *a, const struct buffer_use *b)
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

/* Lanes side by side, each in one machine access. */
static bool is_beside(const struct advice_site *site)
{
	return layout_stride(site) == (int64_t)site->bytes && site->bytes == site->unit;
}

/* Lines of one execution whose bytes were moved; a number for each line, the same for the same. */
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

/* Of each byte of a struct: where its member begins, and how long that is. */
struct members {
	uint8_t begin[STRUCT_MAX], size[STRUCT_MAX];
};

/* What accesses with that stride take of a struct. */
struct taken {
	uint64_t ends[STRUCT_MAX]; /* by where one begins: bit i = the last byte is i */
	unsigned least;		   /* bytes at once */
	bool cut[STRUCT_MAX + 1];
};

static void take(const struct buffer_site *one, unsigned stride, struct taken *taken)
{
	unsigned begin = one->use->phase % stride, end = begin + one->site.bytes;

	end = end < stride ? end : stride;
	taken->ends[begin] |= 1ull << (end - 1);
	taken->cut[begin] = taken->cut[end] = true;
	if (one->site.bytes < taken->least)
		taken->least = one->site.bytes;
}

/*
 * A struct is cut wherever an access begins or ends. What none takes just so is taken to be of
 * members as long as the least access.
 */
static void find_members(const struct buffer_site *sites, size_t count,
			 const struct buffer_site *one, unsigned stride, struct members *ret)
{
	struct taken taken = {.least = stride, .cut = {[0] = true}};

	for (size_t i = 0; i < count; i++) {
		int64_t step = layout_stride(&sites[i].site);

		if (step && step % (int64_t)stride == 0 && sites[i].site.bytes &&
		    meet(one->use, sites[i].use))
			take(&sites[i], stride, &taken);
	}
	taken.cut[stride] = true;
	for (unsigned begin = 0, end; begin < stride; begin = end) {
		unsigned size;

		for (end = begin + 1; !taken.cut[end];)
			end++;
		size = taken.ends[begin] >> (end - 1) & 1 ? end - begin : taken.least;
		for (unsigned i = begin; i < end; i++) {
			unsigned from = begin + (i - begin) / size * size;

			ret->begin[i] = (uint8_t)from;
			ret->size[i] = (uint8_t)(end - from < size ? end - from : size);
		}
	}
}

/*
 * Lines with structs of `stride` bytes split into their members, the lowest struct that is touched
 * at the begin of a line. Where in a struct an access begins is known where structs begin at
 * multiples of their size, which is taken for others, too.
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

/* Lines with all of the buffer moved up by `shift` bytes. */
static double shifted_of(const struct buffer_site *one, unsigned shift)
{
	const struct advice_site *site = &one->site;
	unsigned begin = (one->use->phase + shift) % LINE;

	if (!is_beside(site) || !one->use->begun || one->use->moves)
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

		if (!meet(one->use, other->use))
			continue;
		one->layout.others += other != one;
		one->layout.beside += other != one && is_beside(&other->site);
		one->layout.before += (double)other->site.counters[PROBE_C_LINES128];
		one->layout.vague += other != one && !layout_stride(&other->site);
		if (apart)
			one->layout.split += split_of(other, stride, &members);
		one->layout.shifted += shifted_of(other, shift);
	}
}

void buffers_find(struct buffer_site *sites, size_t count)
{
	/* Only what costs too much is given advice. */
	for (size_t i = 0; i < count && count <= SITES_MAX; i++)
		if (sites[i].site.counters[PROBE_C_EXCESS64] ||
		    sites[i].site.counters[PROBE_C_EXCESS128])
			find(sites, count, &sites[i]);
}
