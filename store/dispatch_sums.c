/* SPDX-License-Identifier: MIT */
#include "store/dispatch_sums.h"

#include <stdlib.h>
#include <string.h>

#include <probe/wire.h>

#include "common/crc32.h"

void probe_dispatch_sums_deinit(struct probe_dispatch_sums *sums)
{
	free(sums->slots);
	*sums = (struct probe_dispatch_sums){0};
}

static void drop(struct probe_dispatch_sums *sums)
{
	probe_dispatch_sums_deinit(sums);
	sums->dropped = true;
}

/* The slot of the key, or the free one where it belongs. */
static struct probe_dispatch_sum *find(const struct probe_dispatch_sums *sums,
				       const struct probe_dispatch_key *key)
{
	size_t i = probe_crc32(0, key, sizeof(*key)) & (sums->capacity - 1);

	while (sums->slots[i].dispatches && memcmp(&sums->slots[i].key, key, sizeof(*key)))
		i = (i + 1) & (sums->capacity - 1);
	return &sums->slots[i];
}

/* At least half of the slots stay free. */
static bool grow(struct probe_dispatch_sums *sums)
{
	struct probe_dispatch_sums bigger = *sums;

	if (2 * (size_t)sums->count < sums->capacity)
		return true;
	bigger.capacity = sums->capacity ? 2 * sums->capacity : 64;
	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < sums->capacity; i++)
		if (sums->slots[i].dispatches)
			*find(&bigger, &sums->slots[i].key) = sums->slots[i];
	free(sums->slots);
	*sums = bigger;
	return true;
}

static struct probe_dispatch_key key_of(const struct probe_hr_dispatch *dispatch)
{
	return (struct probe_dispatch_key){
		.kernel = dispatch->kernel,
		.launched = dispatch->launched,
		.kind = dispatch->kind,
		.verdict = dispatch->verdict,
		.agent = dispatch->agent,
		.grid = {dispatch->grid[0], dispatch->grid[1], dispatch->grid[2]},
		.group = {dispatch->group[0], dispatch->group[1], dispatch->group[2]},
	};
}

void probe_dispatch_sums_add(struct probe_dispatch_sums *sums,
			     const struct probe_hr_dispatch *dispatch,
			     const struct probe_hr_complete *complete, bool again)
{
	const struct probe_dispatch_key key = key_of(dispatch);
	struct probe_dispatch_sum *sum;

	if (sums->dropped)
		return;
	if (!grow(sums)) {
		drop(sums);
		return;
	}
	sum = find(sums, &key);
	if (!sum->dispatches) {
		if (again || sums->count == PROBE_DISPATCH_SUMS_MAX) {
			drop(sums);
			return;
		}
		sums->count++;
		*sum = (struct probe_dispatch_sum){.key = key, .first = dispatch->id};
	}
	if (dispatch->id < sum->first)
		sum->first = dispatch->id;
	sum->dispatches += !again;
	if (complete) {
		sum->timed++;
		sum->ns += complete->end - complete->start;
	}
}

const struct probe_dispatch_sum *probe_dispatch_sums_next(const struct probe_dispatch_sums *sums,
							  size_t *at)
{
	while (*at < sums->capacity) {
		const struct probe_dispatch_sum *sum = &sums->slots[(*at)++];

		if (sum->dispatches)
			return sum;
	}
	return NULL;
}
