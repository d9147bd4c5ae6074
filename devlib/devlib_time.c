/* SPDX-License-Identifier: MIT */
/* The `time` kind's stamps, and messages (wire.h section 5). */
#include "devlib_cursor.h"

/* s[4:7] and v[0:4] are free: CURSOR_TAKE may call. One lane writes. */
#define STAMP_BEGIN                                                                                \
	"s_bcnt1_i32_b64 s4, exec\n\t"                                                             \
	"s_mov_b64 s[6:7], exec\n\t"                                                               \
	"s_ff1_i32_b64 s5, exec\n\t"                                                               \
	"s_lshl_b64 exec, 1, s5\n\t"                                                               \
	"v_mov_b32 v0, %[word0]\n\t"                                                               \
	"v_mov_b32 v1, s4\n\t"                                                                     \
	"v_mov_b32 v4, 0\n\t"

/* The clock is in s[36:37]. */
#define STAMP_END                                                                                  \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_mov_b32 v2, s36\n\t"                                                                    \
	"v_mov_b32 v3, s37\n\t"                                                                    \
	"global_store_dwordx4 v4, v[0:3], s[84:85]\n\t"                                            \
	"s_mov_b64 exec, s[6:7]\n\t" CURSOR_STEP("16")

/* For code that is not optimised, and portable code. */
DEV_INLINE void stamp_plain(uint32_t word0, bool end)
{
	uint64_t clock = end ? dev_clock() : 0;
	uint64_t at = cursor_take(sizeof(struct probe_rec_stamp), 1), exec = dev_exec();
	struct probe_rec_stamp DEV_GLOBAL *record = (struct probe_rec_stamp DEV_GLOBAL *)at;

	if (!at || !dev_speaks(dev_first(exec)))
		return;
	record->word0 = word0;
	record->lanes = dev_count(exec);
	record->clock = end ? clock : dev_clock();
}

/*
 * At a begin the clock is read last, at an end first, so that little of the probes' own work is in
 * the time between. 20 instructions.
 */
DEV_ENTRY void __probe_dev_time_begin(uint32_t word0, uint32_t plain)
{
	if (plain)
		stamp_plain(word0, false);
	else
		__asm__ volatile(CURSOR_TAKE("16") STAMP_BEGIN "s_memtime s[36:37]\n\t" STAMP_END
				 :
				 : [word0] "i"(word0)
				 : CURSOR_CALL, CURSOR_CHANGES, "s36", "s37");
}

DEV_ENTRY void __probe_dev_time_end(uint32_t word0, uint32_t plain)
{
	if (plain)
		stamp_plain(word0, true);
	else
		__asm__ volatile("s_memtime s[36:37]\n\t" CURSOR_TAKE("16") STAMP_BEGIN STAMP_END
				 :
				 : [word0] "i"(word0)
				 : CURSOR_CALL, CURSOR_CHANGES, "s36", "s37");
}

/* The head of a message; its place for the words, 0 = it is lost. */
DEV_ENTRY uint64_t __probe_dev_emit_begin(uint32_t word0, uint32_t bytes, uint32_t lanes,
					  uint32_t plain)
{
	uint64_t exec = dev_exec();
	uint32_t stride = (bytes + 7) & ~7u;
	uint32_t size =
		(uint32_t)sizeof(struct probe_rec_message) + stride * (lanes ? dev_count(exec) : 1);
	uint64_t at = cursor_take(size, plain);
	struct probe_rec_message DEV_GLOBAL *record = (struct probe_rec_message DEV_GLOBAL *)at;

	if (at && dev_speaks(dev_first(exec))) {
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
