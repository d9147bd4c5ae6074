/* SPDX-License-Identifier: MIT */
/* Code objects of a database, each read once, in throw-away children; and their kernels' code. */
#ifndef PROBE_CMDS_REPORT_KERNEL_CODE_H
#define PROBE_CMDS_REPORT_KERNEL_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "codeobj/disassembly.h"
#include "codeobj/inspect.h"

struct report_code_cache;

struct report_code {
	sqlite3 *db;
	int64_t id;
	struct probe_codeobj *codeobj; /* NULL = unreadable */
	struct probe_disassembly *disassembly;
	struct probe_codeobj *scopes;		/* holds the inlined calls only */
	struct probe_codeobj *table;		/* holds the site table only */
	bool disassembled, inlines, sites_read; /* or tried */
};

/* NULL: out of memory. */
struct report_code *report_code_find(struct report_code_cache *cache, int64_t id);

/* Read when first asked for; NULL: none are known. */
const struct probe_inlines *report_code_inlines(struct report_code *code);
const struct probe_disassembly *report_code_disassembly(struct report_code *code);
const struct probe_line *report_code_line(const struct report_code *code, uint64_t address);
/* The function that an address is in, however deep calls are inlined there. NULL: not known. */
const struct probe_scope *report_code_function(const struct probe_inlines *inlines,
					       uint64_t address);

/*
 * Table-valued SQL functions of a code object and a kernel's symbol, or '@' and an address in a
 * function that was not inlined, in the order of addresses:
 * probe_instructions: address, size, text, file, line, "column", space, at,
 * users_file, users_line
 * ("lds", "global", "scalar": memory it accesses; "wait": an s_waitcnt; else "").
 * at: file:line of the function itself that calls what the instruction was inlined from.
 * users_file, users_line: the line, or the innermost call in a file that is no header of HIP.
 * probe_waits: wait, producer (addresses), weight: which accesses an s_waitcnt waits for, each with
 * its part of 1. A model: code is taken in the order of addresses, branches are not followed.
 */
int report_code_register(sqlite3 *db, struct report_code_cache *cache);

#endif
