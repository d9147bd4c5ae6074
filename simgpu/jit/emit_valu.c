/* SPDX-License-Identifier: MIT */
/* Vector integer instructions, carries and selects, with the results of valu_integer.c. */
#include "simgpu/jit/emit_valu.h"

#include "simgpu/jit/emit_float.h"
#include "simgpu/jit/emit_operands.h"
#include "simgpu/jit/emit_state.h"

#include <string.h>

static value k32(struct jit *j, uint32_t n)
{
	return jit_splat(j, jit_i32(j, n));
}

#define BIN(f, x, y) LLVMBuild##f(j->v, x, y, "")

static value low24(struct jit *j, value v)
{
	return BIN(And, v, k32(j, 0xffffff));
}

static value signed24(struct jit *j, value v)
{
	return BIN(AShr, BIN(Shl, v, k32(j, 8)), k32(j, 8));
}

static value mul_hi(struct jit *j, value x, value y, bool is_signed)
{
	value (*extend)(LLVMBuilderRef, value, LLVMTypeRef, const char *) =
		is_signed ? LLVMBuildSExt : LLVMBuildZExt;
	value r = BIN(Mul, extend(j->v, x, j->v64, ""), extend(j->v, y, j->v64, ""));

	r = BIN(LShr, r, jit_splat(j, jit_i64(j, 32)));
	return LLVMBuildTrunc(j->v, r, j->v32, "");
}

static value select_by(struct jit *j, LLVMIntPredicate is, value x, value y)
{
	return LLVMBuildSelect(j->v, LLVMBuildICmp(j->v, is, x, y, ""), x, y, "");
}

static value bits_of(struct jit *j, value v, value at, value width)
{
	value mask = BIN(Sub, BIN(Shl, k32(j, 1), width), k32(j, 1));

	return BIN(And, BIN(LShr, v, at), mask);
}

static value bfe_signed(struct jit *j, value v, value at, value width)
{
	value field = bits_of(j, v, at, width), one = k32(j, 1), zero = k32(j, 0), sign, over;

	/* A field that extends beyond the top is already sign-filled by its missing bits. */
	over = LLVMBuildICmp(j->v, LLVMIntUGT, BIN(Add, at, width), k32(j, 32), "");
	sign = BIN(Shl, one, BIN(And, BIN(Sub, width, one), k32(j, 31)));
	sign = LLVMBuildSelect(j->v, LLVMBuildICmp(j->v, LLVMIntEQ, width, zero, ""), zero, sign,
			       "");
	field = BIN(Sub, BIN(Xor, field, sign), sign);
	return LLVMBuildSelect(j->v, over, BIN(AShr, v, at), field, "");
}

/* Operations with one or two sources of 32 bits. NULL: not translated here. */
static value two(struct jit *j, const struct sim_inst *ip, value x, value y)
{
	value n31 = k32(j, 31);

	switch (ip->row->op) {
	case OP_v_add_u32:
	case OP_v_add_i32:
		return BIN(Add, x, y);
	case OP_v_sub_u32:
	case OP_v_sub_i32:
		return BIN(Sub, x, y);
	case OP_v_subrev_u32:
		return BIN(Sub, y, x);
	case OP_v_and_b32:
		return BIN(And, x, y);
	case OP_v_or_b32:
		return BIN(Or, x, y);
	case OP_v_xor_b32:
		return BIN(Xor, x, y);
	case OP_v_xnor_b32:
		return LLVMBuildNot(j->v, BIN(Xor, x, y), "");
	case OP_v_min_u32:
		return select_by(j, LLVMIntULT, x, y);
	case OP_v_max_u32:
		return select_by(j, LLVMIntUGT, x, y);
	case OP_v_min_i32:
		return select_by(j, LLVMIntSLT, x, y);
	case OP_v_max_i32:
		return select_by(j, LLVMIntSGT, x, y);
	case OP_v_lshlrev_b32:
		return BIN(Shl, y, BIN(And, x, n31));
	case OP_v_lshrrev_b32:
		return BIN(LShr, y, BIN(And, x, n31));
	case OP_v_ashrrev_i32:
		return BIN(AShr, y, BIN(And, x, n31));
	case OP_v_mul_lo_u32:
		return BIN(Mul, x, y);
	case OP_v_mul_hi_u32:
		return mul_hi(j, x, y, false);
	case OP_v_mul_hi_i32:
		return mul_hi(j, x, y, true);
	case OP_v_mul_u32_u24:
		return BIN(Mul, low24(j, x), low24(j, y));
	case OP_v_mul_i32_i24:
		return BIN(Mul, signed24(j, x), signed24(j, y));
	default:
		return NULL;
	}
}

