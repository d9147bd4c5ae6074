/* SPDX-License-Identifier: MIT */
/* The `time` kind's stamps, and messages (wire_device.h section 5). */
#include "devlib/time_probe.h"

DEV_ENTRY void __probe_dev_time_begin(uint32_t word0, uint32_t optnone)
{
	stamp_begin(word0, optnone);
}

DEV_ENTRY void __probe_dev_time_end(uint32_t word0, uint32_t optnone)
{
	stamp_end(word0, optnone);
}

#ifndef DEV_PORTABLE
DEV_ENTRY void __probe_dev_time_span_begin(void)
{
	span_begin();
}

DEV_ENTRY void __probe_dev_time_span_end(uint32_t word0)
{
	span_end(word0);
}
#endif

/* The header of a message. Returns its address for __probe_dev_emit_word(); 0 = it is lost. */
DEV_ENTRY uint64_t __probe_dev_emit_begin(uint32_t word0, uint32_t bytes, uint32_t lanes,
					  uint32_t optnone)
{
	uint64_t exec = dev_exec();
	uint32_t stride = (bytes + 7) & ~7u;
	uint32_t size =
		(uint32_t)sizeof(struct probe_rec_message) + stride * (lanes ? dev_count(exec) : 1);
	uint64_t at = cursor_reserve(size, DEV_OPTNONE(optnone));
	struct probe_rec_message DEV_GLOBAL *record = (struct probe_rec_message DEV_GLOBAL *)at;

	if (at && dev_is_leader(dev_first(exec))) {
		record->word0 = word0;
		record->size = size;
		record->exec = exec;
		record->clock = dev_clock();
		record->bytes = bytes;
		record->stride = stride | (lanes ? PROBE_MESSAGE_LANES : 0);
	}
	return at;
}

DEV_ENTRY void __probe_dev_emit_word(uint64_t at, uint32_t word, uint32_t stride, uint32_t lanes,
				     uint64_t value)
{
	uint64_t exec = dev_exec();
	uint32_t rank = dev_rank(exec);

	if (!at || (!lanes && rank))
		return;
	at += sizeof(struct probe_rec_message) + word * 8 + rank * stride;
	*(uint64_t DEV_GLOBAL *)at = value;
}
