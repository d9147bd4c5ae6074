/* SPDX-License-Identifier: MIT */
/* Why there are no samples to show, and which kernels have none. */
#ifndef PROBE_CMDS_REPORT_MISSING_SAMPLES_H
#define PROBE_CMDS_REPORT_MISSING_SAMPLES_H

#include <stdbool.h>
#include <stdio.h>

struct probe_err;
struct report;
struct report_db;
struct report_query;

/* Was it sampled, whatever came of it? */
struct probe_err *report_sampled(const struct report_db *db, bool *ret);
/* Why a database has no samples at all: what follows "no samples: ". */
struct probe_err *report_no_samples(const struct report_db *db, const char **ret);
/* The same where -k, --dispatches, --start and --end select none; a sentence without end. */
struct probe_err *report_no_choice(const struct report *report, const struct report_db *db,
				   FILE *out);
/* Do they leave the query without a row? */
struct probe_err *report_none(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool *ret);
/* A line with the kernels that ran but have no samples, if there are any. */
struct probe_err *report_unsampled(const struct report_db *db);

#endif
