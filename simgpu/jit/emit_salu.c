/* SPDX-License-Identifier: MIT */
/* Scalar instructions: the same results and SCC rules as in scalar_alu.c. */
#include "simgpu/jit/emit_salu.h"

#include "simgpu/jit/emit_state.h"

#include <string.h>

static bool is_constant(const struct sim_inst *ip, unsigned int n)
{
	return !(ip->rel >> n & 1);
}

static value get32(struct jit *j, const struct sim_inst *ip, unsigned int n)
{
	uint32_t v;

	if (!is_constant(ip, n))
		return jit_get32(j, jit_code(ip->off[n]));
	memcpy(&v, (const void *)ip->off[n], sizeof(v));
	return jit_i32(j, v);
}

static value get64(struct jit *j, const struct sim_inst *ip, unsigned int n)
{
	uint64_t v;

	if (ip->size[n] == 1)
		return LLVMBuildZExt(j->s, get32(j, ip, n), j->i64, "");
	if (!is_constant(ip, n))
		return jit_get64(j, jit_code(ip->off[n]));
	memcpy(&v, (const void *)ip->off[n], sizeof(v));
	return jit_i64(j, v);
}

static void scc_nonzero(struct jit *j, value r)
{
	jit_put_scc(j, LLVMBuildICmp(j->s, LLVMIntNE, r, LLVMConstNull(LLVMTypeOf(r)), ""));
}

/* x op y of 32 or 64 bits, with SCC = result not zero. */
static value logic(struct jit *j, enum sim_op op, value x, value y)
{
	LLVMBuilderRef s = j->s;

	switch (op) {
	case OP_s_and_b32:
	case OP_s_and_b64:
		return LLVMBuildAnd(s, x, y, "");
	case OP_s_or_b32:
	case OP_s_or_b64:
		return LLVMBuildOr(s, x, y, "");
	case OP_s_xor_b32:
	case OP_s_xor_b64:
		return LLVMBuildXor(s, x, y, "");
	case OP_s_andn2_b32:
	case OP_s_andn2_b64:
		return LLVMBuildAnd(s, x, LLVMBuildNot(s, y, ""), "");
	case OP_s_orn2_b32:
	case OP_s_orn2_b64:
		return LLVMBuildOr(s, x, LLVMBuildNot(s, y, ""), "");
	case OP_s_nand_b32:
	case OP_s_nand_b64:
		return LLVMBuildNot(s, LLVMBuildAnd(s, x, y, ""), "");
	case OP_s_nor_b32:
	case OP_s_nor_b64:
		return LLVMBuildNot(s, LLVMBuildOr(s, x, y, ""), "");
	case OP_s_xnor_b32:
	case OP_s_xnor_b64:
		return LLVMBuildNot(s, LLVMBuildXor(s, x, y, ""), "");
	case OP_s_lshl_b32:
		return LLVMBuildShl(s, x, LLVMBuildAnd(s, y, jit_i32(j, 31), ""), "");
	case OP_s_lshr_b32:
		return LLVMBuildLShr(s, x, LLVMBuildAnd(s, y, jit_i32(j, 31), ""), "");
	case OP_s_ashr_i32:
		return LLVMBuildAShr(s, x, LLVMBuildAnd(s, y, jit_i32(j, 31), ""), "");
	case OP_s_lshl_b64:
		return LLVMBuildShl(s, x, LLVMBuildAnd(s, y, jit_i64(j, 63), ""), "");
	case OP_s_lshr_b64:
		return LLVMBuildLShr(s, x, LLVMBuildAnd(s, y, jit_i64(j, 63), ""), "");
	case OP_s_ashr_i64:
		return LLVMBuildAShr(s, x, LLVMBuildAnd(s, y, jit_i64(j, 63), ""), "");
	default:
		return NULL;
	}
}

