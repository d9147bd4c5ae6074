/* SPDX-License-Identifier: MIT */
/*
 * The wave as the device library sees it: freestanding C for gfx9, 64 lanes, any EXEC. Built with
 * DEV_PORTABLE, 32 or 64, it is a wave of that many lanes of any target (portable_probe.h), and
 * what only gfx9 can do is not there. With DEV_IN_WAVE64 too, the 32 lanes are the lower half of a
 * wave of 64 whose upper half is not active: how they are tested without RDNA.
 *
 * Masks are 64-bit scalars, one bit per lane. A function that takes `mask` works for that subset of
 * the active lanes and returns the same scalars in all of them. Nothing here writes to a lane that
 * is not active: what an inactive lane holds may be needed after the lanes join again.
 */
#ifndef PROBE_DEVLIB_WAVE_IDS_H
#define PROBE_DEVLIB_WAVE_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#define DEV_INLINE static inline __attribute__((always_inline))
#define DEV_ENTRY  __attribute__((always_inline, visibility("hidden")))
#define DEV_SHARED __attribute__((noinline, visibility("hidden")))

#define DEV_CONSTANT __attribute__((address_space(4)))
#define DEV_GLOBAL   __attribute__((address_space(1)))
#define DEV_FLAT     __attribute__((address_space(0)))

/* Bits of a probe's constant `shape`: unit, units << 8, and these (llvm-plugin/kinds/memory_kind.c). */
enum {
	SHAPE_STORE = 1 << 16,
	SHAPE_UNALIGNED = 1 << 17, /* a unit may straddle a line */
	SHAPE_LDS = 1 << 18,
	SHAPE_FLAT = 1 << 19,
	SHAPE_ATOMIC = 1 << 20,
	SHAPE_MORE = 1 << 23, /* a unit behind the first: not another execution */
	SHAPE_ALSO = 1 << 24, /* other rows may count the same (measure_access.h) */
};

#ifdef DEV_PORTABLE
#define DEV_LANES DEV_PORTABLE
#else
#define DEV_LANES 64
#endif

/* clang-15 has no builtin for it; the asm label makes it the intrinsic. */
#if DEV_LANES == 32 && !defined(DEV_IN_WAVE64)
uint32_t dev_ballot_intrinsic(bool) __asm__("llvm.amdgcn.ballot.i32")
	__attribute__((convergent, const));
#else
uint64_t dev_ballot_intrinsic(bool) __asm__("llvm.amdgcn.ballot.i64")
	__attribute__((convergent, const));
#endif

DEV_INLINE uint64_t dev_ballot(bool value)
{
	return dev_ballot_intrinsic(value);
}

/* Not ballot(true): LLVM 15 dies in SIOptimizeExecMaskingPreRA where EXEC itself is compared. */
DEV_INLINE uint64_t dev_exec(void)
{
#if DEV_LANES == 32 && !defined(DEV_IN_WAVE64)
	uint32_t exec;

	__asm__ volatile("s_mov_b32 %0, exec_lo" : "=s"(exec));
#else
	uint64_t exec;

	__asm__ volatile("s_mov_b64 %0, exec" : "=s"(exec));
#endif
	return exec;
}

DEV_INLINE uint32_t dev_count(uint64_t mask)
{
	return (uint32_t)__builtin_popcountll(mask);
}

/*
 * Index of the lowest lane; mask is not 0. Inline asm would make one instruction of it, not four,
 * but the back end may hold a mask in vector registers, which asm cannot take.
 */
DEV_INLINE uint32_t dev_first(uint64_t mask)
{
	return (uint32_t)__builtin_ctzll(mask);
}

