/* SPDX-License-Identifier: MIT */
/*
 * A segment in a memory file, and the simplest reader that keeps the rules of wire.h: what the
 * writer's tests and the injected library's tests look at. Not the reader of probe-run.
 */
#ifndef PROBE_TESTS_UNIT_WIRE_SEGMENT_FILE_H
#define PROBE_TESTS_UNIT_WIRE_SEGMENT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <probe/wire.h>

#include "wire/segment_writer.h"

struct segment_file {
	int fd;
	uint8_t *base;
	uint64_t size;
	struct probe_host_ring *ring;
	uint8_t *data;
	uint64_t mask;
	uint64_t tail;
};

static inline int segment_file_create(struct segment_file *file, uint64_t host_size,
				      uint32_t ring_count, uint32_t ring_size)
{
	struct probe_seg_header header = {
		.magic = PROBE_SEG_MAGIC,
		.version = PROBE_SEG_VERSION,
		.header_size = sizeof(header),
		.host_offset = 4096,
		.host_size = host_size,
		.ring_count = ring_count,
		.ring_size = ring_size,
	};

	header.heads_offset = (4096 + sizeof(struct probe_host_ring) + host_size + 4095) & ~4095ull;
	header.data_offset = header.heads_offset + ring_count * sizeof(struct probe_ring);
	header.data_offset = (header.data_offset + 4095) & ~4095ull;
	header.total_size = header.data_offset + (uint64_t)ring_count * ring_size;
	file->size = header.total_size;
	file->fd = memfd_create("probe-test", MFD_CLOEXEC);
	if (file->fd < 0 || ftruncate(file->fd, (off_t)file->size))
		return -1;
	file->base = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
	if (file->base == MAP_FAILED)
		return -1;
	memcpy(file->base, &header, sizeof(header));
	file->ring = (struct probe_host_ring *)(file->base + header.host_offset);
	file->data = (uint8_t *)(file->ring + 1);
	file->mask = host_size - 1;
	file->tail = 0;
	return 0;
}

static inline void segment_file_destroy(struct segment_file *file)
{
	munmap(file->base, file->size);
	close(file->fd);
}

/*
 * Next committed record: 1 and a copy of it (cut at `room` bytes), 0 if there is none, -1 if what
 * lies there breaks the rules. Its bytes are zeroed and given back to the writers.
 */
static inline int segment_file_next(struct segment_file *file, struct probe_host_rec *ret,
				    void *payload, size_t room)
{
	for (;;) {
		uint64_t rest = file->mask + 1 - (file->tail & file->mask);
		uint8_t *at = file->data + (file->tail & file->mask);
		struct probe_host_rec rec;
		uint32_t commit;

		/* Only once a writer has passed over it too. */
		if (__atomic_load_n(&file->ring->head, __ATOMIC_RELAXED) == file->tail)
			return 0;
		if (rest < sizeof(rec)) {
			file->tail += rest;
			__atomic_store_n(&file->ring->tail, file->tail, __ATOMIC_RELEASE);
			continue;
		}
		commit = __atomic_load_n((uint32_t *)at + 1, __ATOMIC_ACQUIRE);
		if (!commit)
			return 0;
		memcpy(&rec, at, sizeof(rec));
		if (rec.size < sizeof(rec) || rec.size % 8 || rec.size > rest)
			return -1;
		if (rec.type != PROBE_HR_PAD &&
		    commit != probe_commit_word(
				      probe_crc32(0, at + sizeof(rec), rec.size - sizeof(rec))))
			return -1;
		*ret = rec;
		if (rec.type != PROBE_HR_PAD && payload)
			memcpy(payload, at + sizeof(rec),
			       rec.size - sizeof(rec) < room ? rec.size - sizeof(rec) : room);
		memset(at, 0, rec.size);
		file->tail += rec.size;
		__atomic_store_n(&file->ring->tail, file->tail, __ATOMIC_RELEASE);
		if (rec.type != PROBE_HR_PAD)
			return 1;
	}
}

#endif
