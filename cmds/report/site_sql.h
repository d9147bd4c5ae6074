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

#endif
