/* SPDX-License-Identifier: MIT */
/*
 * --merge: opens the files of many processes, e.g. of the ranks of an MPI program, as one database
 * in memory, with the tables of a trace only. A dispatch of the n-th file, from 0, gets the number
 * MERGE_DISPATCHES * n + its own number; all other rows are distinguished by their guid.
 */
#ifndef PROBE_CMDS_REPORT_MERGE_FILES_H
#define PROBE_CMDS_REPORT_MERGE_FILES_H

#define MERGE_DISPATCHES 1000000000ll

struct probe_err;
struct report;
struct report_db;

struct probe_err *report_files_open(const struct report *report, struct report_db *db);

#endif
