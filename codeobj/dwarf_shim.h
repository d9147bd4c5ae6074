/* SPDX-License-Identifier: MIT */
/*
 * All that touches libdwarf (dwarf_shim.c, dwarf_inlines.c). Only the first sections listed here
 * are offered to it: others are where the known faults of the 2021 release lie (range lists;
 * ranges.h reads those). For throw-away children and fuzz tests.
 */
#ifndef PROBE_CODEOBJ_DWARF_SHIM_H
#define PROBE_CODEOBJ_DWARF_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_err;

#define PROBE_DWARF_OFFERED  7
#define PROBE_DWARF_SECTIONS 9

enum {
	PROBE_DWARF_ADDR = 6,
	PROBE_DWARF_RANGES = 7,
	PROBE_DWARF_RNGLISTS = 8,
};

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
 * For a process that ends soon: libdwarf keeps no list of what it has allocated, which
 * takes most of the time of reading a line table. What callers do not free then is lost.
 */
void probe_dwarf_keep_nothing(void);

/*
 * Feed every row of every unit's line table to the sink, in the table's order, and the functions
 * outside others. No debug information is no error.
 */
struct probe_err *probe_dwarf_lines(const char *name,
				    const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
				    const struct probe_dwarf_sink *sink);

/* A function, or a call that was inlined into one, and the code it has. */
struct probe_dwarf_scope {
	uint32_t parent;       /* PROBE_DWARF_NO_SCOPE: a function */
	const char *function;  /* as the linker names it if that is known; "" if nothing is */
	const char *call_file; /* where the call stands; "" for functions */
	uint64_t call_line, call_column;
};

#define PROBE_DWARF_NO_SCOPE UINT32_MAX

struct probe_dwarf_scopes {
	void *user;
	/* Its number in *ret. */
	struct probe_err *(*scope)(void *user, const struct probe_dwarf_scope *scope,
				   uint32_t *ret);
	/* Code of the scope of that number; depth 0 is a function. */
	struct probe_err *(*range)(void *user, uint32_t scope, unsigned depth, uint64_t low,
				   uint64_t high);
};

/*
 * Every function and inlined call that has code, callers first. What cannot be read is left out;
 * fails if a callback does or the units cannot be walked.
 */
struct probe_err *
probe_dwarf_inlines(const char *name,
		    const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
		    const struct probe_dwarf_scopes *scopes);

#endif
