/* SPDX-License-Identifier: MIT */
/*
 * Packed samples as rows, for SQL: table-valued functions
 *   probe_unpack(bytes)               of probe_profile: a row per dispatch, instruction and state
 *   probe_unraw(bytes, arch, method)  of probe_rawsample: a row per sample
 * Both have the same columns. The bytes are not trusted: malformed ones end the rows of a blob
 * with an error.
 */
#ifndef PROBE_CMDS_REPORT_UNPACK_SAMPLES_H
#define PROBE_CMDS_REPORT_UNPACK_SAMPLES_H

#include <sqlite3.h>

int report_unpack_register(sqlite3 *db);

#endif
