/* SPDX-License-Identifier: MIT */
/* SQL that queries of sites have in common. */
#ifndef PROBE_CMDS_REPORT_SITE_SQL_H
#define PROBE_CMDS_REPORT_SITE_SQL_H

/*
 * SQL for a site's place as the user knows it: the access's own, or the innermost call in a file of
 * the user's, in a function that somebody wrote (the copy of a struct is made by the compiler, at
 * the struct's declaration). `row` has code_object_id, file, line, "column", function and frames,
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

/* Only these can be: to look the others up would read the debug information of every program. */
#define REPORT_IMPLICIT(row, function)                                                             \
	"((" function " GLOB '*::operator=(*' OR " function " GLOB '*::*(*&*)') AND "              \
	"probe_implicit(" row ".code_object_id, " function "))"

/* LDS, or what goes through the caches. Needs store/sql_words.h. */
#define SITE_MEMORY(row)                                                                           \
	"CASE " SQL_WORD(PROBE_SPACE_TABLE, row ".space") " WHEN 'lds' THEN 'lds' ELSE 'global' END"

#endif
