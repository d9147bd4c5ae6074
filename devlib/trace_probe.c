/* SPDX-License-Identifier: MIT */
/* The `trace` kind records every address (wire_device.h section 5). */
#include "devlib/lane_affine.h"
#include "devlib/ring_refill.h"

typedef uint64_t DEV_GLOBAL dev_word;

/* Size of the largest record of one access: 64 addresses of 8 bytes. */
#define ACCESS_RECORD_MAX 544

/* Form and contents of a record, in few scalar registers. */
struct record_plan {
	uint64_t exec, base;
	uint32_t form, size, stride;
};

DEV_INLINE struct record_plan plan_record(uint64_t address, uint64_t exec)
{
	struct dev_affine affine;
	struct record_plan plan = {.exec = exec};
	uint32_t lanes = dev_count(exec);

	affine = dev_affine_any(address, exec);
	plan.base = affine.base;
	__asm__("" : "+v"(plan.base)); /* scalar registers are scarce here */
	plan.stride = (uint32_t)affine.stride;
	if (affine.is_affine) {
		plan.form = PROBE_FORM_AFFINE;
		plan.size = sizeof(struct probe_rec_affine);
		return plan;
	}
	int64_t offset = (int64_t)(address - affine.base);

	if (!dev_ballot(offset != (int32_t)offset)) {
		plan.form = PROBE_FORM_NEAR;
		plan.size = sizeof(struct probe_rec_lanes) + ((lanes * 4 + 7) & ~7u);
		return plan;
	}
	plan.form = PROBE_FORM_FULL;
	plan.size = sizeof(struct probe_rec_lanes) + lanes * 8;
	return plan;
}

/* The addresses of a NEAR or FULL record. An odd number of offsets is padded with 0. */
DEV_INLINE void write_lanes(uint64_t at, uint64_t address, const struct record_plan *plan)
{
	uint32_t rank = dev_rank(plan->exec), lanes = dev_count(plan->exec);

	at += sizeof(struct probe_rec_lanes);
	if (plan->form == PROBE_FORM_FULL) {
		*(dev_word *)(at + rank * 8) = address;
		return;
	}
	uint32_t DEV_GLOBAL *offset = (uint32_t DEV_GLOBAL *)(at + rank * 4);

	offset[0] = (uint32_t)(address - plan->base);
	if (lanes & 1 && rank == lanes - 1)
		offset[1] = 0;
}

/*
 * Write a record for any EXEC and any addresses of one base. The caller has reserved
 * ACCESS_RECORD_MAX bytes. Uses few scalar registers and no stack.
 */
DEV_SHARED void __probe_dev_trace_any(uint64_t address, uint32_t site, uint32_t accesses)
{
	struct record_plan plan = plan_record(address, dev_exec());
	uint64_t at;

	__asm__ volatile("s_mov_b64 %0, s[84:85]" : "=s"(at));
	if (plan.form != PROBE_FORM_AFFINE)
		write_lanes(at, address, &plan);
	if (dev_is_leader(dev_first(plan.exec))) {
		/* The second word is the stride of an affine record, the size of the others. */
		dev_word *record = (dev_word *)at;
		uint32_t second = plan.form == PROBE_FORM_AFFINE ? plan.stride : plan.size;

		record[0] = dev_join(site | plan.form << PROBE_FORM_SHIFT, second);
		record[1] = plan.exec;
		record[2] = plan.form == PROBE_FORM_FULL ? 0 : plan.base;
	}
	__asm__ volatile("s_add_u32 s84, s84, %0\n\t"
			 "s_addc_u32 s85, s85, 0\n\t"
			 "s_sub_u32 s86, s86, %0\n\t"
			 "s_add_u32 s87, s87, %1"
			 :
			 : "s"(dev_scalar32(plan.size)), "s"(dev_scalar32(accesses))
			 : CURSOR_CLOBBERS);
}

/* For unoptimised and portable code, which calls both functions by the usual convention. */
DEV_ENTRY void __probe_dev_trace_site(uint64_t address, uint32_t site, uint32_t accesses)
{
	uint32_t free_bytes, fits;

	__asm__ volatile("s_mov_b32 %0, s86" : "=s"(free_bytes));
	if (dev_uniform32(free_bytes) < ACCESS_RECORD_MAX) {
		__probe_dev_ring_refill(ACCESS_RECORD_MAX, accesses);
		__asm__ volatile("s_mov_b32 %0, s92" : "=s"(fits));
		if (!dev_uniform32(fits))
			return;
		__asm__ volatile("s_add_u32 s86, s86, %0"
				 :
				 : "i"(ACCESS_RECORD_MAX)
				 : CURSOR_CLOBBERS);
	}
	__probe_dev_trace_any(address, site, accesses);
}