static bool sop2_logic(struct jit *j, const struct sim_inst *ip)
{
	enum sim_op op = ip->row->op;
	unsigned int code = jit_code(ip->sdst);
	value r;

	if (ip->enc != ENC_SOP2)
		return false;
	if (ip->dsize == 2)
		r = logic(j, op, get64(j, ip, 0), get64(j, ip, 1));
	else
		r = logic(j, op, get32(j, ip, 0), get32(j, ip, 1));
	if (!r)
		return false;
	if (ip->dsize == 2)
		jit_put64(j, code, r);
	else
		jit_put32(j, code, r);
	scc_nonzero(j, r);
	return true;
}

static value overflow(struct jit *j, value x, value y, value r, bool subtract)
{
	LLVMBuilderRef s = j->s;
	value a = LLVMBuildXor(s, x, y, ""), b = LLVMBuildXor(s, x, r, "");

	a = LLVMBuildAnd(s, subtract ? a : LLVMBuildNot(s, a, ""), b, "");
	return LLVMBuildICmp(s, LLVMIntSLT, a, jit_i32(j, 0), "");
}

static value carried(struct jit *j, value wide)
{
	return LLVMBuildICmp(j->s, LLVMIntNE, LLVMBuildLShr(j->s, wide, jit_i64(j, 32), ""),
			     jit_i64(j, 0), "");
}

static value pick(struct jit *j, LLVMIntPredicate is, value x, value y, value *scc)
{
	*scc = LLVMBuildICmp(j->s, is, x, y, "");
	return LLVMBuildSelect(j->s, *scc, x, y, "");
}

static bool sop2_arithmetic(struct jit *j, const struct sim_inst *ip)
{
	LLVMBuilderRef s = j->s;
	unsigned int code = jit_code(ip->sdst);
	value x, y, r, in, scc = NULL;

	if (ip->enc != ENC_SOP2 || ip->dsize != 1)
		return false;
	switch (ip->row->op) {
	case OP_s_add_u32:
	case OP_s_add_i32:
	case OP_s_sub_u32:
	case OP_s_sub_i32:
	case OP_s_addc_u32:
	case OP_s_subb_u32:
	case OP_s_min_i32:
	case OP_s_min_u32:
	case OP_s_max_i32:
	case OP_s_max_u32:
	case OP_s_mul_i32:
	case OP_s_mul_hi_u32:
	case OP_s_mul_hi_i32:
	case OP_s_cselect_b32:
		break;
	default:
		return false;
	}
	x = get32(j, ip, 0), y = get32(j, ip, 1);
	s = j->s;
	switch (ip->row->op) {
	case OP_s_add_u32:
		r = LLVMBuildAdd(s, x, y, "");
		scc = LLVMBuildICmp(s, LLVMIntULT, r, x, "");
		break;
	case OP_s_add_i32:
		r = LLVMBuildAdd(s, x, y, "");
		scc = overflow(j, x, y, r, false);
		break;
	case OP_s_sub_u32:
		r = LLVMBuildSub(s, x, y, "");
		scc = LLVMBuildICmp(s, LLVMIntUGT, y, x, "");
		break;
	case OP_s_sub_i32:
		r = LLVMBuildSub(s, x, y, "");
		scc = overflow(j, x, y, r, true);
		break;
	case OP_s_addc_u32:
		in = LLVMBuildZExt(s, jit_get_scc(j), j->i64, "");
		in = LLVMBuildAdd(s, in, LLVMBuildZExt(s, x, j->i64, ""), "");
		in = LLVMBuildAdd(s, in, LLVMBuildZExt(s, y, j->i64, ""), "");
		r = LLVMBuildTrunc(s, in, j->i32, "");
		scc = carried(j, in);
		break;
	case OP_s_subb_u32:
		in = LLVMBuildZExt(s, jit_get_scc(j), j->i64, "");
		in = LLVMBuildAdd(s, in, LLVMBuildZExt(s, y, j->i64, ""), "");
		in = LLVMBuildSub(s, LLVMBuildZExt(s, x, j->i64, ""), in, "");
		r = LLVMBuildTrunc(s, in, j->i32, "");
		scc = carried(j, in);
		break;
	case OP_s_min_i32:
		r = pick(j, LLVMIntSLT, x, y, &scc);
		break;
	case OP_s_min_u32:
		r = pick(j, LLVMIntULT, x, y, &scc);
		break;
	case OP_s_max_i32:
		r = pick(j, LLVMIntSGE, x, y, &scc);
		break;
	case OP_s_max_u32:
		r = pick(j, LLVMIntUGE, x, y, &scc);
		break;
	case OP_s_mul_i32:
		r = LLVMBuildMul(s, x, y, "");
		break;
	case OP_s_mul_hi_u32:
		r = LLVMBuildMul(s, LLVMBuildZExt(s, x, j->i64, ""),
				 LLVMBuildZExt(s, y, j->i64, ""), "");
		r = LLVMBuildTrunc(s, LLVMBuildLShr(s, r, jit_i64(j, 32), ""), j->i32, "");
		break;
	case OP_s_mul_hi_i32:
		r = LLVMBuildMul(s, LLVMBuildSExt(s, x, j->i64, ""),
				 LLVMBuildSExt(s, y, j->i64, ""), "");
		r = LLVMBuildTrunc(s, LLVMBuildLShr(s, r, jit_i64(j, 32), ""), j->i32, "");
		break;
	default: /* s_cselect_b32 */
		r = LLVMBuildSelect(s, jit_get_scc(j), x, y, "");
		break;
	}
	jit_put32(j, code, r);
	if (scc)
		jit_put_scc(j, scc);
	return true;
}

