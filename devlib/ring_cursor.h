/* SPDX-License-Identifier: MIT */
/*
 * A wave's place in its ring, in scalar registers that the compiler never sees: writing a record
 * takes no load, no atomic and no waiting. The pass gives the clones that use them the attribute
 * "amdgpu-num-sgpr" (78, and 2 for vcc), which ends the allocator's registers at s77,
 * and clones all that they call directly. What they call by pointers, or outside of the
 * module, keeps these registers, as the ABI of functions demands (s30 and up).
 *
 *	s[78:79]  what the ring's head is more than s[84:85], while the ring does not wrap
 *	s[80:81]  trace: the lanes of the ring's last EXEC or WAVE record;
 *		  time: the ring's struct probe_ring, or 0
 *	s[82:83]  trace: the lanes of the wave's ROWS record; time: when the open span began
 *	s[84:85]  where the next record goes; trace: s85 is the same for all rings
 *	s86	  bytes that fit there: up to the end of the ring, or of what the reader has freed;
 *		  and one more, which changes nothing, since records are multiples of 8 bytes
 *	s87	  records lost in mode LOST; time: those written, too, and not yet counted
 *	s[88:89]  __probe_dev_ring_refill(), for where there is no room;
 *		  trace: __probe_dev_trace_call()
 *	s[90:91]  the ring's struct probe_ring_state
 *	s92	  refill's answer: 1 = there is room now, 0 = the record is lost; 2 at the start;
 *		  time: 3 = 1, in a launch's first wave; trace: what a call is for
 *	s93	  enum cursor_mode
 *
 * Records become visible to the host when their stretch is full and at the wave's end: the head is
 * stored once for many records. s93 is the last register with which a gfx90a can hold eight waves.
 */
#ifndef PROBE_DEVLIB_RING_CURSOR_H
#define PROBE_DEVLIB_RING_CURSOR_H

#include "devlib/ring_record.h"
#include "devlib/workgroup_filter.h"

enum cursor_mode {
	CURSOR_OWNER = 0,
	CURSOR_LOST = 1, /* could get no ring: counts what it loses */
	CURSOR_OFF = 2,	 /* filtered: records nothing */
	CURSOR_NOT = 3,	 /* the short way led nowhere (trace_wave.h) */
};

/*
 * The compiler sees s93 alone, at a kernel's entry, so that the wave gets all: as a result,
 * since a clobbered register that it may not use is a warning. A function that named it would save
 * and restore it.
 */
#ifdef DEV_PORTABLE /* a function: the pass does it in the kernel */
#define CURSOR_LAST(mode)
#else
#define CURSOR_LAST(mode) "={s93}"(mode)
#endif
#define CURSOR_CHANGES "scc", "memory"

/* What __probe_dev_ring_refill() may use, as measure_access.h says of shared functions. */
#define CURSOR_CALL                                                                                \
	"s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16",       \
		"s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27",       \
		"s28", "s29", "s30", "s31", "vcc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", \
		"v8", "v9", "v10", "v11" DEV_SWAP_CHANGES

/*
 * Take `size` bytes (an operand), or go to .Lprobe_end of this asm. The record goes to s[84:85],
 * and CURSOR_STEP must follow.
 */
#define CURSOR_TAKE(size, records)                                                                 \
	"s_sub_u32 s86, s86, " size "\n\t"                                                         \
	"s_cbranch_scc0 .Lprobe_room%=\n\t"                                                        \
	"v_mov_b32 v0, " size "\n\t"                                                               \
	"v_mov_b32 v1, " records "\n\t" DEV_SWAP("s[88:89]") "s_cmp_eq_u32 s92, 0\n\t"             \
							     "s_cbranch_scc1 .Lprobe_end%=\n"      \
							     ".Lprobe_room%=:\n\t"

#define CURSOR_STEP(size, records)                                                                 \
	"s_add_u32 s84, s84, " size "\n\t"                                                         \
	"s_addc_u32 s85, s85, 0\n\t"                                                               \
	"s_add_u32 s87, s87, " records "\n"                                                        \
	".Lprobe_end%=:"

void __probe_dev_ring_refill(uint32_t size, uint32_t records);

/*
 * Where a record of `size` bytes goes, the same in all lanes; 0 = it is lost. `plain`: code that is
 * not optimised, where a shared function would need a stack; it is inlined there.
 */
