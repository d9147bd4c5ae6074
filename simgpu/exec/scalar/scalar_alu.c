/* SPDX-License-Identifier: MIT */
/*
 * Scalar ALU: SOP2, SOP1, SOPC, SOPK. One row per instruction: the result as an expression of
 * sources x and y (64-bit forms use 64-bit x, y) and the rule for SCC. "AMD Instinct MI200" ISA
 * manual, chapters "SOP2 Instructions" to "SOPC Instructions".
 */
#include "simgpu/exec/fault.h"
#include "simgpu/exec/inst.h"

#include <string.h>

#include "simgpu/exec/scalar/scalar_operands.h"

#define NOSCC	w->scc
#define NONZERO (r != 0)

/* Body of an instruction: T = type of sources and result, scc = new SCC from r, x, y. */
#define SOP2(name, T, expr, newscc)                                                                \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		T x = get_##T(w, ip, 0), y = get_##T(w, ip, 1);                                    \
		T r = (T)(expr);                                                                   \
		(void)x, (void)y;                                                                  \
		w->scc = (newscc);                                                                 \
		put_##T(w, ip, r);                                                                 \
		return ip + ip->words;                                                             \
	}
#define SOP1(name, TD, T, expr, newscc)                                                            \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		T x = get_##T(w, ip, 0);                                                           \
		TD r = (TD)(expr);                                                                 \
		(void)x;                                                                           \
		w->scc = (newscc);                                                                 \
		put_##TD(w, ip, r);                                                                \
		return ip + ip->words;                                                             \
	}
#define SOPC(name, T, expr)                                                                        \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		T x = get_##T(w, ip, 0), y = get_##T(w, ip, 1);                                    \
		w->scc = (expr);                                                                   \
		return ip + ip->words;                                                             \
	}

/* Signed overflow of a sum / difference r of x and y. */
#define ADD_OVERFLOW ((int32_t)(~(x ^ y) & (x ^ r)) < 0)
#define SUB_OVERFLOW ((int32_t)((x ^ y) & (x ^ r)) < 0)

