/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/trace/stacks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "hsa-plugin/process/tool.h"
#include "hsa-plugin/trace/frames.h"

enum {
	FRAMES_MAX = 24, /* calls of the application that are recorded */
	TEXT_MAX = 4096,
	SLOTS = 1 << 14,
	SEARCHED = 64, /* slots that a stack may be in */
};

/* Ids of announced stacks. A program launches at few places, so a full table is rare. */
static _Atomic uint64_t announced[SLOTS];

static int put(uint64_t id, const uintptr_t *addresses, unsigned count)
{
	char text[TEXT_MAX];
	struct probe_hr_stack row = {
		.id = id,
		.frames_len = (uint32_t)probe_frames_text(addresses, count, FRAMES_MAX, text,
							  sizeof(text)),
	};
	struct iovec parts[] = {{&row, sizeof(row)}, {text, row.frames_len}};

	return probe_segment_put(&probe_tool.segment, PROBE_HR_STACK, parts, 2);
}

/* False if there is no slot for it, or if its record was dropped: the next launch tries again. */
static bool announce(uint64_t id, const uintptr_t *addresses, unsigned count)
{
	for (unsigned i = 0; i < SEARCHED; i++) {
		_Atomic uint64_t *slot = &announced[((id >> 20) + i) & (SLOTS - 1)];
		uint64_t there = 0;

		if (atomic_compare_exchange_strong(slot, &there, id)) {
			if (!put(id, addresses, count))
				return true;
			atomic_store(slot, 0);
			return false;
		}
		if (there == id)
			return true;
	}
	return false;
}

uint64_t probe_stack_current(void)
{
	uintptr_t addresses[PROBE_FRAMES_DEPTH];
	int saved = errno;
	unsigned count = probe_frames_capture(addresses, PROBE_FRAMES_DEPTH, FRAMES_MAX);
	uint64_t id = probe_frames_hash(addresses, count);

	if (!announce(id, addresses, count))
		id = 0;
	errno = saved;
	return id;
}
