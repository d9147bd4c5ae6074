/* SPDX-License-Identifier: MIT */
/* Explains why there are no samples to show, and which kernels have none. */
#ifndef PROBE_CMDS_REPORT_MISSING_SAMPLES_H
#define PROBE_CMDS_REPORT_MISSING_SAMPLES_H

#include <stdbool.h>
#include <stdio.h>

struct probe_err;
struct report;
struct report_db;
struct report_query;

/* True if sampling was requested, even if no samples were recorded. */
struct probe_err *report_sampled(const struct report_db *db, bool *ret);
/* Why a database has no samples at all: the text after "no samples: ". */
struct probe_err *report_no_samples(const struct report_db *db, const char **ret);
/* The same if -k, --dispatches, --start and --end select none; a sentence without its end. */
struct probe_err *report_no_choice(const struct report *report, const struct report_db *db,
				   FILE *out);
/* True if these options leave the query without a row. */
struct probe_err *report_none(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool *ret);
/* Prints a line with the kernels that ran but have no samples, if there are any. */
struct probe_err *report_unsampled(const struct report_db *db);

#endif
