/* SPDX-License-Identifier: MIT */
/*
 * Values of the environment contract (probe/env.h). probe-run checks the user's values with the
 * same functions by which the library in the application reads them.
 */
#ifndef PROBE_COMMON_SELECTION_H
#define PROBE_COMMON_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>
#include <probe/wire_tracing.h>

/* ---- Kinds of probes ------------------------------------------------------------------------ */

/* "memory", "trace", ..., "none"; "" if there is no such kind. */
const char *probe_kind_name(enum probe_kind kind);
bool probe_kind_parse(const char *text, enum probe_kind *ret);

/* ---- What is traced besides dispatches ------------------------------------------------------- */

enum { PROBE_TRACED_TEXT = 64 };

/* Words of PROBE_TRACED_TABLE, separated by commas; NULL and "" mean nothing. */
bool probe_traced_parse(const char *text, uint32_t *ret);
void probe_traced_format(uint32_t traced, char text[PROBE_TRACED_TEXT]);

/* ---- Dispatches of a kernel, numbered from 1 ------------------------------------------------ */

enum { PROBE_RANGES_MAX = 64 };

struct probe_range {
	uint64_t first, last;
};

/* Dispatches in a range, the first n of every m, or with a seed each one with probability n / m. */
struct probe_selection {
	uint64_t n, m; /* m = 0: by ranges */
	uint64_t seed;
	bool seeded;
	uint32_t ranges;
	struct probe_range range[PROBE_RANGES_MAX];
};

/*
 * all | first | A,B-C,... | N-in-M | N-in-M:SEED. With a seed it is N of M on average, the same
 * dispatches in every run. NULL and "" mean all. False if `text` is invalid.
 */
bool probe_selection_parse(const char *text, struct probe_selection *ret);
bool probe_selection_has(const struct probe_selection *selection, uint64_t number);

/*
 * Can regcomp() compile it with bounded memory and stack? It needs stack for each parenthesis, and
 * copies what a repetition {n} repeats.
 */
bool probe_pattern_bounded(const char *text);
/* What is said of a pattern that is not bounded; the numbers are those of selection.c. */
#define PROBE_PATTERN_UNBOUNDED                                                                    \
	"longer than 1000 characters, or with more than 1000 repetitions (each * + ? counts four "  \
	"times those in it)"

/* ---- Workgroups that record ----------------------------------------------------------------- */

/* Ids in x, y, z; `last` is included. */
struct probe_workgroups {
	uint32_t first[3], last[3];
};

/*
 * One axis: N, or N:M for N to M - 1, M up to 2^32. NULL and "" mean all. False, and nothing
 * changed, if `text` is invalid.
 */
bool probe_workgroups_parse(const char *text, int axis, struct probe_workgroups *ret);
/* Does the filter exclude any workgroup? */
bool probe_workgroups_restricted(const struct probe_workgroups *workgroups);

/* ---- What a kernel does when its ring is full ----------------------------------------------- */

struct probe_full_policy {
	enum probe_when_full action;
	uint32_t sample_every; /* at least 1 */
};

enum { PROBE_FULL_POLICY_TEXT = 24 };

/* block | drop | sample | sample:N with N from 1. NULL and "" mean block. */
bool probe_full_policy_parse(const char *text, struct probe_full_policy *ret);
/* In the form that probe_full_policy_parse() accepts. */
void probe_full_policy_format(struct probe_full_policy policy, char text[PROBE_FULL_POLICY_TEXT]);

#endif
