/* SPDX-License-Identifier: MIT */
/* SQL that queries of sites have in common. */
#ifndef PROBE_CMDS_REPORT_SITE_SQL_H
#define PROBE_CMDS_REPORT_SITE_SQL_H

/*
 * SQL for a site's place as the user knows it: the access's own, or the innermost call in a file of
 * the user's. `row` has file, line, "column" and frames, `what` is one of the first three.
 */
#define REPORT_USERS(row, what)                                                                    \
	"CASE WHEN probe_users_file(" row ".file) THEN " row ".\"" what "\" ELSE coalesce("        \
	"(SELECT json_extract(f.value, '$." what "') FROM json_each(" row ".frames) f "            \
	"WHERE probe_users_file(json_extract(f.value, '$.file')) "                                 \
	"AND json_extract(f.value, '$.line') > 0 ORDER BY f.key LIMIT 1), " row ".\"" what         \
	"\") END"

/*
 * Cost, in bytes: extra cache-line requests, as the larger of 64 per extra request for a 64-byte
 * line and 128 per extra request for a 128-byte line, and 128 for each LDS pass lost to a bank
 * conflict, in which the banks could have moved as much. handlers/advice/ has the same. `row` has
 * the columns of probe_memory_site.
 */
#define SITE_COST(row)                                                                             \
	"(max(64 * " row ".excess64, 128 * " row ".excess128) + 128 * " row ".conflicts)"

/* LDS, or what goes through the caches. Needs store/sql_words.h. */
#define SITE_MEMORY(row)                                                                           \
	"CASE " SQL_WORD(PROBE_SPACE_TABLE, row ".space") " WHEN 'lds' THEN 'lds' ELSE 'global' END"

#endif
