/* SPDX-License-Identifier: MIT */
/*
 * What the handler `memory` found: one row per source position, kind of access and kernel. Sites at
 * the same position (loops unrolled, templates) are added up; cause and fix are those of the
 * costliest.
 */
#ifndef PROBE_CMDS_REPORT_LINES_QUERY_H
#define PROBE_CMDS_REPORT_LINES_QUERY_H

#include "cmds/report/query.h"

extern const struct report_query report_lines_query;

#endif
