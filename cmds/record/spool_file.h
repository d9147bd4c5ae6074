/* SPDX-License-Identifier: MIT */
/* The file of a spool (spool.h): its name, its header, and who has it. */
#ifndef PROBE_CMDS_RECORD_SPOOL_FILE_H
#define PROBE_CMDS_RECORD_SPOOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/segment_reader.h"

struct probe_err;

/* After the name of the database. */
#define SPOOL_SUFFIX "-spool"

#define SPOOL_OPTIONS_MAX   (1u << 20)
#define SPOOL_RECORDING_MAX 40

/* What another recorder needs to know. */
struct spool_settings {
	pid_t pid;
	uint64_t start;	      /* of the process, in clock ticks since boot; 0 = unknown */
	uint32_t kind, flags; /* flags: for the caller */
	const char *options;  /* strings, one after the other */
	uint32_t options_size;
};

struct spool_header {
	uint64_t magic;
	uint32_t header_size, options_size; /* options follow, then items at a multiple of 8 */
	uint32_t pid, kind, flags, reserved;
	uint64_t start;
	uint64_t device, inode; /* of the segment */
	struct probe_seg_header layout;
	char segment[SPOOL_RECORDING_MAX]; /* a random name, which no other recording has */
};

/* The path of a database's spool; to be freed. */
char *spool_path(const char *database);

/* True if there is a file that no recorder has. */
bool spool_is_stale(const char *path);
/* Removes a file that no recorder has, and its segment. */
void spool_remove_stale(const char *path);

/* Where items begin. */
uint64_t spool_begin(uint32_t options_size);

bool spool_write(int fd, const void *bytes, size_t size, uint64_t at);
/* Fewer bytes only at the end of the file, or after an error. */
size_t spool_read(int fd, void *bytes, size_t size, uint64_t at);

/*
 * Makes the file, locked, with its header, and names first it and then the segment, so that a
 * named segment always has a spool; -1 if it cannot be made.
 */
int spool_make_file(const char *path, const struct spool_settings *settings,
		    struct segment_reader *segment);

/* Opens and locks a file, after its recorder has ended if `wait`; -1 on failure. */
int spool_lock(const char *path, bool wait);
struct probe_err *spool_read_header(int fd, const char *path, struct spool_header *ret);
/* The segment that the header names or, if it no longer exists, an empty one. */
struct probe_err *spool_open_segment(const struct spool_header *header, struct segment_reader *ret);

#endif