static value three(struct jit *j, const struct sim_inst *ip, value x, value y, value z)
{
	value n31 = k32(j, 31);

	switch (ip->row->op) {
	case OP_v_add3_u32:
		return BIN(Add, BIN(Add, x, y), z);
	case OP_v_lshl_add_u32:
		return BIN(Add, BIN(Shl, x, BIN(And, y, n31)), z);
	case OP_v_add_lshl_u32:
		return BIN(Shl, BIN(Add, x, y), BIN(And, z, n31));
	case OP_v_lshl_or_b32:
		return BIN(Or, BIN(Shl, x, BIN(And, y, n31)), z);
	case OP_v_and_or_b32:
		return BIN(Or, BIN(And, x, y), z);
	case OP_v_or3_b32:
		return BIN(Or, BIN(Or, x, y), z);
	case OP_v_xad_u32:
		return BIN(Add, BIN(Xor, x, y), z);
	case OP_v_bfi_b32:
		return BIN(Or, BIN(And, x, y), BIN(And, LLVMBuildNot(j->v, x, ""), z));
	case OP_v_bfe_u32:
		return bits_of(j, x, BIN(And, y, n31), BIN(And, z, n31));
	case OP_v_bfe_i32:
		return bfe_signed(j, x, BIN(And, y, n31), BIN(And, z, n31));
	case OP_v_mad_u32_u24:
		return BIN(Add, BIN(Mul, low24(j, x), low24(j, y)), z);
	case OP_v_mad_i32_i24:
		return BIN(Add, BIN(Mul, signed24(j, x), signed24(j, y)), z);
	default:
		return NULL;
	}
}

static unsigned int sources(const struct sim_inst *ip)
{
	switch (ip->row->op) {
	case OP_v_mov_b32:
	case OP_v_accvgpr_read_b32:
	case OP_v_accvgpr_write_b32:
	case OP_v_accvgpr_mov_b32:
	case OP_v_not_b32:
		return 1;
	case OP_v_add_u32:
	case OP_v_add_i32:
	case OP_v_sub_u32:
	case OP_v_sub_i32:
	case OP_v_subrev_u32:
	case OP_v_and_b32:
	case OP_v_or_b32:
	case OP_v_xor_b32:
	case OP_v_xnor_b32:
	case OP_v_min_u32:
	case OP_v_max_u32:
	case OP_v_min_i32:
	case OP_v_max_i32:
	case OP_v_lshlrev_b32:
	case OP_v_lshrrev_b32:
	case OP_v_ashrrev_i32:
	case OP_v_mul_lo_u32:
	case OP_v_mul_hi_u32:
	case OP_v_mul_hi_i32:
	case OP_v_mul_u32_u24:
	case OP_v_mul_i32_i24:
		return 2;
	case OP_v_add3_u32:
	case OP_v_lshl_add_u32:
	case OP_v_add_lshl_u32:
	case OP_v_lshl_or_b32:
	case OP_v_and_or_b32:
	case OP_v_or3_b32:
	case OP_v_xad_u32:
	case OP_v_bfi_b32:
	case OP_v_bfe_u32:
	case OP_v_bfe_i32:
	case OP_v_mad_u32_u24:
	case OP_v_mad_i32_i24:
		return 3;
	default:
		return 0;
	}
}

static bool plain(struct jit *j, const struct sim_inst *ip)
{
	unsigned int count = sources(ip);
	value x, y, r;

	if (!count)
		return false;
	jit_scalars_first(j, ip);
	x = jit_source(j, ip, 0, 0);
	if (count == 1) {
		r = ip->row->op == OP_v_not_b32 ? LLVMBuildNot(j->v, x, "") : x;
	} else {
		y = jit_source(j, ip, 1, 0);
		r = count == 2 ? two(j, ip, x, y) : three(j, ip, x, y, jit_source(j, ip, 2, 0));
	}
	jit_put_row(j, ip->dst, r);
	return true;
}

