/* SPDX-License-Identifier: MIT */
/*
 * What the device library needs of a target, as code for waves of DEV_PORTABLE lanes of gfx9, gfx10
 * or gfx11: no asm of one target's own, and no registers kept from the compiler but those of
 * ring_cursor.h. Which of them it is, the pass knows: it puts a number in for the call below, and
 * what is for others is dropped before the back end sees it.
 *
 * Each function of the library has its name with the number of lanes behind it.
 */
#ifndef PROBE_DEVLIB_PORTABLE_PROBE_H
#define PROBE_DEVLIB_PORTABLE_PROBE_H

#define DEV_NAME_OF(what, lanes) __probe_dev_##what##_##lanes
#define DEV_NAME_AT(what, lanes) DEV_NAME_OF(what, lanes)
#define DEV_NAME(what)		 DEV_NAME_AT(what, DEV_PORTABLE)

#define __probe_dev_memory_enter  DEV_NAME(memory_enter)
#define __probe_dev_memory_any	  DEV_NAME(memory_any)
#define __probe_dev_cursor_enter  DEV_NAME(cursor_enter)
#define __probe_dev_cursor_exit	  DEV_NAME(cursor_exit)
#define __probe_dev_ring_refill	  DEV_NAME(ring_refill)
#define __probe_dev_trace_any	  DEV_NAME(trace_any)
#define __probe_dev_trace_site	  DEV_NAME(trace_site)
#define __probe_dev_trace_barrier DEV_NAME(trace_barrier)
#define __probe_dev_time_begin	  DEV_NAME(time_begin)
#define __probe_dev_time_end	  DEV_NAME(time_end)
#define __probe_dev_emit_begin	  DEV_NAME(emit_begin)
#define __probe_dev_emit_word	  DEV_NAME(emit_word)
#define __probe_dev_count_block	  DEV_NAME(count_block)
#define __probe_dev_count_plain	  DEV_NAME(count_plain)
#define __probe_dev_select	  DEV_NAME(select)

/*
 * All but stamps is called, never inlined, with arguments in vector registers; `plain` (see
 * ring_cursor.h) where stamps of one kernel were not requested.
 */
#define DEV_STAMPS(plain)	 (plain)
#define DEV_PLAIN(plain)	 ((void)(plain), 1u)
#define DEV_SCALAR32(arg)	 dev_uniform32(arg)
#define DEV_SCALAR_CTX(ctx)	 ((const struct probe_ctx DEV_CONSTANT *)dev_uniform64((uint64_t)(ctx)))
#define DEV_SCALAR_CODE(address) ((void *)dev_uniform64((uint64_t)(address)))

/* As in wave_ids.h. */
#if DEV_LANES == 32
#define DEV_EXEC "exec_lo"
#define DEV_B	 "b32"
#define DEV_S67	 "s6"
#else
#define DEV_EXEC "exec"
#define DEV_B	 "b64"
#define DEV_S67	 "s[6:7]"
#endif
#define DEV_WORD(word0) "v"(word0)

/* On gfx11 functions have s0 to s3 for their own; elsewhere these describe the stack. */
#define DEV_SWAP(code)                                                                             \
	"s_mov_b64 s[38:39], s[0:1]\n\t"                                                           \
	"s_mov_b64 s[40:41], s[2:3]\n\t"                                                           \
	"s_swappc_b64 s[30:31], " code "\n\t"                                                      \
	"s_mov_b64 s[0:1], s[38:39]\n\t"                                                           \
	"s_mov_b64 s[2:3], s[40:41]\n\t"
#define DEV_SWAP_CHANGES , "s38", "s39", "s40", "s41"

/*
 * gfx10 lets scalar code overwrite what a memory operation has yet to read (LLVM:
 * VMEMtoScalarWriteHazard); the back end does not look into asm.
 */
#define DEV_SETTLE                                                                                 \
	".if .amdgcn.gfx_generation_number >= 10\n\t"                                              \
	"s_waitcnt_depctr 0xffe3\n\t"                                                              \
	".endif\n\t"

/* As dev_clock(). */
#define DEV_CLOCK(to)                                                                              \
	".if .amdgcn.gfx_generation_number >= 11\n\t"                                              \
	"s_sendmsg_rtn_b64 " to ", 0x83\n\t"                                                       \
	".else\n\t"                                                                                \
	"s_memtime " to "\n\t"                                                                     \
	".endif\n\t"

/* The generation: 9, 10 or 11. */
uint32_t __probe_dev_target(void) __attribute__((const));

/*
 * HW_ID1, hardware register 23 of gfx10 and gfx11 (RDNA 2 and RDNA 3 ISA documents, "Hardware
 * Registers"): wave 4:0, SIMD 9:8, WGP 13:10, shader array 16, engine 18 and up. Its fields in the
 * places they have in gfx9's HW_ID (wire.h, struct probe_rec_wave).
 */
DEV_INLINE uint32_t dev_hw_id(void)
{
	if (__probe_dev_target() == 9)
		return __builtin_amdgcn_s_getreg(4 | 0 << 6 | 31 << 11);

	uint32_t id = __builtin_amdgcn_s_getreg(23 | 0 << 6 | 31 << 11);

	return (id & 0xf) | (id >> 8 & 3) << 4 | (id >> 10 & 0xf) << 8 | (id >> 16 & 1) << 12 |
	       (id >> 18 & 7) << 13 | (id >> 4 & 1) << 16;
}

/*
 * The constant clock, 100 MHz. gfx11 has no s_memrealtime, but a message that asks for it (RDNA 3
 * ISA document, "S_SENDMSG_RTN": 0x83).
 */
DEV_INLINE uint64_t dev_real_time(void)
{
	uint64_t time;

	if (__probe_dev_target() < 11)
		return __builtin_amdgcn_s_memrealtime();
	__asm__ volatile("s_sendmsg_rtn_b64 %0, 0x83\n\t"
			 "s_waitcnt lgkmcnt(0)"
			 : "=s"(time));
	return time;
}

/*
 * What stamps tell. Of its shader clock gfx11 shows 20 bits (SHADER_CYCLES), which come round in
 * half a millisecond; so there it is the constant clock, in steps of 10 ns.
 */
DEV_INLINE uint64_t dev_clock(void)
{
	/* Not __builtin_readcyclecounter(): on gfx10.3 that is SHADER_CYCLES. */
	return __probe_dev_target() < 11 ? __builtin_amdgcn_s_memtime() : dev_real_time();
}

#endif
