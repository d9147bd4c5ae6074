/* SPDX-License-Identifier: MIT */
/*
 * Stored waves: the `time` kind in kernels with few spans, each of which executes at most once
 * (llvm-plugin/kinds/time_spans.c). A wave keeps its clocks in scalar registers until it ends. It
 * then writes all its records at once: in small launches to its slot of the launch's wave storage
 * (struct probe_wave_storage), otherwise to a ring, which it claims and releases at that time.
 *
 * Until then, registers of ring_cursor.h, and with more than two spans the ones below them, hold:
 *
 *	s[78:79]  clock at the wave's start, s[80:81] the constant clock
 *	s[82:83]  begin of the first span, s[84:85] its end, s86 its active lanes at the end, or 0
 *	s[88:89]  the same of the second span, s[90:91], s87
 *	s[74:75]  of the third span, s[76:77], s73
 *	s[68:69]  of the fourth span, s[70:71], s72
 *	s92	  id of the first work-item, as in PROBE_FORM_WAVE_ITEM
 */
#ifndef PROBE_DEVLIB_STORED_WAVES_H
#define PROBE_DEVLIB_STORED_WAVES_H

#include "devlib/time_probe.h"

/* X(number, begin, end, lanes) */
#define STORED_REGISTERS(X)                                                                        \
	X(0, "s[82:83]", "s[84:85]", "s86")                                                        \
	X(1, "s[88:89]", "s[90:91]", "s87")                                                        \
	X(2, "s[74:75]", "s[76:77]", "s73")                                                        \
	X(3, "s[68:69]", "s[70:71]", "s72")

/* The sites of the spans, as the pass numbers them. */
struct stored_sites {
	uint32_t site[PROBE_STORED_SPANS];
};

DEV_INLINE void stored_enter(uint32_t spans, uint32_t item)
{
	__asm__ volatile("v_readfirstlane_b32 s92, %0" : : "v"(item));
#define STORED_CLEAR(number, begin, end, lanes)                                                    \
	if (spans > number)                                                                        \
		__asm__ volatile("s_mov_b32 " lanes ", 0");
	STORED_REGISTERS(STORED_CLEAR)
	__asm__ volatile("s_memrealtime s[80:81]\n\ts_memtime s[78:79]");
}

DEV_INLINE void stored_begin(uint32_t span)
{
#define STORED_BEGINS(number, begin, end, lanes)                                                   \
	if (span == number)                                                                        \
		__asm__ volatile("s_memtime " begin : : : "memory");
	STORED_REGISTERS(STORED_BEGINS)
}

/* `divergent`: lanes may reach the end of this span one after the other; the last end is kept. */
DEV_INLINE void stored_end(uint32_t span, uint32_t divergent)
{
	uint32_t lanes_here;

#define STORED_ENDS(number, begin, end, lanes)                                                     \
	if (span == number && divergent)                                                           \
		__asm__ volatile("s_memtime " end                                                  \
				 "\n\ts_bcnt1_i32_b64 %0, exec\n\ts_add_u32 " lanes ", " lanes     \
				 ", %0"                                                            \
				 : "=s"(lanes_here)                                                \
				 :                                                                 \
				 : "scc", "memory");                                               \
	else if (span == number)                                                                   \
		__asm__ volatile("s_memtime " end "\n\ts_bcnt1_i32_b64 " lanes ", exec"            \
				 :                                                                 \
				 :                                                                 \
				 : "scc", "memory");
	STORED_REGISTERS(STORED_ENDS)
}

/* ---- Wave storage --------------------------------------------------------------------------- */

#define STORED_HEADER_BYTES "64"
#define STORED_SLOT_BYTES   "48"

/*
 * Load struct probe_ctx_wave_storage: area to s[40:41], then groups_x, groups_y, items_x, items_xy
 * and waves. The wave's index in the launch goes to s60, the offset of its slot to v3.
 */
