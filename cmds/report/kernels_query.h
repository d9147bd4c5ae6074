/* SPDX-License-Identifier: MIT */
/* Kernels that ran, with their dispatches, time and cost. */
#ifndef PROBE_CMDS_REPORT_KERNELS_QUERY_H
#define PROBE_CMDS_REPORT_KERNELS_QUERY_H

#include "cmds/report/query.h"

struct probe_err;
struct report_db;

/* Without a database, it returns only the columns. */
struct probe_err *report_kernels_query(const struct report_db *db, const struct report_query **ret);

#endif
