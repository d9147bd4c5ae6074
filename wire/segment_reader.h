/* SPDX-License-Identifier: MIT */
/*
 * The supervisor's end of a segment (wire_segment.h section 6). The other end is a process that may
 * be killed at any instruction, or may be hostile. Every size used here is the supervisor's own
 * copy, lengths are read once and checked, payloads are copied before use, and records that fail a
 * check are counted.
 *
 * What is read is freed at once, or, with `hold`, by segment_reader_release() and
 * segment_reader_ring_release(), when its copy is safe.
 */
#ifndef PROBE_WIRE_SEGMENT_READER_H
#define PROBE_WIRE_SEGMENT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

struct segment_ring {
	uint64_t tail;	/* consumed; the copy in the mapping is for the writer only */
	uint64_t limit; /* head as last seen by segment_reader_snapshot() */
	bool broken;	/* its head was out of bounds: no more is read */
};

/* Host records that could not be read, by reason. The writers count those they dropped. */
struct segment_loss {
	uint64_t corrupt;     /* size, type or checksum wrong */
	uint64_t uncommitted; /* reserved by a thread that never finished */
};

struct segment_reader {
	int fd;	       /* for the application; -1 once closed */
	char path[40]; /* name that segment_reader_link() gives the file; "" = none */
	bool linked;
	unsigned char *map;
	uint64_t size;
	struct probe_seg_header layout;
	bool hold;
	uint64_t beat;
	uint64_t host_size, host_tail, host_released;
	struct probe_host_ring *host;
	unsigned char *host_data;
	struct probe_ring *heads;
	unsigned char *data;
	uint32_t ring_count, ring_size; /* the large ones among them come last */
	uint32_t large_count, large_size;
	struct segment_ring *rings;
	bool pressed; /* a ring was a quarter full at the last snapshot */
	struct segment_loss loss;
	unsigned char *copy; /* of the record last taken */
	size_t copy_capacity;
};

/* A host record, private copy; valid until the next call. */
struct segment_record {
	uint32_t type, tid;
	uint64_t time;
	const unsigned char *payload;
	size_t size; /* of the payload; padding to 8 included */
};

enum segment_state {
	SEGMENT_RECORD, /* *ret is set */
	SEGMENT_EMPTY,
	SEGMENT_WAIT, /* a record is reserved but not finished */
};

/* Continue where another reader ended, at these positions. */
void segment_reader_seek(struct segment_reader *segment, uint64_t host_tail);
void segment_reader_ring_seek(struct segment_reader *segment, uint32_t ring, uint64_t tail);

/* Show the application that the segment is read, or that it will not be read again. */
void segment_reader_beat(struct segment_reader *segment, bool ended);

/* With `hold`: free all host records that were read. */
void segment_reader_release(struct segment_reader *segment);

/*
 * Read the next host record. With `final` (the writers are dead) unfinished and corrupt records are
 * counted and skipped; otherwise they end what can be read.
 */
enum segment_state segment_reader_next(struct segment_reader *segment, bool final,
				       struct segment_record *ret);

/* Counts of the writers. */
uint64_t segment_reader_emitted(const struct segment_reader *segment);
uint64_t segment_reader_dropped(const struct segment_reader *segment);

/* Record the current head of each trace ring; true if any ring has unread bytes. */
bool segment_reader_snapshot(struct segment_reader *segment);

/* Bytes of a ring. */
uint32_t segment_reader_ring_size(const struct segment_reader *segment, uint32_t ring);

/*
 * Copy the unread bytes of a ring up to the last snapshot or the ring's end (then call again) to
 * `out`, which is as large as the ring. Returns their number; nothing is consumed yet.
 */
size_t segment_reader_ring_peek(struct segment_reader *segment, uint32_t ring, void *out);
void segment_reader_ring_consume(struct segment_reader *segment, uint32_t ring, size_t bytes);
/* With `hold`: free the ring's bytes before `tail`. */
void segment_reader_ring_release(struct segment_reader *segment, uint32_t ring, uint64_t tail);
/* Bytes written but not consumed; 0 if the ring is broken. */
uint64_t segment_reader_ring_unread(const struct segment_reader *segment, uint32_t ring);

/* The device's counts (struct probe_ring), summed over all rings. */
struct segment_ring_counts {
	uint64_t emitted, dropped;
	uint64_t waited; /* microseconds, about */
};
struct segment_ring_counts segment_reader_ring_counts(const struct segment_reader *segment);

#endif