/* clang-format off */
#define STORED_ADDRESS(spans)                                                                      \
	"s_load_dwordx8 s[40:47], %[ctx], %c[stored]\n\t"                                          \
	"s_memrealtime s[56:57]\n\t"                                                               \
	"s_getreg_b32 s58, hwreg(4)\n\t"                                                           \
	"s_bfe_u32 s59, s92, 0xa000a\n\t"                                                          \
	"s_and_b32 s60, s92, 0x3ff\n\t"                                                            \
	"s_lshr_b32 s61, s92, 20\n\t"                                                              \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"s_cmp_eq_u64 s[40:41], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lprobe_rings%=\n\t"                                                       \
	"s_mul_i32 s59, s59, s44\n\t"                                                              \
	"s_mul_i32 s61, s61, s45\n\t"                                                              \
	"s_add_u32 s60, s60, s59\n\t"                                                              \
	"s_add_u32 s60, s60, s61\n\t"                                                              \
	"s_lshr_b32 s60, s60, 6\n\t"                                                               \
	"s_mul_i32 s61, %[z], s43\n\t"                                                             \
	"s_add_u32 s61, s61, %[y]\n\t"                                                             \
	"s_mul_i32 s61, s61, s42\n\t"                                                              \
	"s_add_u32 s61, s61, %[x]\n\t"                                                             \
	"s_mul_i32 s61, s61, s46\n\t"                                                              \
	"s_add_u32 s60, s60, s61\n\t"                                                              \
	"s_mul_i32 s61, s60, " STORED_SLOT_BYTES "+16*" spans "\n\t"                               \
	"s_mov_b64 s[48:49], exec\n\t"                                                             \
	"s_mov_b64 exec, 1\n\t"                                                                    \
	"v_mov_b32 v3, s61\n\t"
/* clang-format on */

/* Store two 64-bit values; `regs` must differ from those of the preceding store. */
#define STORED_PAIR(low, high, regs, first, second, offset)                                        \
	"v_lshlrev_b64 " low ", 0, " first "\n\t"                                                  \
	"v_lshlrev_b64 " high ", 0, " second "\n\t"                                                \
	"global_store_dwordx4 v3, " regs ", s[40:41] offset:" offset "\n\t"

#define STORED_EVEN(first, second, offset)                                                         \
	STORED_PAIR("v[4:5]", "v[6:7]", "v[4:7]", first, second, offset)
#define STORED_ODD(first, second, offset)                                                          \
	STORED_PAIR("v[8:9]", "v[10:11]", "v[8:11]", first, second, offset)

/* probe_wave_slot.lanes, the active lanes of all spans, to s62. */
#define STORED_LANES_0 "s_mov_b32 s62, 0\n\t"
#define STORED_LANES_1 "s_mov_b32 s62, s86\n\t"
#define STORED_LANES_2                                                                             \
	"s_lshl_b32 s62, s87, 8\n\t"                                                               \
	"s_or_b32 s62, s62, s86\n\t"
#define STORED_LANES_3                                                                             \
	STORED_LANES_2 "s_lshl_b32 s63, s73, 16\n\t"                                               \
		       "s_or_b32 s62, s62, s63\n\t"
#define STORED_LANES_4                                                                             \
	STORED_LANES_3 "s_lshl_b32 s63, s72, 24\n\t"                                               \
		       "s_or_b32 s62, s62, s63\n\t"

#define STORED_SLOT_0
#define STORED_SLOT_1 STORED_ODD("s[82:83]", "s[84:85]", "112")
#define STORED_SLOT_2 STORED_SLOT_1 STORED_EVEN("s[88:89]", "s[90:91]", "128")
#define STORED_SLOT_3 STORED_SLOT_2 STORED_ODD("s[74:75]", "s[76:77]", "144")
#define STORED_SLOT_4 STORED_SLOT_3 STORED_EVEN("s[68:69]", "s[70:71]", "160")

/* The clocks of four stamps of PROBE_SITE_IDLE, one span nested in another. */
#define STORED_CLOCKS                                                                              \
	"s_memtime s[46:47]\n\t"                                                                   \
	"s_memtime s[52:53]\n\t"                                                                   \
	"s_memtime s[54:55]\n\t"                                                                   \
	"s_bcnt1_i32_b64 s63, exec\n\t"                                                            \
	"s_memtime s[58:59]\n\t"                                                                   \
	"s_waitcnt lgkmcnt(0)\n\t"

/* The first wave also writes struct probe_wave_storage. */
#define STORED_HEADER(spans)                                                                       \
	STORED_CLOCKS                                                                              \
	"v_mov_b32 v4, " STORED_SLOT_BYTES "+16*" spans "\n\t"                                     \
	"v_mov_b32 v5, " spans "\n\t"                                                              \
	"v_mov_b32 v6, %[site]\n\t"                                                                \
	"v_mov_b32 v7, s63\n\t"                                                                    \
	"global_store_dwordx4 v3, v[4:7], s[40:41]\n\t"                                            \
	"v_mov_b32 v8, %[site0]\n\t"                                                               \
	"v_mov_b32 v9, %[site1]\n\t"                                                               \
	"v_mov_b32 v10, %[site2]\n\t"                                                              \
	"v_mov_b32 v11, %[site3]\n\t"                                                              \
	"global_store_dwordx4 v3, v[8:11], s[40:41] offset:16\n\t" STORED_EVEN(                    \
		"s[46:47]", "s[52:53]", "32") STORED_ODD("s[54:55]", "s[58:59]", "48")

