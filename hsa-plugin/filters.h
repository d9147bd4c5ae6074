/* SPDX-License-Identifier: MIT */
/*
 * What the user asked for, read from the environment once when the library is loaded, and the two
 * filters: by kernel name (asked once per kernel) and by dispatch (counted per kernel).
 *
 *   PROBE_SOCKET           where the supervisor listens; unset = do nothing at all
 *   PROBE_INSTRUMENTED     0 = run originals only
 *   PROBE_KIND             memory | trace | time
 *   PROBE_WHEN_FULL        block | drop | sample:N (N from 1)
 *   PROBE_GROUPS_X, _Y, _Z workgroups that record: N, or N:M for N to M - 1
 *   PROBE_KERNEL_INCLUDE, PROBE_KERNEL_EXCLUDE
 *                          POSIX extended regular expressions on the demangled name
 *   PROBE_DISPATCHES       all | first | N-in-M | N-in-M:SEED | A-B,C,... (dispatches of a kernel,
 *                          from 1); with a seed, N of M on average, the same ones in every run
 *   PROBE_LIBRARY_INCLUDE, PROBE_LIBRARY_EXCLUDE
 *                          globs, one per line, on the file a code object comes from ("memory" if
 *                          from none); one without '/' is for the file's name. Exclude wins
 */
#ifndef PROBE_HSA_FILTERS_H
#define PROBE_HSA_FILTERS_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

enum { PROBE_RANGES_MAX = 64 };

struct probe_range {
	uint64_t first, last;
};

/*
 * Which dispatches of a kernel, numbered from 1: those in a range, the first n of every m, or, with
 * a seed, each one with a chance of n in m.
 */
struct probe_selection {
	uint64_t n, m; /* m = 0: by ranges */
	uint64_t seed;
	bool seeded;
	uint32_t ranges;
	struct probe_range range[PROBE_RANGES_MAX];
};

struct probe_config {
	char socket[108];
	uint32_t kind; /* enum probe_kind; NONE = instrumentation is off */
	uint32_t when_full;
	uint32_t sample_every;			/* at least 1 */
	uint32_t group_first[3], group_last[3]; /* workgroups that record */
	bool groups_chosen;			/* not all of them */
	bool include_set, exclude_set;
	bool broken; /* a filter did not parse: nothing passes */
	regex_t include, exclude;
	char *library_include, *library_exclude; /* copies of the environment; NULL = all, none */
	struct probe_selection selection;
};

/* False if there is nothing to do: no socket named, or a privileged program. */
bool probe_config_read(struct probe_config *ret);

/* False if `text` is none of the forms above; NULL and "" mean all. */
bool probe_selection_parse(const char *text, struct probe_selection *ret);
bool probe_selection_has(const struct probe_selection *selection, uint64_t number);

bool probe_config_wants(const struct probe_config *config, const char *demangled);
/* By the URI of a code object, "file:///..." or "memory://...". */
bool probe_config_wants_library(const struct probe_config *config, const char *uri);

#endif
