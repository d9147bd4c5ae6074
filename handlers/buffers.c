/* SPDX-License-Identifier: MIT */
/* Accesses by allocation; see buffers.h. */
#include "buffers.h"

#include <stdlib.h>

#include "layouts.h"

enum { LINE = 128 };

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

/* Lines with structs of `stride` bytes split into their members. */
static double split_of(const struct advice_site *site, int64_t stride)
{
	if (llabs((long long)layout_stride(site)) != llabs((long long)stride))
		return (double)site->counters[PROBE_C_LINES128];
	return (double)layout_lines(site, LINE, site->bytes, lanes_of(site)) *
	       (double)site->counters[PROBE_C_EXECUTIONS];
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
	int64_t stride = layout_stride(&one->site);
	unsigned shift = (LINE - one->use->phase) % LINE;

	one->known = one->use->count && !one->use->unknown;
	for (size_t i = 0; i < count && one->known; i++) {
		const struct buffer_site *other = &sites[i];

		if (!meet(one->use, other->use))
			continue;
		one->layout.others += other != one;
		one->layout.beside += other != one && is_beside(&other->site);
		one->layout.before += (double)other->site.counters[PROBE_C_LINES128];
		one->layout.split += split_of(&other->site, stride);
		one->layout.shifted += shifted_of(other, shift);
	}
}

void buffers_find(struct buffer_site *sites, size_t count)
{
	/* Only what costs too much is given advice. */
	for (size_t i = 0; i < count; i++)
		if (sites[i].site.counters[PROBE_C_EXCESS64] ||
		    sites[i].site.counters[PROBE_C_EXCESS128])
			find(sites, count, &sites[i]);
}
