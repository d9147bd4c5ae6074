/* SPDX-License-Identifier: MIT */
#include "cmds/record/wave_storage_records.h"

#include <string.h>

#include "cmds/record/recording.h"
#include "wire/segment_reader.h"

enum {
	WAVE = 64, /* lanes */
	/* Upper limit for the records of a wave: only the first wave has IDLE stamps. */
	BYTES_MAX = sizeof(struct probe_rec_wave) + 5 * sizeof(struct probe_rec_stamp) +
		    PROBE_STORED_SPANS * sizeof(struct probe_rec_span) +
		    sizeof(struct probe_rec_wave_end),
};

struct storage {
	uint64_t dispatch;
	uint32_t groups[3], group_waves;
	struct probe_wave_storage head;
};

static unsigned char *put(unsigned char *to, const void *rec, size_t size)
{
	memcpy(to, rec, size);
	return to + size;
}

static uint32_t word(enum probe_form form, uint32_t site)
{
	return (uint32_t)form << PROBE_FORM_SHIFT | (site & PROBE_SITE_MASK);
}

static unsigned char *put_stamp(unsigned char *to, enum probe_form form, uint32_t site,
				uint32_t lanes, uint64_t clock)
{
	const struct probe_rec_stamp stamp = {
		.word0 = word(form, site),
		.lanes = lanes | PROBE_STAMP_SPAN,
		.clock = clock,
	};

	return put(to, &stamp, sizeof(stamp));
}

static unsigned char *put_spans(unsigned char *to, const struct storage *storage,
				const struct probe_wave_slot *wave, const unsigned char *from)
{
	for (uint32_t i = 0; i < storage->head.spans; i++, from += 16) {
		struct probe_rec_span span = {
			.word0 = word(PROBE_FORM_SPAN, storage->head.span_site[i]),
			.lanes = wave->lanes >> 8 * i & 0xff,
		};

		memcpy(&span.begin, from, 16);
		to = put(to, &span, sizeof(span));
	}
	return to;
}

static unsigned char *put_idle(unsigned char *to, const struct probe_wave_storage *head)
{
	for (int i = 0; i < 4; i++)
		to = put_stamp(to, i < 2 ? PROBE_FORM_BEGIN : PROBE_FORM_END, PROBE_SITE_IDLE,
			       head->lanes, head->idle[i]);
	return to;
}

static unsigned char *put_wave(unsigned char *to, const struct storage *storage, uint32_t number,
			       const unsigned char *from)
{
	uint32_t site = storage->head.site, group = number / storage->group_waves, lanes;
	struct probe_wave_slot wave;

	memcpy(&wave, from, sizeof(wave));
	lanes = (uint32_t)__builtin_popcountll(wave.exec);
	to = put(to,
		 &(struct probe_rec_wave){
			 .word0 = word(PROBE_FORM_WAVE, site),
			 .wave = number % storage->group_waves,
			 .dispatch = storage->dispatch,
			 .group = {group % storage->groups[0],
				   group / storage->groups[0] % storage->groups[1],
				   group / storage->groups[0] / storage->groups[1]},
			 .hw_id = wave.hw_id,
			 .time = wave.time,
			 .exec = wave.exec,
		 },
		 sizeof(struct probe_rec_wave));
	to = put_stamp(to, PROBE_FORM_BEGIN, site, lanes, wave.begin);
	to = put_spans(to, storage, &wave, from + sizeof(wave));
	if (!number)
		to = put_idle(to, &storage->head);
	return put(to,
		   &(struct probe_rec_wave_end){
			   .word0 = word(PROBE_FORM_WAVE_END, site),
			   .lanes = lanes,
			   .clock = wave.end,
			   .time = wave.end_time,
		   },
		   sizeof(struct probe_rec_wave_end));
}

/* False if no launch can have left this head. */
static bool read_head(const struct run_dispatch *dispatch, const struct probe_hr_wave_storage *hr,
		      const unsigned char *from, size_t size, struct storage *ret)
{
	uint64_t items = 1, groups = 1;

	if (size < sizeof(ret->head))
		return false;
	memcpy(&ret->head, from, sizeof(ret->head));
	ret->dispatch = hr->dispatch;
	for (int i = 0; i < 3; i++) {
		if (!dispatch->hr.group[i])
			return false;
		ret->groups[i] = dispatch->hr.grid[i] / dispatch->hr.group[i];
		items *= dispatch->hr.group[i];
		groups *= ret->groups[i];
		if (!ret->groups[i] || groups > hr->waves)
			return false;
	}
	ret->group_waves = (uint32_t)((items + WAVE - 1) / WAVE);
	return ret->head.spans <= PROBE_STORED_SPANS &&
	       ret->head.stride == sizeof(struct probe_wave_slot) + 16 * ret->head.spans &&
	       groups * ret->group_waves == hr->waves &&
	       hr->waves <= (size - sizeof(ret->head)) / ret->head.stride;
}

bool wave_storage_read(struct recording *recording, const struct segment_record *rec)
{
	const unsigned char *from = rec->payload + sizeof(struct probe_hr_wave_storage);
	struct trace_state *trace = &recording->trace;
	size_t used = 0;
	const struct run_dispatch *dispatch;
	struct probe_hr_wave_storage hr;
	struct storage storage;

	memcpy(&hr, rec->payload, sizeof(hr));
	dispatch = run_dispatch_find(&recording->objects, hr.dispatch);
	if (!trace->piece || !dispatch || dispatch->completed ||
	    dispatch->hr.kind != PROBE_KIND_TIME ||
	    !read_head(dispatch, &hr, from, rec->size - sizeof(hr), &storage))
		return false;
	from += sizeof(storage.head);
	for (uint32_t i = 0; i < hr.waves; i++, from += storage.head.stride) {
		if (trace->segment->ring_size - used < BYTES_MAX) {
			trace_read_waves(recording, used);
			used = 0;
		}
		used = (size_t)(put_wave(trace->piece + used, &storage, i, from) - trace->piece);
	}
	trace_read_waves(recording, used);
	recording->counts.trace_bytes +=
		sizeof(storage.head) + (uint64_t)hr.waves * storage.head.stride;
	return true;
}
