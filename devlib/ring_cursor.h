/* SPDX-License-Identifier: MIT */
/*
 * The cursor of a wave: its write position in its ring, in scalar registers that the compiler never
 * allocates. Appending a record takes no load, no atomic operation and no wait.
 *
 * llvm-plugin/base/reserved_registers.h reserves the registers in the clone and in the functions
 * that it calls directly. Functions called through pointers, or outside of the module, preserve
 * them, because the calling convention makes s30 and above callee-saved.
 *
 *	s[78:79]  head of the ring minus s[84:85]; constant until the ring wraps
 *	s[80:81]  trace: the lanes of the ring's last EXEC or WAVE record;
 *		  time: the ring's struct probe_ring, or 0
 *	s[82:83]  trace: the lanes of the wave's ROWS record; time: begin of the open span
 *	s[84:85]  address of the next record; trace: s85 is the same for all rings
 *	s86	  free bytes at that address, limited by the end of the ring and by the tail,
 *		  plus 1, which has no effect, because sizes of records are multiples of 8
 *	s87	  CURSOR_NO_RING: records lost; time: also records written but not yet counted
 *	s[88:89]  __probe_dev_ring_refill(), called if a record does not fit;
 *		  trace: __probe_dev_trace_call()
 *	s[90:91]  the ring's struct probe_ring_state
 *	s92	  result of the refill: 1 = the record fits now, 0 = it is lost; 2 at the wave's
 *		  start; time: 3 = 1, in the first wave of a launch; trace: argument of the call
 *	s93	  enum cursor_mode
 *
 * The host sees records when their batch is full (batch_bytes()) and when the wave ends: the head
 * is stored once for many records.
 */
#ifndef PROBE_DEVLIB_RING_CURSOR_H
#define PROBE_DEVLIB_RING_CURSOR_H

#include "devlib/ring_record.h"
#include "devlib/workgroup_filter.h"

enum cursor_mode {
	CURSOR_OWNER = 0,
	CURSOR_NO_RING = 1,  /* no ring was free: records are lost and counted */
	CURSOR_FILTERED = 2, /* the workgroup filter excludes the wave: records nothing */
};

/*
 * At a kernel's entry the compiler must see s93, so that the kernel allocates all 94 registers. It
 * is an asm output, because a clobber of a register that the compiler may not use is a warning. A
 * function that named s93 would save and restore it.
 */
#ifdef DEV_PORTABLE /* the code is a function there: the pass names s93 in the kernel */
#define CURSOR_OUTPUT(mode)
#else
#define CURSOR_OUTPUT(mode) "={s93}"(mode)
#endif
#define CURSOR_CLOBBERS "scc", "memory"

/* Registers that __probe_dev_ring_refill() may use (measure_access.h: shared functions). */
#define CURSOR_CALL_CLOBBERS                                                                       \
	"s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16",       \
		"s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27",       \
		"s28", "s29", "s30", "s31", "vcc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", \
		"v8", "v9", "v10", "v11" DEV_CALL_CLOBBERS

#ifndef DEV_PORTABLE
/*
 * Call a shared function, a slow path of a wave's start or end. The pass appends "_0" to the names
 * of shared functions.
 */
#define SLOW_CODE(name)                                                                            \
	"s_getpc_b64 s[40:41]\n\t"                                                                 \
	"s_add_u32 s40, s40, __probe_dev_" name "_slow_0@rel32@lo+4\n\t"                           \
	"s_addc_u32 s41, s41, __probe_dev_" name "_slow_0@rel32@hi+12\n\t"

/*
 * At a wave's end, by the usual convention. Nothing is live after it, so that the function's
 * registers need not be stated but for the highest one, which says how many the wave needs.
 */
#define SLOW_CALL(name) SLOW_CODE(name) "s_swappc_b64 s[30:31], s[40:41]"
#define SLOW_EXIT_VGPR	"v23"

