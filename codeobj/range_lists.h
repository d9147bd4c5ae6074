/* SPDX-License-Identifier: MIT */
/*
 * Range lists of DWARF 4 (.debug_ranges) and 5 (.debug_rnglists), read without libdwarf, whose 2021
 * release is not safe there. Bounded: every byte is checked before it is read.
 */
#ifndef PROBE_CODEOBJ_RANGE_LISTS_H
#define PROBE_CODEOBJ_RANGE_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_dwarf_section;

/* The attributes of a unit that are needed to read its range lists. */
struct probe_range_unit {
	const struct probe_dwarf_section *ranges, *rnglists, *addr;
	uint16_t version;
	uint64_t low;		/* DW_AT_low_pc of the unit, or 0 */
	uint64_t rnglists_base; /* DWARF 5; 0 = none */
	uint64_t addr_base;	/* DWARF 5; 0 = none */
};

/* Limit of the ranges in one list; compilers write dozens. */
#define PROBE_RANGES_MAX 65536u

/*
 * Call `take` for each range [low, high) of the list at `offset` or, if `indexed`, of the list with
 * that number in the unit's table, until `take` returns false. Returns false if the list is
 * damaged; `take` has received the ranges before the damage.
 */
bool probe_ranges_read(const struct probe_range_unit *unit, uint64_t offset, bool indexed,
		       bool (*take)(void *user, uint64_t low, uint64_t high), void *user);

#endif
