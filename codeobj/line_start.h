/* SPDX-License-Identifier: MIT */
/*
 * What libdwarf 20210528 gets wrong of DWARF 5 line programs: the file register begins as 1, not as
 * 0 (DWARF 5, 6.2.2), so rows in front of a sequence's first DW_LNS_set_file are of file 1. This
 * tells which rows those are. For throw-away children and fuzz tests.
 */
#ifndef PROBE_CODEOBJ_LINE_START_H
#define PROBE_CODEOBJ_LINE_START_H

#include <stddef.h>
#include <stdint.h>

struct probe_line_start {
	uint32_t *rows; /* per sequence: rows before the file was set */
	size_t count, room;
};

/*
 * From the unit's table at `offset` of .debug_line. What is damaged, or no DWARF 5, has no
 * sequences: nothing is to be corrected then.
 */
void probe_line_start_read(const uint8_t *section, size_t size, uint64_t offset,
			   struct probe_line_start *ret);
void probe_line_start_deinit(struct probe_line_start *start);

#endif