/* Write the wave's slot and terminate, if the launch has wave storage. */
#define STORED_SLOT(spans, lanes, stores)                                                          \
	STORED_ADDRESS(spans)                                                                      \
	lanes "v_mov_b32 v4, s58\n\t"                                                              \
	      "v_mov_b32 v5, s62\n\t"                                                              \
	      "v_lshlrev_b64 v[6:7], 0, s[48:49]\n\t"                                              \
	      "global_store_dwordx4 v3, v[4:7], s[40:41] offset:64\n\t" STORED_ODD(                \
		      "s[78:79]", "s[80:81]", "80") STORED_EVEN("s[64:65]", "s[56:57]", "96")      \
		      stores "s_cmp_eq_u32 s60, 0\n\t"                                             \
			     "s_cbranch_scc1 .Lprobe_header%=\n\t"                                 \
			     "s_endpgm\n"                                                          \
			     ".Lprobe_header%=:\n\t" STORED_HEADER(spans) "s_endpgm\n"             \
									  ".Lprobe_rings%=:\n\t"

/* ---- A ring, on the fast path --------------------------------------------------------------- */

/* v[4:7] must differ from the registers of the preceding store. */
#define STORED_STAMP(word0, clock, at)                                                             \
	"v_mov_b32 v4, " word0 "\n\t"                                                              \
	"v_mov_b32 v5, s61\n\t"                                                                    \
	"v_lshlrev_b64 v[6:7], 0, " clock "\n\t"                                                   \
	"global_store_dwordx4 v3, v[4:7], s[44:45] offset:" at "\n\t"

#define STORED_RESERVE(need)                                                                       \
	"s_cmp_lt_u32 s46, " need "+64\n\t"                                                        \
	"s_cbranch_scc1 .Lprobe_full%=\n\t"

#define STORED_LANES                                                                               \
	"s_bcnt1_i32_b64 s60, s[48:49]\n\t"                                                        \
	"s_or_b32 s61, s60, 0x80000000\n\t"

/*
 * Claim the ring and write the WAVE record and the kernel's BEGIN, if `need` bytes fit: these
 * records, the spans and WAVE_END, and 64 bytes for the first wave's idle stamps. s62 is 1 in the
 * first wave.
 */
#define STORED_BEGIN(need)                                                                         \
	TIME_IS_FIRST_WAVE("s92")                                                                  \
	"s_cselect_b32 s62, 0, 1\n\t" TIME_CLAIM_RING STORED_RESERVE(need)                         \
		TIME_WRITE_WAVE("s[44:45]", "s[80:81]", "s92")                                     \
			STORED_LANES STORED_STAMP("%[begin_word]", "s[78:79]", "48")

#define STORED_IDLE_END                                                                            \
	"s_add_u32 s40, s40, 64\n\t"                                                               \
	"s_addc_u32 s41, s41, 0\n\t"                                                               \
	"s_add_u32 s44, s44, 64\n\t"                                                               \
	"s_addc_u32 s45, s45, 0\n"                                                                 \
	".Lprobe_idle_done%=:\n\t"

/*
 * The first wave's idle stamps, at offset `at`. 0x1000000 is PROBE_FORM_END - PROBE_FORM_BEGIN in
 * word 0.
 */
/* clang-format off */
#define STORED_IDLE(at)                                                                            \
	"s_cmp_eq_u32 s62, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lprobe_idle_done%=\n\t"                                                   \
	STORED_CLOCKS                                                                              \
	STORED_STAMP("%[idle]", "s[46:47]", at)                                                    \
	"s_nop 0\n\t"                                                                              \
	STORED_STAMP("%[idle]", "s[52:53]", at "+16")                                              \
	"s_nop 0\n\t"                                                                              \
	STORED_STAMP("%[idle]+0x1000000", "s[54:55]", at "+32")                                    \
	"s_nop 0\n\t"                                                                              \
	STORED_STAMP("%[idle]+0x1000000", "s[58:59]", at "+48")                                    \
	STORED_IDLE_END
/* clang-format on */

#define STORED_SPAN(word0, begin, end, lanes, at)                                                  \
	"v_mov_b32 v8, " word0 "\n\t"                                                              \
	"v_mov_b32 v9, " lanes "\n\t"                                                              \
	"v_lshlrev_b64 v[10:11], 0, " begin "\n\t"                                                 \
	"global_store_dwordx4 v3, v[8:11], s[44:45] offset:" at "\n\t"                             \
	"v_lshlrev_b64 v[4:5], 0, " end "\n\t"                                                     \
	"global_store_dwordx2 v3, v[4:5], s[44:45] offset:" at "+16\n\t"

