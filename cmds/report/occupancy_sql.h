/* SPDX-License-Identifier: MIT */
/*
 * SQL function probe_occupancy(what, target, vgprs, agprs, sgprs, lds, items); `what` is waves,
 * waves_max, limit or advice. NULL if the target's registers are unknown.
 */
#ifndef PROBE_CMDS_REPORT_OCCUPANCY_SQL_H
#define PROBE_CMDS_REPORT_OCCUPANCY_SQL_H

#include <sqlite3.h>

int occupancy_sql_register(sqlite3 *db);

#endif