SOP2(s_add_u32, u32, x + y, r < x)
SOP2(s_sub_u32, u32, x - y, y > x)
SOP2(s_add_i32, u32, x + y, ADD_OVERFLOW)
SOP2(s_sub_i32, u32, x - y, SUB_OVERFLOW)
SOP2(s_addc_u32, u32, x + y + w->scc, (uint64_t)x + y + w->scc > UINT32_MAX)
SOP2(s_subb_u32, u32, x - y - w->scc, (uint64_t)y + w->scc > x)
SOP2(s_min_i32, i32, x < y ? x : y, x < y)
SOP2(s_min_u32, u32, x < y ? x : y, x < y)
SOP2(s_max_i32, i32, x > y ? x : y, x >= y)
SOP2(s_max_u32, u32, x > y ? x : y, x >= y)
SOP2(s_cselect_b32, u32, w->scc ? x : y, NOSCC)
SOP2(s_cselect_b64, u64, w->scc ? x : y, NOSCC)
#define LOGIC(op, expr)                                                                            \
	SOP2(op##_b32, u32, expr, NONZERO)                                                         \
	SOP2(op##_b64, u64, expr, NONZERO)
LOGIC(s_and, x &y)
LOGIC(s_or, x | y)
LOGIC(s_xor, x ^ y)
LOGIC(s_andn2, x & ~y)
LOGIC(s_orn2, x | ~y)
LOGIC(s_nand, ~(x &y))
LOGIC(s_nor, ~(x | y))
LOGIC(s_xnor, ~(x ^ y))
SOP2(s_lshl_b32, u32, x << (y & 31), NONZERO)
SOP2(s_lshl_b64, u64, x << (y & 63), NONZERO)
SOP2(s_lshr_b32, u32, x >> (y & 31), NONZERO)
SOP2(s_lshr_b64, u64, x >> (y & 63), NONZERO)
SOP2(s_ashr_i32, i32, x >> (y & 31), NONZERO)
SOP2(s_ashr_i64, i64, x >> (y & 63), NONZERO)
SOP2(s_bfm_b32, u32, ((1u << (x & 31)) - 1) << (y & 31), NOSCC)
SOP2(s_bfm_b64, u64, ((1ull << (x & 63)) - 1) << (y & 63), NOSCC)
SOP2(s_mul_i32, u32, x *y, NOSCC)
SOP2(s_mul_hi_u32, u32, (uint64_t)x *y >> 32, NOSCC)
SOP2(s_mul_hi_i32, i32, (int64_t)x *y >> 32, NOSCC)
SOP2(s_bfe_u32, u32, bfe_u64(x, y & 31, y >> 16 & 0x7f, 32), NONZERO)
SOP2(s_bfe_i32, u32, bfe_i64(x, y & 31, y >> 16 & 0x7f, 32), NONZERO)
SOP2(s_bfe_u64, u64, bfe_u64(x, (uint32_t)y & 63, (uint32_t)y >> 16 & 0x7f, 64), NONZERO)
SOP2(s_bfe_i64, u64, bfe_i64(x, (uint32_t)y & 63, (uint32_t)y >> 16 & 0x7f, 64), NONZERO)
SOP2(s_absdiff_i32, i32, x > y ? (uint32_t)x - (uint32_t)y : (uint32_t)y - (uint32_t)x, NONZERO)
#define LSHLADD(n)                                                                                 \
	SOP2(s_lshl##n##_add_u32, u32, (x << n) + y, (((uint64_t)x << n) + y) > UINT32_MAX)
LSHLADD(1)
LSHLADD(2)
LSHLADD(3)
LSHLADD(4)
SOP2(s_pack_ll_b32_b16, u32, (x & 0xffff) | y << 16, NOSCC)
SOP2(s_pack_lh_b32_b16, u32, (x & 0xffff) | (y & 0xffff0000), NOSCC)
SOP2(s_pack_hh_b32_b16, u32, x >> 16 | (y & 0xffff0000), NOSCC)

SOP1(s_mov_b32, u32, u32, x, NOSCC)
SOP1(s_mov_b64, u64, u64, x, NOSCC)
SOP1(s_cmov_b32, u32, u32, w->scc ? x : old_u32(w, ip), NOSCC)
SOP1(s_cmov_b64, u64, u64, w->scc ? x : old_u64(w, ip), NOSCC)
SOP1(s_not_b32, u32, u32, ~x, NONZERO)
SOP1(s_not_b64, u64, u64, ~x, NONZERO)
SOP1(s_wqm_b32, u32, u32, wqm(x), NONZERO)
SOP1(s_wqm_b64, u64, u64, wqm(x), NONZERO)
SOP1(s_quadmask_b32, u32, u32, quadmask(x), NONZERO)
SOP1(s_quadmask_b64, u64, u64, quadmask(x), NONZERO)
SOP1(s_brev_b32, u32, u32, brev64(x) >> 32, NOSCC)
SOP1(s_brev_b64, u64, u64, brev64(x), NOSCC)
SOP1(s_bcnt0_i32_b32, u32, u32, __builtin_popcount(~x), NONZERO)
SOP1(s_bcnt0_i32_b64, u32, u64, __builtin_popcountll(~x), NONZERO)
SOP1(s_bcnt1_i32_b32, u32, u32, __builtin_popcount(x), NONZERO)
SOP1(s_bcnt1_i32_b64, u32, u64, __builtin_popcountll(x), NONZERO)
SOP1(s_ff0_i32_b32, i32, u32, ~x ? __builtin_ctz(~x) : -1, NOSCC)
SOP1(s_ff0_i32_b64, i32, u64, ~x ? __builtin_ctzll(~x) : -1, NOSCC)
SOP1(s_ff1_i32_b32, i32, u32, x ? __builtin_ctz(x) : -1, NOSCC)
SOP1(s_ff1_i32_b64, i32, u64, x ? __builtin_ctzll(x) : -1, NOSCC)
SOP1(s_flbit_i32_b32, i32, u32, x ? __builtin_clz(x) : -1, NOSCC)
SOP1(s_flbit_i32_b64, i32, u64, x ? __builtin_clzll(x) : -1, NOSCC)
SOP1(s_flbit_i32, i32, i32, x == 0 || x == -1 ? -1 : __builtin_clrsb(x) + 1, NOSCC)
SOP1(s_flbit_i32_i64, i32, i64, x == 0 || x == -1 ? -1 : __builtin_clrsbll(x) + 1, NOSCC)
SOP1(s_sext_i32_i8, i32, u32, (int8_t)x, NOSCC)
SOP1(s_sext_i32_i16, i32, u32, (int16_t)x, NOSCC)
SOP1(s_bitset0_b32, u32, u32, old_u32(w, ip) & ~(1u << (x & 31)), NOSCC)
SOP1(s_bitset0_b64, u64, u32, old_u64(w, ip) & ~(1ull << (x & 63)), NOSCC)
SOP1(s_bitset1_b32, u32, u32, old_u32(w, ip) | 1u << (x & 31), NOSCC)
SOP1(s_bitset1_b64, u64, u32, old_u64(w, ip) | 1ull << (x & 63), NOSCC)
SOP1(s_abs_i32, u32, u32, (int32_t)x < 0 ? 0 - x : x, NONZERO)
SOP1(s_bitreplicate_b64_b32, u64, u32, bitreplicate(x), NOSCC)

/* sdst = EXEC; EXEC = f(source x, EXEC e); SCC = EXEC != 0. The source is read first. */
#define SAVEEXEC(name, expr)                                                                       \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		uint64_t x = get_u64(w, ip, 0), e = w->exec;                                       \
		put_u64(w, ip, e);                                                                 \
		w->exec = (expr);                                                                  \
		w->scc = w->exec != 0;                                                             \
		return ip + ip->words;                                                             \
	}
SAVEEXEC(s_and_saveexec_b64, x &e)
SAVEEXEC(s_or_saveexec_b64, x | e)
SAVEEXEC(s_xor_saveexec_b64, x ^ e)
SAVEEXEC(s_andn2_saveexec_b64, x & ~e)
SAVEEXEC(s_orn2_saveexec_b64, x | ~e)
SAVEEXEC(s_nand_saveexec_b64, ~(x &e))
SAVEEXEC(s_nor_saveexec_b64, ~(x | e))
SAVEEXEC(s_xnor_saveexec_b64, ~(x ^ e))
SAVEEXEC(s_andn1_saveexec_b64, ~x &e)
SAVEEXEC(s_orn1_saveexec_b64, ~x | e)

/* EXEC and sdst = f(source, EXEC). */
#define WREXEC(name, expr)                                                                         \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		uint64_t x = get_u64(w, ip, 0), e = w->exec;                                       \
		w->exec = (expr);                                                                  \
		put_u64(w, ip, w->exec);                                                           \
		w->scc = w->exec != 0;                                                             \
		return ip + ip->words;                                                             \
	}
WREXEC(s_andn1_wrexec_b64, ~x &e)
WREXEC(s_andn2_wrexec_b64, x & ~e)

/* Relative moves: M0 is added to the register number of the source or destination. */
#define MOVREL(name, T, from, to)                                                                  \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		uintptr_t src = (uintptr_t)inst_src(w, ip, 0) + 4 * (uintptr_t)(from);             \
		uintptr_t dst = (uintptr_t)w + ip->sdst + 4 * (uintptr_t)(to);                     \
		uintptr_t first = (uintptr_t)w->sgpr, last = first + 4 * 104 - sizeof(T);          \
                                                                                                   \
		if (src < first || src > last || dst < first || dst > last)                        \
			return sim_fault(w, ip, SIM_FAULT_UNKNOWN_OPCODE, w->sgpr[SIM_M0],         \
					 sizeof(T), -1);                                           \
		memcpy((void *)dst, (const void *)src, sizeof(T));                                 \
		return ip + ip->words;                                                             \
	}
