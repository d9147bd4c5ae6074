/* SPDX-License-Identifier: MIT */
/*
 * The file of a segment: made and mapped for its reader, named so that it outlives its processes,
 * and guarded against an application that truncates it.
 */
#ifndef PROBE_WIRE_SEGMENT_READER_FILE_H
#define PROBE_WIRE_SEGMENT_READER_FILE_H

#include "wire/segment_reader.h"

struct probe_err;

#define PROBE_SEG_RING_COUNT_MAX 65536u

/* Numbers and sizes, in bytes, of small and large rings: powers of two, or no rings. */
struct segment_rings {
	uint32_t count, size;
	uint32_t large_count, large_size;
};

/*
 * Make the memory file and map it. `host_size` is a power of two. `named`: can be given a name, if
 * there is space for it, so that it outlives its processes; otherwise, it is sealed.
 */
struct probe_err *segment_reader_create(uint64_t host_size, const struct segment_rings *rings,
					bool named, struct segment_reader *ret);
/*
 * Give the file its name: when it is complete, and its spool can be found. False, and it stays
 * without, if that cannot be done.
 */
bool segment_reader_link(struct segment_reader *segment);
/* Open a named file that another process made; `layout` as in the struct of that process. */
struct probe_err *segment_reader_open(const char *path, const struct probe_seg_header *layout,
				      struct segment_reader *ret);
/* Allocate all pages of a named file, which may take ten milliseconds. */
void segment_reader_allocate(const struct segment_reader *segment);
/*
 * Survive that the application truncates a named file: sets this process's handler of SIGBUS.
 * False if there are too many segments.
 */
bool segment_reader_guard(const struct segment_reader *segment);
/* Remove the name, if there is one. */
void segment_reader_unlink(struct segment_reader *segment);
void segment_reader_destroy(struct segment_reader *segment);

#endif