/* At a wave's start: arguments of __probe_dev_enter_slow(), which returns to s[42:43]. */
#define SLOW_ENTER                                                                                 \
	"v_mov_b32 v3, %[x]\n\t"                                                                   \
	"v_lshlrev_b64 v[4:5], 0, %[ctx]\n\t"                                                      \
	"v_mov_b32 v6, %[y]\n\t"                                                                   \
	"v_mov_b32 v7, %[z]\n\t"                                                                   \
	"v_lshlrev_b64 v[8:9], 0, %[packet]\n\t"                                                   \
	"v_mov_b32 v11, %[site]\n\t" SLOW_CODE("enter") "s_swappc_b64 s[42:43], s[40:41]\n"        \
							".Lprobe_end%=:"
#define ENTER_TIMED 0x80000000u /* in the argument `site`: the kernel is of the time kind */
/* From LLVM 21 on the function also uses accumulation registers, which a wave must have then. */
#if __clang_major__ >= 21
#define SLOW_AGPRS , "a0", "a1", "a2", "a3"
#else
#define SLOW_AGPRS
#endif
#define SLOW_VGPRS                                                                                 \
	"v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",               \
		"v23" SLOW_AGPRS

/* Without those that the compiler does not allocate there on some targets. */
#define SLOW_SAVED                                                                                 \
	"s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16",       \
		"s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27",       \
		"s28", "s29", "s30", "s31", "s34", "s35", "s36", "s37", "s38", "s39", "s40",       \
		"s41", "s42", "s43", "s44", "s45", "s46", "s47", "s48", "s49", "s50", "s51",       \
		"s52", "s53", "s54", "s55", "s56", "s57", "vcc"
#define SLOW_LANES(X)                                                                              \
	X("s4", 0)                                                                                 \
	X("s5", 1)                                                                                 \
	X("s6", 2)                                                                                 \
	X("s7", 3)                                                                                 \
	X("s8", 4)                                                                                 \
	X("s9", 5)                                                                                 \
	X("s10", 6)                                                                                \
	X("s11", 7)                                                                                \
	X("s12", 8)                                                                                \
	X("s13", 9)                                                                                \
	X("s14", 10)                                                                               \
	X("s15", 11)                                                                               \
	X("s16", 12)                                                                               \
	X("s17", 13)                                                                               \
	X("s18", 14)                                                                               \
	X("s19", 15)                                                                               \
	X("s20", 16)                                                                               \
	X("s21", 17)                                                                               \
	X("s22", 18)                                                                               \
	X("s23", 19)                                                                               \
	X("s24", 20)                                                                               \
	X("s25", 21)                                                                               \
	X("s26", 22)                                                                               \
	X("s27", 23)                                                                               \
	X("s28", 24)                                                                               \
	X("s29", 25)                                                                               \
	X("s30", 26)                                                                               \
	X("s31", 27)                                                                               \
	X("s32", 28)                                                                               \
	X("s33", 29)                                                                               \
	X("s34", 30)                                                                               \
	X("s35", 31)                                                                               \
	X("s36", 32)                                                                               \
	X("s37", 33)                                                                               \
	X("s38", 34)                                                                               \
	X("s39", 35)                                                                               \
	X("s40", 36)                                                                               \
	X("s41", 37)                                                                               \
	X("s42", 38)                                                                               \
	X("s43", 39)                                                                               \
	X("s44", 40)                                                                               \
	X("s45", 41)                                                                               \
	X("s46", 42)                                                                               \
	X("s47", 43)                                                                               \
	X("s48", 44)                                                                               \
	X("s49", 45)                                                                               \
	X("s50", 46)                                                                               \
	X("s51", 47)                                                                               \
	X("s52", 48)                                                                               \
	X("s53", 49)                                                                               \
	X("s54", 50)                                                                               \
	X("s55", 51)                                                                               \
	X("s56", 52)                                                                               \
	X("s57", 53)                                                                               \
	X("s58", 54)                                                                               \
	X("s59", 55)                                                                               \
	X("s60", 56)                                                                               \
	X("s61", 57)                                                                               \
	X("vcc_lo", 58)                                                                            \
	X("vcc_hi", 59)                                                                            \
	X("s0", 60)                                                                                \
	X("s1", 61)                                                                                \
	X("s2", 62)                                                                                \
	X("s3", 63)
