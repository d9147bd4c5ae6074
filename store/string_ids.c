/* SPDX-License-Identifier: MIT */
#include "store/string_ids.h"

#include <stdlib.h>
#include <string.h>

#include "common/fnv.h"

void probe_string_ids_init(struct probe_string_ids *ids, uint32_t first)
{
	*ids = (struct probe_string_ids){.last = first - 1};
}

void probe_string_ids_deinit(struct probe_string_ids *ids)
{
	for (size_t i = 0; i < ids->capacity; i++)
		free(ids->slots[i].text);
	free(ids->slots);
	*ids = (struct probe_string_ids){0};
}

/* The slot of the string, or the free one where it belongs. */
static struct probe_string_id *find(const struct probe_string_ids *ids, uint64_t hash,
				    const char *text, size_t length)
{
	size_t i = hash & (ids->capacity - 1);

	for (;; i = (i + 1) & (ids->capacity - 1)) {
		struct probe_string_id *slot = &ids->slots[i];

		if (!slot->id || (slot->hash == hash && slot->length == length &&
				  !memcmp(slot->text, text, length)))
			return slot;
	}
}

/* At least half of the slots stay free. */
static int grow(struct probe_string_ids *ids)
{
	struct probe_string_ids bigger = *ids;

	if (2 * (size_t)ids->count < ids->capacity)
		return 1;
	bigger.capacity = ids->capacity ? 2 * ids->capacity : 256;
	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return 0;
	for (size_t i = 0; i < ids->capacity; i++)
		if (ids->slots[i].id)
			*find(&bigger, ids->slots[i].hash, ids->slots[i].text,
			      ids->slots[i].length) = ids->slots[i];
	free(ids->slots);
	*ids = bigger;
	return 1;
}

uint32_t probe_string_ids_get(struct probe_string_ids *ids, const char *text, size_t length,
			      int *added)
{
	uint64_t hash = probe_fnv1a(text, length);
	struct probe_string_id *slot;

	*added = 0;
	if (!grow(ids))
		return 0;
	slot = find(ids, hash, text, length);
	if (slot->id)
		return slot->id;
	if (ids->count == PROBE_STRING_IDS_MAX)
		return 0;
	slot->text = malloc(length + 1);
	if (!slot->text)
		return 0;
	memcpy(slot->text, text, length);
	slot->hash = hash;
	slot->length = (uint32_t)length;
	slot->id = ++ids->last;
	ids->count++;
	*added = 1;
	return slot->id;
}
