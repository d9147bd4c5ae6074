/* SPDX-License-Identifier: MIT */
/*
 * The sources of samples, as SQL: a SELECT in parentheses with code_object_id, offset, samples,
 * lanes, waves, dual, issued, stalled, the reasons, dispatch. Needs the functions of
 * dispatch_filter.c and unpack_samples.c.
 */
#ifndef PROBE_CMDS_REPORT_SAMPLE_SOURCE_H
#define PROBE_CMDS_REPORT_SAMPLE_SOURCE_H

#include <stdbool.h>

#include "store/sql_words.h"

struct probe_err;
struct report;
struct report_db;

/* The sources: sums of the run, sums per dispatch, single samples. */
enum report_source { REPORT_FROM_SUMS, REPORT_FROM_DISPATCHES, REPORT_FROM_SAMPLES };

/* Times of samples and dispatches are reported in ns since this time. */
#define REPORT_FIRST "(SELECT min(start) FROM rocpd_kernel_dispatch)"
#define REPORT_LAST_END                                                                            \
	"SELECT coalesce(max(\"end\") - min(start), 0) || ' ns' FROM rocpd_kernel_dispatch"

/*
 * Samples by state. Host trap records none: code 0 only, which is no type. Stall reasons that the
 * table lacks count as "other".
 */
#define SAMPLES_STALLED(reason)                                                                    \
	"sum(samples) FILTER (WHERE NOT issued AND coalesce(" SQL_WORD(                            \
		PROBE_PCS_REASON_TABLE, "code") ", 'other') = '" reason "') AS " reason
#define SAMPLES_STATES                                                                                                                                                     \
	"sum(samples) FILTER (WHERE issued AND code <> 0) AS issued, "                                                                                                     \
	"sum(samples) FILTER (WHERE NOT issued) AS stalled, " SAMPLES_STALLED("waitcnt") ", " SAMPLES_STALLED("barrier") ", " SAMPLES_STALLED("alu") ", " SAMPLES_STALLED( \
		"arbiter") ", " SAMPLES_STALLED("internal") ", " SAMPLES_STALLED("fetch") ", " SAMPLES_STALLED("sleep") ", " SAMPLES_STALLED("other") " "

/* Each source has: code_object_id, offset, samples, lanes, waves, dual and the states. */
#define SAMPLES_SUMS                                                                                              \
	"(SELECT s.code_object_id, s.offset, s.samples, s.lanes, s.waves, s.dual, t.issued, "                     \
	"t.stalled, t.waitcnt, t.barrier, t.alu, t.arbiter, t.internal, t.fetch, t.sleep, "                       \
	"t.other, NULL AS dispatch FROM probe_sample s LEFT JOIN (SELECT code_object_id, offset, " SAMPLES_STATES \
	"FROM probe_state GROUP BY code_object_id, offset) t ON t.code_object_id = "                              \
	"s.code_object_id AND t.offset = s.offset)"

#define SAMPLES_ALWAYS "9223372036854775807"
/* Dispatches of --dispatches that overlap the window. */
#define SAMPLES_CHOSEN                                                                             \
	"(SELECT p.dispatch_id FROM probe_dispatch p LEFT JOIN rocpd_kernel_dispatch r ON "        \
	"r.id = p.dispatch_id WHERE probe_chosen(p.dispatch_id) AND "                     \
	"(probe_timely(0, 0) AND probe_timely(" SAMPLES_ALWAYS ", " SAMPLES_ALWAYS ") OR "         \
	"probe_timely(r.start - " REPORT_FIRST ", r.\"end\" - " REPORT_FIRST ")))"

#define SAMPLES_DISPATCHES(dispatch)                                                               \
	"(SELECT code_object AS code_object_id, offset, sum(samples) AS samples, "                 \
	"sum(lanes) AS lanes, NULL AS waves, NULL AS dual, " dispatch                              \
	" AS dispatch, " SAMPLES_STATES                                                            \
	"FROM probe_profile p, probe_unpack(p.bytes) WHERE dispatch IN " SAMPLES_CHOSEN            \
	" GROUP BY code_object, offset, " dispatch ")"

#define SAMPLES_SAMPLES(dispatch)                                                                         \
	"(SELECT code_object AS code_object_id, offset - c.load_base AS offset, "                         \
	"sum(samples) AS samples, sum(lanes) AS lanes, sum(waves) AS waves, sum(dual) AS dual, " dispatch \
	" AS dispatch, " SAMPLES_STATES                                                                   \
	"FROM probe_rawsample p JOIN probe_sampler m ON m.agent = p.agent JOIN rocpd_info_agent a "       \
	"ON a.id = p.agent, probe_unraw(p.bytes, a.name, m.method) JOIN rocpd_info_code_object c "        \
	"ON c.id = code_object WHERE samples AND dispatch AND probe_chosen(dispatch) AND "                \
	"probe_timely(time - " REPORT_FIRST ", time - " REPORT_FIRST                                      \
	") GROUP BY code_object, offset, " dispatch ")"

/* Ids of the dispatches that --dispatches, --start and --end select. */
extern const char report_chosen_sql[];

/* The source that the given filters require in this database. */
struct probe_err *report_source(const struct report *report, const struct report_db *db,
				enum report_source *ret);
/* Prints how the run was sampled: method, interval, provider. */
struct probe_err *report_samplers(const struct report_db *db);
/* The same below the head of the report. */
struct probe_err *report_sampled_head(const struct report *report, const struct report_db *db);
/* Prints report_head(), how the run was sampled, and a message if there are no samples. */
struct probe_err *report_samples_head(const struct report *report, const struct report_db *db,
				      enum report_source source, bool *any);

#endif