#define SLOW_SAVE_LANE(sgpr, lane)    "v_writelane_b32 v20, " sgpr ", " #lane "\n\t"
#define SLOW_RESTORE_LANE(sgpr, lane) "v_readlane_b32 " sgpr ", v20, " #lane "\n\t"
#define SLOW_SAVE                                                                                  \
	SLOW_LANES(SLOW_SAVE_LANE)                                                                 \
	"v_mov_b32 v21, v0\n\t"                                                                    \
	"v_mov_b32 v22, v1\n\t"                                                                    \
	"v_mov_b32 v23, v2"
#define SLOW_RESTORE                                                                               \
	SLOW_LANES(SLOW_RESTORE_LANE)                                                              \
	"v_mov_b32 v0, v21\n\t"                                                                    \
	"v_mov_b32 v1, v22\n\t"                                                                    \
	"v_mov_b32 v2, v23\n\t"                                                                    \
	"s_nop 4\n\t" /* before a memory access may use a register of v_readlane */                \
	"s_setpc_b64 s[42:43]"
#endif

/*
 * Reserve `size` bytes (an asm operand) for a record at s[84:85], or jump to .Lprobe_end of this
 * asm if the record is lost. CURSOR_ADVANCE must follow the stores of the record.
 */
#define CURSOR_RESERVE(size, records)                                                              \
	"s_sub_u32 s86, s86, " size "\n\t"                                                         \
	"s_cbranch_scc0 .Lprobe_fits%=\n\t"                                                        \
	"v_mov_b32 v0, " size "\n\t"                                                               \
	"v_mov_b32 v1, " records "\n\t" DEV_CALL("s[88:89]") "s_cmp_eq_u32 s92, 0\n\t"             \
							     "s_cbranch_scc1 .Lprobe_end%=\n"      \
							     ".Lprobe_fits%=:\n\t"

#define CURSOR_ADVANCE(size, records)                                                              \
	"s_add_u32 s84, s84, " size "\n\t"                                                         \
	"s_addc_u32 s85, s85, 0\n\t"                                                               \
	"s_add_u32 s87, s87, " records "\n"                                                        \
	".Lprobe_end%=:"

void __probe_dev_ring_refill(uint32_t size, uint32_t records);

/*
 * Reserve `size` bytes for a record. Returns its address, the same in all lanes; 0 = the record is
 * lost. `optnone`: the caller is not optimised. There the function is inlined, because a shared
 * function would need a stack.
 */
DEV_INLINE uint64_t cursor_reserve(uint32_t size, uint32_t optnone)
{
	uint64_t at = 0;
	uint32_t full, fits;

	size = dev_uniform32(size);
	if (!optnone) {
		__asm__ volatile(
			"s_mov_b64 %[at], 0\n\t" CURSOR_RESERVE(
				"%[size]",
				"1") "s_mov_b64 %[at], s[84:85]\n\t" CURSOR_ADVANCE("%[size]", "1")
			: [at] "=&s"(at)
			: [size] "s"(dev_scalar32(size))
			: CURSOR_CALL_CLOBBERS, CURSOR_CLOBBERS);
		return at;
	}
	__asm__ volatile("s_sub_u32 s86, s86, %1\n\ts_cselect_b32 %0, 1, 0"
			 : "=s"(full)
			 : "s"(dev_scalar32(size))
			 : CURSOR_CLOBBERS);
	if (dev_uniform32(full)) {
		__probe_dev_ring_refill(size, 1);
		__asm__ volatile("s_mov_b32 %0, s92" : "=s"(fits));
		if (!dev_uniform32(fits))
			return 0;
	}
	__asm__ volatile("s_mov_b64 %0, s[84:85]\n\ts_add_u32 s84, s84, %1\n\t"
			 "s_addc_u32 s85, s85, 0\n\ts_add_u32 s87, s87, 1"
			 : "=&s"(at)
			 : "s"(dev_scalar32(size))
			 : CURSOR_CLOBBERS);
	return at;
}

/* The cursor at a wave's start. */
struct cursor_start {
	const void *refill;
	uint64_t at, head_offset, rows, exec; /* head_offset: s[78:79] */
	uint64_t state;
	uint32_t free_bytes, mode;
};

