/* SPDX-License-Identifier: MIT */
/* The debug sections of an ELF image that Probe reads. For sandboxed children and fuzz tests. */
#ifndef PROBE_CODEOBJ_DWARF_SECTIONS_H
#define PROBE_CODEOBJ_DWARF_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

struct probe_elf;
struct probe_err;

enum probe_dwarf_section_id {
	PROBE_DWARF_INFO,
	PROBE_DWARF_ABBREV,
	PROBE_DWARF_LINE,
	PROBE_DWARF_STR,
	PROBE_DWARF_LINE_STR,
	PROBE_DWARF_STR_OFFSETS,
	PROBE_DWARF_ADDR,
	/*
	 * libdwarf gets the sections above only: the known faults of its 2021 release are in its
	 * readers of range lists. range_lists.h reads the sections below.
	 */
	PROBE_DWARF_GIVEN,
	PROBE_DWARF_RANGES = PROBE_DWARF_GIVEN,
	PROBE_DWARF_RNGLISTS,
	PROBE_DWARF_SECTIONS,
};

struct probe_dwarf_section {
	const uint8_t *bytes; /* NULL = the image has none */
	size_t size;
};

const char *probe_dwarf_section_name(enum probe_dwarf_section_id id);

/* The sections of an image, those that it lacks zeroed. Refuses unlinked objects. */
struct probe_err *probe_dwarf_sections_find(const struct probe_elf *elf,
					    struct probe_dwarf_section ret[PROBE_DWARF_SECTIONS]);

#endif
