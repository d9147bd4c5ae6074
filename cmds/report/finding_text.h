/* SPDX-License-Identifier: MIT */
/* Prints a finding: position, source line, caret, numbers, cost, cause, fix. */
#ifndef PROBE_CMDS_REPORT_FINDING_TEXT_H
#define PROBE_CMDS_REPORT_FINDING_TEXT_H

#include <stdbool.h>

#include <sqlite3.h>

#include "cmds/report/report_db.h"

struct report;

/* The columns, in this order; their names are those of `lines`. */
enum finding_field {
	F_FILE,
	F_LINE,
	F_COLUMN,
	F_KERNEL,
	F_FUNCTION,
	F_ACCESS,
	F_SPACE,
	F_SIZE,
	F_EXECUTIONS,
	F_LANES,
	F_USED64,
	F_NEEDED64,
	F_EXCESS64,
	F_USED128,
	F_NEEDED128,
	F_EXCESS128,
	F_PASSES,
	F_IDEAL,
	F_CONFLICTS,
	F_WAY,
	F_UPDATES, /* that wait, at most and at least */
	F_UPDATES_LOW,
	F_SITES,
	F_CYCLES,
	F_LOW,
	F_HIGH,
	F_UNEVEN,
	F_FOLDED, /* the same, from F_EXECUTIONS on, of all accesses of the finding */
	F_FOLDED_END = F_FOLDED + F_UNEVEN - F_EXECUTIONS,
	F_LEAST_SIZE,
	F_MOST_SIZE,
	F_FOLDED_SHARE,
	F_FOLDED_LEVEL,
	F_SCALE,
	F_LEVEL,
	F_TIME_SHARE,
	F_TIME_OF,
	F_KERNEL_SAMPLES,
	F_WAITING,
	F_TIMED_WAITING,
	F_KERNELS,
	F_RANK,
	F_FINDING,
	F_SHAPE,
	F_CAUSE,
	F_FIX,
	F_CAUSE_SHAPE,
	F_ADDRESS_CLASS,
	F_ADDRESS,
	F_SOURCE,
	F_INLINED,
	F_SITE,
	F_UNIT,
	F_MACHINE,
	F_MACHINE_KERNEL,
	F_BASIS,
	F_SWAP_LOOP,
	F_OWN_FILE,
	F_OWN_LINE,
	F_OWN_COLUMN,
	F_CANDIDATES,
	F_CODE_OBJECT,
	F_MEASURED,
	F_ERROR,
	F_KERNEL_CYCLES,
	F_GROUP_RANK,
	F_GROUP_AT,
	F_APPROXIMATE,
};

extern const char finding_fields[];

struct finding {
	const struct report *report;
	sqlite3_stmt *stmt;
	sqlite3_stmt *frames; /* reads the callers from a JSON text */
	bool lines;	      /* debug information has source lines */
	bool shapes;	      /* one row per launch shape */
	bool part;	      /* only some dispatches: cause and fix are those of all launches */
	bool chosen;	      /* only selected dispatches */
	bool windowed;	      /* only some workgroups were counted */
	bool folded;	      /* sum over all kernels with this finding */
};

static inline long long finding_number(const struct finding *finding, enum finding_field field)
{
	return (long long)sqlite3_column_int64(finding->stmt, field);
}

/* Of all accesses of the finding, or if it is not folded, of the first one. */
static inline long long finding_count(const struct finding *finding, enum finding_field field)
{
	bool sum = finding->folded && finding_number(finding, F_FINDING);

	return finding_number(finding, sum ? field - F_EXECUTIONS + F_FOLDED : field);
}

static inline const char *finding_cell(const struct finding *finding, enum finding_field field)
{
	return report_cell(finding->stmt, field);
}

/* SQL for `frames`; its argument is the text of F_INLINED. */
extern const char finding_frames_sql[];

/* Updates may wait for each other, but nothing that was counted shows it. */
bool finding_may_wait(const struct finding *finding);
void finding_put(const struct finding *finding);
/* One line, for accesses without extra cost and for summaries. */
void finding_put_brief(const struct finding *finding);

#endif