DEV_INLINE void cursor_set(const struct cursor_start *start)
{
	uint32_t mode;

	__asm__ volatile(
		"s_mov_b64 s[78:79], %[head_offset]\n\t"
		"s_mov_b64 s[80:81], %[exec]\n\t"
		"s_mov_b64 s[82:83], %[rows]\n\t"
		"s_mov_b64 s[84:85], %[at]\n\t"
		"s_mov_b32 s86, %[free_bytes]\n\t"
		"s_mov_b32 s87, 0\n\t"
		"s_mov_b64 s[88:89], %[refill]\n\t"
		"s_mov_b64 s[90:91], %[state]\n\t"
		"s_mov_b32 s92, 2\n\t"
		"s_mov_b32 s93, %[mode]"
		: CURSOR_OUTPUT(mode)
		: [head_offset] "s"(dev_scalar64(start->head_offset)),
		  [exec] "s"(dev_scalar64(start->exec)), [rows] "s"(dev_scalar64(start->rows)),
		  [at] "s"(dev_scalar64(start->at)),
		  [free_bytes] "s"(dev_scalar32(start->free_bytes)), [refill] "s"(start->refill),
		  [state] "s"(dev_scalar64(start->state)), [mode] "s"(dev_scalar32(start->mode))
		: CURSOR_CLOBBERS);
	(void)mode;
}

/* The ring's head after all records written so far. */
DEV_INLINE uint64_t cursor_head(void)
{
	uint64_t at, head_offset;

	__asm__ volatile("s_mov_b64 %0, s[84:85]" : "=s"(at));
	__asm__ volatile("s_mov_b64 %0, s[78:79]" : "=s"(head_offset));
	return at + head_offset;
}

/* `trace`: the first word of the ring's state when this wave releases the ring. */
DEV_INLINE uint64_t cursor_state_word(void)
{
	uint32_t address_low, free_bytes;

	__asm__ volatile("s_mov_b32 %0, s84\n\ts_or_b32 %1, s86, 1"
			 : "=&s"(address_low), "=&s"(free_bytes)
			 :
			 : "scc");
	return dev_join(address_low, free_bytes);
}

DEV_INLINE dev_state *cursor_state(void)
{
	uint64_t state;

	__asm__ volatile("s_mov_b64 %0, s[90:91]" : "=s"(state));
	return (dev_state *)state;
}

DEV_INLINE uint32_t cursor_mode(void)
{
	uint32_t mode;

	__asm__ volatile("s_mov_b32 %0, s93" : "=s"(mode));
	return mode;
}

/*
 * `time`, gfx9: load what a wave needs to claim a ring. From struct probe_ctx: ring_states to
 * s[40:41], followed by ring_heads, ring_data, ring_mask and ring_size; dispatch to s[52:53];
 * row_lanes to s[54:55]. Jumps to the fallback path if row_lanes is 0 (there is a workgroup
 * filter).
 *
 * HW_ID goes to s58, EXEC to `exec`. s59 is dev_wave_slot() as gfx90a lays it out. On other targets
 * several wave slots may get the same number, and then their searches start at the same ring.
 */
/* clang-format off */
#define CURSOR_LOAD_CONTEXT(exec)                                                                  \
	"s_load_dwordx8 s[40:47], %[ctx], 40\n\t"                                                  \
	"s_load_dwordx4 s[52:55], %[ctx], 8\n\t"                                                   \
	"s_memrealtime s[56:57]\n\t"                                                               \
	"s_getreg_b32 s58, hwreg(4)\n\t"                                                           \
	"s_bfe_u32 s59, s58, 0x3000d\n\t"                                                          \
	"s_bfe_u32 s60, s58, 0x40008\n\t"                                                          \
	"s_lshl4_add_u32 s59, s59, s60\n\t"                                                        \
	"s_bfe_u32 s60, s58, 0x20004\n\t"                                                          \
	"s_lshl2_add_u32 s59, s59, s60\n\t"                                                        \
	"s_and_b32 s60, s58, 7\n\t"                                                                \
	"s_lshl3_add_u32 s59, s59, s60\n\t"                                                        \
	"s_mov_b64 " exec ", exec\n\t"                                                             \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"s_cmp_eq_u64 s[54:55], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lprobe_fallback%=\n\t"
/* clang-format on */

#endif