static bool wide(struct jit *j, const struct sim_inst *ip)
{
	enum sim_op op = ip->row->op;
	value x, y, z, by, r, m;

	switch (op) {
	case OP_v_lshlrev_b64:
	case OP_v_lshrrev_b64:
	case OP_v_ashrrev_i64:
		jit_scalars_first(j, ip);
		by = LLVMBuildZExt(j->v, jit_source(j, ip, 0, 0), j->v64, "");
		by = BIN(And, by, jit_splat(j, jit_i64(j, 63)));
		y = jit_source64(j, ip, 1);
		r = op == OP_v_lshlrev_b64   ? BIN(Shl, y, by)
		    : op == OP_v_lshrrev_b64 ? BIN(LShr, y, by)
					     : BIN(AShr, y, by);
		jit_put_wide(j, ip->dst, r);
		return true;
	case OP_v_mad_u64_u32:
		if (jit_code(ip->sdst) & 1 || jit_code(ip->sdst) == SIM_EXEC)
			return false;
		jit_scalars_first(j, ip);
		x = LLVMBuildZExt(j->v, jit_source(j, ip, 0, 0), j->v64, "");
		y = LLVMBuildZExt(j->v, jit_source(j, ip, 1, 0), j->v64, "");
		z = jit_source64(j, ip, 2);
		x = BIN(Mul, x, y);
		r = BIN(Add, x, z);
		m = LLVMBuildICmp(j->v, LLVMIntULT, r, x, "");
		jit_put_wide(j, ip->dst, r);
		jit_put_mask(j, jit_code(ip->sdst), m);
		return true;
	default:
		return false;
	}
}

/* The mask source of a carry or select: a register pair or a constant. */
static value mask_source(struct jit *j, const struct sim_inst *ip)
{
	uint64_t bits;

	if (ip->rel >> 2 & 1)
		return jit_mask_of(j, jit_code(ip->off[2]));
	memcpy(&bits, (const void *)ip->off[2], sizeof(bits));
	return jit_mask_slice(j, jit_i64(j, bits));
}

static value bit_rows(struct jit *j, value bits)
{
	return LLVMBuildZExt(j->v, bits, j->v32, "");
}

static bool carry(struct jit *j, const struct sim_inst *ip)
{
	enum sim_op op = ip->row->op;
	bool takes = op == OP_v_addc_co_u32 || op == OP_v_subb_co_u32 || op == OP_v_subbrev_co_u32;
	bool add = op == OP_v_add_co_u32 || op == OP_v_addc_co_u32;
	bool reverse = op == OP_v_subrev_co_u32 || op == OP_v_subbrev_co_u32;
	value x, y, r, out, in, again;

	if (!takes && !add && !reverse && op != OP_v_sub_co_u32)
		return false;
	if (jit_code(ip->sdst) & 1 || jit_code(ip->sdst) == SIM_EXEC)
		return false;
	jit_scalars_first(j, ip);
	in = takes ? mask_source(j, ip) : NULL;
	x = jit_source(j, ip, reverse, 0), y = jit_source(j, ip, !reverse, 0);
	r = add ? BIN(Add, x, y) : BIN(Sub, x, y);
	out = add ? LLVMBuildICmp(j->v, LLVMIntULT, r, x, "")
		  : LLVMBuildICmp(j->v, LLVMIntULT, x, y, "");
	if (takes) {
		value first = r, bit = bit_rows(j, in);

		r = add ? BIN(Add, r, bit) : BIN(Sub, r, bit);
		again = add ? LLVMBuildICmp(j->v, LLVMIntULT, r, first, "")
			    : LLVMBuildICmp(j->v, LLVMIntULT, first, bit, "");
		out = BIN(Or, out, again);
	}
	jit_put_row(j, ip->dst, r);
	jit_put_mask(j, jit_code(ip->sdst), out);
	return true;
}

