/* SPDX-License-Identifier: MIT */
/*
 * All that touches libdwarf. Only the sections listed here are offered to it: others are where the
 * known faults of the 2021 release lie (range lists). For throw-away children and fuzz tests.
 */
#ifndef PROBE_CODEOBJ_DWARF_SHIM_H
#define PROBE_CODEOBJ_DWARF_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_err;

#define PROBE_DWARF_SECTIONS 7
extern const char *const probe_dwarf_section_names[PROBE_DWARF_SECTIONS];

struct probe_dwarf_section {
	const uint8_t *bytes; /* NULL = the object has none */
	size_t size;
};

struct probe_dwarf_sink {
	void *user;
	/* A file of the table; its index in *ret. */
	struct probe_err *(*file)(void *user, const char *path, uint32_t *ret);
	/* end: `address` is the first one behind a sequence; file, line and column mean nothing. */
	struct probe_err *(*row)(void *user, uint64_t address, uint32_t file, uint64_t line,
				 uint64_t column, bool end);
	/* A function that has code at `address`, and where its source declares it. */
	struct probe_err *(*function)(void *user, uint64_t address, uint32_t file, uint64_t line);
};

/*
 * Feed every row of every unit's line table to the sink, in the table's order, and the functions
 * outside others. No debug information is no error.
 */
struct probe_err *probe_dwarf_lines(const char *name,
				    const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
				    const struct probe_dwarf_sink *sink);

/*
 * The calls that were inlined around the code at `address`, innermost first: where each stands.
 * Those whose code is in several pieces are left out, because range lists are not read.
 */
struct probe_err *probe_dwarf_inlined_at(
	const char *name, const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
	uint64_t address, void (*call)(void *user, const char *path, uint64_t line), void *user);

#endif
