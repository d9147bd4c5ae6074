/* SPDX-License-Identifier: MIT */
/*
 * The accounting of a recording: for each stream, emitted = stored + unread + dropped, with the
 * dropped records by reason. One function computes it; the database, the summary and --strict use
 * the same numbers.
 *
 * Each term is counted where it happens. Only one is computed from the others: records that the
 * application says it has begun but that never arrived (dropped.missing). If the sum is wrong for
 * another reason, it stays wrong, and the log says so. Losses that could not be counted are not
 * part of the sum (unknown_loss.h).
 */
#ifndef PROBE_CMDS_RECORD_LOSS_ACCOUNTING_H
#define PROBE_CMDS_RECORD_LOSS_ACCOUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

#include "cmds/record/unknown_loss.h"
#include "store/store.h"

struct recording;
struct run_config;

/* A count stated by a process is malformed above this: 2^48 records would take years. */
#define RECORD_COUNT_MAX (1ull << 48)

struct record_counts {
	uint64_t seen, completed, unfinished;
	uint64_t verdicts[PROBE_VERDICTS];
	uint64_t swapped_kinds[PROBE_KINDS];
	uint64_t clones;  /* kernels that are clones */
	uint64_t invalid; /* host records that were malformed */
	uint64_t rows_emitted, rows_device, rows_missing, rows_invalid;
	uint64_t rows_unfinished;  /* of dispatches whose rows were not all sent */
	uint64_t rows_underivable; /* sites whose counters cannot be derived from the recorded rows
				    */
	uint64_t trace_invalid;	   /* stored, but not delivered to handlers */
	uint64_t trace_bytes;
	uint64_t trace_read;	/* records read from the rings */
	uint64_t trace_corrupt; /* of those, not understood */
	uint64_t storage_lost;	/* records in per-wave storage that the library could not pass on */
	/* Of the segment; final after the process has ended. */
	uint64_t host_emitted, host_dropped, host_corrupt, host_uncommitted;
	uint64_t trace_emitted, trace_dropped;
	uint64_t trace_waited;	/* microseconds that waves waited for space in rings */
	uint64_t trace_missing; /* stated by the device, neither dropped nor there */
	struct unknown_loss unknown[PROBE_STREAM_IDS];
};

void accounting_store(struct recording *recording, bool final);
/* Stores the filters of the run for the report; to be called once. */
void accounting_store_filters(struct recording *recording);
/*
 * The summary at the end of a run, in a form for accounting_print(): strings, of which the last is
 * empty. To be freed; NULL without memory.
 */
char *accounting_summary(const struct recording *recording, size_t *ret_size);
/* Logs it, with `who` before each line. */
void accounting_print(const char *summary, const char *who);
/* The lines after it: where the database is, and how to view it. */
void accounting_print_database(const struct run_config *config, const char *path, bool viewable,
			       const char *who);
/* Number of committed records, of all streams. */
uint64_t accounting_stored(const struct recording *recording);
/* Log sums that are wrong. */
void accounting_check(struct recording *recording);
/* Records that were lost, and sources of unknown losses. 0: every record is stored. */
uint64_t accounting_lost(const struct recording *recording);

#endif