#ifndef DEV_PORTABLE
/* s92 when __probe_dev_trace_call() is called; lower values: __probe_dev_ring_refill(). */
#define CALL_EXEC 4 /* write an EXEC record if EXEC has changed */
#define CALL_BASE 5 /* the same, and then the record of one base */

/* Values of `base` across the refill; its upper byte, a number of accesses, is less than 128. */
#define CALL_REFILL    0xffffffffu /* no record: refill only */
#define CALL_EXEC_ONLY 0x80000000u /* CALL_EXEC */

/*
 * Start of the fast path. The first call stores this address in s[88:89], so that later calls skip
 * the function's prologue, in which LLVM waits for all memory operations.
 */
#define CALL_ENTRY                                                                                 \
	"s_getpc_b64 s[88:89]\n\t"                                                                 \
	"s_add_u32 s88, s88, 8\n\t"                                                                \
	"s_addc_u32 s89, s89, 0\n\t"                                                               \
	"s_cmp_lt_u32 s92, %[call_min]\n\t"                                                        \
	"s_cbranch_scc1 .Lprobe_refill%=\n\t"                                                      \
	"s_cmp_lt_u32 s86, %[record_max]\n\t"                                                      \
	"s_cbranch_scc1 .Lprobe_refill%=\n\t"

/*
 * Write an EXEC record if EXEC differs from the last one. Sets v3 to 0 and s[8:9] to the address in
 * the first active lane.
 */
#define CALL_WRITE_EXEC                                                                            \
	"v_mov_b32 v3, 0\n\t"                                                                      \
	"s_mov_b64 s[4:5], exec\n\t"                                                               \
	"s_cmp_eq_u64 s[4:5], s[80:81]\n\t"                                                        \
	"s_cbranch_scc1 .Lprobe_exec_written%=\n\t"                                                \
	"v_mov_b32 v4, %[exec]\n\t"                                                                \
	"v_mov_b32 v5, 0\n\t"                                                                      \
	"v_lshlrev_b64 v[6:7], 0, s[4:5]\n\t"                                                      \
	"global_store_dwordx4 v3, v[4:7], s[84:85]\n\t"                                            \
	"s_mov_b64 s[80:81], s[4:5]\n\t"                                                           \
	"s_add_u32 s84, s84, 16\n\t"                                                               \
	"s_sub_u32 s86, s86, 16\n"                                                                 \
	".Lprobe_exec_written%=:\n\t"                                                              \
	"s_cmp_eq_u32 s92, %[call_min]\n\t"                                                        \
	"s_cbranch_scc1 .Lprobe_done%=\n\t"                                                        \
	"v_and_b32 v2, 0xffffff, v2\n\t"                                                           \
	"v_readfirstlane_b32 s8, v0\n\t"                                                           \
	"v_readfirstlane_b32 s9, v1\n\t"

/*
 * Write STRIDE if the two lowest active lanes are neighbours and their stride fits all active
 * lanes. All lanes store the same words.
 */
#define CALL_WRITE_STRIDE                                                                          \
	"s_ff1_i32_b64 s6, exec\n\t"                                                               \
	"s_add_u32 s7, s6, 1\n\t"                                                                  \
	"s_bitcmp1_b64 exec, s7\n\t"                                                               \
	"s_cbranch_scc0 .Lprobe_low%=\n\t"                                                         \
	"v_readlane_b32 s10, v0, s7\n\t"                                                           \
	"s_sub_u32 s10, s10, s8\n\t"                                                               \
	"v_mbcnt_lo_u32_b32 v4, -1, 0\n\t"                                                         \
	"v_mbcnt_hi_u32_b32 v4, -1, v4\n\t"                                                        \
	"v_subrev_u32 v4, s6, v4\n\t"                                                              \
	"v_mov_b32 v5, s10\n\t"                                                                    \
	"v_mad_i64_i32 v[6:7], vcc, v4, v5, s[8:9]\n\t"                                            \
	"v_cmp_ne_u64 vcc, v[6:7], v[0:1]\n\t"                                                     \
	"s_cbranch_vccnz .Lprobe_low%=\n\t"                                                        \
	"v_or_b32 v4, %[stride], v2\n\t"                                                           \
	"v_lshlrev_b64 v[6:7], 0, s[8:9]\n\t"                                                      \
	"global_store_dwordx4 v3, v[4:7], s[84:85]\n\t"                                            \
	"s_mov_b32 s6, 16\n\t"                                                                     \
	"s_branch .Lprobe_step%=\n"

