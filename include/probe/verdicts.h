/* SPDX-License-Identifier: MIT */
/* Whether a dispatch ran as an instrumented clone, and if not, why. See wire_kinds.h for tables. */
#ifndef PROBE_VERDICTS_H
#define PROBE_VERDICTS_H

/*
 * X(NAME, number, "word", "text"): the word is in the database's names ("refused.lds"), the text
 * follows "ran uninstrumented: ".
 */
#define PROBE_VERDICT_TABLE(X)                                                                     \
	X(SWAPPED, 0, "swapped", "ran instrumented")                                               \
	X(OFF, 1, "off", "run without probes, as requested")                                       \
	X(FILTERED, 2, "filtered", "kernel excluded by name")                                      \
	X(NO_CLONE, 3, "no_clone", "no clone of the kernel (not compiled with the plugin)")        \
	X(UNKNOWN_KERNEL, 4, "unknown_kernel", "kernel of no known code object")                   \
	X(METADATA, 5, "metadata", "kernel metadata unusable")                                     \
	X(LDS, 6, "lds", "clone needs more LDS than a workgroup can have")                         \
	X(MEMORY, 7, "memory", "no memory for counters, rings or arguments")                       \
	X(TOO_MANY_SITES, 8, "too_many_sites", "too many sites")                                   \
	X(NO_SEGMENT, 9, "no_segment",                                                             \
	  "the recorder was gone, or rings could not be mapped to the GPU")                        \
	X(DISPATCH, 10, "dispatch", "not among the requested dispatches")                          \
	X(LIBRARY, 11, "library", "not in a requested library")                                    \
	X(SCRATCH, 12, "scratch", "clone needs more scratch than a wave can have")                 \
	X(WORKGROUP, 13, "workgroup", "clone has too few registers for workgroups of this size")   \
	X(RECURSION, 14, "recursion",                                                              \
	  "stack of the clone is unbounded: recursive or indirect calls")                          \
	X(COOPERATIVE, 15, "cooperative",                                                          \
	  "cooperative launch, and not all workgroups of the clone would be resident")

enum probe_verdict {
#define PROBE_VERDICT_ENUM(name, number, word, text) PROBE_V_##name = number,
	PROBE_VERDICT_TABLE(PROBE_VERDICT_ENUM)
#undef PROBE_VERDICT_ENUM
		PROBE_VERDICTS,
};

#endif
