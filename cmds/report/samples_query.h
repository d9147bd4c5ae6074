/* SPDX-License-Identifier: MIT */
/* Samples by source line, kernel, instruction or dispatch. */
#ifndef PROBE_CMDS_REPORT_SAMPLES_QUERY_H
#define PROBE_CMDS_REPORT_SAMPLES_QUERY_H

#include "cmds/report/query.h"
#include "cmds/report/report_options.h"
#include "cmds/report/sample_source.h"

const struct report_query *report_samples_query(enum report_by by, enum report_source source);

/*
 * Of the selected samples: kernels with too few of them for percentages (name, samples, row
 * number); their number in code without a line of its own.
 */
const char *report_few_sql(enum report_source source);
const char *report_approximate_sql(enum report_source source);

#endif
