/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "wire/segment_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/crc32.h"
#include "common/err.h"

#define PAGE		4096u
#define HEADER_BYTES	((uint32_t)sizeof(struct probe_host_rec))
#define HOST_SIZE_MIN	65536u
#define HOST_SIZE_MAX	(1ull << 32)
#define RINGS_BYTES_MAX (1ull << 32)
#define RECORD_MAX	(1u << 20) /* as segment_writer.c */
#define RESYNC_BUDGET	(1ull << 30)

static uint64_t load64(const uint64_t *word)
{
	/* Pairs with the writers' release stores of heads, counts and commit words. */
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_acquire);
}

static uint32_t load32(const uint32_t *word)
{
	return atomic_load_explicit((const _Atomic uint32_t *)word, memory_order_acquire);
}

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static struct probe_err *check_rings(uint32_t count, uint32_t size)
{
	if (!count)
		return NULL;
	if (!power_of_two(count) || count > PROBE_SEG_RING_COUNT_MAX)
		return probe_err_create("segment: %u rings; a power of two up to %u is wanted",
					count, PROBE_SEG_RING_COUNT_MAX);
	if (!power_of_two(size) || size < PROBE_SEG_RING_SIZE_MIN ||
	    (uint64_t)count * size > RINGS_BYTES_MAX)
		return probe_err_create("segment: %u rings of %u bytes", count, size);
	return NULL;
}

static struct probe_err *check_shape(uint64_t host_size, const struct segment_rings *rings)
{
	struct probe_err *err;

	if (!power_of_two(host_size) || host_size < HOST_SIZE_MIN || host_size > HOST_SIZE_MAX)
		return probe_err_create("segment: host ring of %llu bytes",
					(unsigned long long)host_size);
	err = check_rings(rings->count, rings->size);
	return err ? err : check_rings(rings->count ? rings->large_count : 0, rings->large_size);
}