#define STORED_RELEASE(need)                                                                       \
	"s_add_u32 s40, s40, " need "\n\t"                                                         \
	"s_addc_u32 s41, s41, 0\n\t" TIME_RELEASE_RING("s[42:43]", "s[50:51]") TIME_FALLBACK

/* WAVE_END has the layout of a span. */
#define STORED_END(at, need)                                                                       \
	STORED_IDLE(at)                                                                            \
	STORED_SPAN("%[end_word]", "s[64:65]", "s[56:57]", "s60", at)                              \
	STORED_RELEASE(need)

#define STORED_SPANS_0
#define STORED_SPANS_1 STORED_SPAN("%[span]+%[site0]", "s[82:83]", "s[84:85]", "s86", "64")
#define STORED_SPANS_2                                                                             \
	STORED_SPANS_1 STORED_SPAN("%[span]+%[site1]", "s[88:89]", "s[90:91]", "s87", "88")
#define STORED_SPANS_3                                                                             \
	STORED_SPANS_2 STORED_SPAN("%[span]+%[site2]", "s[74:75]", "s[76:77]", "s73", "112")
#define STORED_SPANS_4                                                                             \
	STORED_SPANS_3 STORED_SPAN("%[span]+%[site3]", "s[68:69]", "s[70:71]", "s72", "136")

#define STORED_SLOW                                                                                \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_lshlrev_b64 v[0:1], 0, %[ctx]\n\t"                                                      \
	"v_lshlrev_b64 v[2:3], 0, s[64:65]\n\t"                                                    \
	"v_mov_b32 v4, %[x]\n\t"                                                                   \
	"v_mov_b32 v5, %[y]\n\t"                                                                   \
	"v_mov_b32 v6, %[z]\n\t"                                                                   \
	"v_mov_b32 v7, %[site]\n\t"                                                                \
	"v_mov_b32 v8, %[spans]\n\t"                                                               \
	"v_mov_b32 v9, %[site0]\n\t"                                                               \
	"v_mov_b32 v10, %[site1]\n\t"                                                              \
	"v_mov_b32 v11, %[site2]\n\t"                                                              \
	"v_mov_b32 v12, %[site3]\n\t" SLOW_CALL("stored_exit")

#define STORED_EXIT(number, lanes, placed, written, mode)                                          \
	__asm__ volatile(                                                                          \
		"s_memtime s[64:65]\n\t" TIME_FAST_PATH STORED_SLOT(number, lanes, placed)         \
			CURSOR_LOAD_CONTEXT("s[48:49]") STORED_BEGIN("88+24*" number)              \
				written STORED_END("64+24*" number, "88+24*" number)               \
					TIME_FAST_PATH_END STORED_SLOW                             \
		: CURSOR_OUTPUT(mode)                                                              \
		: [ctx] "s"(dev_scalar64((uint64_t)ctx)),                                          \
		  [x] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_x())),                        \
		  [y] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_y())),                        \
		  [z] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_z())),                        \
		  [wave_word] "i"(PROBE_FORM_WAVE_ITEM << PROBE_FORM_SHIFT | site),                \
		  [begin_word] "i"(PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | site),                   \
		  [end_word] "i"(PROBE_FORM_WAVE_END << PROBE_FORM_SHIFT | site),                  \
		  [stored] "i"(sizeof(struct probe_ctx)), [slow] "i"(slow),                        \
		  [span] "i"(PROBE_FORM_SPAN << PROBE_FORM_SHIFT), [site] "i"(site),               \
		  [spans] "i"(spans), [site0] "i"(span->site[0]), [site1] "i"(span->site[1]),      \
		  [site2] "i"(span->site[2]), [site3] "i"(span->site[3]),                          \
		  [idle] "i"(PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | PROBE_SITE_IDLE)               \
		: TIME_CLOBBERS, "s64", "s65", SLOW_EXIT_VGPR, CURSOR_CLOBBERS)

/* Write the wave's records and terminate. */
DEV_INLINE void stored_exit(const dev_ctx *ctx, const void *slow, uint32_t site,
			    const struct stored_sites *span, uint32_t spans)
{
	uint32_t mode;

	if (spans == 0)
		STORED_EXIT("0", STORED_LANES_0, STORED_SLOT_0, STORED_SPANS_0, mode);
	else if (spans == 1)
		STORED_EXIT("1", STORED_LANES_1, STORED_SLOT_1, STORED_SPANS_1, mode);
	else if (spans == 2)
		STORED_EXIT("2", STORED_LANES_2, STORED_SLOT_2, STORED_SPANS_2, mode);
	else if (spans == 3)
		STORED_EXIT("3", STORED_LANES_3, STORED_SLOT_3, STORED_SPANS_3, mode);
	else
		STORED_EXIT("4", STORED_LANES_4, STORED_SLOT_4, STORED_SPANS_4, mode);
	(void)mode;
}

