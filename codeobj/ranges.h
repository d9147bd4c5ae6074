/* SPDX-License-Identifier: MIT */
/*
 * Range lists of DWARF 4 (.debug_ranges) and 5 (.debug_rnglists), read without libdwarf, whose 2021
 * release is not safe there. Bounded: every byte is checked before it is read.
 */
#ifndef PROBE_CODEOBJ_RANGES_H
#define PROBE_CODEOBJ_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_dwarf_section;

/* What a unit says about its range lists. */
struct probe_range_unit {
	const struct probe_dwarf_section *ranges, *rnglists, *addr;
	uint16_t version;
	uint64_t low;		/* DW_AT_low_pc of the unit, or 0 */
	uint64_t rnglists_base; /* DWARF 5; 0 = none */
	uint64_t addr_base;	/* DWARF 5; 0 = none */
};

/* At most so many ranges in one list: compilers write dozens. */
#define PROBE_RANGES_MAX 65536u

/*
 * Call `take` for each range [low, high) of the list at `offset`, or, with `indexed`, of that
 * number in the unit's table; `take` ends it by returning false. False if a list is damaged; what
 * came before has been told.
 */
bool probe_ranges_read(const struct probe_range_unit *unit, uint64_t offset, bool indexed,
		       bool (*take)(void *user, uint64_t low, uint64_t high), void *user);

#endif
