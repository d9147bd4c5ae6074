/* SPDX-License-Identifier: MIT */
/*
 * Records which waves accessed which bytes of LDS, by workgroup and number of barriers passed (an
 * epoch). The handler `race` searches these for races when a dispatch ends.
 *
 * Lanes at a constant stride are stored as one run, other accesses as addresses. They are expanded
 * only if a race is possible in the epoch, or if there are too many. The expanded form lists the
 * sites at each dword, each with the bytes of the dword that one access touches and two different
 * waves. This is sufficient to find exactly the sites that race.
 */
#ifndef PROBE_HANDLERS_RACE_EPOCHS_H
#define PROBE_HANDLERS_RACE_EPOCHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

#include "handlers/race/race_runs.h"

#define RACE_NO_WAVE UINT32_MAX
enum { RACE_PAGE_DWORDS = 1024 };

/* Accesses of one site to some bytes of a dword. */
struct race_node {
	uint32_t next; /* index of the dword's next node; 0 = none */
	uint32_t site;
	uint32_t bytes;	      /* bit per byte of the dword */
	uint32_t wave, other; /* the two lowest waves; other may be RACE_NO_WAVE */
};

/* 4 KiB of LDS, expanded. */
struct race_page {
	struct race_page *next;
	uint32_t number;
	uint32_t nodes[RACE_PAGE_DWORDS]; /* first node; 0 = none */
};

/* Accesses that are not runs, one after the other (race_epochs.c). */
struct race_list {
	struct race_list *next;
	uint32_t used;
	uint32_t words[253];
};
_Static_assert(sizeof(struct race_list) == 1024, "");

struct race_epoch {
	uint64_t group; /* x + width * (y + height * z) */
	uint32_t barriers;
	uint32_t run_count, run_capacity;
	struct race_run *runs;
	struct race_list *list; /* the newest first */
	uint32_t lists;
	uint32_t wave;		 /* the first wave to arrive */
	uint32_t kinds;		 /* bit per enum probe_access_kind */
	bool waves;		 /* there is more than one wave */
	struct race_page *pages; /* most recently used first */
};

/* The memory of a handler, in bytes. Zeroed, except the limit, before first use. */
struct race_memory {
	uint64_t limit, used;
	bool exhausted; /* malloc() failed */
	/* Lists of ended dispatches, kept for reuse: at most an eighth of the limit. */
	struct race_list *spare;
	uint64_t spares;
};

void race_memory_deinit(struct race_memory *memory);

/* The epochs of one dispatch. Zeroed, except `memory`, before first use. */
struct race_epochs {
	struct race_memory *memory;
	struct race_epoch **slots; /* open addressing */
	size_t count, size;
	struct race_epoch *last;
	struct race_node *nodes; /* used from index 1 on */
	uint32_t node_count, node_capacity;
	uint64_t refused; /* accesses that were not stored, because of the memory limit */
};

/* One access by a wave, without its addresses. */
struct race_access {
	const struct probe_wave_info *wave;
	uint64_t group; /* as in race_epoch */
	uint32_t site;
	unsigned kind;	/* enum probe_access_kind */
	unsigned bytes; /* per lane */
};

/* Adds an access at `count` addresses of LDS, in lane order. */
void race_add(struct race_epochs *epochs, const struct race_access *access, const uint64_t *addr,
	      unsigned count);

/* Adds an access of `count` adjacent lanes at a constant stride. */
void race_add_affine(struct race_epochs *epochs, const struct race_access *access, uint64_t base,
		     int64_t stride, unsigned count);

/* True if accesses of these kinds by two waves race unless something orders them. */
static inline bool race_conflict(unsigned a, unsigned b)
{
	return a == PROBE_ACCESS_STORE || b == PROBE_ACCESS_STORE || a != b;
}

/* To be called before searching an epoch: if a race is possible, moves all accesses to `pages`. */
void race_expand(struct race_epochs *epochs, struct race_epoch *epoch);

void race_epochs_deinit(struct race_epochs *epochs);

#endif