/*
 * Else write HALF if the addresses differ in the lower 16 bits only and the bits above fit into 32;
 * LOW if their upper halves are equal; WHOLE otherwise.
 */
#define CALL_WRITE_LANES                                                                           \
	".Lprobe_low%=:\n\t"                                                                       \
	"v_mbcnt_lo_u32_b32 v4, exec_lo, 0\n\t"                                                    \
	"v_mbcnt_hi_u32_b32 v4, exec_hi, v4\n\t"                                                   \
	"s_bcnt1_i32_b64 s6, exec\n\t"                                                             \
	"s_lshr_b32 s10, s9, 16\n\t"                                                               \
	"s_cbranch_scc1 .Lprobe_words%=\n\t"                                                       \
	"v_alignbit_b32 v7, v1, v0, 16\n\t"                                                        \
	"v_readfirstlane_b32 s10, v7\n\t"                                                          \
	"v_cmp_ne_u32 vcc, s10, v7\n\t"                                                            \
	"s_cbranch_vccnz .Lprobe_words%=\n\t"                                                      \
	"v_or_b32 v6, %[half], v2\n\t"                                                             \
	"v_lshlrev_b32 v4, 1, v4\n\t"                                                              \
	"global_store_dwordx2 v3, v[6:7], s[84:85]\n\t"                                            \
	"global_store_short v4, v0, s[84:85] offset:8\n\t"                                         \
	"s_lshl1_add_u32 s6, s6, 15\n\t"                                                           \
	"s_and_b32 s6, s6, -8\n\t"                                                                 \
	"s_branch .Lprobe_step%=\n"                                                                \
	".Lprobe_words%=:\n\t"                                                                     \
	"v_mov_b32 v7, s9\n\t"                                                                     \
	"v_cmp_ne_u32 vcc, s9, v1\n\t"                                                             \
	"s_cbranch_vccnz .Lprobe_whole%=\n\t"                                                      \
	"v_or_b32 v6, %[low], v2\n\t"                                                              \
	"v_lshlrev_b32 v4, 2, v4\n\t"                                                              \
	"global_store_dwordx2 v3, v[6:7], s[84:85]\n\t"                                            \
	"global_store_dword v4, v0, s[84:85] offset:8\n\t"                                         \
	"s_lshl2_add_u32 s6, s6, 12\n\t"                                                           \
	"s_and_b32 s6, s6, -8\n\t"                                                                 \
	"s_branch .Lprobe_step%=\n"                                                                \
	".Lprobe_whole%=:\n\t"                                                                     \
	"v_or_b32 v6, %[whole], v2\n\t"                                                            \
	"v_lshlrev_b32 v4, 3, v4\n\t"                                                              \
	"global_store_dwordx2 v3, v[6:7], s[84:85]\n\t"                                            \
	"global_store_dwordx2 v4, v[0:1], s[84:85] offset:8\n\t"                                   \
	"s_lshl3_add_u32 s6, s6, 8\n"                                                              \
	".Lprobe_step%=:\n\t"                                                                      \
	"s_add_u32 s84, s84, s6\n\t"                                                               \
	"s_sub_u32 s86, s86, s6\n"                                                                 \
	".Lprobe_done%=:\n\t"                                                                      \
	"s_mov_b32 s92, 1\n\t"                                                                     \
	"s_setpc_b64 s[30:31]\n"                                                                   \
	".Lprobe_refill%=:\n\t"                                                                    \
	"s_waitcnt vmcnt(0) lgkmcnt(0)"

/*
 * The slow path of optimised code. Arguments for CALL_EXEC and CALL_BASE: v[0:1] is the address, v2
 * the id of the base, with the number of accesses that it stands for in bits 24 and up. For a
 * refill: v0 is the size in bytes, v1 the number of records.
 */