DEV_INLINE uint64_t cursor_take(uint32_t size, uint32_t plain)
{
	uint64_t at = 0;
	uint32_t full, room;

	size = dev_uniform32(size);
	if (!plain) {
		__asm__ volatile(
			"s_mov_b64 %[at], 0\n\t" CURSOR_TAKE(
				"%[size]",
				"1") "s_mov_b64 %[at], s[84:85]\n\t" CURSOR_STEP("%[size]", "1")
			: [at] "=&s"(at)
			: [size] "s"(dev_scalar32(size))
			: CURSOR_CALL, CURSOR_CHANGES);
		return at;
	}
	__asm__ volatile("s_sub_u32 s86, s86, %1\n\ts_cselect_b32 %0, 1, 0"
			 : "=s"(full)
			 : "s"(dev_scalar32(size))
			 : CURSOR_CHANGES);
	if (dev_uniform32(full)) {
		__probe_dev_ring_refill(size, 1);
		__asm__ volatile("s_mov_b32 %0, s92" : "=s"(room));
		if (!dev_uniform32(room))
			return 0;
	}
	__asm__ volatile("s_mov_b64 %0, s[84:85]\n\ts_add_u32 s84, s84, %1\n\t"
			 "s_addc_u32 s85, s85, 0\n\ts_add_u32 s87, s87, 1"
			 : "=&s"(at)
			 : "s"(dev_scalar32(size))
			 : CURSOR_CHANGES);
	return at;
}

/* What a wave begins with. */
struct cursor_start {
	const void *refill;
	uint64_t at, head_offset, rows, exec; /* head_offset: s[78:79] */
	uint64_t state;
	uint32_t left, mode;
};

DEV_INLINE void cursor_set(const struct cursor_start *start)
{
	uint32_t mode;

	__asm__ volatile(
		"s_mov_b64 s[78:79], %[head_offset]\n\t"
		"s_mov_b64 s[80:81], %[exec]\n\t"
		"s_mov_b64 s[82:83], %[rows]\n\t"
		"s_mov_b64 s[84:85], %[at]\n\t"
		"s_mov_b32 s86, %[left]\n\t"
		"s_mov_b32 s87, 0\n\t"
		"s_mov_b64 s[88:89], %[refill]\n\t"
		"s_mov_b64 s[90:91], %[state]\n\t"
		"s_mov_b32 s92, 2\n\t"
		"s_mov_b32 s93, %[mode]"
		: CURSOR_LAST(mode)
		: [head_offset] "s"(dev_scalar64(start->head_offset)),
		  [exec] "s"(dev_scalar64(start->exec)), [rows] "s"(dev_scalar64(start->rows)),
		  [at] "s"(dev_scalar64(start->at)), [left] "s"(dev_scalar32(start->left)),
		  [refill] "s"(start->refill), [state] "s"(dev_scalar64(start->state)),
		  [mode] "s"(dev_scalar32(start->mode))
		: CURSOR_CHANGES);
	(void)mode;
}

/* The head that says of all that is written that it is. */
DEV_INLINE uint64_t cursor_head(void)
{
	uint64_t at, head_offset;

	__asm__ volatile("s_mov_b64 %0, s[84:85]" : "=s"(at));
	__asm__ volatile("s_mov_b64 %0, s[78:79]" : "=s"(head_offset));
	return at + head_offset;
}

/* The first word of a trace ring's state as this wave leaves it. */
DEV_INLINE uint64_t cursor_word(void)
{
	uint32_t at, room;

	__asm__ volatile("s_mov_b32 %0, s84\n\ts_or_b32 %1, s86, 1"
			 : "=&s"(at), "=&s"(room)
			 :
			 : "scc");
	return dev_join(at, room);
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
 * What a wave of gfx9 looks at before it claims a ring in the time kind. struct probe_ctx:
 * ring_states in s[40:41], ring_heads, ring_data, ring_mask and ring_size behind; dispatch in
 * s[52:53], rows in s[54:55]: not this way if the filter leaves out anything. HW_ID in s58;
 * dev_place() in s59 as gfx90a has it: waves of others begin their search at places that some
 * share. EXEC goes to `exec`.
 */
/* clang-format off */
#define CURSOR_LOOK(exec)                                                                          \
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
	"s_cbranch_scc1 .Lprobe_not%=\n\t"
/* clang-format on */

#endif
