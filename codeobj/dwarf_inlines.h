/* SPDX-License-Identifier: MIT */
/* Functions and inlined calls in DWARF, through libdwarf. For sandboxed children and fuzz tests. */
#ifndef PROBE_CODEOBJ_DWARF_INLINES_H
#define PROBE_CODEOBJ_DWARF_INLINES_H

#include <stdbool.h>
#include <stdint.h>

#include "codeobj/dwarf_sections.h"

/* A function, or a call that was inlined into one. */
struct probe_dwarf_scope {
	uint32_t parent;       /* PROBE_DWARF_NO_SCOPE: a function */
	const char *function;  /* the linkage name if it is known; "" if no name is */
	const char *call_file; /* of the call; "" for functions */
	uint64_t call_line, call_column;
	bool implicit; /* nobody wrote the function: the compiler made it */
};

#define PROBE_DWARF_NO_SCOPE UINT32_MAX

struct probe_dwarf_scopes {
	void *user;
	/* Returns the number of the scope in *ret. */
	struct probe_err *(*scope)(void *user, const struct probe_dwarf_scope *scope,
				   uint32_t *ret);
	/* Code of the scope with that number; a function has depth 0. */
	struct probe_err *(*range)(void *user, uint32_t scope, unsigned depth, uint64_t low,
				   uint64_t high);
};

/*
 * Every function and inlined call that has code, callers first. Skips what cannot be read; fails
 * if a callback fails or the units cannot be walked.
 */
struct probe_err *
probe_dwarf_inlines(const char *name,
		    const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
		    const struct probe_dwarf_scopes *scopes);

#endif
