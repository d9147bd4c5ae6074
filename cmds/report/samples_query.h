/* SPDX-License-Identifier: MIT */
/* Samples by source line, kernel, instruction or dispatch. */
#ifndef PROBE_CMDS_REPORT_SAMPLES_QUERY_H
#define PROBE_CMDS_REPORT_SAMPLES_QUERY_H

#include "cmds/report/query.h"
#include "cmds/report/report_options.h"
#include "cmds/report/sample_source.h"

const struct report_query *report_samples_query(enum report_by by, enum report_source source);

/* Kernels with too few samples for shares: name, samples, number of the row. */
extern const char report_few_sql[];
/* How many samples are of code without a line. */
extern const char report_approximate_sql[];

#endif
