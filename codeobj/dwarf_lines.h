/* SPDX-License-Identifier: MIT */
/* Line tables and functions in DWARF, through libdwarf. For sandboxed children and fuzz tests. */
#ifndef PROBE_CODEOBJ_DWARF_LINES_H
#define PROBE_CODEOBJ_DWARF_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "codeobj/dwarf_sections.h"

struct probe_dwarf_sink {
	void *user;
	/* A file of the table; returns its index in *ret. */
	struct probe_err *(*file)(void *user, const char *path, uint32_t *ret);
	/* end: `address` is the first one after a sequence; file, line and column mean nothing. */
	struct probe_err *(*row)(void *user, uint64_t address, uint32_t file, uint64_t line,
				 uint64_t column, bool end);
	/* A function that has code at `address`, and where its source declares it. */
	struct probe_err *(*function)(void *user, uint64_t address, uint32_t file, uint64_t line);
};

/*
 * Pass every row of every unit's line table to the sink, in the order of the table, and the
 * functions outside of other functions. Missing debug information is no error.
 */
struct probe_err *probe_dwarf_lines(const char *name,
				    const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
				    const struct probe_dwarf_sink *sink);

#endif