DEV_SHARED void __probe_dev_trace_call(uint64_t address, uint32_t base)
{
	uint32_t what, fits, bytes, records;
	bool call;

	/* Must come first: later calls enter the function here. */
	__asm__ volatile(CALL_ENTRY CALL_WRITE_EXEC CALL_WRITE_STRIDE CALL_WRITE_LANES
			 : "+{v[0:1]}"(address), "+{v2}"(base)
			 : [call_min] "i"(CALL_EXEC), [record_max] "i"(ACCESS_RECORD_MAX),
			   [exec] "i"(PROBE_FORM_EXEC << PROBE_FORM_SHIFT),
			   [stride] "i"(PROBE_FORM_STRIDE << PROBE_FORM_SHIFT),
			   [half] "i"(PROBE_FORM_HALF << PROBE_FORM_SHIFT),
			   [low] "i"(PROBE_FORM_LOW << PROBE_FORM_SHIFT),
			   [whole] "i"(PROBE_FORM_WHOLE << PROBE_FORM_SHIFT)
			 : "s4", "s5", "s6", "s7", "s8", "s9", "s10", "vcc", "v3", "v4", "v5", "v6",
			   "v7", CURSOR_CLOBBERS);
	__asm__ volatile("s_mov_b32 %0, s92" : "=s"(what));
	call = what >= CALL_EXEC;
	bytes = call ? ACCESS_RECORD_MAX : dev_uniform32((uint32_t)address);
	records = call ? dev_uniform32(base) >> 24 : dev_uniform32((uint32_t)(address >> 32));
	/* The request is kept in a vector register: scalar registers are scarce here. */
	base = !call ? CALL_REFILL : what == CALL_EXEC ? base | CALL_EXEC_ONLY : base;
	__asm__ volatile("" : "+v"(base));
	ring_refill(bytes, records);
	__asm__ volatile("s_mov_b32 %0, s92" : "=s"(fits));
	what = dev_uniform32(base);
	if (what == CALL_REFILL || !fits)
		return;
	base &= ~CALL_EXEC_ONLY;
	what = what & CALL_EXEC_ONLY ? CALL_EXEC : CALL_BASE;
	__asm__ volatile(
		"s_add_u32 s86, s86, %[record_max]\n\t"
		"s_mov_b32 s92, %[what]\n\t"
		"s_setpc_b64 s[88:89]"
		:
		: "{v[0:1]}"(address),
		  "{v2}"(base), [record_max] "i"(ACCESS_RECORD_MAX), [what] "s"(dev_scalar32(what))
		: CURSOR_CLOBBERS);
}

/*
 * With all 64 lanes active: 0 in the lanes whose address a BLOCK record can extrapolate from the
 * two lanes below (struct probe_rec_block). An LDS address has no upper half.
 */
DEV_ENTRY uint32_t __probe_dev_trace_irregular(uint64_t address)
{
	uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32);
	uint32_t step = low - dev_below32(low);

	return (step - dev_below32(step)) | (high ^ dev_below32(high));
}

DEV_ENTRY uint32_t __probe_dev_trace_irregular_lds(uint32_t address)
{
	uint32_t step = address - dev_below32(address);

	return step - dev_below32(step);
}

/*
 * Write one BLOCK record for all bases of a block, if all lanes are active and each lane without a
 * stored address can be extrapolated. Otherwise write one record per base. v0: offset of a lane's
 * addresses.
 */
#define BLOCK_BEGIN(count)                                                                         \
	"v_cmp_ne_u32 vcc, 0, %[irregular]\n\t"                                                    \
	"s_andn2_b64 s[4:5], vcc, s[82:83]\n\t"                                                    \
	"s_orn2_b64 s[4:5], s[4:5], exec\n\t"                                                      \
	"s_cbranch_scc1 .Lprobe_each%=\n\t"                                                        \
	"s_bcnt1_i32_b64 s6, s[82:83]\n\t"                                                         \
	"s_mul_i32 s6, s6, 8*" #count "\n\t"                                                       \
	"s_add_u32 s6, s6, 8\n\t"                                                                  \
	"s_sub_u32 s86, s86, s6\n\t"                                                               \
	"s_cbranch_scc1 .Lprobe_full%=\n"                                                          \
	".Lprobe_fits%=:\n\t"                                                                      \
	"s_mov_b64 exec, s[82:83]\n\t"                                                             \
	"v_mbcnt_lo_u32_b32 v0, s82, 0\n\t"                                                        \
	"v_mbcnt_hi_u32_b32 v0, s83, v0\n\t"                                                       \
	"v_mul_u32_u24 v0, 8*" #count ", v0\n\t"                                                   \
	"v_mov_b32 v1, 0\n\t"                                                                      \
	"v_mov_b32 v2, %[word0]\n\t"                                                               \
	"v_mov_b32 v3, " #count "\n\t"                                                             \
	"global_store_dwordx2 v1, v[2:3], s[84:85]\n\t"

#define BLOCK_STORE(n) "global_store_dwordx2 v0, %[a" #n "], s[84:85] offset:8+8*" #n "\n\t"