MOVREL(s_movrels_b32, u32, w->sgpr[SIM_M0], 0)
MOVREL(s_movrels_b64, u64, w->sgpr[SIM_M0], 0)
MOVREL(s_movreld_b32, u32, 0, w->sgpr[SIM_M0])
MOVREL(s_movreld_b64, u64, 0, w->sgpr[SIM_M0])

#define COMPARE(op, rel)                                                                           \
	SOPC(s_cmp_##op##_i32, i32, x rel y)                                                       \
	SOPC(s_cmp_##op##_u32, u32, x rel y)
COMPARE(eq, ==)
COMPARE(lg, !=)
COMPARE(gt, >)
COMPARE(ge, >=)
COMPARE(lt, <)
COMPARE(le, <=)
SOPC(s_cmp_eq_u64, u64, x == y)
SOPC(s_cmp_lg_u64, u64, x != y)
SOPC(s_bitcmp0_b32, u32, !(x >> (y & 31) & 1))
SOPC(s_bitcmp1_b32, u32, x >> (y & 31) & 1)
static const struct sim_inst *s_bitcmp0_b64(struct sim_wave *w, const struct sim_inst *ip)
{
	w->scc = !(get_u64(w, ip, 0) >> (get_u32(w, ip, 1) & 63) & 1);
	return ip + ip->words;
}
static const struct sim_inst *s_bitcmp1_b64(struct sim_wave *w, const struct sim_inst *ip)
{
	w->scc = get_u64(w, ip, 0) >> (get_u32(w, ip, 1) & 63) & 1;
	return ip + ip->words;
}

/* SOPK: the destination register is also source 0; k is the immediate, sign-extended. */
#define SOPK(name, expr, newscc)                                                                   \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		uint32_t x = get_u32(w, ip, 0), y = (uint32_t)(int32_t)ip->imm;                    \
		uint32_t r = (expr);                                                               \
		(void)x;                                                                           \
		w->scc = (newscc);                                                                 \
		put_u32(w, ip, r);                                                                 \
		return ip + ip->words;                                                             \
	}
SOPK(s_movk_i32, y, NOSCC)
SOPK(s_cmovk_i32, w->scc ? y : x, NOSCC)
SOPK(s_addk_i32, x + y, ADD_OVERFLOW)
SOPK(s_mulk_i32, x *y, NOSCC)
#define COMPAREK(op, rel)                                                                          \
	static const struct sim_inst *s_cmpk_##op##_i32(struct sim_wave *w,                        \
							const struct sim_inst *ip)                 \
	{                                                                                          \
		w->scc = get_i32(w, ip, 0) rel(int32_t) ip->imm;                                   \
		return ip + ip->words;                                                             \
	}                                                                                          \
	static const struct sim_inst *s_cmpk_##op##_u32(struct sim_wave *w,                        \
							const struct sim_inst *ip)                 \
	{                                                                                          \
		w->scc = get_u32(w, ip, 0) rel(uint32_t)(uint16_t) ip->imm;                        \
		return ip + ip->words;                                                             \
	}
