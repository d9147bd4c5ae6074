/* SPDX-License-Identifier: MIT */
/* Call stacks of launches (probe-run --call-stacks). */
#ifndef PROBE_CMDS_RECORD_LAUNCH_STACKS_H
#define PROBE_CMDS_RECORD_LAUNCH_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;
struct segment_record;

struct launch_stack {
	uint64_t id;
	char *frames;
};

struct launch_stacks {
	struct launch_stack *items;
	size_t count, capacity;
};

void launch_stacks_deinit(struct launch_stacks *stacks);

/* Handles a STACK; false if it is malformed. */
bool launch_stacks_take(struct recording *recording, const struct segment_record *rec);

/* What follows the origin in a DISPATCH. */
void launch_stacks_dispatch(struct recording *recording, uint64_t dispatch, uint64_t stack);

/* At the end: stores the stacks, with source lines. */
void launch_stacks_store(struct recording *recording);

#endif
