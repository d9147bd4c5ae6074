/* SPDX-License-Identifier: MIT */
/* What the files that call libdwarf share. */
#ifndef PROBE_CODEOBJ_DWARF_SHIM_PRIV_H
#define PROBE_CODEOBJ_DWARF_SHIM_PRIV_H

#include <libdwarf.h>

#include "codeobj/dwarf_shim.h"

#include "codeobj/line_start.h"

/* Declarations of declarations. */
#define PROBE_DWARF_CHAIN_MAX 8

struct probe_dwarf_reader {
	const char *name;
	Dwarf_Debug dbg;
	Dwarf_Error error; /* of a call whose failure does not matter */
	const struct probe_dwarf_sink *sink;
	uint32_t
		*files; /* of the unit: number in the table -> the sink's index + 1; 0 = not seen */
	size_t file_room;
	const struct probe_dwarf_section *line; /* .debug_line */
	/* Of the unit: rows whose file libdwarf takes for 0 (line_start.h), and where we are. */
	struct probe_line_start start;
	char *first_file; /* the name of file 1; NULL: nothing is corrected */
	size_t sequence;
	uint32_t row;
};

struct probe_dwarf_files {
	char **names;
	Dwarf_Signed count;
	int first; /* number of the first: 1 before DWARF 5 */
};

typedef struct probe_err *(*probe_dwarf_unit_fn)(struct probe_dwarf_reader *reader, Dwarf_Die die,
						 Dwarf_Half version, void *user);

/* Call fn for each unit of the object. */
struct probe_err *probe_dwarf_read(struct probe_dwarf_reader *reader,
				   const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
				   probe_dwarf_unit_fn fn, void *user);

/* Every call needs a place for its error, reader->error: without one libdwarf aborts. */
bool probe_dwarf_ok(struct probe_dwarf_reader *reader, int result);
bool probe_dwarf_number(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Half name,
			Dwarf_Unsigned *ret);
/* The entry that this one completes: its declaration or abstract origin. NULL = none. */
Dwarf_Die probe_dwarf_origin(struct probe_dwarf_reader *reader, Dwarf_Die die);
bool probe_dwarf_open_files(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Half version,
			    struct probe_dwarf_files *ret);
void probe_dwarf_close_files(struct probe_dwarf_reader *reader, struct probe_dwarf_files *files);

#endif
