/* SPDX-License-Identifier: MIT */
/*
 * Units and attributes in DWARF, for the two other files that call libdwarf. Every call of libdwarf
 * gets a pointer to an error (reader->error): without one libdwarf aborts.
 */
#ifndef PROBE_CODEOBJ_DWARF_UNITS_H
#define PROBE_CODEOBJ_DWARF_UNITS_H

#include <stdbool.h>

#include <libdwarf.h>

#include "codeobj/dwarf_sections.h"

/* Maximum length of chains of declarations; longer ones are not followed. */
#define PROBE_DWARF_CHAIN_MAX 8

struct probe_dwarf_reader {
	const char *name; /* for messages */
	Dwarf_Debug dbg;
	Dwarf_Error error; /* of a call that may fail */
};

typedef struct probe_err *(*probe_dwarf_unit_fn)(struct probe_dwarf_reader *reader, Dwarf_Die die,
						 Dwarf_Half version, void *user);

/* Call fn for each unit of the object. */
struct probe_err *probe_dwarf_read(struct probe_dwarf_reader *reader,
				   const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
				   probe_dwarf_unit_fn fn, void *user);

/*
 * Stop libdwarf from recording its allocations, which takes most of the time of reading a line
 * table. Allocations that callers do not free are leaked then: for short-lived processes only.
 */
void probe_dwarf_never_free(void);

/* Convert an error of libdwarf. */
struct probe_err *probe_dwarf_damaged(struct probe_dwarf_reader *reader, const char *doing,
				      Dwarf_Error error);

/* Is the result DW_DLV_OK? If not, frees reader->error. */
bool probe_dwarf_ok(struct probe_dwarf_reader *reader, int result);
bool probe_dwarf_number(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Half name,
			Dwarf_Unsigned *ret);
/* The entry that this one completes: its declaration or abstract origin. NULL = none. */
Dwarf_Die probe_dwarf_origin(struct probe_dwarf_reader *reader, Dwarf_Die die);

/* The source files of a unit. */
struct probe_dwarf_files {
	char **names;
	Dwarf_Signed count;
	int first; /* number of the first: 1 before DWARF 5 */
};

/*
 * Is each file of the line table in a directory? From DWARF 5 on, directories are numbered from 0.
 * libdwarf 20210528 accepts the number after the last one as well, and then reads past the end of
 * its array when it makes names of files.
 */
bool probe_dwarf_files_sound(struct probe_dwarf_reader *reader, Dwarf_Unsigned version,
			     Dwarf_Line_Context context);

/* False also if names cannot be made. */
bool probe_dwarf_open_files(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Half version,
			    struct probe_dwarf_files *ret);
void probe_dwarf_close_files(struct probe_dwarf_reader *reader, struct probe_dwarf_files *files);

#endif
