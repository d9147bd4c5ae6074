/* SPDX-License-Identifier: MIT */
/*
 * A kernel's instructions in the order of their addresses, with the source lines they were made
 * from, the samples of each and why waves stalled there, and what probes counted at the accesses.
 */
#ifndef PROBE_CMDS_REPORT_ANNOTATE_QUERY_H
#define PROBE_CMDS_REPORT_ANNOTATE_QUERY_H

#include <stdbool.h>

#include "cmds/report/query.h"
#include "cmds/report/sample_source.h"

/* probed: the handler `memory` wrote its table; timed: `time` did. */
const struct report_query *report_annotate_query(enum report_source source, bool probed,
						 bool timed);

#endif
