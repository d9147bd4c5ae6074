/* SPDX-License-Identifier: MIT */
/*
 * What a recorder has read of a segment, in a file next to the database, in the order in which it
 * was read. The segment's space is freed when its bytes are in the file, and the database is made
 * from the file. So if the recorder dies, another one makes the database again from the file's
 * beginning and goes on with the segment; and while another program has locked the database, the
 * segment is emptied all the same.
 *
 * A round is one look at the segment: host records, then pieces of rings. All dispatches that the
 * pieces refer to are announced before. So rings wait for a host record that a thread has begun and
 * not committed, and the end of the round waits with them: the recorder forgets a completed
 * dispatch when another round has ended, because its rings were read in that one. If the file
 * cannot be written (the disk is full), what is read stays in memory, and the death of the recorder
 * loses it.
 *
 * The file goes when the recording is complete. Its contents are as little trusted as the segment.
 */
#ifndef PROBE_CMDS_RECORD_SPOOL_H
#define PROBE_CMDS_RECORD_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmds/record/spool_file.h"
#include "wire/segment_reader.h"

struct probe_err;

/* Counts at the end of a round. */
struct spool_round {
	uint64_t emitted, dropped; /* host records, as the application counts them */
	uint64_t corrupt, uncommitted;
	struct segment_ring_counts rings;
	uint64_t drained; /* 1: no writer is left, and all was read */
};

enum spool_type {
	SPOOL_HOST,
	SPOOL_RING,
	SPOOL_ROUND,
};

/* Valid until the next call. */
struct spool_item {
	enum spool_type type;
	uint32_t ring;
	struct segment_record record;
	const unsigned char *bytes;
	size_t size;
	struct spool_round round;
};

struct spool_buffer {
	unsigned char *bytes;
	size_t size, capacity;
};

struct spool {
	int fd; /* -1 = no file */
	char *path;
	char recording[SPOOL_RECORDING_MAX]; /* see struct spool_header; "" = no file */
	bool broken;			     /* the file is not written any more */
	bool resumed; /* the file has the records of another recorder; there is no segment yet */
	uint64_t written, taken;   /* bytes of the file */
	struct spool_buffer batch; /* to be written; if broken, to be taken */
	struct spool_buffer in;	   /* being taken */
	uint64_t in_offset;	   /* of the file; if it comes from there */
	bool unused;		   /* see struct spool_round_options */
	size_t in_at;		   /* in memory: the next item */
	bool in_memory;
	uint64_t waiting; /* since when a host record is incomplete; 0 = none is */
	struct segment_reader *segment;
	uint64_t host_end, *ring_ends; /* positions taken, by ring */
	struct spool_round last;
};

/* What to read in a round. */
struct spool_round_options {
	bool final;  /* no writer is left */
	bool rings;  /* rings may have something */
	bool empty;  /* a round is wanted even if there is nothing */
	bool unused; /* the item last taken is not used any more */
};

/* Always usable: without a file if it cannot be made. */
struct probe_err *spool_create(struct spool *spool, const char *path,
			       const struct spool_settings *settings,
			       struct segment_reader *segment);
/*
 * Opens the file of a recorder that has died, once no process has it. `segment`: set to the
 * recorded one or, if that no longer exists, an empty one. Settings are valid until
 * spool_continue(). Call deinit also after a failure; *ret_absent: there is no such file any more.
 */
struct probe_err *spool_open(struct spool *spool, const char *path,
			     struct spool_settings *ret_settings, struct segment_reader *segment,
			     bool *ret_absent);
/* All of the file has been taken: go on with the segment. */
void spool_continue(struct spool *spool);
/* Nothing more is read: frees its memory. The file stays. */
void spool_end(struct spool *spool);
void spool_deinit(struct spool *spool);
/* Of a file that was opened: nothing was read from the segment. */
bool spool_is_empty(const struct spool *spool);
/* Of a file that was opened: as many bytes of it are items. Nothing is taken. */
bool spool_holds(struct spool *spool, uint64_t bytes);
/* Removes the file and the segment's. */
void spool_remove(struct spool *spool);
/* Reads a round, or as much of it as can be read now; true if there was something. */
bool spool_fill(struct spool *spool, struct spool_round_options options);
bool spool_next(struct spool *spool, struct spool_item *ret);

#endif
