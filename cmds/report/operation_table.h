/* SPDX-License-Identifier: MIT */
/*
 * Table-valued SQL function of a code object, probe_operations: the operations of its blocks
 * (struct probe_site_operations). Columns: row (site of the block), operation (number), count,
 * amount, users_file, users_line (as in code_tables.h).
 *
 * SQL function probe_peak(target, operation): floating-point operations per cycle and compute unit
 * that the hardware can do at most; NULL if unknown.
 */
#ifndef PROBE_CMDS_REPORT_OPERATION_TABLE_H
#define PROBE_CMDS_REPORT_OPERATION_TABLE_H

#include <sqlite3.h>

struct report_code_cache;

int report_operation_table_register(sqlite3 *db, struct report_code_cache *cache);

#endif