/* ---- A ring, on the fallback path ----------------------------------------------------------- */

/*
 * The registers wait in lanes of v23, which the slow path does not allocate, because they become
 * those of the cursor. A lane of a value that the compiler allocates could get lost in a copy.
 */
enum {
	STORED_BEGIN_LANE = 0, /* two registers, as those that follow */
	STORED_TIME_LANE = 2,
	STORED_ITEM_LANE = 4,
	STORED_SPAN_LANE = 5, /* of the first span: begin, end, lanes */
	STORED_SPAN_LANES = 5,
	STORED_SITE_LANE = STORED_SPAN_LANE + PROBE_STORED_SPANS * STORED_SPAN_LANES,
};

#define STORED_SAVE_SITE(from, lane)                                                               \
	"v_readfirstlane_b32 s4, " from "\n\t"                                                     \
	"v_writelane_b32 v23, s4, " lane "\n\t"
#define STORED_SAVE                                                                                \
	"v_writelane_b32 v23, s78, 0\n\t"                                                          \
	"v_writelane_b32 v23, s79, 1\n\t"                                                          \
	"v_writelane_b32 v23, s80, 2\n\t"                                                          \
	"v_writelane_b32 v23, s81, 3\n\t"                                                          \
	"v_writelane_b32 v23, s92, 4\n\t"                                                          \
	"v_writelane_b32 v23, s82, 5\n\t"                                                          \
	"v_writelane_b32 v23, s83, 6\n\t"                                                          \
	"v_writelane_b32 v23, s84, 7\n\t"                                                          \
	"v_writelane_b32 v23, s85, 8\n\t"                                                          \
	"v_writelane_b32 v23, s86, 9\n\t"                                                          \
	"v_writelane_b32 v23, s88, 10\n\t"                                                         \
	"v_writelane_b32 v23, s89, 11\n\t"                                                         \
	"v_writelane_b32 v23, s90, 12\n\t"                                                         \
	"v_writelane_b32 v23, s91, 13\n\t"                                                         \
	"v_writelane_b32 v23, s87, 14\n\t"                                                         \
	"v_writelane_b32 v23, s74, 15\n\t"                                                         \
	"v_writelane_b32 v23, s75, 16\n\t"                                                         \
	"v_writelane_b32 v23, s76, 17\n\t"                                                         \
	"v_writelane_b32 v23, s77, 18\n\t"                                                         \
	"v_writelane_b32 v23, s73, 19\n\t"                                                         \
	"v_writelane_b32 v23, s68, 20\n\t"                                                         \
	"v_writelane_b32 v23, s69, 21\n\t"                                                         \
	"v_writelane_b32 v23, s70, 22\n\t"                                                         \
	"v_writelane_b32 v23, s71, 23\n\t"                                                         \
	"v_writelane_b32 v23, s72, 24\n\t" STORED_SAVE_SITE("v9", "25")                            \
		STORED_SAVE_SITE("v10", "26") STORED_SAVE_SITE("v11", "27")                        \
			STORED_SAVE_SITE("v12", "28")

DEV_INLINE uint32_t stored_word(uint32_t lane)
{
	uint32_t word;

	__asm__ volatile("v_readlane_b32 %0, v23, %1" : "=s"(word) : "s"(lane));
	return word;
}

DEV_INLINE uint64_t stored_clock(uint32_t lane)
{
	uint32_t low = stored_word(lane);

	return dev_join(low, stored_word(lane + 1));
}

/* Clocks as of time_calibrate(), read before anything is written. */
DEV_INLINE void stored_idle(uint64_t ret[4])
{
	uint32_t lanes;

	__asm__ volatile("s_memtime %0\n\t"
			 "s_memtime %1\n\t"
			 "s_memtime %2\n\t"
			 "s_bcnt1_i32_b64 %4, exec\n\t"
			 "s_memtime %3\n\t"
			 "s_waitcnt lgkmcnt(0)"
			 : "=&s"(ret[0]), "=&s"(ret[1]), "=&s"(ret[2]), "=&s"(ret[3]), "=&s"(lanes)
			 :
			 : "scc", "memory");
	(void)lanes;
}

#endif
