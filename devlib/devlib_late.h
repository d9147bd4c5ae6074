/* SPDX-License-Identifier: MIT */
/*
 * Waves of kernels with few spans, each of which is one record and comes once at most
 * (llvm-plugin/pass_span.c): what they have to tell stays in registers, and they go into a ring
 *only when they end, to write it all and let the ring go. Their registers of devlib_cursor.h are,
 *until then:
 *
 *	s[78:79]  the clock when the wave began, s[80:81] the constant clock
 *	s[82:83]  begin of the first span, s[84:85] its end, s86 its lanes at the end or 0
 *	s[88:89]  the same of the second one, s[90:91], s87
 *	s92	  the id of the first work-item, as in PROBE_FORM_WAVE_ITEM
 */
#ifndef PROBE_DEVLIB_LATE_H
#define PROBE_DEVLIB_LATE_H

#include "devlib_time.h"

DEV_INLINE void late_enter(uint32_t spans, uint32_t item)
{
	__asm__ volatile("v_readfirstlane_b32 s92, %0" : : "v"(item) : "memory");
	if (spans > 0)
		__asm__ volatile("s_mov_b32 s86, 0" : : : "memory");
	if (spans > 1)
		__asm__ volatile("s_mov_b32 s87, 0" : : : "memory");
	__asm__ volatile("s_memrealtime s[80:81]\n\ts_memtime s[78:79]" : : : "memory");
}

DEV_INLINE void late_begin(uint32_t span)
{
	if (span)
		__asm__ volatile("s_memtime s[88:89]" : : : "memory");
	else
		__asm__ volatile("s_memtime s[82:83]" : : : "memory");
}

DEV_INLINE void late_end(uint32_t span)
{
	if (span)
		__asm__ volatile("s_memtime s[90:91]\n\ts_bcnt1_i32_b64 s87, exec"
				 :
				 :
				 : "scc", "memory");
	else
		__asm__ volatile("s_memtime s[84:85]\n\ts_bcnt1_i32_b64 s86, exec"
				 :
				 :
				 : "scc", "memory");
}

/* What the wave has kept. */
struct late_kept {
	uint64_t begin, end;
	uint32_t lanes;
};

struct late {
	uint32_t item;
	uint64_t begin, time;
	struct late_kept span[2];
};

/* v[4:7] must not be those of the store just before. */
#define LATE_STAMP(word0, clock, at)                                                               \
	"v_mov_b32 v4, " word0 "\n\t"                                                              \
	"v_mov_b32 v5, s61\n\t"                                                                    \
	"v_lshlrev_b64 v[6:7], 0, " clock "\n\t"                                                   \
	"global_store_dwordx4 v3, v[4:7], s[44:45] offset:" at "\n\t"

#define LATE_ROOM(need)                                                                            \
	"s_cmp_lt_u32 s46, " need "+64\n\t"                                                        \
	"s_cbranch_scc1 .Lprobe_full%=\n\t"

#define LATE_LANES                                                                                 \
	"s_bcnt1_i32_b64 s60, s[48:49]\n\t"                                                        \
	"s_or_b32 s61, s60, 0x80000000\n\t"

/*
 * `need` bytes: WAVE, the kernel's BEGIN, the spans, WAVE_END, and what the first wave adds, as s62
 * says.
 */
#define LATE_BEGIN(need)                                                                           \
	TIME_FIRST("s92")                                                                          \
	"s_cselect_b32 s62, 0, 1\n\t" TIME_OWN LATE_ROOM(need)                                     \
		TIME_WAVE("s[44:45]", "s[80:81]", "s92")                                           \
			LATE_LANES LATE_STAMP("%[begin_word]", "s[78:79]", "48")

/* As time_calibrate(): a span in another, both kept. */
#define LATE_CLOCKS                                                                                \
	"s_cmp_eq_u32 s62, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lprobe_told%=\n\t"                                                        \
	"s_memtime s[46:47]\n\t"                                                                   \
	"s_memtime s[52:53]\n\t"                                                                   \
	"s_memtime s[54:55]\n\t"                                                                   \
	"s_bcnt1_i32_b64 s63, exec\n\t"                                                            \
	"s_memtime s[58:59]\n\t"                                                                   \
	"s_waitcnt lgkmcnt(0)\n\t"

#define LATE_TOLD                                                                                  \
	"s_add_u32 s40, s40, 64\n\t"                                                               \
	"s_addc_u32 s41, s41, 0\n\t"                                                               \
	"s_add_u32 s44, s44, 64\n\t"                                                               \
	"s_addc_u32 s45, s45, 0\n"                                                                 \
	".Lprobe_told%=:\n\t"

/* Their records come at `at`; a BEGIN's form and one are an END's. */
#define LATE_IDLE(at)                                                                              \
	LATE_CLOCKS                                                                                \
	LATE_STAMP("%[idle]", "s[46:47]", at)                                                      \
	"s_nop 0\n\t" LATE_STAMP("%[idle]", "s[52:53]", at "+16") "s_nop 0\n\t" LATE_STAMP(        \
		"%[idle]+0x1000000", "s[54:55]",                                                   \
		at "+32") "s_nop 0\n\t" LATE_STAMP("%[idle]+0x1000000", "s[58:59]", at "+48")      \
		LATE_TOLD

#define LATE_SPAN(word0, begin, end, lanes, at, more)                                              \
	"v_mov_b32 v8, " word0 "\n\t"                                                              \
	"v_mov_b32 v9, " lanes "\n\t"                                                              \
	"v_lshlrev_b64 v[10:11], 0, " begin "\n\t"                                                 \
	"global_store_dwordx4 v3, v[8:11], s[44:45] offset:" at "\n\t"                             \
	"v_lshlrev_b64 v[4:5], 0, " end "\n\t"                                                     \
	"global_store_dwordx2 v3, v[4:5], s[44:45] offset:" more "\n\t"

