/* SPDX-License-Identifier: MIT */
/* The `trace` kind: every address (wire.h section 5). */
#include "devlib/lane_affine.h"
#include "devlib/ring_refill.h"

typedef uint64_t DEV_GLOBAL dev_word;

/* Room for any record of one access: 64 addresses in full. */
#define ACCESS_MOST 544

/* What a record will be, in few scalars. */
struct plan {
	uint64_t exec, base;
	uint32_t form, size, stride;
};

DEV_INLINE struct plan plan_record(uint64_t address, uint64_t exec)
{
	struct dev_affine affine;
	struct plan plan = {.exec = exec};
	uint32_t lanes = dev_count(exec);

	affine = dev_affine_any(address, exec);
	plan.base = affine.base;
	__asm__("" : "+v"(plan.base)); /* scalar registers are scarce here */
	plan.stride = (uint32_t)affine.stride;
	if (affine.is) {
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

/* The active lanes' part of a record that is not affine. An odd number of offsets ends in a 0. */
DEV_INLINE void write_lanes(uint64_t at, uint64_t address, const struct plan *plan)
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
 * Any EXEC, any addresses of one base; there is room for it. Takes few scalar registers, and no
 * stack.
 */
DEV_SHARED void __probe_dev_trace_any(uint64_t address, uint32_t site, uint32_t accesses)
{
	struct plan plan = plan_record(address, dev_exec());
	uint64_t at;

	__asm__ volatile("s_mov_b64 %0, s[84:85]" : "=s"(at));
	if (plan.form != PROBE_FORM_AFFINE)
		write_lanes(at, address, &plan);
	if (dev_speaks(dev_first(plan.exec))) {
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
			 : CURSOR_CHANGES);
}

/*
 * For code that is not optimised, and portable code: both functions are called as any function is.
 */
DEV_ENTRY void __probe_dev_trace_site(uint64_t address, uint32_t site, uint32_t accesses)
{
	uint32_t left, room;

	__asm__ volatile("s_mov_b32 %0, s86" : "=s"(left));
	if (dev_uniform32(left) < ACCESS_MOST) {
		__probe_dev_ring_refill(ACCESS_MOST, accesses);
		__asm__ volatile("s_mov_b32 %0, s92" : "=s"(room));
		if (!dev_uniform32(room))
			return;
		__asm__ volatile("s_add_u32 s86, s86, %0" : : "i"(ACCESS_MOST) : CURSOR_CHANGES);
	}
	__probe_dev_trace_any(address, site, accesses);
}

#ifndef DEV_PORTABLE
/* What s92 asks of __probe_dev_trace_call(); less = room, as __probe_dev_ring_refill(). */
#define CALL_EXEC 4 /* an EXEC record if need be */
#define CALL_BASE 5 /* that, and the record of one base */

/* In a base's id and its accesses, which are less than 128. */
#define CALL_NOT  0xffffffffu /* nothing of these */
#define CALL_ONLY 0x80000000u /* CALL_EXEC */

/*
 * From the first call on, calls come in here: not through the beginning of a function, where LLVM
 * waits for all memory accesses.
 */
#define CALL_HERE                                                                                  \
	"s_getpc_b64 s[88:89]\n\t"                                                                 \
	"s_add_u32 s88, s88, 8\n\t"                                                                \
	"s_addc_u32 s89, s89, 0\n\t"                                                               \
	"s_cmp_lt_u32 s92, %[least]\n\t"                                                           \
	"s_cbranch_scc1 .Lprobe_room%=\n\t"                                                        \
	"s_cmp_lt_u32 s86, %[most]\n\t"                                                            \
	"s_cbranch_scc1 .Lprobe_room%=\n\t"

/* v3 = 0, s[4:5] = EXEC, s[8:9] = the first active lane's address. */
#define CALL_TELL_EXEC                                                                             \
	"v_mov_b32 v3, 0\n\t"                                                                      \
	"s_mov_b64 s[4:5], exec\n\t"                                                               \
	"s_cmp_eq_u64 s[4:5], s[80:81]\n\t"                                                        \
	"s_cbranch_scc1 .Lprobe_told%=\n\t"                                                        \
	"v_mov_b32 v4, %[exec]\n\t"                                                                \
	"v_mov_b32 v5, 0\n\t"                                                                      \
	"v_lshlrev_b64 v[6:7], 0, s[4:5]\n\t"                                                      \
	"global_store_dwordx4 v3, v[4:7], s[84:85]\n\t"                                            \
	"s_mov_b64 s[80:81], s[4:5]\n\t"                                                           \
	"s_add_u32 s84, s84, 16\n\t"                                                               \
	"s_sub_u32 s86, s86, 16\n"                                                                 \
	".Lprobe_told%=:\n\t"                                                                      \
	"s_cmp_eq_u32 s92, %[least]\n\t"                                                           \
	"s_cbranch_scc1 .Lprobe_done%=\n\t"                                                        \
	"v_and_b32 v2, 0xffffff, v2\n\t"                                                           \
	"v_readfirstlane_b32 s8, v0\n\t"                                                           \
	"v_readfirstlane_b32 s9, v1\n\t"

/*
 * STRIDE if the lane above the first one is active and all lie as these two do. All lanes store the
 * same words.
 */
#define CALL_STRIDE                                                                                \
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
 * HALF if all but the lower 16 bits are alike and those above them fit into 32; LOW if the high
 * halves are; else WHOLE.
 */
#define CALL_LOW                                                                                   \
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
	".Lprobe_room%=:\n\t"                                                                      \
	"s_waitcnt vmcnt(0) lgkmcnt(0)"

/*
 * Where code that is optimised cannot go on by itself. v[0:1]: the address, or the bytes and
 * records to make room for; v2: the base's id, and the accesses it stands for << 24.
 */
DEV_SHARED void __probe_dev_trace_call(uint64_t address, uint32_t base)
{
	uint32_t what, room, bytes, records;
	bool call;

	/* First of all: what came before it is not known where later calls come in. */
	__asm__ volatile(CALL_HERE CALL_TELL_EXEC CALL_STRIDE CALL_LOW
			 : "+{v[0:1]}"(address), "+{v2}"(base)
			 : [least] "i"(CALL_EXEC), [most] "i"(ACCESS_MOST),
			   [exec] "i"(PROBE_FORM_EXEC << PROBE_FORM_SHIFT),
			   [stride] "i"(PROBE_FORM_STRIDE << PROBE_FORM_SHIFT),
			   [half] "i"(PROBE_FORM_HALF << PROBE_FORM_SHIFT),
			   [low] "i"(PROBE_FORM_LOW << PROBE_FORM_SHIFT),
			   [whole] "i"(PROBE_FORM_WHOLE << PROBE_FORM_SHIFT)
			 : "s4", "s5", "s6", "s7", "s8", "s9", "s10", "vcc", "v3", "v4", "v5", "v6",
			   "v7", CURSOR_CHANGES);
	__asm__ volatile("s_mov_b32 %0, s92" : "=s"(what));
	call = what >= CALL_EXEC;
	bytes = call ? ACCESS_MOST : dev_uniform32((uint32_t)address);
	records = call ? dev_uniform32(base) >> 24 : dev_uniform32((uint32_t)(address >> 32));
	/* With the request in a vector register: there are too few scalar ones. */
	base = !call ? CALL_NOT : what == CALL_EXEC ? base | CALL_ONLY : base;
	__asm__ volatile("" : "+v"(base));
	ring_refill(bytes, records);
	__asm__ volatile("s_mov_b32 %0, s92" : "=s"(room));
	what = dev_uniform32(base);
	if (what == CALL_NOT || !room)
		return;
	base &= ~CALL_ONLY;
	what = what & CALL_ONLY ? CALL_EXEC : CALL_BASE;
	__asm__ volatile("s_add_u32 s86, s86, %[most]\n\t"
			 "s_mov_b32 s92, %[what]\n\t"
			 "s_setpc_b64 s[88:89]"
			 :
			 : "{v[0:1]}"(address),
			   "{v2}"(base), [most] "i"(ACCESS_MOST), [what] "s"(dev_scalar32(what))
			 : CURSOR_CHANGES);
}

/*
 * 0 in the lanes that a BLOCK record need not have (wire.h), if all 64 are active. An address in
 * LDS has no high half.
 */
DEV_ENTRY uint32_t __probe_dev_trace_odd(uint64_t address)
{
	uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32);
	uint32_t step = low - dev_below32(low);

	return (step - dev_below32(step)) | (high ^ dev_below32(high));
}

DEV_ENTRY uint32_t __probe_dev_trace_odd_lds(uint32_t address)
{
	uint32_t step = address - dev_below32(address);

	return step - dev_below32(step);
}

/*
 * The bases of a block's accesses in one record, if EXEC is full and nothing is odd where it must
 * not be; else each base for itself. v0 = where a lane's addresses go.
 */
#define BLOCK_BEGIN(count)                                                                         \
	"v_cmp_ne_u32 vcc, 0, %[odd]\n\t"                                                          \
	"s_andn2_b64 s[4:5], vcc, s[82:83]\n\t"                                                    \
	"s_orn2_b64 s[4:5], s[4:5], exec\n\t"                                                      \
	"s_cbranch_scc1 .Lprobe_each%=\n\t"                                                        \
	"s_bcnt1_i32_b64 s6, s[82:83]\n\t"                                                         \
	"s_mul_i32 s6, s6, 8*" #count "\n\t"                                                       \
	"s_add_u32 s6, s6, 8\n\t"                                                                  \
	"s_sub_u32 s86, s86, s6\n\t"                                                               \
	"s_cbranch_scc1 .Lprobe_full%=\n"                                                          \
	".Lprobe_room%=:\n\t"                                                                      \
	"s_mov_b64 exec, s[82:83]\n\t"                                                             \
	"v_mbcnt_lo_u32_b32 v0, s82, 0\n\t"                                                        \
	"v_mbcnt_hi_u32_b32 v0, s83, v0\n\t"                                                       \
	"v_mul_u32_u24 v0, 8*" #count ", v0\n\t"                                                   \
	"v_mov_b32 v1, 0\n\t"                                                                      \
	"v_mov_b32 v2, %[word0]\n\t"                                                               \
	"v_mov_b32 v3, " #count "\n\t"                                                             \
	"global_store_dwordx2 v1, v[2:3], s[84:85]\n\t"

#define BLOCK_STORE(n) "global_store_dwordx2 v0, %[a" #n "], s[84:85] offset:8+8*" #n "\n\t"

/* The call clobbers s6. */
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
	"s_cbranch_scc0 .Lprobe_room%=\n\t"                                                        \
	"s_branch .Lprobe_end%=\n"                                                                 \
	".Lprobe_each%=:\n\t"

#define EACH(n)                                                                                    \
	"v_lshlrev_b64 v[0:1], 0, %[a" #n "]\n\t"                                                  \
	"v_mov_b32 v2, (%[n" #n "]<<24)+%[site]+1+" #n "\n\t"                                      \
	"s_mov_b32 s92, 5\n\t"                                                                     \
	"s_swappc_b64 s[30:31], s[88:89]\n\t"

#define BLOCK_LAST ".Lprobe_end%=:"

/* One, to eight: X(n) for each address. */
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
		uint32_t odd LIST##count(WEIGHT) LIST##count(PARAMETER))                           \
	{                                                                                          \
		__asm__ volatile(BLOCK_BEGIN(count) LIST##count(BLOCK_STORE) BLOCK_END(count)      \
					 LIST##count(EACH) BLOCK_LAST                              \
				 :                                                                 \
				 : [odd] "v"(odd), [site] "i"(site), [word0] "i"(word0),           \
				   [accesses] "i"(accesses)LIST##count(OPERAND)                    \
				 : CURSOR_CALL, CURSOR_CHANGES);                                   \
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

/* The wave reaches a barrier. */
DEV_ENTRY void __probe_dev_trace_barrier(uint32_t plain)
{
	const uint32_t word0 = PROBE_FORM_BARRIER << PROBE_FORM_SHIFT;

	if (DEV_PLAIN(plain)) {
		uint64_t at = cursor_take(8, 1);

		if (at && dev_speaks(dev_first(dev_exec())))
			*(dev_word *)at = word0;
		return;
	}
	__asm__ volatile(CURSOR_TAKE("8", "1") "s_mov_b64 s[6:7], exec\n\t"
					       "s_ff1_i32_b64 s5, exec\n\t"
					       "s_lshl_b64 exec, 1, s5\n\t"
					       "v_mov_b32 v0, %[word0]\n\t"
					       "v_mov_b32 v1, 0\n\t"
					       "global_store_dwordx2 v1, v[0:1], s[84:85]\n\t"
					       "s_mov_b64 exec, s[6:7]\n\t" CURSOR_STEP("8", "1")
			 :
			 : [word0] "i"(word0)
			 : CURSOR_CALL, CURSOR_CHANGES);
}