DEV_INLINE uint32_t dev_lane(void)
{
	return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

/* Lanes of mask below the own one. */
DEV_INLINE uint32_t dev_rank(uint64_t mask)
{
	return __builtin_amdgcn_mbcnt_hi((uint32_t)(mask >> 32),
					 __builtin_amdgcn_mbcnt_lo((uint32_t)mask, 0));
}

/* As a pair of registers, not as shifts and an or. */
DEV_INLINE uint64_t dev_join(uint32_t low, uint32_t high)
{
	typedef uint32_t pair __attribute__((vector_size(8)));

	return (uint64_t)(pair){low, high};
}

DEV_INLINE uint32_t dev_uniform32(uint32_t value)
{
	return (uint32_t)__builtin_amdgcn_readfirstlane((int)value);
}

DEV_INLINE uint64_t dev_uniform64(uint64_t value)
{
	return dev_join(dev_uniform32((uint32_t)value), dev_uniform32((uint32_t)(value >> 32)));
}

/*
 * A scalar as an operand of asm. -O3 moves scalar arithmetic to the ends of branches, and what then
 * joins comes in vector registers; it leaves convergent operations where they are. Costs nothing
 * where the value is in scalar registers: the back end folds it.
 */
DEV_INLINE uint32_t dev_scalar32(uint32_t value)
{
	return __builtin_constant_p(value) ? value : dev_uniform32(value);
}

DEV_INLINE uint64_t dev_scalar64(uint64_t value)
{
	return __builtin_constant_p(value) ? value : dev_uniform64(value);
}

/*
 * LLVM 16 takes the builtin for a spill of its own (SIFrameLowering::determineCalleeSaves), and
 * saves what is read on a stack that shared functions do not have.
 */
#if __clang_major__ == 16
DEV_INLINE uint32_t dev_read32(uint32_t value, uint32_t lane)
{
	uint32_t read;

	__asm__("v_readlane_b32 %0, %1, %2" : "=s"(read) : "v"(value), "s"(dev_uniform32(lane)));
	return read;
}
#else
DEV_INLINE uint32_t dev_read32(uint32_t value, uint32_t lane)
{
	return (uint32_t)__builtin_amdgcn_readlane((int)value, (int)lane);
}
#endif

DEV_INLINE uint64_t dev_read64(uint64_t value, uint32_t lane)
{
	return dev_join(dev_read32((uint32_t)value, lane),
			dev_read32((uint32_t)(value >> 32), lane));
}

#ifndef DEV_PORTABLE
/* The value of the lane below (DPP wave_shr:1); 0 if that lane is not active. */
DEV_INLINE uint32_t dev_below32(uint32_t value)
{
	return (uint32_t)__builtin_amdgcn_update_dpp(0, (int)value, 0x138, 0xf, 0xf, true);
}

DEV_INLINE uint64_t dev_below64(uint64_t value)
{
	return dev_join(dev_below32((uint32_t)value), dev_below32((uint32_t)(value >> 32)));
}
#endif

/* `value` for one lane, the others keep theirs. Only where that lane is known to be active. */
uint32_t dev_write_intrinsic(uint32_t value, uint32_t lane,
			     uint32_t old) __asm__("llvm.amdgcn.writelane")
	__attribute__((convergent, const));

DEV_INLINE uint32_t dev_write32(uint32_t old, uint32_t lane, uint32_t value)
{
	return dev_write_intrinsic(value, lane, old);
}

#ifndef DEV_PORTABLE
/* The value of an active lane of one's own choice. */
DEV_INLINE uint64_t dev_permute64(uint64_t value, uint32_t lane)
{
	int at = (int)(lane * 4);
	uint32_t low = (uint32_t)__builtin_amdgcn_ds_bpermute(at, (int)(uint32_t)value);
	uint32_t high = (uint32_t)__builtin_amdgcn_ds_bpermute(at, (int)(uint32_t)(value >> 32));

	return dev_join(low, high);
}
#endif

#ifdef DEV_PORTABLE
#include "devlib/portable_probe.h"
#else
#define DEV_STAMPS(plain)	 true
#define DEV_PLAIN(plain)	 (plain)
#define DEV_SCALAR32(arg)	 (arg)
#define DEV_SCALAR_CTX(ctx)	 (ctx)
#define DEV_SCALAR_CODE(address) (address)

/* In asm: a wave's mask, its width, where it is kept, a stamp's clock and first word, a call. */
#define DEV_EXEC		 "exec"
#define DEV_B			 "b64"
#define DEV_S67			 "s[6:7]"
#define DEV_SETTLE
#define DEV_CLOCK(to)	"s_memtime " to "\n\t"
#define DEV_WORD(word0) "i"(word0)
#define DEV_SWAP(code)	"s_swappc_b64 s[30:31], " code "\n\t"
#define DEV_SWAP_CHANGES

/* HW_ID: gfx9 hardware register 4. Wave 3:0, SIMD 5:4, CU 11:8, SH 12, SE 15:13. */
DEV_INLINE uint32_t dev_hw_id(void)
{
	return __builtin_amdgcn_s_getreg(4 | 0 << 6 | 31 << 11);
}

/* s_memrealtime: the constant clock. */
DEV_INLINE uint64_t dev_real_time(void)
{
	return __builtin_amdgcn_s_memrealtime();
}

/* s_memtime: what stamps tell. */
DEV_INLINE uint64_t dev_clock(void)
{
	return __builtin_readcyclecounter();
}
#endif

/* The place of a wave as a small number, the fastest-changing parts lowest. */
DEV_INLINE uint32_t dev_place(uint32_t hw_id)
{
	uint32_t wave = hw_id & 0xf, simd = hw_id >> 4 & 3, cu = hw_id >> 8 & 0xf,
		 sh = hw_id >> 12 & 1, se = hw_id >> 13 & 7;

	/*
	 * 4096 places of a gfx90a. Bit 3 of the wave slot and the shader array are always 0 there
	 * and in later ones, so they count above all else.
	 */
	return (wave & 7) | simd << 3 | cu << 5 | se << 9 | (wave >> 3) << 12 | sh << 13;
}

#endif