#define LATE_LET_GO(need)                                                                          \
	"s_add_u32 s40, s40, " need "\n\t"                                                         \
	"s_addc_u32 s41, s41, 0\n\t" TIME_LET_GO("s[42:43]", "s[50:51]") TIME_NOT

/* WAVE_END is as a span. */
#define LATE_END(at, more, need)                                                                   \
	LATE_IDLE(at)                                                                              \
	LATE_SPAN("%[end_word]", "%[end]", "s[56:57]", "s60", at, more)                            \
	LATE_LET_GO(need)

#define LATE_FIRST  LATE_SPAN("%[word0]", "s[82:83]", "s[84:85]", "s86", "64", "80")
#define LATE_SECOND LATE_SPAN("%[word1]", "s[88:89]", "s[90:91]", "s87", "88", "104")

#define LATE_EXIT(need, text)                                                                      \
	__asm__ volatile("s_memtime %[end]\n\t" TIME_SHORT CURSOR_LOOK("s[48:49]")                 \
				 LATE_BEGIN(need) text TIME_SHORT_END "s_waitcnt lgkmcnt(0)"       \
			 : [end] "=&s"(end)                                                        \
			 : [ctx] "s"(ctx), [x] "s"(__builtin_amdgcn_workgroup_id_x()),             \
			   [y] "s"(__builtin_amdgcn_workgroup_id_y()),                             \
			   [z] "s"(__builtin_amdgcn_workgroup_id_z()),                             \
			   [wave_word] "i"(PROBE_FORM_WAVE_ITEM << PROBE_FORM_SHIFT | site),       \
			   [begin_word] "i"(PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | site),          \
			   [end_word] "i"(PROBE_FORM_WAVE_END << PROBE_FORM_SHIFT | site),         \
			   [word0] "i"(first), [word1] "i"(second),                                \
			   [idle] "i"(PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | PROBE_SITE_IDLE)      \
			 : TIME_SCRATCH, CURSOR_CHANGES)

/* The wave ends here, unless what is to be done is too much for this; then the clock. */
DEV_INLINE uint64_t late_exit(const dev_ctx *ctx, uint32_t site, uint32_t first, uint32_t second,
			      uint32_t spans)
{
	uint64_t end;

	if (spans == 0)
		LATE_EXIT("88", LATE_END("64", "80", "88"));
	else if (spans == 1)
		LATE_EXIT("112", LATE_FIRST LATE_END("88", "104", "112"));
	else
		LATE_EXIT("136", LATE_FIRST LATE_SECOND LATE_END("112", "128", "136"));
	return end;
}

DEV_INLINE void late_read(struct late *ret)
{
	__asm__ volatile("s_mov_b64 %0, s[78:79]\n\t"
			 "s_mov_b64 %1, s[80:81]\n\t"
			 "s_mov_b64 %2, s[82:83]\n\t"
			 "s_mov_b64 %3, s[84:85]\n\t"
			 "s_mov_b32 %4, s86\n\t"
			 "s_mov_b64 %5, s[88:89]\n\t"
			 "s_mov_b64 %6, s[90:91]\n\t"
			 "s_mov_b32 %7, s87\n\t"
			 "s_mov_b32 %8, s92"
			 : "=s"(ret->begin), "=s"(ret->time), "=s"(ret->span[0].begin),
			   "=s"(ret->span[0].end), "=s"(ret->span[0].lanes),
			   "=s"(ret->span[1].begin), "=s"(ret->span[1].end),
			   "=s"(ret->span[1].lanes), "=s"(ret->item));
}

/* A stamp of a clock that was read before, and kept. */
DEV_INLINE void late_stamp(uint32_t form, uint32_t site, uint32_t lanes, uint64_t clock)
{
	uint64_t at = cursor_take(sizeof(struct probe_rec_stamp), 0);
	struct probe_rec_stamp DEV_GLOBAL *record = (struct probe_rec_stamp DEV_GLOBAL *)at;

	if (!at || !dev_speaks(dev_first(dev_exec())))
		return;
	record->word0 = form << PROBE_FORM_SHIFT | site;
	record->lanes = lanes | PROBE_STAMP_SPAN;
	record->clock = clock;
}

DEV_INLINE void late_span(uint32_t site, const struct late_kept *span, bool there)
{
	if (!there || !span->lanes)
		return;
	late_stamp(PROBE_FORM_BEGIN, site, span->lanes, span->begin);
	late_stamp(PROBE_FORM_END, site, span->lanes, span->end);
}

/* As time_calibrate(): a span in another, both kept. */
DEV_INLINE void late_calibrate(void)
{
	uint64_t clock[4];
	uint32_t lanes;

	__asm__ volatile("s_memtime %0\n\t"
			 "s_memtime %1\n\t"
			 "s_memtime %2\n\t"
			 "s_bcnt1_i32_b64 %4, exec\n\t"
			 "s_memtime %3\n\t"
			 "s_waitcnt lgkmcnt(0)"
			 : "=&s"(clock[0]), "=&s"(clock[1]), "=&s"(clock[2]), "=&s"(clock[3]),
			   "=&s"(lanes)
			 :
			 : "scc", "memory");
	late_stamp(PROBE_FORM_BEGIN, PROBE_SITE_IDLE, lanes, clock[0]);
	late_stamp(PROBE_FORM_BEGIN, PROBE_SITE_IDLE, lanes, clock[1]);
	late_stamp(PROBE_FORM_END, PROBE_SITE_IDLE, lanes, clock[2]);
	late_stamp(PROBE_FORM_END, PROBE_SITE_IDLE, lanes, clock[3]);
}

#endif
