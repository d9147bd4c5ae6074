/* SPDX-License-Identifier: MIT */
/* Source files in DWARF, through libdwarf. For sandboxed children and fuzz tests. */
#ifndef PROBE_CODEOBJ_DWARF_SOURCES_H
#define PROBE_CODEOBJ_DWARF_SOURCES_H

#include <stdint.h>

#include "codeobj/dwarf_sections.h"

struct probe_err;

struct probe_dwarf_sources {
	void *user;
	/* The directory that a unit was compiled in, and the one of the file that was compiled. */
	struct probe_err *(*directory)(void *user, const char *path);
	/* The MD5 of a file of a unit's table. */
	struct probe_err *(*md5)(void *user, const uint8_t *md5);
};

/* Missing debug information is no error; a damaged unit is left out. */
struct probe_err *
probe_dwarf_sources_read(const char *name,
			 const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
			 const struct probe_dwarf_sources *sink);

#endif
