/* SPDX-License-Identifier: MIT */
/*
 * Maps a sample's correlation word (hardware packet index, doorbell) to its dispatch, for one
 * agent. The packet index wraps with its queue, and samples arrive after the dispatch has
 * completed. So an entry is kept until no sample of it can be in flight: for two implicit
 * deliveries or one explicit flush after the completion (the rule of rocprofiler-sdk).
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
	uint8_t deliveries; /* number of deliveries since completion */
	bool completed;
	/* Samples not yet passed to spill() (attribute.h); freed with the entry. */
	uint32_t event_count, event_room, event_code;
	uint64_t *events;
};

struct probe_dispatch_map {
	struct probe_dispatch_entry *slots; /* open addressing; dispatch 0 = never used */
	size_t room, count;		    /* room: a power of two, or 0 */
	/* Called for an entry that receives no further sample; may be NULL. */
	void (*retired)(void *user, const struct probe_dispatch_entry *entry);
	void *user;
};

/* The part of a correlation word that identifies a dispatch. */
static inline uint64_t probe_dispatch_key(uint64_t correlation)
{
	return correlation & ((0x3ffull << 32) | 0x1ffffff);
}

static inline uint64_t probe_dispatch_key_of(uint64_t packet, uint64_t queue_size,
					     uint32_t doorbell)
{
	return probe_dispatch_key(packet % queue_size | (uint64_t)doorbell << 32);
}

/* Retires all entries. A struct that is zero except `retired` and `user` is an empty map. */
void probe_dispatch_map_destroy(struct probe_dispatch_map *map);

/*
 * A kernel packet is about to be written. -EBUSY: the previous dispatch of the slot is still live;
 * flush the sampler, call probe_dispatch_map_delivered(map, true) and try again. -EINVAL for
 * dispatch 0; -ENOMEM.
 */
int probe_dispatch_map_add(struct probe_dispatch_map *map, uint64_t key, uint64_t dispatch);

/* Its completion signal was seen. -ENOENT if it is not in the map. */
int probe_dispatch_map_complete(struct probe_dispatch_map *map, uint64_t key);

/* A buffer was delivered completely; flush: because of an explicit flush. */
void probe_dispatch_map_delivered(struct probe_dispatch_map *map, bool flush);

/* NULL if there is no recorded dispatch (kernels of the runtime). Valid until the next add. */
struct probe_dispatch_entry *probe_dispatch_map_find(struct probe_dispatch_map *map, uint64_t key);

#endif
