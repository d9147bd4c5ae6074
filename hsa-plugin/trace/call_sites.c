/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/trace/call_sites.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hsa-plugin/trace/frame_rules.h"
#include "hsa-plugin/trace/frames.h"

enum {
	DEPTH_MAX = 48, /* frames that are examined */
	FRAMES_MAX = 4, /* frames recorded */
	SLOTS = 256,
	SEARCHED = 8,	   /* slots that a stack may be in */
	BEING_WRITTEN = 1, /* instead of an id */
};

/* Programs allocate at few places. A slot is written once. */
static struct slot {
	_Atomic uint64_t id; /* of the call stack; 0 = free */
	uint16_t length;
	char text[PROBE_CALL_SITE_MAX];
} slots[SLOTS];

/* Differs when a library was loaded or removed since: the addresses may be of another file. */
static uint64_t stack_id(const uintptr_t *addresses, unsigned count)
{
	uint64_t id = probe_frames_hash(addresses, count) ^ probe_frame_loads() << 16;

	return id > BEING_WRITTEN ? id : id + 2;
}

static struct slot *slot_of(uint64_t id, bool *known)
{
	*known = false;
	for (unsigned i = 0; i < SEARCHED; i++) {
		struct slot *slot = &slots[((id >> 40) + i) % SLOTS];
		uint64_t there = atomic_load_explicit(&slot->id, memory_order_acquire);

		*known = there == id;
		if (*known ||
		    (!there && atomic_compare_exchange_strong(&slot->id, &there, BEING_WRITTEN)))
			return slot;
	}
	return NULL;
}

size_t probe_call_site(char text[PROBE_CALL_SITE_MAX])
{
	uintptr_t addresses[DEPTH_MAX];
	unsigned count = probe_frames_capture(addresses, DEPTH_MAX, FRAMES_MAX);
	uint64_t id = stack_id(addresses, count);
	struct slot *slot;
	size_t length;
	bool known;

	slot = slot_of(id, &known);
	if (known) {
		memcpy(text, slot->text, slot->length);
		return slot->length;
	}
	length = probe_frames_text(addresses, count, FRAMES_MAX, text, PROBE_CALL_SITE_MAX);
	if (slot) {
		memcpy(slot->text, text, length);
		slot->length = (uint16_t)length;
		/* Pairs with the load in slot_of(). */
		atomic_store_explicit(&slot->id, id, memory_order_release);
	}
	return length;
}
