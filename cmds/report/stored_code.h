/* SPDX-License-Identifier: MIT */
/* Code objects of a database, each parsed once, in short-lived child processes. */
#ifndef PROBE_CMDS_REPORT_STORED_CODE_H
#define PROBE_CMDS_REPORT_STORED_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "cmds/report/kernel_code.h"
#include "codeobj/disassembly.h"
#include "codeobj/inspect.h"
#include "codeobj/kernel_extent.h"

struct probe_place;
struct report_code_cache;

struct report_code {
	struct report_code_cache *cache;
	int64_t id;
	struct probe_codeobj *codeobj; /* NULL = unreadable */
	struct probe_disassembly *disassembly;
	struct probe_codeobj *scopes;		/* contains only the inlined calls */
	struct probe_codeobj *table;		/* contains only the site table */
	struct kernel_code kernel;		/* the last one that was looked at */
	struct line_row *by_line;		/* of `disassembly`; NULL until it is needed */
	bool disassembled, inlines, sites_read; /* done, or tried */
};

struct report_code_cache *report_code_cache_create(sqlite3 *db);
void report_code_cache_destroy(void *cache);

/* NULL: out of memory. A part that cannot be read is missing, with a warning that says so. */
struct report_code *report_code_find(struct report_code_cache *cache, int64_t id);

/* These warnings, as a JSON array; the caller frees it. NULL: out of memory. */
char *report_code_gaps(const struct report_code_cache *cache);

/* Read at the first call; NULL if none are known. */
const struct probe_inlines *report_code_inlines(struct report_code *code);
const struct probe_disassembly *report_code_disassembly(struct report_code *code);
const struct probe_sites *report_code_sites(struct report_code *code);

const struct probe_line *report_code_line(const struct report_code *code, uint64_t address);

/* The position in the user's code that the instruction belongs to; false if unknown. */
bool report_code_users_place(struct report_code *code, uint64_t address, struct probe_place *ret);

/* The view that codeobj/kernel_extent.h needs. All parts are NULL if `code` is. */
struct probe_code report_code_view(struct report_code *code);

#endif