/* The call clobbers s6, so that the size is computed again. */
#define BLOCK_END(count)                                                                           \
	"s_mov_b64 exec, -1\n\t"                                                                   \
	"s_add_u32 s84, s84, s6\n\t"                                                               \
	"s_branch .Lprobe_end%=\n"                                                                 \
	".Lprobe_full%=:\n\t"                                                                      \
	"v_mov_b32 v0, s6\n\t"                                                                     \
	"v_mov_b32 v1, %[accesses]\n\t"                                                            \
	"s_swappc_b64 s[30:31], s[88:89]\n\t"                                                      \
	"s_bcnt1_i32_b64 s6, s[82:83]\n\t"                                                         \
	"s_mul_i32 s6, s6, 8*" #count "\n\t"                                                       \
	"s_add_u32 s6, s6, 8\n\t"                                                                  \
	"s_cmp_eq_u32 s92, 0\n\t"                                                                  \
	"s_cbranch_scc0 .Lprobe_fits%=\n\t"                                                        \
	"s_branch .Lprobe_end%=\n"                                                                 \
	".Lprobe_each%=:\n\t"

#define EACH(n)                                                                                    \
	"v_lshlrev_b64 v[0:1], 0, %[a" #n "]\n\t"                                                  \
	"v_mov_b32 v2, (%[n" #n "]<<24)+%[site]+1+" #n "\n\t"                                      \
	"s_mov_b32 s92, 5\n\t"                                                                     \
	"s_swappc_b64 s[30:31], s[88:89]\n\t"

#define BLOCK_LAST ".Lprobe_end%=:"

/* LISTn(X): X(0) to X(n - 1). */
#define LIST1(X) X(0)
#define LIST2(X) LIST1(X) X(1)
#define LIST3(X) LIST2(X) X(2)
#define LIST4(X) LIST3(X) X(3)
#define LIST5(X) LIST4(X) X(4)
#define LIST6(X) LIST5(X) X(5)
#define LIST7(X) LIST6(X) X(6)
#define LIST8(X) LIST7(X) X(7)

#define PARAMETER(n) , uint64_t a##n
#define WEIGHT(i)    , uint32_t n##i
#define OPERAND(i)   , [a##i] "v"(a##i), [n##i] "i"(n##i)

#define BLOCK(count)                                                                               \
	DEV_ENTRY void __probe_dev_trace_block##count(                                             \
		uint32_t site, uint32_t word0, uint32_t accesses,                                  \
		uint32_t irregular LIST##count(WEIGHT) LIST##count(PARAMETER))                     \
	{                                                                                          \
		__asm__ volatile(                                                                  \
			BLOCK_BEGIN(count) LIST##count(BLOCK_STORE) BLOCK_END(count)               \
				LIST##count(EACH) BLOCK_LAST                                       \
			:                                                                          \
			: [irregular] "v"(irregular), [site] "i"(site), [word0] "i"(word0),        \
			  [accesses] "i"(accesses)LIST##count(OPERAND)                             \
			: CURSOR_CALL_CLOBBERS, CURSOR_CLOBBERS);                                  \
	}

BLOCK(1)
BLOCK(2)
BLOCK(3)
BLOCK(4)
BLOCK(5)
BLOCK(6)
BLOCK(7)
BLOCK(8)
#endif

/* The wave has reached a barrier of its workgroup. */
DEV_ENTRY void __probe_dev_trace_barrier(uint32_t optnone)
{
	const uint32_t word0 = PROBE_FORM_BARRIER << PROBE_FORM_SHIFT;

	if (DEV_OPTNONE(optnone)) {
		uint64_t at = cursor_reserve(8, 1);

		if (at && dev_is_leader(dev_first(dev_exec())))
			*(dev_word *)at = word0;
		return;
	}
	__asm__ volatile(
		CURSOR_RESERVE("8", "1") "s_mov_b64 s[6:7], exec\n\t"
					 "s_ff1_i32_b64 s5, exec\n\t"
					 "s_lshl_b64 exec, 1, s5\n\t"
					 "v_mov_b32 v0, %[word0]\n\t"
					 "v_mov_b32 v1, 0\n\t"
					 "global_store_dwordx2 v1, v[0:1], s[84:85]\n\t"
					 "s_mov_b64 exec, s[6:7]\n\t" CURSOR_ADVANCE("8", "1")
		:
		: [word0] "i"(word0)
		: CURSOR_CALL_CLOBBERS, CURSOR_CLOBBERS);
}
