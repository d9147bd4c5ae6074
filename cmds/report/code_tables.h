/* SPDX-License-Identifier: MIT */
/*
 * Table-valued SQL functions of a code object and a kernel's symbol, or '@' and an address in a
 * function that was not inlined, in the order of addresses.
 *
 * probe_instructions: address, size, text, file, line, "column", space, at, users_file, users_line.
 * space: "lds", "global", "scalar": memory it accesses; "wait": an s_waitcnt; else "".
 * at: file:line of the function itself that calls what the instruction was inlined from.
 * users_file, users_line: the line, or the innermost call in a file that is no header of HIP.
 *
 * probe_waits: wait, producer (addresses), weight: codeobj/wait_producers.h.
 */
#ifndef PROBE_CMDS_REPORT_CODE_TABLES_H
#define PROBE_CMDS_REPORT_CODE_TABLES_H

#include <sqlite3.h>

struct report_code_cache;

int report_code_tables_register(sqlite3 *db, struct report_code_cache *cache);

#endif