static bool cndmask(struct jit *j, const struct sim_inst *ip)
{
	value m, x, y;

	if (ip->row->op != OP_v_cndmask_b32)
		return false;
	jit_scalars_first(j, ip);
	m = mask_source(j, ip);
	x = jit_source(j, ip, 0, 0), y = jit_source(j, ip, 1, 0);
	jit_put_row(j, ip->dst, LLVMBuildSelect(j->v, m, y, x, ""));
	return true;
}

bool jit_valu(struct jit *j, const struct sim_inst *ip)
{
	if (ip->modded || ip->m.clamp)
		return false;
	return plain(j, ip) || wide(j, ip) || carry(j, ip) || cndmask(j, ip);
}

/* ---- Compares */

enum shape {
	UNSIGNED,
	SIGNED,
	FLOATING,
};

static const struct comparison {
	uint16_t op;
	uint8_t is;
	uint8_t wide, shape;
} comparisons[] = {
#define ROW(c, T, p, w, s)                                                                         \
	{                                                                                          \
		OP_v_cmp_##c##_##T, p, w, s                                                        \
	}
#define INTEGER(T, U, w, s)                                                                        \
	ROW(lt, T, LLVMInt##U##LT, w, s), ROW(eq, T, LLVMIntEQ, w, s),                             \
		ROW(le, T, LLVMInt##U##LE, w, s), ROW(gt, T, LLVMInt##U##GT, w, s),                \
		ROW(ne, T, LLVMIntNE, w, s), ROW(ge, T, LLVMInt##U##GE, w, s)
#define FLOAT(T, w)                                                                                \
	ROW(lt, T, LLVMRealOLT, w, FLOATING), ROW(eq, T, LLVMRealOEQ, w, FLOATING),                \
		ROW(le, T, LLVMRealOLE, w, FLOATING), ROW(gt, T, LLVMRealOGT, w, FLOATING),        \
		ROW(lg, T, LLVMRealONE, w, FLOATING), ROW(ge, T, LLVMRealOGE, w, FLOATING),        \
		ROW(o, T, LLVMRealORD, w, FLOATING), ROW(u, T, LLVMRealUNO, w, FLOATING),          \
		ROW(nge, T, LLVMRealULT, w, FLOATING), ROW(nlg, T, LLVMRealUEQ, w, FLOATING),      \
		ROW(ngt, T, LLVMRealULE, w, FLOATING), ROW(nle, T, LLVMRealUGT, w, FLOATING),      \
		ROW(neq, T, LLVMRealUNE, w, FLOATING), ROW(nlt, T, LLVMRealUGE, w, FLOATING)
	INTEGER(u32, U, 0, UNSIGNED),
	INTEGER(i32, S, 0, SIGNED),
	INTEGER(u64, U, 1, UNSIGNED),
	INTEGER(i64, S, 1, SIGNED),
	FLOAT(f32, 0),
	FLOAT(f64, 1),
};

bool jit_compare(struct jit *j, const struct sim_inst *ip)
{
	const struct comparison *c = NULL;
	value x, y, m;

	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
		if (comparisons[i].op == ip->row->op)
			c = &comparisons[i];
	if (!c || ip->bits || ip->m.sdwa || ip->m.dpp || ip->m.clamp || ip->m.opsel ||
	    jit_code(ip->sdst) & 1 || jit_code(ip->sdst) == SIM_EXEC)
		return false;
	if (ip->modded && c->shape != FLOATING)
		return false;
	jit_scalars_first(j, ip);
	if (c->shape == FLOATING) {
		x = c->wide ? jit_source_double(j, ip, 0) : jit_source_float(j, ip, 0);
		y = c->wide ? jit_source_double(j, ip, 1) : jit_source_float(j, ip, 1);
		m = LLVMBuildFCmp(j->v, (LLVMRealPredicate)c->is, x, y, "");
	} else {
		x = c->wide ? jit_source64(j, ip, 0) : jit_source(j, ip, 0, 0);
		y = c->wide ? jit_source64(j, ip, 1) : jit_source(j, ip, 1, 0);
		m = LLVMBuildICmp(j->v, (LLVMIntPredicate)c->is, x, y, "");
	}
	jit_put_mask(j, jit_code(ip->sdst), m);
	return true;
}
