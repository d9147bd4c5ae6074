/* SPDX-License-Identifier: MIT */
/*
 * Which accesses an s_waitcnt waits for. This is a model: instructions are taken in the order of
 * addresses, and branches are not followed.
 */
#ifndef PROBE_CODEOBJ_WAIT_PRODUCERS_H
#define PROBE_CODEOBJ_WAIT_PRODUCERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_instruction;

/*
 * Addresses of an s_waitcnt and of one access that it waits for; weight: the access's share, all
 * sum to 1.
 */
struct probe_wait {
	uint64_t wait, producer;
	double weight;
};

struct probe_waits {
	struct probe_wait *rows; /* free() it */
	size_t count, capacity;
};

/* Appends the waits of a kernel's instructions. False: out of memory. */
bool probe_wait_producers(const struct probe_instruction *rows, size_t count,
			  struct probe_waits *waits);

#endif
