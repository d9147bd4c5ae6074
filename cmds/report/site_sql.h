/* SPDX-License-Identifier: MIT */
/* SQL shared by queries of sites. */
#ifndef PROBE_CMDS_REPORT_SITE_SQL_H
#define PROBE_CMDS_REPORT_SITE_SQL_H

/*
 * SQL for a site's position in the user's code: the access's own, or the innermost call in a user's
 * file, in a function written by the user. (The compiler generates the copy of a struct, at the
 * struct's declaration.) `row` has code_object_id, file, line, "column", function and frames;
 * `what` is file, line or column.
 */
#define REPORT_USERS(row, what)                                                                    \
	"CASE WHEN probe_users_file(" row ".file) AND NOT " REPORT_IMPLICIT(row, row ".function")  \
	" THEN " row ".\"" what "\" ELSE coalesce("                                                \
	"(SELECT json_extract(f.value, '$." what "') FROM json_each(" row ".frames) f "            \
	"WHERE probe_users_file(json_extract(f.value, '$.file')) "                                 \
	"AND json_extract(f.value, '$.line') > 0 AND NOT "                                         \
	REPORT_IMPLICIT(row, "json_extract(f.value, '$.function')")                                \
	" ORDER BY f.key LIMIT 1), " row ".\"" what "\") END"

/*
 * Only these functions can be implicit: looking others up would read the debug information of every
 * program.
 */
#define REPORT_IMPLICIT(row, function)                                                             \
	"((" function " GLOB '*::operator=(*' OR " function " GLOB '*::*(*&*)') AND "              \
	"probe_implicit(" row ".code_object_id, " function "))"

/* LDS, or memory behind the caches. Needs store/sql_words.h. */
#define SITE_MEMORY(row)                                                                           \
	"CASE " SQL_WORD(PROBE_SPACE_TABLE, row ".space") " WHEN 'lds' THEN 'lds' ELSE 'global' END"

#endif
