/* SPDX-License-Identifier: MIT */
#include "wire/trace_parser.h"

#include <string.h>

#define BARRIER_WORD (PROBE_SITE_BARRIER | (uint32_t)PROBE_FORM_AFFINE << PROBE_FORM_SHIFT)

void probe_trace_reset(struct probe_trace_batch *batch)
{
	batch->count = 0;
	batch->stamp_count = 0;
	batch->message_count = 0;
	batch->wave_count = 0;
}

/* The current wave, in the batch's own array; NULL = the array is full. */
static const struct probe_wave_info *batch_wave(struct probe_trace_batch *batch,
						const struct probe_trace_ring *ring)
{
	if (batch->wave_count == batch->wave_capacity)
		return NULL;
	batch->waves[batch->wave_count] = ring->wave;
	return &batch->waves[batch->wave_count++];
}

static void begin_wave(const unsigned char *bytes, struct probe_trace_ring *ring)
{
	struct probe_rec_wave rec;

	memcpy(&rec, bytes, sizeof(rec));
	ring->dispatch = rec.dispatch;
	ring->wave = (struct probe_wave_info){
		.group = {rec.group[0], rec.group[1], rec.group[2]},
		.wave = rec.wave,
		.hw_id = rec.hw_id,
		.exec = rec.exec,
		.time = rec.time,
		.ring = ring->number,
		.site = rec.word0 & PROBE_SITE_MASK,
	};
}

