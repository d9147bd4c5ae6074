/* SPDX-License-Identifier: MIT */
/*
 * A kernel's instructions in the order of their addresses. Each has its source line, its samples
 * and stall reasons, and the counters of the accesses at its position.
 */
#ifndef PROBE_CMDS_REPORT_ANNOTATE_QUERY_H
#define PROBE_CMDS_REPORT_ANNOTATE_QUERY_H

#include <stdbool.h>

#include "cmds/report/query.h"
#include "cmds/report/sample_source.h"

/* probed: handler `memory` wrote its table; timed: handler `time` did. */
const struct report_query *report_annotate_query(enum report_source source, bool probed,
						 bool timed);

#endif
