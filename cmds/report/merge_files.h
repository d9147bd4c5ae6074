/* SPDX-License-Identifier: MIT */
/*
 * --merge: opens the files of many processes, e.g. of the ranks of an MPI program, as one database
 * in memory. It has the tables of a trace only. A dispatch is numbered MERGE_DISPATCHES * n + its
 * own number, in the n-th file from 0; all other rows are told apart by their guid.
 */
#ifndef PROBE_CMDS_REPORT_MERGE_FILES_H
#define PROBE_CMDS_REPORT_MERGE_FILES_H

#define MERGE_DISPATCHES 1000000000ll

struct probe_err;
struct report;
struct report_db;

struct probe_err *report_files_open(const struct report *report, struct report_db *db);

#endif
