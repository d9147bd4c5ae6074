/* SPDX-License-Identifier: MIT */
/* Kernels that ran, with their dispatches, time and cost. */
#ifndef PROBE_CMDS_REPORT_KERNELS_QUERY_H
#define PROBE_CMDS_REPORT_KERNELS_QUERY_H

#include "cmds/report/query.h"

struct report_db;

/* NULL: the columns, whatever database it is. */
const struct report_query *report_kernels_query(const struct report_db *db);

#endif
