/* SPDX-License-Identifier: MIT */
/*
 * A run of the `count` kind: how often each block of code ran, and with how many lanes, by source
 * position. Blocks at one position (loops unrolled, templates) are added up.
 */
#ifndef PROBE_CMDS_REPORT_BLOCK_EXECUTIONS_H
#define PROBE_CMDS_REPORT_BLOCK_EXECUTIONS_H

#include "cmds/report/query.h"

extern const struct report_query report_counts_query;

#endif
