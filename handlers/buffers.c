/* SPDX-License-Identifier: MIT */
/* Accesses by allocation; see buffers.h. */
#include "buffers.h"

#include <stdlib.h>

#include "layouts.h"

enum {
	LINE = 128,
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

/*
 * Lines with structs of `stride` bytes split into members of `member` bytes, the lowest struct that
 * is touched at the begin of a line. Where in a struct an access begins is known where structs
 * begin at multiples of their size, which is taken for others, too.
 */
static double split_of(const struct buffer_site *one, uint64_t stride, unsigned member)
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
		uint64_t first = base + (uint64_t)step * lane, end = first + site->bytes;

		for (uint64_t at = first; at < end; at += member) {
			uint64_t array = at % stride / member;

			add_line(&moved, array << 48 | at / stride * member / LINE);
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

	one->known = one->use->count && !one->use->unknown;
	for (size_t i = 0; i < count && one->known; i++) {
		const struct buffer_site *other = &sites[i];

		if (!meet(one->use, other->use))
			continue;
		one->layout.others += other != one;
		one->layout.beside += other != one && is_beside(&other->site);
		one->layout.before += (double)other->site.counters[PROBE_C_LINES128];
		one->layout.vague += other != one && !layout_stride(&other->site);
		if (stride)
			one->layout.split += split_of(other, stride, one->site.bytes);
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
