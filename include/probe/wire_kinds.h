/* SPDX-License-Identifier: MIT */
/* What is probed, and by what. See wire.h. */
#ifndef PROBE_WIRE_KINDS_H
#define PROBE_WIRE_KINDS_H

#include <stdint.h>

/* ---- 1. Kinds, accesses, spaces ------------------------------------------------------------ */

/* Probe kinds. The clone of kernel k for a kind is the kernel "__probe_<name>_<k>". */
enum probe_kind {
	PROBE_KIND_NONE = 0,
	PROBE_KIND_MEMORY = 1, /* exact per-site counters made on the device; clone "memory" */
	PROBE_KIND_TRACE = 2,  /* every address, compressed; clone "trace" */
	PROBE_KIND_TIME = 3,   /* time stamps of functions, blocks and regions; clone "time" */
	PROBE_KIND_COUNT = 4,  /* executions and lanes of blocks; clone "count" */
	PROBE_KINDS = 5,
};

/* Do clones of this kind write records into rings (section 5)? */
static inline int probe_kind_has_rings(uint32_t kind)
{
	return kind == PROBE_KIND_TRACE || kind == PROBE_KIND_TIME;
}

/* Those that count in rows of counters (section 3)? */
static inline int probe_kind_has_counters(uint32_t kind)
{
	return kind == PROBE_KIND_MEMORY || kind == PROBE_KIND_COUNT;
}

enum probe_access_kind {
	PROBE_ACCESS_LOAD = 1,
	PROBE_ACCESS_STORE = 2,
	PROBE_ACCESS_ATOMIC = 3,
	PROBE_ACCESS_BLOCK = 4, /* a basic block: the `count` kind's sites */
	/* Sites that are no accesses: the `time` kind stamps them, messages come from the last. */
	PROBE_ACCESS_REGION = 5,   /* a call of probe_region_begin() or _end() (device.h) */
	PROBE_ACCESS_FUNCTION = 6, /* a kernel, or a device function that was not inlined */
	PROBE_ACCESS_MESSAGE = 7,  /* a call of probe_emit() or probe_emit_lanes() */
	/* No accesses, but rows of counters that the `memory` kind keeps for several; section 3. */
	PROBE_ACCESS_SHARED = 8,
	PROBE_ACCESS_GROUP = 9,	   /* accesses of a block that the `trace` kind records together */
	PROBE_ACCESS_COUNTED = 10, /* as SHARED */
};

/* A row of counters, no place in the source? */
static inline int probe_site_is_row(uint32_t access)
{
	return access == PROBE_ACCESS_COUNTED || access == PROBE_ACCESS_SHARED;
}

/* Address spaces, numbered as LLVM's AMDGPU back end numbers them. */
enum probe_space {
	PROBE_SPACE_FLAT = 0,
	PROBE_SPACE_GLOBAL = 1,
	PROBE_SPACE_LDS = 3,
	PROBE_SPACE_CONSTANT = 4,
	PROBE_SPACE_SCRATCH = 5,
	PROBE_SPACE_BUFFER = 7,
};

#endif
