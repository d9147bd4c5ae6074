/* SPDX-License-Identifier: MIT */
/* Options of the pass: environment variables, because they reach every compile flow. */
#ifndef PROBE_LLVM_PLUGIN_BASE_COMPILE_OPTIONS_H
#define PROBE_LLVM_PLUGIN_BASE_COMPILE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

struct pass_scope {
	char *file;	/* trailing path components; NULL: a function */
	char *function; /* name as in the source, or as the linker knows it */
	uint32_t first, last;
};

/* What the time kind stamps: regions and kernels, functions as well, blocks as well. */
enum pass_stamps { PASS_STAMPS_REGIONS, PASS_STAMPS_FUNCTIONS, PASS_STAMPS_BLOCKS };

/* Optimisations, each of which can be disabled (PROBE_DISABLE). Those not named `trace` are of the
 * kind `memory`, unless stated otherwise. */
enum pass_mechanism {
	PASS_BRANCHES,
	PASS_LAUNCH_ADDRESSES,
	PASS_LANE_ADDRESSES,
	PASS_BIT_FIELDS,
	PASS_MASK_HISTOGRAM,
	PASS_LINE_HISTOGRAM,
	PASS_PREFIX_HISTOGRAM,
	PASS_RUN_COUNTERS,
	PASS_LEADERS,
	PASS_ADDRESS_FORMS,
	PASS_TRACE_SCATTER,
	PASS_RESIDUE_LANES,
	PASS_LOOPS,
	PASS_ITERATIONS,
	PASS_BATCHES,
	PASS_LANE_SUMS,
	PASS_SHORT_CLOBBERS, /* of all kinds */
	PASS_HOISTING,	     /* of all kinds */
	PASS_REMOVAL,	     /* of all kinds */
	PASS_PROBES,	     /* all of them: what clones alone cost at compile time */
	PASS_MECHANISMS,
};

struct pass_options {
	uint32_t kinds;	   /* bit (1 << enum probe_kind) */
	uint32_t disabled; /* bit (1 << enum pass_mechanism) */
	uint32_t spaces;   /* bit (1 << enum probe_space): CONSTANT and SCRATCH, if requested */
	bool by_default;   /* PROBE_KINDS is not set */
	enum pass_stamps stamps;
	unsigned measured_every; /* one in so many executions is measured; 0 = all */
	unsigned verbose;	 /* 1 = a line per module, 2 = also the proof of each site */
	bool prove;		 /* count what is proved instead of measuring it */
	bool fallback;		 /* leave out clones that do not compile (checkpoint.h) */
	bool optnone;		 /* code will not be optimised: no lean probes */
	unsigned level;		 /* compiled with -O0 to -O3 */
	/* Probes in portable code (portable_probe.h), for waves of so many lanes; 0 = lean ones.
	 */
	unsigned portable;
	unsigned generation;	  /* of the target: 9, 10 or 11 */
	bool no_lds;		  /* accesses to LDS have no probes */
	struct pass_scope *scope; /* empty = everything */
	size_t scopes;
};

/*
 * False: *ret_error is the reason, freed by the caller. Call pass_options_deinit() in both cases.
 */
bool pass_options_init(struct pass_options *options, char **ret_error);
void pass_options_deinit(struct pass_options *options);
bool pass_options_in_scope(const struct pass_options *options, const char *file, uint32_t line);
bool pass_options_function_in_scope(const struct pass_options *options, const char *name,
				    size_t size);
static inline bool pass_enabled(const struct pass_options *options, enum pass_mechanism which)
{
	return !(options->disabled >> which & 1);
}

const char *pass_kind_name(enum probe_kind kind); /* NULL: no such clone */

#endif
