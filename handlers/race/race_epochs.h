/* SPDX-License-Identifier: MIT */
/*
 * Who touched which bytes of LDS, by workgroup and number of barriers passed (an epoch): what the
 * handler `race` judges when a dispatch ends.
 *
 * An access of lanes at a constant distance is kept as one run, others as the addresses they are.
 * Only where a race is possible in an epoch, or there are too many, they are written out, to lists
 * of the sites at each dword, each with the bytes of it that they touch in one access, and two
 * different waves: that is enough to tell exactly which sites race there.
 */
#ifndef PROBE_HANDLERS_RACE_EPOCHS_H
#define PROBE_HANDLERS_RACE_EPOCHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

#define RACE_NO_WAVE UINT32_MAX
enum { RACE_PAGE_DWORDS = 1024 };

/* A site at some bytes of a dword: who was there. */
struct race_node {
	uint32_t next; /* index of the dword's next node; 0 = none */
	uint32_t site;
	uint32_t bytes;	      /* bit per byte of the dword */
	uint32_t wave, other; /* the lowest two; other may be RACE_NO_WAVE */
};

/* 4 KiB of LDS, written out. */
struct race_page {
	struct race_page *next;
	uint32_t number;
	uint32_t nodes[RACE_PAGE_DWORDS]; /* first node; 0 = none */
};

/* `count` pieces of `width` bytes, `step` bytes apart. */
struct race_run {
	uint32_t site, wave;
	uint32_t first, step, width;
	uint16_t count;
	uint16_t access; /* enum probe_access_kind */
};

/* Accesses that are no runs, one behind the other (race_epochs.c). */
struct race_list {
	struct race_list *next;
	uint32_t used;
	uint32_t words[253];
};
_Static_assert(sizeof(struct race_list) == 1024, "");

struct race_epoch {
	uint64_t group; /* x + width * (y + height * z) */
	uint32_t barriers;
	uint32_t run_count, run_room;
	struct race_run *runs;
	struct race_list *list; /* the last one first */
	uint32_t lists;
	uint32_t wave;		 /* the first one that came */
	uint32_t kinds;		 /* bit per enum probe_access_kind */
	bool waves;		 /* there are others */
	struct race_page *pages; /* the last one used first */
};

/* What a handler may use, in bytes; zeroed but for the limit before first use. */
struct race_room {
	uint64_t limit, used;
	bool no_memory;
	/* Lists of dispatches that ended, for the next ones: an eighth of the limit at most. */
	struct race_list *spare;
	uint64_t spares;
};

void race_room_deinit(struct race_room *room);

/* One dispatch; zeroed before first use. */
struct race_epochs {
	struct race_epoch **slots; /* open addressing */
	size_t count, size;
	struct race_epoch *last;
	struct race_node *nodes; /* the first is not used */
	uint32_t node_count, node_room;
	uint64_t refused; /* accesses not kept: over the limit of memory */
};

/* A wave's access at `count` addresses of LDS, of `bytes` each, in the order of its lanes. */
void race_add(struct race_room *room, struct race_epochs *epochs,
	      const struct probe_wave_info *wave, uint64_t group, uint32_t site, unsigned access,
	      unsigned bytes, const uint64_t *addr, unsigned count);

/* The same for lanes at a constant stride, not written out. */
void race_add_affine(struct race_room *room, struct race_epochs *epochs,
		     const struct probe_wave_info *wave, uint64_t group, uint32_t site,
		     unsigned access, unsigned bytes, uint64_t base, int64_t stride,
		     unsigned count);

/* Do accesses of these kinds by two waves need an order? */
static inline bool race_conflict(unsigned a, unsigned b)
{
	return a == PROBE_ACCESS_STORE || b == PROBE_ACCESS_STORE || a != b;
}

/* Before an epoch is judged: if there may be races, all of it is in `pages` behind this. */
void race_write_out(struct race_room *room, struct race_epochs *epochs, struct race_epoch *epoch);

void race_epochs_deinit(struct race_room *room, struct race_epochs *epochs);

#endif