COMPAREK(eq, ==)
COMPAREK(lg, !=)
COMPAREK(gt, >)
COMPAREK(ge, >=)
COMPAREK(lt, <)
COMPAREK(le, <=)

#define E(name)                                                                                    \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = name                                 \
	}
#define E2(name) E(name##_b32), E(name##_b64)
#define ECMP(op)                                                                                   \
	E(s_cmp_##op##_i32), E(s_cmp_##op##_u32), E(s_cmpk_##op##_i32), E(s_cmpk_##op##_u32)
const struct sim_exec sim_exec_salu[] = {
	E(s_add_u32),
	E(s_sub_u32),
	E(s_add_i32),
	E(s_sub_i32),
	E(s_addc_u32),
	E(s_subb_u32),
	E(s_min_i32),
	E(s_min_u32),
	E(s_max_i32),
	E(s_max_u32),
	E2(s_cselect),
	E2(s_and),
	E2(s_or),
	E2(s_xor),
	E2(s_andn2),
	E2(s_orn2),
	E2(s_nand),
	E2(s_nor),
	E2(s_xnor),
	E2(s_lshl),
	E2(s_lshr),
	E(s_ashr_i32),
	E(s_ashr_i64),
	E2(s_bfm),
	E(s_mul_i32),
	E(s_mul_hi_u32),
	E(s_mul_hi_i32),
	E(s_bfe_u32),
	E(s_bfe_i32),
	E(s_bfe_u64),
	E(s_bfe_i64),
	E(s_absdiff_i32),
	E(s_lshl1_add_u32),
	E(s_lshl2_add_u32),
	E(s_lshl3_add_u32),
	E(s_lshl4_add_u32),
	E(s_pack_ll_b32_b16),
	E(s_pack_lh_b32_b16),
	E(s_pack_hh_b32_b16),
	E2(s_mov),
	E2(s_cmov),
	E2(s_not),
	E2(s_wqm),
	E2(s_quadmask),
	E2(s_brev),
	E2(s_bcnt0_i32),
	E2(s_bcnt1_i32),
	E2(s_ff0_i32),
	E2(s_ff1_i32),
	E2(s_flbit_i32),
	E(s_flbit_i32),
	E(s_flbit_i32_i64),
	E(s_sext_i32_i8),
	E(s_sext_i32_i16),
	E2(s_bitset0),
	E2(s_bitset1),
	E(s_abs_i32),
	E(s_bitreplicate_b64_b32),
	E(s_and_saveexec_b64),
	E(s_or_saveexec_b64),
	E(s_xor_saveexec_b64),
	E(s_andn2_saveexec_b64),
	E(s_orn2_saveexec_b64),
	E(s_nand_saveexec_b64),
	E(s_nor_saveexec_b64),
	E(s_xnor_saveexec_b64),
	E(s_andn1_saveexec_b64),
	E(s_orn1_saveexec_b64),
	E(s_andn1_wrexec_b64),
	E(s_andn2_wrexec_b64),
	E2(s_movrels),
	E2(s_movreld),
	ECMP(eq),
	ECMP(lg),
	ECMP(gt),
	ECMP(ge),
	ECMP(lt),
	ECMP(le),
	E(s_cmp_eq_u64),
	E(s_cmp_lg_u64),
	E2(s_bitcmp0),
	E2(s_bitcmp1),
	E(s_movk_i32),
	E(s_cmovk_i32),
	E(s_addk_i32),
	E(s_mulk_i32),
	{0},
};