/* Number of lanes. The baseline target lacks popcnt, and nearly all waves are full. */
static unsigned lanes_of(uint64_t exec)
{
	if (exec == UINT64_MAX)
		return 64;
	exec -= exec >> 1 & 0x5555555555555555ull;
	exec = (exec & 0x3333333333333333ull) + (exec >> 2 & 0x3333333333333333ull);
	exec = (exec + (exec >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (unsigned)(exec * 0x0101010101010101ull >> 56);
}

/* Bytes of a lanes record with this many lanes. */
static size_t lanes_size(unsigned form, unsigned lanes)
{
	size_t element = form == PROBE_FORM_NEAR ? sizeof(int32_t) : sizeof(uint64_t);

	return sizeof(struct probe_rec_lanes) + ((lanes * element + 7) & ~(size_t)7);
}

/* 0 = the record does not fit, or its size is wrong. */
static size_t read_lanes(const unsigned char *bytes, size_t left, unsigned form,
			 struct probe_access *access)
{
	const struct probe_rec_lanes *rec = (const void *)bytes;
	unsigned lanes;

	if (left < sizeof(*rec))
		return 0;
	lanes = lanes_of(rec->exec);
	if (rec->size != lanes_size(form, lanes) || rec->size > left)
		return 0;
	access->lanes = (uint8_t)lanes;
	access->exec = rec->exec;
	access->base = rec->base;
	access->stride = 0;
	if (form == PROBE_FORM_NEAR)
		access->offsets = (const int32_t *)(rec + 1);
	else
		access->addresses = (const uint64_t *)(rec + 1);
	return rec->size;
}

static size_t read_access(const unsigned char *bytes, size_t left, unsigned form,
			  struct probe_access *access)
{
	const struct probe_rec_affine *rec = (const void *)bytes;

	if (form != PROBE_FORM_AFFINE)
		return read_lanes(bytes, left, form, access);
	if (left < sizeof(*rec))
		return 0;
	access->lanes = (uint8_t)lanes_of(rec->exec);
	access->exec = rec->exec;
	access->base = rec->base;
	access->stride = rec->stride;
	access->addresses = NULL;
	return sizeof(*rec);
}

/* What was done with a record. */
enum parsed { PARSED, INVALID, FULL, MALFORMED };

static enum parsed parse_stamp(const unsigned char *at, size_t left, unsigned form,
			       size_t *ret_size, struct probe_trace_batch *batch,
			       const struct probe_wave_info *wave)
{
	const struct probe_rec_stamp *rec = (const void *)at;
	uint32_t lanes = rec->lanes & ~PROBE_STAMP_SPAN;
	bool end = form == PROBE_FORM_WAVE_END;

	*ret_size = end ? sizeof(struct probe_rec_wave_end) : sizeof(*rec);
	if (left < *ret_size)
		return MALFORMED;
	if (!lanes || lanes > 64 || !batch->stamp_capacity)
		return INVALID;
	if (batch->stamp_count == batch->stamp_capacity)
		return FULL;
	batch->stamps[batch->stamp_count++] = (struct probe_stamp){
		.site = rec->word0 & PROBE_SITE_MASK,
		.form = (uint8_t)form,
		.lanes = (uint8_t)lanes,
		.flags = rec->lanes & PROBE_STAMP_SPAN ? PROBE_STAMP_ONE : 0,
		.clock = rec->clock,
		.time = end ? ((const struct probe_rec_wave_end *)rec)->time : 0,
		.wave = wave,
	};
	return PARSED;
}

static enum parsed parse_message(const unsigned char *at, size_t left, size_t *ret_size,
				 struct probe_trace_batch *batch,
				 const struct probe_wave_info *wave)
{
	const struct probe_rec_message *rec = (const void *)at;
	uint32_t lanes, stride, count;

	if (left < sizeof(*rec))
		return MALFORMED;
	lanes = rec->stride & PROBE_MESSAGE_LANES;
	stride = rec->stride & ~PROBE_MESSAGE_LANES;
	count = lanes ? lanes_of(rec->exec) : 1;
	if (rec->bytes > PROBE_MESSAGE_MAX || stride != ((rec->bytes + 7) & ~7u) ||
	    rec->size != sizeof(*rec) + (size_t)stride * count || rec->size > left)
		return MALFORMED;
	*ret_size = rec->size;
	if (!rec->exec || !batch->message_capacity)
		return INVALID;
	if (batch->message_count == batch->message_capacity)
		return FULL;
	batch->messages[batch->message_count++] = (struct probe_message){
		.site = rec->word0 & PROBE_SITE_MASK,
		.count = count,
		.bytes = rec->bytes,
		.stride = stride,
		.lanes = lanes != 0,
		.exec = rec->exec,
		.clock = rec->clock,
		.data = rec + 1,
		.wave = wave,
	};
	return PARSED;
}

/* Where records go. */
struct target {
	uint32_t sites; /* ids below it are valid */
	struct probe_trace_ring *ring;
	struct probe_trace_batch *batch;
	const struct probe_wave_info *wave; /* in the batch; NULL: none yet */
};

/* A stamp or a message. */
static enum parsed parse_stamp_or_message(const unsigned char *at, size_t left,
					  const struct target *target, size_t *ret_size)
{
	uint32_t word0 = *(const uint32_t *)at, site = word0 & PROBE_SITE_MASK;
	unsigned form = word0 >> PROBE_FORM_SHIFT;
	bool idle = (form == PROBE_FORM_BEGIN || form == PROBE_FORM_END) && site == PROBE_SITE_IDLE;
	bool known = target->ring->dispatch && (site < target->sites || (idle && target->sites));
	/* Records of unknown sites are read for their size only. */
	struct probe_trace_batch none = {0}, *to = known ? target->batch : &none;

	return form == PROBE_FORM_MESSAGE ? parse_message(at, left, ret_size, to, target->wave)
					  : parse_stamp(at, left, form, ret_size, to, target->wave);
}

static enum parsed parse_access(const unsigned char *at, size_t left, const struct target *target,
				size_t *ret_size)
{
	struct probe_access *access = &target->batch->access[target->batch->count];
	uint32_t word0 = *(const uint32_t *)at;
	unsigned form = word0 >> PROBE_FORM_SHIFT;

	*ret_size = read_access(at, left, form, access);
	if (!*ret_size)
		return MALFORMED;
	access->site = word0 & PROBE_SITE_MASK;
	access->form = (uint8_t)form;
	access->reserved = 0;
	access->wave = target->wave;
	if (access->site >= target->sites || !access->lanes || !target->ring->dispatch)
		return INVALID;
	target->batch->count++;
	return PARSED;
}

/* Takes a record of the wave; adds the wave to the batch if it is not there yet. */
static enum parsed parse_in_wave(const unsigned char *at, size_t left, struct target *target,
				 size_t *ret_size)
{
	unsigned form = *(const uint32_t *)at >> PROBE_FORM_SHIFT;

	if (form > PROBE_FORM_MESSAGE)
		return MALFORMED;
	if (target->batch->count == target->batch->capacity)
		return FULL;
	if (!target->wave)
		target->wave = batch_wave(target->batch, target->ring);
	if (!target->wave)
		return FULL;
	return form > PROBE_FORM_FULL ? parse_stamp_or_message(at, left, target, ret_size)
				      : parse_access(at, left, target, ret_size);
}

/* A barrier is an AFFINE record without a site. */
static enum parsed parse_barrier(size_t left, struct target *target, size_t *ret_size)
{
	*ret_size = sizeof(struct probe_rec_affine);
	if (left < *ret_size)
		return MALFORMED;
	target->ring->wave.barriers++;
	target->wave = NULL; /* later accesses have another barrier count */
	return target->ring->dispatch ? PARSED : INVALID;
}

static enum parsed parse_wave(const unsigned char *at, size_t left, struct target *target,
			      size_t *ret_size)
{
	*ret_size = sizeof(struct probe_rec_wave);
	if (left < *ret_size)
		return MALFORMED;
	begin_wave(at, target->ring);
	target->wave = NULL;
	return PARSED;
}

enum probe_trace_stop probe_trace_parse(struct trace_piece *piece, uint32_t sites,
					struct probe_trace_ring *ring,
					struct probe_trace_batch *batch,
					struct probe_trace_counts *counts)
{
	struct target target = {.sites = sites, .ring = ring, .batch = batch};
	const uint64_t dispatch = ring->dispatch;

	/* Words are read in place. */
	while (piece->size - piece->pos >= 8) {
		const unsigned char *at = piece->bytes + piece->pos;
		size_t left = piece->size - piece->pos, size;
		uint32_t word0 = *(const uint32_t *)at;
		unsigned form = word0 >> PROBE_FORM_SHIFT;
		enum parsed parsed;

		if (form == PROBE_FORM_PAD) {
			if (word0)
				return PROBE_TRACE_BAD;
			piece->pos = piece->size; /* a piece never crosses the ring's end */
			break;
		}
		if (form == PROBE_FORM_WAVE)
			parsed = parse_wave(at, left, &target, &size);
		else if (word0 == BARRIER_WORD)
			parsed = parse_barrier(left, &target, &size);
		else
			parsed = parse_in_wave(at, left, &target, &size);
		if (parsed == FULL)
			return PROBE_TRACE_FULL;
		if (parsed == MALFORMED)
			return PROBE_TRACE_BAD;
		piece->pos += size;
		counts->records++;
		counts->invalid += parsed == INVALID;
		if (ring->dispatch != dispatch)
			return PROBE_TRACE_SWITCH;
	}
	return piece->size - piece->pos ? PROBE_TRACE_BAD : PROBE_TRACE_END;
}
