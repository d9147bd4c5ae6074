/* SPDX-License-Identifier: MIT */
/*
 * Portable probes: the target-dependent functions of the device library, for waves of DEV_PORTABLE
 * lanes on gfx9, gfx10 and gfx11. They use no asm of a single target, and reserve no registers
 * except those of ring_cursor.h. The pass replaces calls of __probe_dev_target() by a constant, and
 * code for other targets is eliminated before the back end sees it.
 *
 * The number of lanes is appended to the name of each function.
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
#define __probe_dev_count_optnone DEV_NAME(count_optnone)
#define __probe_dev_select	  DEV_NAME(select)

/*
 * All functions except stamps are called, never inlined, and receive arguments in vector registers.
 * Stamps are called, too, if the `time` kind was not requested for the kernel (ring_cursor.h,
 * `optnone`).
 */
#define DEV_STAMPS(optnone)	 (optnone)
#define DEV_OPTNONE(optnone)	 ((void)(optnone), 1u)
#define DEV_SCALAR32(arg)	 dev_uniform32(arg)
#define DEV_SCALAR_CTX(ctx)	 ((const struct probe_ctx DEV_CONSTANT *)dev_uniform64((uint64_t)(ctx)))
#define DEV_SCALAR_CODE(address) ((void *)dev_uniform64((uint64_t)(address)))

/* See wave_ids.h. */
#if DEV_LANES == 32
#define DEV_EXEC       "exec_lo"
#define DEV_MASK_TYPE  "b32"
#define DEV_SAVED_EXEC "s6"
#else
#define DEV_EXEC       "exec"
#define DEV_MASK_TYPE  "b64"
#define DEV_SAVED_EXEC "s[6:7]"
#endif
#define DEV_WORD0(word0) "v"(word0)

/* On gfx11 a callee may overwrite s0 to s3; on other targets these describe the stack. */
#define DEV_CALL(code)                                                                             \
	"s_mov_b64 s[38:39], s[0:1]\n\t"                                                           \
	"s_mov_b64 s[40:41], s[2:3]\n\t"                                                           \
	"s_swappc_b64 s[30:31], " code "\n\t"                                                      \
	"s_mov_b64 s[0:1], s[38:39]\n\t"                                                           \
	"s_mov_b64 s[2:3], s[40:41]\n\t"
#define DEV_CALL_CLOBBERS , "s38", "s39", "s40", "s41"

/*
 * On gfx10 scalar code may overwrite registers that a memory operation has not read yet (LLVM:
 * VMEMtoScalarWriteHazard). The back end does not insert the wait inside of asm.
 */
#define DEV_VMEM_HAZARD                                                                            \
	".if .amdgcn.gfx_generation_number >= 10\n\t"                                              \
	"s_waitcnt_depctr 0xffe3\n\t"                                                              \
	".endif\n\t"

/* See dev_clock(). */
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
 * Registers"): wave 4:0, SIMD 9:8, WGP 13:10, shader array 16, engine 18 and up. The fields are
 * moved to their positions in gfx9's HW_ID (wire_device.h, struct probe_rec_wave).
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
 * The constant clock, 100 MHz. gfx11 has no s_memrealtime, but a message that returns the clock
 * (RDNA 3 ISA document, "S_SENDMSG_RTN": 0x83).
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
 * The clock of stamps. gfx11 exposes only 20 bits of its shader clock (SHADER_CYCLES), which wrap
 * in half a millisecond. Stamps use the constant clock there, in steps of 10 ns.
 */
DEV_INLINE uint64_t dev_clock(void)
{
	/* Not __builtin_readcyclecounter(), which is SHADER_CYCLES on gfx10.3. */
	return __probe_dev_target() < 11 ? __builtin_amdgcn_s_memtime() : dev_real_time();
}

#endif
