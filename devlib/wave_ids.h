/* SPDX-License-Identifier: MIT */
/*
 * Lanes and identifiers of a wave: freestanding C for gfx9, 64 lanes, any EXEC. With DEV_PORTABLE
 * (32 or 64) it is code for waves of that many lanes on any target (portable_probe.h), and
 * functions that only gfx9 supports are missing. With DEV_IN_WAVE64 as well, the 32 lanes are the
 * lower half of a wave64 whose upper half is inactive, which tests wave32 code without an RDNA GPU.
 *
 * Masks are 64-bit scalars with one bit per lane. A function with a parameter `mask` works on that
 * subset of the active lanes, and returns the same scalar in all of them. No function writes to
 * registers of inactive lanes, because code after a reconvergence may need them.
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

/*
 * A probe's constant `shape`: bytes per unit in bits 7:0, units in bits 15:8, and these flags
 * (llvm-plugin/kinds/memory_kind.c).
 */
enum {
	SHAPE_STORE = 1 << 16,
	SHAPE_UNALIGNED = 1 << 17, /* a unit may cross the end of a cache line */
	SHAPE_LDS = 1 << 18,
	SHAPE_FLAT = 1 << 19,
	SHAPE_ATOMIC = 1 << 20,
	SHAPE_LATER_UNIT = 1 << 23, /* not the access's first unit: no new execution */
	SHAPE_STRADDLING = 1 << 25, /* unaligned, and a unit crosses the end of a cache line */
	SHAPE_MORE_ROWS = 1 << 24, /* further rows may receive the same counts (measure_access.h) */
};

#ifdef DEV_PORTABLE
#define DEV_LANES DEV_PORTABLE
#else
#define DEV_LANES 64
#endif

/* clang 15 has no builtin; the asm label turns the declaration into the intrinsic. */
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

/* Not ballot(true): LLVM 15 crashes in SIOptimizeExecMaskingPreRA if EXEC itself is compared. */
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
 * Index of the lowest lane of a mask that is not 0. Inline asm would take one instruction instead
 * of four, but cannot use a mask that the back end holds in vector registers.
 */
DEV_INLINE uint32_t dev_first(uint64_t mask)
{
	return (uint32_t)__builtin_ctzll(mask);
}

DEV_INLINE uint32_t dev_lane(void)
{
	return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

/* Number of lanes of `mask` below the own lane. */
DEV_INLINE uint32_t dev_rank(uint64_t mask)
{
	return __builtin_amdgcn_mbcnt_hi((uint32_t)(mask >> 32),
					 __builtin_amdgcn_mbcnt_lo((uint32_t)mask, 0));
}

/* A register pair, instead of shifts and an or. */
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
 * Make a scalar usable as an operand of asm. -O3 moves scalar arithmetic into branches, and the phi
 * of the results is then in vector registers; it does not move convergent operations. The back end
 * folds the operation if the value is in scalar registers already.
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
 * LLVM 16 and 17 mistake the builtin for one of their own spills
 * (SIFrameLowering::determineCalleeSaves), and save the register on a stack, which shared functions
 * do not have.
 */
#if __clang_major__ == 16 || __clang_major__ == 17
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
/* The value in the lane below (DPP wave_shr:1); 0 if that lane is inactive. */
DEV_INLINE uint32_t dev_below32(uint32_t value)
{
	return (uint32_t)__builtin_amdgcn_update_dpp(0, (int)value, 0x138, 0xf, 0xf, true);
}

DEV_INLINE uint64_t dev_below64(uint64_t value)
{
	return dev_join(dev_below32((uint32_t)value), dev_below32((uint32_t)(value >> 32)));
}
#endif

/* Write `value` to one lane, which must be active; the other lanes keep `old`. */
uint32_t dev_write_intrinsic(uint32_t value, uint32_t lane,
			     uint32_t old) __asm__("llvm.amdgcn.writelane")
	__attribute__((convergent, const));

DEV_INLINE uint32_t dev_write32(uint32_t old, uint32_t lane, uint32_t value)
{
	return dev_write_intrinsic(value, lane, old);
}

#ifndef DEV_PORTABLE
/* The value in lane `lane`, which must be active and may differ between lanes. */
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
#define DEV_STAMPS(optnone)	 true
#define DEV_OPTNONE(optnone)	 (optnone)
#define DEV_SCALAR32(arg)	 (arg)
#define DEV_SCALAR_CTX(ctx)	 (ctx)
#define DEV_SCALAR_CODE(address) (address)

/* For asm: EXEC, the type of a mask, a register for it, a stamp's clock and first word, a call. */
#define DEV_EXEC		 "exec"
#define DEV_MASK_TYPE		 "b64"
#define DEV_SAVED_EXEC		 "s[6:7]"
#define DEV_VMEM_HAZARD
#define DEV_CLOCK(to)	 "s_memtime " to "\n\t"
#define DEV_WORD0(word0) "i"(word0)
#define DEV_CALL(code)	 "s_swappc_b64 s[30:31], " code "\n\t"
#define DEV_CALL_CLOBBERS

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

/* s_memtime: the clock of stamps. */
DEV_INLINE uint64_t dev_clock(void)
{
	return __builtin_readcyclecounter();
}
#endif

/* Index of the wave slot on the GPU; the fields that change fastest are in the lowest bits. */
DEV_INLINE uint32_t dev_wave_slot(uint32_t hw_id)
{
	uint32_t wave = hw_id & 0xf, simd = hw_id >> 4 & 3, cu = hw_id >> 8 & 0xf,
		 sh = hw_id >> 12 & 1, se = hw_id >> 13 & 7;

	/*
	 * gfx90a has 4096 wave slots. Bit 3 of the wave and the shader array are always 0 there and
	 * on later targets, and therefore become the highest bits.
	 */
	return (wave & 7) | simd << 3 | cu << 5 | se << 9 | (wave >> 3) << 12 | sh << 13;
}

#endif
