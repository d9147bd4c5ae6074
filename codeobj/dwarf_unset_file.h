/* SPDX-License-Identifier: MIT */
/*
 * Works around an error of libdwarf 20210528 in DWARF 5 line programs: the file register starts as
 * 1, not as 0 (DWARF 5, 6.2.2), so rows before the first DW_LNS_set_file of a sequence belong to
 * file 1. This finds those rows. For sandboxed children and fuzz tests.
 */
#ifndef PROBE_CODEOBJ_DWARF_UNSET_FILE_H
#define PROBE_CODEOBJ_DWARF_UNSET_FILE_H

#include <stddef.h>
#include <stdint.h>

struct probe_unset_file {
	uint32_t *rows; /* per sequence: rows before the file was set */
	size_t count, capacity;
};

/*
 * Reads the unit's table at `offset` of .debug_line. A damaged table, or one that is not DWARF 5,
 * has no sequences here: no row is corrected.
 */
void probe_unset_file_read(const uint8_t *section, size_t size, uint64_t offset,
			   struct probe_unset_file *ret);
void probe_unset_file_deinit(struct probe_unset_file *start);

#endif