static bool moves(struct jit *j, const struct sim_inst *ip)
{
	unsigned int code = jit_code(ip->sdst);
	value x, r;

	switch (ip->row->op) {
	case OP_s_mov_b32:
		jit_put32(j, code, get32(j, ip, 0));
		return true;
	case OP_s_mov_b64:
		jit_put64(j, code, get64(j, ip, 0));
		return true;
	case OP_s_movk_i32:
		jit_put32(j, code, jit_i32(j, (uint32_t)(int32_t)ip->imm));
		return true;
	case OP_s_not_b32:
		r = LLVMBuildNot(j->s, get32(j, ip, 0), "");
		jit_put32(j, code, r);
		scc_nonzero(j, r);
		return true;
	case OP_s_not_b64:
		r = LLVMBuildNot(j->s, get64(j, ip, 0), "");
		jit_put64(j, code, r);
		scc_nonzero(j, r);
		return true;
	case OP_s_cselect_b64:
		x = get64(j, ip, 0), r = get64(j, ip, 1);
		jit_put64(j, code, LLVMBuildSelect(j->s, jit_get_scc(j), x, r, ""));
		return true;
	case OP_s_addk_i32:
		x = get32(j, ip, 0);
		r = LLVMBuildAdd(j->s, x, jit_i32(j, (uint32_t)(int32_t)ip->imm), "");
		jit_put32(j, code, r);
		jit_put_scc(j, overflow(j, x, jit_i32(j, (uint32_t)(int32_t)ip->imm), r, false));
		return true;
	case OP_s_mulk_i32:
		x = get32(j, ip, 0);
		jit_put32(j, code,
			  LLVMBuildMul(j->s, x, jit_i32(j, (uint32_t)(int32_t)ip->imm), ""));
		return true;
	default:
		return false;
	}
}