static struct probe_err *make_file(struct segment_reader *segment)
{
	segment->fd = memfd_create("probe-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (segment->fd < 0)
		return probe_err_create("cannot make a memory file: %s", strerror(errno));
	if (ftruncate(segment->fd, (off_t)segment->size))
		return probe_err_create("cannot size a memory file to %llu bytes: %s",
					(unsigned long long)segment->size, strerror(errno));
	if (fcntl(segment->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return probe_err_create("cannot seal a memory file: %s", strerror(errno));
	segment->map =
		mmap(NULL, segment->size, PROT_READ | PROT_WRITE, MAP_SHARED, segment->fd, 0);
	if (segment->map == MAP_FAILED) {
		segment->map = NULL;
		return probe_err_create("cannot map a segment of %llu bytes: %s",
					(unsigned long long)segment->size, strerror(errno));
	}
	return NULL;
}

struct probe_err *segment_reader_create(uint64_t host_size, const struct segment_rings *rings,
					struct segment_reader *ret)
{
	uint64_t host_offset = PAGE, heads_offset, data_offset;
	uint32_t large_count = rings->count ? rings->large_count : 0;
	uint32_t ring_count = rings->count + large_count;
	struct segment_reader segment = {.fd = -1};
	struct probe_err *err = check_shape(host_size, rings);

	if (err)
		return err;
	heads_offset = page_up(host_offset + sizeof(struct probe_host_ring) + host_size);
	data_offset = page_up(heads_offset + ring_count * sizeof(struct probe_ring));
	segment.size = data_offset + page_up((uint64_t)rings->count * rings->size +
					     (uint64_t)large_count * rings->large_size);
	segment.host_size = host_size;
	segment.ring_count = ring_count;
	segment.ring_size = rings->size;
	segment.large_count = large_count;
	segment.large_size = rings->large_size;
	err = make_file(&segment);
	segment.rings = err ? NULL : calloc(ring_count + 1, sizeof(*segment.rings));
	if (!err && !segment.rings)
		err = probe_err_oom();
	if (err) {
		segment_reader_destroy(&segment);
		return err;
	}
	segment.host = (struct probe_host_ring *)(segment.map + host_offset);
	segment.host_data = segment.map + host_offset + sizeof(struct probe_host_ring);
	segment.heads = (struct probe_ring *)(segment.map + heads_offset);
	segment.data = segment.map + data_offset;
	*(struct probe_seg_header *)segment.map = (struct probe_seg_header){
		.magic = PROBE_SEG_MAGIC,
		.version = PROBE_SEG_VERSION,
		.header_size = sizeof(struct probe_seg_header),
		.total_size = segment.size,
		.host_offset = host_offset,
		.host_size = host_size,
		.heads_offset = heads_offset,
		.data_offset = data_offset,
		.ring_count = rings->count,
		.ring_size = rings->size,
		.large_count = large_count,
		.large_size = rings->large_size,
	};
	*ret = segment;
	return NULL;
}

void segment_reader_destroy(struct segment_reader *segment)
{
	if (segment->map)
		munmap(segment->map, segment->size);
	if (segment->fd >= 0)
		close(segment->fd);
	free(segment->rings);
	free(segment->copy);
	*segment = (struct segment_reader){.fd = -1};
}

/* Copies the header at our tail if it is plausible. The size word is read first and once. */
static bool read_header(const struct segment_reader *segment, uint64_t head,
			struct probe_host_rec *ret)
{
	uint64_t at = segment->host_tail & (segment->host_size - 1);
	const struct probe_host_rec *rec = (const void *)(segment->host_data + at);

	if (at + HEADER_BYTES > segment->host_size)
		return false;
	ret->size = load32(&rec->size);
	if (ret->size < HEADER_BYTES || ret->size > RECORD_MAX || (ret->size & 7) ||
	    at + ret->size > segment->host_size || segment->host_tail + ret->size > head)
		return false;
	ret->commit = load32(&rec->commit);
	ret->type = rec->type;
	ret->tid = rec->tid;
	ret->time = rec->time;
	return true;
}

/*
 * Zero the bytes that were read, so that commit words are 0 after the ring wraps, then free them.
 */
static void consume(struct segment_reader *segment, uint64_t bytes)
{
	uint64_t at = segment->host_tail & (segment->host_size - 1);

	memset(segment->host_data + at, 0, bytes);
	segment->host_tail += bytes;
	/* Pairs with the writers' acquire load of tail: the bytes are zero before they are free. */
	atomic_store_explicit((_Atomic uint64_t *)&segment->host->tail, segment->host_tail,
			      memory_order_release);
}

static bool copy_payload(struct segment_reader *segment, const struct probe_host_rec *rec)
{
	uint64_t at = segment->host_tail & (segment->host_size - 1);
	size_t size = rec->size - HEADER_BYTES;

	if (size > segment->copy_capacity) {
		unsigned char *copy = realloc(segment->copy, size);

		if (!copy)
			return false;
		segment->copy = copy;
		segment->copy_capacity = size;
	}
	if (size)
		memcpy(segment->copy, segment->host_data + at + HEADER_BYTES, size);
	return true;
}

/* The writer's commit word (segment_writer.h): never 0. */
static uint32_t commit_word(const void *payload, size_t size)
{
	uint32_t word = PROBE_COMMIT ^ probe_crc32(0, payload, size);

	return word ? word : PROBE_COMMIT;
}

/*
 * The record at the tail is unreadable and no writer is left: search the next record with a correct
 * checksum, in steps of 8 bytes. A false match in old payload is unlikely (2^-32 per offset). The
 * number of bytes summed is bounded, because forged sizes could request a megabyte at every offset.
 */
static void resync(struct segment_reader *segment, uint64_t head)
{
	uint64_t budget = RESYNC_BUDGET;

	for (segment->host_tail += 8; segment->host_tail < head; segment->host_tail += 8) {
		struct probe_host_rec rec = {0};

		if (!read_header(segment, head, &rec) || !rec.commit || rec.type == PROBE_HR_PAD)
			continue;
		if (budget < rec.size || !copy_payload(segment, &rec)) {
			segment->host_tail = head;
			return;
		}
		budget -= rec.size;
		if (commit_word(segment->copy, rec.size - HEADER_BYTES) == rec.commit)
			return;
	}
}

static void take(struct segment_reader *segment, const struct probe_host_rec *rec,
		 struct segment_record *ret)
{
	*ret = (struct segment_record){
		.type = rec->type,
		.tid = rec->tid,
		.time = rec->time,
		.payload = segment->copy,
		.size = rec->size - HEADER_BYTES,
	};
}

enum segment_state segment_reader_next(struct segment_reader *segment, bool final,
				       struct segment_record *ret)
{
	for (;;) {
		uint64_t head = load64(&segment->host->head);
		struct probe_host_rec rec = {0};
		uint64_t rest;
		bool sound;

		if (head == segment->host_tail)
			return SEGMENT_EMPTY;
		if (head - segment->host_tail > segment->host_size || (head & 7)) {
			/* The head is out of bounds: records before it cannot be found. */
			if (!final)
				return SEGMENT_WAIT;
			segment->loss.corrupt++;
			segment->host_tail = head;
			return SEGMENT_EMPTY;
		}
		rest = segment->host_size - (segment->host_tail & (segment->host_size - 1));
		if (rest < HEADER_BYTES) {
			/* Too short even for padding: the writer leaves it zero. */
			if (rest > head - segment->host_tail)
				rest = head - segment->host_tail;
			consume(segment, rest);
			continue;
		}
		sound = read_header(segment, head, &rec);
		if (!final && (!sound || !rec.commit))
			return SEGMENT_WAIT;
		if (!sound) {
			if (rec.size)
				segment->loss.corrupt++;
			else
				segment->loss.uncommitted++;
			resync(segment, head);
			continue;
		}
		if (rec.type == PROBE_HR_PAD && rec.commit) {
			consume(segment, rec.size);
			continue;
		}
		if (!rec.commit || !copy_payload(segment, &rec)) {
			segment->loss.uncommitted++;
			consume(segment, rec.size);
			continue;
		}
		if (commit_word(segment->copy, rec.size - HEADER_BYTES) != rec.commit) {
			segment->loss.corrupt++;
			consume(segment, rec.size);
			continue;
		}
		take(segment, &rec, ret);
		consume(segment, rec.size);
		return SEGMENT_RECORD;
	}
}

uint64_t segment_reader_emitted(const struct segment_reader *segment)
{
	return load64(&segment->host->emitted);
}

uint64_t segment_reader_dropped(const struct segment_reader *segment)
{
	return load64(&segment->host->dropped);
}

bool segment_reader_snapshot(struct segment_reader *segment)
{
	bool any = false;

	for (uint32_t i = 0; i < segment->ring_count; i++) {
		struct segment_ring *ring = &segment->rings[i];
		uint64_t head = load64(&segment->heads[i].head);

		if (head == ring->tail || ring->broken)
			continue;
		if (head - ring->tail > segment_reader_ring_size(segment, i) || (head & 7)) {
			ring->broken = true;
			continue;
		}
		ring->limit = head;
		any = true;
	}
	return any;
}

uint32_t segment_reader_ring_size(const struct segment_reader *segment, uint32_t index)
{
	bool large = index >= segment->ring_count - segment->large_count;

	return large ? segment->large_size : segment->ring_size;
}

static const unsigned char *ring_bytes(const struct segment_reader *segment, uint32_t index)
{
	uint32_t small = segment->ring_count - segment->large_count;

	if (index < small)
		return segment->data + (uint64_t)index * segment->ring_size;
	return segment->data + (uint64_t)small * segment->ring_size +
	       (uint64_t)(index - small) * segment->large_size;
}

size_t segment_reader_ring_peek(struct segment_reader *segment, uint32_t index, void *out)
{
	struct segment_ring *ring = &segment->rings[index];
	uint32_t size = segment_reader_ring_size(segment, index);
	uint64_t at = ring->tail & (size - 1);
	uint64_t bytes = ring->limit - ring->tail;

	if (ring->broken || ring->limit <= ring->tail)
		return 0;
	if (bytes > size - at)
		bytes = size - at;
	memcpy(out, ring_bytes(segment, index) + at, bytes);
	return bytes;
}

void segment_reader_ring_consume(struct segment_reader *segment, uint32_t index, size_t bytes)
{
	struct segment_ring *ring = &segment->rings[index];

	ring->tail += bytes;
	/* Pairs with the device's load of tail: our copy is taken before the space is free. */
	atomic_store_explicit((_Atomic uint64_t *)&segment->heads[index].tail, ring->tail,
			      memory_order_release);
}

uint64_t segment_reader_ring_unread(const struct segment_reader *segment, uint32_t index)
{
	const struct segment_ring *ring = &segment->rings[index];
	uint64_t bytes = load64(&segment->heads[index].head) - ring->tail;

	return ring->broken || bytes > segment_reader_ring_size(segment, index) ? 0 : bytes;
}

void segment_reader_ring_counts(const struct segment_reader *segment, uint64_t *emitted,
				uint64_t *dropped)
{
	*emitted = *dropped = 0;
	for (uint32_t i = 0; i < segment->ring_count; i++) {
		*emitted += load64(&segment->heads[i].emitted);
		*dropped += load64(&segment->heads[i].dropped);
	}
}
