/* SPDX-License-Identifier: MIT */
/*
 * The supervisor's end of a segment (wire.h section 6). The other end is a process that may be
 * killed at any instruction, or lie: every size used here is the supervisor's own copy, lengths are
 * read once and checked, payloads are copied before they are looked at, and what does not check is
 * counted, never trusted. The memory file is sealed, so the mapping cannot shrink under us.
 */
#ifndef PROBE_WIRE_SEGMENT_READER_H
#define PROBE_WIRE_SEGMENT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

struct probe_err;

#define PROBE_SEG_RING_COUNT_MAX 65536u
#define PROBE_SEG_RING_SIZE_MIN	 4096u

struct probe_seg_ring {
	uint64_t tail;	/* consumed; the copy in the mapping is for the writer only */
	uint64_t limit; /* head as last seen by probe_seg_snapshot() */
	bool broken;	/* its head made no sense: no more is read */
};

/* Host records that could not be taken, by reason; the segment knows of no others. */
struct probe_seg_loss {
	uint64_t corrupt;     /* size, type or checksum wrong */
	uint64_t uncommitted; /* reserved by a thread that never finished */
};

struct probe_seg {
	int fd; /* to hand over; -1 once closed */
	unsigned char *map;
	uint64_t size;
	uint64_t host_size, host_tail;
	struct probe_host_ring *host;
	unsigned char *host_data;
	struct probe_ring *heads;
	unsigned char *data;
	uint32_t ring_count, ring_size; /* the large ones among them come last */
	uint32_t large_count, large_size;
	struct probe_seg_ring *rings;
	struct probe_seg_loss loss;
	unsigned char *copy; /* of the record last taken */
	size_t copy_room;
};

/* A host record, private copy; valid until the next call. */
struct probe_seg_rec {
	uint32_t type, tid;
	uint64_t time;
	const unsigned char *payload;
	size_t size; /* of the payload; padding to 8 included */
};

enum probe_seg_state {
	PROBE_SEG_RECORD, /* *ret is set */
	PROBE_SEG_EMPTY,
	PROBE_SEG_WAIT, /* a record is reserved but not finished */
};

/* Counts and sizes, in bytes, of the two sorts of rings: powers of two, or no rings. */
struct probe_seg_shape {
	uint32_t count, size;
	uint32_t large_count, large_size;
};

/* Make the memory file, seal it and map it. `host_size` is a power of two. */
struct probe_err *probe_seg_create(uint64_t host_size, const struct probe_seg_shape *rings,
				   struct probe_seg *ret);
void probe_seg_destroy(struct probe_seg *segment);

/*
 * Take the next host record. With `final` (the writers are dead) unfinished and corrupt places are
 * counted and passed over; without, they end what can be read.
 */
enum probe_seg_state probe_seg_next(struct probe_seg *segment, bool final,
				    struct probe_seg_rec *ret);

/* What the writers counted, read once. */
uint64_t probe_seg_emitted(const struct probe_seg *segment);
uint64_t probe_seg_dropped(const struct probe_seg *segment);

/* Note how far each trace ring is written; true if any has something to read. */
bool probe_seg_snapshot(struct probe_seg *segment);

/* Bytes of a ring. */
uint32_t probe_seg_ring_size(const struct probe_seg *segment, uint32_t ring);

/*
 * Copy what is noted and unread of a ring, up to the ring's end (then call again): bytes copied
 * into `out`, which has room for the ring. Nothing is consumed yet.
 */
size_t probe_seg_ring_peek(struct probe_seg *segment, uint32_t ring, void *out);
void probe_seg_ring_consume(struct probe_seg *segment, uint32_t ring, size_t bytes);

/* Sums over all rings of what the device counted. */
void probe_seg_ring_counts(const struct probe_seg *segment, uint64_t *emitted, uint64_t *dropped);

#endif