/* sdst = EXEC; EXEC = f(source, EXEC). */
static bool saveexec(struct jit *j, const struct sim_inst *ip)
{
	value x, e, r;

	switch (ip->row->op) {
	case OP_s_and_saveexec_b64:
	case OP_s_or_saveexec_b64:
	case OP_s_xor_saveexec_b64:
	case OP_s_andn2_saveexec_b64:
		break;
	default:
		return false;
	}
	x = get64(j, ip, 0);
	e = jit_get64(j, SIM_EXEC);
	switch (ip->row->op) {
	case OP_s_and_saveexec_b64:
		r = LLVMBuildAnd(j->s, x, e, "");
		break;
	case OP_s_or_saveexec_b64:
		r = LLVMBuildOr(j->s, x, e, "");
		break;
	case OP_s_xor_saveexec_b64:
		r = LLVMBuildXor(j->s, x, e, "");
		break;
	default:
		r = LLVMBuildAnd(j->s, x, LLVMBuildNot(j->s, e, ""), "");
		break;
	}
	jit_put64(j, jit_code(ip->sdst), e);
	jit_put64(j, SIM_EXEC, r);
	scc_nonzero(j, r);
	return true;
}

static const struct {
	uint16_t op;
	uint8_t is;
	uint8_t kind; /* 0: sopc 32, 1: sopc 64, 2: sopk signed, 3: sopk unsigned */
} compares[] = {
	{OP_s_cmp_eq_i32, LLVMIntEQ, 0},   {OP_s_cmp_eq_u32, LLVMIntEQ, 0},
	{OP_s_cmp_lg_i32, LLVMIntNE, 0},   {OP_s_cmp_lg_u32, LLVMIntNE, 0},
	{OP_s_cmp_gt_i32, LLVMIntSGT, 0},  {OP_s_cmp_gt_u32, LLVMIntUGT, 0},
	{OP_s_cmp_ge_i32, LLVMIntSGE, 0},  {OP_s_cmp_ge_u32, LLVMIntUGE, 0},
	{OP_s_cmp_lt_i32, LLVMIntSLT, 0},  {OP_s_cmp_lt_u32, LLVMIntULT, 0},
	{OP_s_cmp_le_i32, LLVMIntSLE, 0},  {OP_s_cmp_le_u32, LLVMIntULE, 0},
	{OP_s_cmp_eq_u64, LLVMIntEQ, 1},   {OP_s_cmp_lg_u64, LLVMIntNE, 1},
	{OP_s_cmpk_eq_i32, LLVMIntEQ, 2},  {OP_s_cmpk_eq_u32, LLVMIntEQ, 3},
	{OP_s_cmpk_lg_i32, LLVMIntNE, 2},  {OP_s_cmpk_lg_u32, LLVMIntNE, 3},
	{OP_s_cmpk_gt_i32, LLVMIntSGT, 2}, {OP_s_cmpk_gt_u32, LLVMIntUGT, 3},
	{OP_s_cmpk_ge_i32, LLVMIntSGE, 2}, {OP_s_cmpk_ge_u32, LLVMIntUGE, 3},
	{OP_s_cmpk_lt_i32, LLVMIntSLT, 2}, {OP_s_cmpk_lt_u32, LLVMIntULT, 3},
	{OP_s_cmpk_le_i32, LLVMIntSLE, 2}, {OP_s_cmpk_le_u32, LLVMIntULE, 3},
};

static bool compare(struct jit *j, const struct sim_inst *ip)
{
	for (unsigned int i = 0; i < sizeof(compares) / sizeof(compares[0]); i++) {
		uint32_t k = compares[i].kind == 3 ? (uint16_t)ip->imm : (uint32_t)(int32_t)ip->imm;
		value x, y;

		if (compares[i].op != ip->row->op)
			continue;
		if (compares[i].kind == 1) {
			x = get64(j, ip, 0), y = get64(j, ip, 1);
		} else {
			x = get32(j, ip, 0);
			y = compares[i].kind ? jit_i32(j, k) : get32(j, ip, 1);
		}
		jit_put_scc(j, LLVMBuildICmp(j->s, (LLVMIntPredicate)compares[i].is, x, y, ""));
		return true;
	}
	return false;
}

bool jit_salu(struct jit *j, const struct sim_inst *ip)
{
	return sop2_arithmetic(j, ip) || sop2_logic(j, ip) || moves(j, ip) || saveexec(j, ip) ||
	       compare(j, ip);
}
