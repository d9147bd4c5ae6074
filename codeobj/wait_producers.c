/* SPDX-License-Identifier: MIT */
#include "codeobj/wait_producers.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/disassembly.h"
#include "codeobj/instruction_text.h"

enum counter { VM, LGKM, COUNTERS };

/* Outstanding accesses, oldest first, per counter. */
struct outstanding {
	uint64_t address[64];
	unsigned count;
};

static void add_outstanding(struct outstanding *queue, uint64_t address)
{
	if (queue->count == 64) {
		memmove(queue->address, queue->address + 1, 63 * sizeof(*queue->address));
		queue->count--;
	}
	queue->address[queue->count++] = address;
}

static void issue_access(struct outstanding queues[COUNTERS], const struct probe_instruction *row)
{
	const char *space = probe_instruction_memory(row->text);

	if (!strcmp(space, "global"))
		add_outstanding(&queues[VM], row->address);
	if (!strcmp(space, "lds") || !strcmp(space, "scalar") ||
	    probe_text_begins(row->text, "flat_"))
		add_outstanding(&queues[LGKM], row->address);
}

/* The operand for a counter: "vmcnt(3)" gives 3; UINT_MAX if it is not named. */
static unsigned allowed(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? (unsigned)strtoul(at + strlen(name), NULL, 10) : ~0u;
}

static bool add_wait(struct probe_waits *waits, uint64_t wait, uint64_t producer)
{
	if (waits->count == waits->capacity) {
		size_t capacity = waits->capacity ? 2 * waits->capacity : 64;
		struct probe_wait *rows = reallocarray(waits->rows, capacity, sizeof(*rows));

		if (!rows)
			return false;
		waits->rows = rows;
		waits->capacity = capacity;
	}
	waits->rows[waits->count++] = (struct probe_wait){wait, producer, 0};
	return true;
}

/* Add the accesses that the wait waits for. */
static bool complete_accesses(struct probe_waits *waits, struct outstanding queues[COUNTERS],
			      const struct probe_instruction *row)
{
	static const char *const names[COUNTERS] = {"vmcnt(", "lgkmcnt("};
	size_t first = waits->count;

	for (int i = 0; i < COUNTERS; i++) {
		struct outstanding *queue = &queues[i];
		unsigned left = allowed(row->text, names[i]), n;

		if (left >= queue->count)
			continue;
		n = queue->count - left;
		for (unsigned k = 0; k < n; k++)
			if (!add_wait(waits, row->address, queue->address[k]))
				return false;
		memmove(queue->address, queue->address + n, left * sizeof(*queue->address));
		queue->count = left;
	}
	for (size_t i = first; i < waits->count; i++)
		waits->rows[i].weight = 1.0 / (double)(waits->count - first);
	return true;
}

bool probe_wait_producers(const struct probe_instruction *rows, size_t count,
			  struct probe_waits *waits)
{
	struct outstanding queues[COUNTERS] = {0};

	for (size_t i = 0; i < count; i++) {
		const struct probe_instruction *row = &rows[i];

		if (probe_text_begins(row->text, "s_waitcnt ") &&
		    !complete_accesses(waits, queues, row))
			return false;
		issue_access(queues, row);
		/* The following code is reached by branches, with other accesses outstanding. */
		if (probe_instruction_terminates(row->text))
			memset(queues, 0, sizeof(queues));
	}
	return true;
}
