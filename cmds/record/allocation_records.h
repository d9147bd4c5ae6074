/* SPDX-License-Identifier: MIT */
/*
 * Allocations of a process: which allocation contained an address at a given time, and the call
 * site of each.
 */
#ifndef PROBE_CMDS_RECORD_ALLOCATION_RECORDS_H
#define PROBE_CMDS_RECORD_ALLOCATION_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/handler.h>
#include <probe/wire.h>

struct probe_facts;
struct run_allocations;

/* NULL without memory. */
struct run_allocations *run_allocations_create(void);
void run_allocations_destroy(struct run_allocations *all);

/*
 * Its id and size are set; `site` is copied. first .. last: the dispatches launched during its
 * lifetime; last is UINT64_MAX while it is live. False if it is malformed, or without memory.
 */
bool run_allocations_add(struct run_allocations *all, const struct probe_allocation_info *info,
			 uint64_t first, uint64_t last);
/*
 * `dispatch`: the last one launched before the free. False if no allocation is known at that
 * address.
 */
bool run_allocations_free(struct run_allocations *all, uint64_t address, uint64_t dispatch);

const struct probe_allocation_info *run_allocations_find(const struct run_allocations *all,
							 uint64_t dispatch, uint64_t address);

/* Replaces "file+0xoffset" by "file:line" if the file exists and has debug information. */
void run_allocations_resolve(struct run_allocations *all);
void run_allocations_store(const struct run_allocations *all, struct probe_facts *facts);

#endif
