/* SPDX-License-Identifier: MIT */
/*
 * From a sample's correlation word (hardware packet index, doorbell) to the dispatch it was taken
 * in, for one agent. The packet index wraps with its queue, and samples arrive after the dispatch's
 * completion; so an entry lives on until no sample of it can be under way: two deliveries by
 * themselves or one explicit flush after the completion (rocprofiler-sdk's rule).
 *
 * Not thread-safe.
 */
#ifndef PROBE_PCSAMPLE_DISPATCH_MAP_H
#define PROBE_PCSAMPLE_DISPATCH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_dispatch_entry {
	uint64_t key;	    /* probe_dispatch_key() */
	uint64_t dispatch;  /* the caller's id, not 0 */
	uint64_t samples;   /* the caller's count */
	uint8_t deliveries; /* seen since completion */
	bool completed;
	/* Samples not yet handed on (attribute.h); gone with the entry. */
	uint32_t event_count, event_room, event_code;
	uint64_t *events;
};

struct probe_dispatch_map {
	struct probe_dispatch_entry *slots; /* open addressing; dispatch 0 = never used */
	size_t room, count;		    /* room: a power of two, or 0 */
	/* Called for an entry that no further sample can belong to; may be NULL. */
	void (*retired)(void *user, const struct probe_dispatch_entry *entry);
	void *user;
};

/* The part of a correlation word that names a dispatch. */
static inline uint64_t probe_dispatch_key(uint64_t correlation)
{
	return correlation & ((0x3ffull << 32) | 0x1ffffff);
}

static inline uint64_t probe_dispatch_key_of(uint64_t packet, uint64_t queue_size,
					     uint32_t doorbell)
{
	return probe_dispatch_key(packet % queue_size | (uint64_t)doorbell << 32);
}

/* Retires what is left. A zeroed struct (but for retired and user) is an empty map. */
void probe_dispatch_map_destroy(struct probe_dispatch_map *map);

/*
 * A kernel packet is about to be written. -EBUSY: the slot's former dispatch is still live, so the
 * sampler must be flushed first (then call probe_dispatch_map_delivered(map, true) and again);
 * -EINVAL for dispatch 0; -ENOMEM.
 */
int probe_dispatch_map_add(struct probe_dispatch_map *map, uint64_t key, uint64_t dispatch);

/* Its completion signal was seen. -ENOENT if it is not in the map. */
int probe_dispatch_map_complete(struct probe_dispatch_map *map, uint64_t key);

/* A buffer was delivered whole; flush: because the sampler was asked to. */
void probe_dispatch_map_delivered(struct probe_dispatch_map *map, bool flush);

/* NULL: no dispatch of ours (the runtime's own kernels). Valid until the next add. */
struct probe_dispatch_entry *probe_dispatch_map_find(struct probe_dispatch_map *map, uint64_t key);

#endif
