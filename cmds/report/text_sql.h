/* SPDX-License-Identifier: MIT */
/*
 * SQL functions for texts that may be long, such as names of template instantiations with 10,000
 * bytes. probe_text_key(text): the text if it is short, else a digest; for grouping and sorting.
 * probe_text_cut(text): what the HTML page shows of it.
 */
#ifndef PROBE_CMDS_REPORT_TEXT_SQL_H
#define PROBE_CMDS_REPORT_TEXT_SQL_H

#include <stddef.h>

#include <sqlite3.h>

enum { TEXT_CUT_MAX = 2000 };

/*
 * A text of up to TEXT_CUT_MAX bytes as it is; a longer one cut, in `room`. The same text is cut to
 * the same one everywhere, and two texts to two.
 */
const char *text_cut(const char *text, size_t length, char room[TEXT_CUT_MAX]);

int text_sql_register(sqlite3 *db);

#endif
