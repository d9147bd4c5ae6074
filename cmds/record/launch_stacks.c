/* SPDX-License-Identifier: MIT */
#include "cmds/record/launch_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "cmds/record/call_sites.h"
#include "cmds/record/recording.h"
#include "wire/segment_reader.h"

/* As many as the application announces at once; more only if its table was full. */
enum { STACKS_MAX = 1 << 16 };

void launch_stacks_deinit(struct launch_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++)
		free(stacks->items[i].frames);
	free(stacks->items);
	*stacks = (struct launch_stacks){0};
}

bool launch_stacks_take(struct recording *recording, const struct segment_record *rec)
{
	struct launch_stacks *stacks = &recording->stacks;
	struct probe_hr_stack hr;
	struct launch_stack *grown;

	memcpy(&hr, rec->payload, sizeof(hr));
	if (hr.frames_len > rec->size - sizeof(hr) || stacks->count == STACKS_MAX)
		return false;
	if (stacks->count == stacks->capacity) {
		size_t capacity = stacks->capacity ? 2 * stacks->capacity : 64;

		grown = realloc(stacks->items, capacity * sizeof(*grown));
		if (!grown)
			return false;
		stacks->items = grown;
		stacks->capacity = capacity;
	}
	stacks->items[stacks->count] = (struct launch_stack){
		.id = hr.id,
		.frames = strndup((const char *)rec->payload + sizeof(hr), hr.frames_len),
	};
	return stacks->items[stacks->count].frames && ++stacks->count;
}

void launch_stacks_dispatch(struct recording *recording, uint64_t dispatch, uint64_t stack)
{
	if (stack)
		probe_facts_launch(recording->facts, dispatch, stack);
}

void launch_stacks_store(struct recording *recording)
{
	const struct launch_stacks *stacks = &recording->stacks;
	struct call_sites *sites = stacks->count ? call_sites_create() : NULL;

	for (size_t i = 0; i < stacks->count; i++) {
		const struct launch_stack *stack = &stacks->items[i];
		char *found = sites ? call_sites_resolve(sites, stack->frames) : NULL;

		probe_facts_stack(recording->facts, stack->id, found ? found : stack->frames);
		free(found);
	}
	call_sites_destroy(sites);
}
