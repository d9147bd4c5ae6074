/* SPDX-License-Identifier: MIT */
#include "wire/segment_reader.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc32.h"

#define HEADER_BYTES  ((uint32_t)sizeof(struct probe_host_rec))
#define RECORD_MAX    (1u << 20) /* as segment_writer.c */
#define RESYNC_BUDGET (1ull << 30)

static uint64_t load64(const uint64_t *word)
{
	/* Pairs with the writers' release stores of heads, counts and commit words. */
	return atomic_load_explicit((const _Atomic uint64_t *)word, memory_order_acquire);
}

static uint32_t load32(const uint32_t *word)
{
	return atomic_load_explicit((const _Atomic uint32_t *)word, memory_order_acquire);
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

void segment_reader_release(struct segment_reader *segment)
{
	uint64_t from = segment->host_released, bytes = segment->host_tail - from;

	/* Zeros, so that commit words are 0 after the ring wraps. */
	if (bytes >= segment->host_size) {
		memset(segment->host_data, 0, segment->host_size);
	} else {
		uint64_t at = from & (segment->host_size - 1), rest = segment->host_size - at;

		memset(segment->host_data + at, 0, bytes < rest ? bytes : rest);
		if (bytes > rest)
			memset(segment->host_data, 0, bytes - rest);
	}
	segment->host_released = segment->host_tail;
	/* Pairs with the writers' acquire load of tail: the bytes are zero before they are free. */
	atomic_store_explicit((_Atomic uint64_t *)&segment->host->tail, segment->host_tail,
			      memory_order_release);
}

void segment_reader_seek(struct segment_reader *segment, uint64_t host_tail)
{
	uint64_t released = load64(&segment->host->tail);

	segment->host_tail = host_tail;
	/* The previous reader may have ended between its copy of the bytes and their release. */
	segment->host_released = host_tail - released <= segment->host_size ? released : host_tail;
	segment_reader_release(segment);
}

void segment_reader_ring_seek(struct segment_reader *segment, uint32_t index, uint64_t tail)
{
	segment->rings[index].tail = segment->rings[index].limit = tail;
	segment_reader_ring_release(segment, index, tail);
}

void segment_reader_beat(struct segment_reader *segment, bool ended)
{
	/* Only this end's own count is used: the word in the mapping is for the application. */
	segment->beat = ended ? PROBE_READER_ENDED : segment->beat + 1;
	atomic_store_explicit((_Atomic uint64_t *)&segment->host->reader, segment->beat,
			      memory_order_relaxed);
}

static void consume(struct segment_reader *segment, uint64_t bytes)
{
	segment->host_tail += bytes;
	if (!segment->hold)
		segment_reader_release(segment);
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

	segment->pressed = false;
	for (uint32_t i = 0; i < segment->ring_count; i++) {
		struct segment_ring *ring = &segment->rings[i];
		uint64_t head = load64(&segment->heads[i].head);
		uint32_t size;

		if (head == ring->tail || ring->broken)
			continue;
		size = segment_reader_ring_size(segment, i);
		if (head - ring->tail > size || (head & 7)) {
			ring->broken = true;
			continue;
		}
		ring->limit = head;
		segment->pressed |= head - ring->tail > size / 4;
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

void segment_reader_ring_release(struct segment_reader *segment, uint32_t index, uint64_t tail)
{
	/* Pairs with the device's load of tail: our copy is taken before the space is free. */
	atomic_store_explicit((_Atomic uint64_t *)&segment->heads[index].tail, tail,
			      memory_order_release);
}

void segment_reader_ring_consume(struct segment_reader *segment, uint32_t index, size_t bytes)
{
	struct segment_ring *ring = &segment->rings[index];

	ring->tail += bytes;
	if (!segment->hold)
		segment_reader_ring_release(segment, index, ring->tail);
}

uint64_t segment_reader_ring_unread(const struct segment_reader *segment, uint32_t index)
{
	const struct segment_ring *ring = &segment->rings[index];
	uint64_t bytes = load64(&segment->heads[index].head) - ring->tail;

	return ring->broken || bytes > segment_reader_ring_size(segment, index) ? 0 : bytes;
}

struct segment_ring_counts segment_reader_ring_counts(const struct segment_reader *segment)
{
	struct segment_ring_counts counts = {0};

	for (uint32_t i = 0; i < segment->ring_count; i++) {
		counts.emitted += load64(&segment->heads[i].emitted);
		counts.dropped += load64(&segment->heads[i].dropped);
		counts.waited += load64(&segment->heads[i].waited);
	}
	return counts;
}
