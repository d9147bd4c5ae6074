/* SPDX-License-Identifier: MIT */
/*
 * Vector floating-point instructions in the default MODE (round to nearest, denormals kept).
 * Results are bit-identical to those of valu_f32.c and similar files. Operations that the host has
 * as one instruction are emitted here; the others are calls.
 */
#include "simgpu/jit/emit_float.h"

#include "simgpu/jit/emit_operands.h"
#include "simgpu/jit/emit_state.h"

/* The first NaN operand is the result, like nan_first32() and nan_first64() of float_bodies.h. */
static value nan_first(struct jit *j, LLVMTypeRef type, value x, value r)
{
	bool wide = type == j->vf64;
	LLVMTypeRef bits = wide ? j->v64 : j->v32;
	value quiet = jit_splat(j, wide ? jit_i64(j, 1ull << 51) : jit_i32(j, 0x400000));
	value nan = LLVMBuildFCmp(j->v, LLVMRealUNO, x, x, "");

	quiet = LLVMBuildOr(j->v, LLVMBuildBitCast(j->v, x, bits, ""), quiet, "");
	return LLVMBuildSelect(j->v, nan, LLVMBuildBitCast(j->v, quiet, type, ""), r, "");
}

static value add_of(struct jit *j, LLVMTypeRef type, value x, value y)
{
	return nan_first(j, type, x, LLVMBuildFAdd(j->v, x, y, ""));
}

static value mul_of(struct jit *j, LLVMTypeRef type, value x, value y)
{
	return nan_first(j, type, x, LLVMBuildFMul(j->v, x, y, ""));
}

static value fma_of(struct jit *j, LLVMTypeRef type, value x, value y, value z)
{
	value args[3] = {x, y, z};
	value r = jit_call1(j, j->v, "llvm.fma", type, args, 3);

	/*
	 * Also for z: LLVM moves a negation into the instruction, which leaves the sign of a NaN
	 * unchanged.
	 */
	r = nan_first(j, type, z, r);
	return nan_first(j, type, x, nan_first(j, type, y, r));
}

static value round_of(struct jit *j, const char *name, LLVMTypeRef type, value x)
{
	return jit_call1(j, j->v, name, type, &x, 1);
}

static value one(struct jit *j, LLVMTypeRef element)
{
	return jit_splat(j, LLVMConstReal(element, 1.0));
}

/* Denormals become zero with their sign, like flush32() of float_bodies.h. */
static value flushed(struct jit *j, value v)
{
	value bits = LLVMBuildBitCast(j->v, v, j->v32, ""), tiny, zero;

	tiny = LLVMBuildAnd(j->v, bits, jit_splat(j, jit_i32(j, 0x7f800000)), "");
	tiny = LLVMBuildICmp(j->v, LLVMIntEQ, tiny, LLVMConstNull(j->v32), "");
	zero = LLVMBuildAnd(j->v, bits, jit_splat(j, jit_i32(j, 0x80000000)), "");
	bits = LLVMBuildSelect(j->v, tiny, zero, bits, "");
	return LLVMBuildBitCast(j->v, bits, j->vf32, "");
}

static LLVMTypeRef float_type(struct jit *j)
{
	return LLVMFloatTypeInContext(j->context);
}

/* Operations from f32 to f32. */
static value single(struct jit *j, const struct sim_inst *ip)
{
#define X jit_source_float(j, ip, 0)
#define Y jit_source_float(j, ip, 1)
#define Z jit_source_float(j, ip, 2)
	value x, y;

	switch (ip->row->op) {
	case OP_v_add_f32:
		x = X, y = Y;
		return add_of(j, j->vf32, x, y);
	case OP_v_sub_f32:
		x = X, y = Y;
		return LLVMBuildFSub(j->v, x, y, "");
	case OP_v_subrev_f32:
		x = X, y = Y;
		return LLVMBuildFSub(j->v, y, x, "");
	case OP_v_mul_f32:
		x = X, y = Y;
		return mul_of(j, j->vf32, x, y);
	case OP_v_fma_f32:
	case OP_v_fmac_f32:
		x = X, y = Y;
		return fma_of(j, j->vf32, x, y, Z);
	case OP_v_rcp_f32:
	case OP_v_rcp_iflag_f32:
		x = flushed(j, X);
		return flushed(j, LLVMBuildFDiv(j->v, one(j, float_type(j)), x, ""));
	case OP_v_sqrt_f32:
		return round_of(j, "llvm.sqrt", j->vf32, flushed(j, X));
	case OP_v_cvt_f32_i32:
		return LLVMBuildSIToFP(j->v, jit_source(j, ip, 0, 0), j->vf32, "");
	case OP_v_cvt_f32_u32:
		return LLVMBuildUIToFP(j->v, jit_source(j, ip, 0, 0), j->vf32, "");
	default:
		return NULL;
	}
}

static value twice(struct jit *j, const struct sim_inst *ip)
{
	value x, y;
	/* Redefined so that X and Y have the same form for both widths. */
#undef X
#undef Y
#undef Z
#define X jit_source_double(j, ip, 0)
#define Y jit_source_double(j, ip, 1)
#define Z jit_source_double(j, ip, 2)
	switch (ip->row->op) {
	case OP_v_add_f64:
		x = X, y = Y;
		return add_of(j, j->vf64, x, y);
	case OP_v_mul_f64:
		x = X, y = Y;
		return mul_of(j, j->vf64, x, y);
	case OP_v_fma_f64:
	case OP_v_fmac_f64:
		x = X, y = Y;
		return fma_of(j, j->vf64, x, y, Z);
	default:
		return NULL;
	}
#undef X
#undef Y
#undef Z
}

/* One half of a packed f32 operation: op_sel selects which register each half reads. */
static value packed_source(struct jit *j, const struct sim_inst *ip, unsigned int n, bool high)
{
	bool upper = (high ? ip->m.opsel_hi : ip->m.opsel) >> n & 1;
	bool negate = (high ? ip->m.abs : ip->m.neg) >> n & 1;
	value bits = jit_source_float_bits(j, ip, n, ip->modded ? upper : high);

	if (ip->modded && negate)
		bits = LLVMBuildXor(j->v, bits, jit_splat(j, jit_i32(j, 0x80000000)), "");
	return LLVMBuildBitCast(j->v, bits, j->vf32, "");
}

static bool packed(struct jit *j, const struct sim_inst *ip)
{
	value half[2];

	switch (ip->row->op) {
	case OP_v_pk_add_f32:
	case OP_v_pk_mul_f32:
	case OP_v_pk_fma_f32:
		break;
	default:
		return false;
	}
	if (ip->m.clamp)
		return false;
	jit_scalars_first(j, ip);
	for (unsigned int h = 0; h < 2; h++) {
		value x = packed_source(j, ip, 0, h), y = packed_source(j, ip, 1, h);

		if (ip->row->op == OP_v_pk_add_f32)
			half[h] = add_of(j, j->vf32, x, y);
		else if (ip->row->op == OP_v_pk_mul_f32)
			half[h] = mul_of(j, j->vf32, x, y);
		else
			half[h] = fma_of(j, j->vf32, x, y, packed_source(j, ip, 2, h));
		half[h] = LLVMBuildBitCast(j->v, half[h], j->v32, "");
	}
	jit_put_row(j, ip->dst, half[0]);
	jit_put_row(j, ip->dst + 1u, half[1]);
	return true;
}

static bool is_single(enum sim_op op)
{
	switch (op) {
	case OP_v_add_f32:
	case OP_v_sub_f32:
	case OP_v_subrev_f32:
	case OP_v_mul_f32:
	case OP_v_fma_f32:
	case OP_v_fmac_f32:
	case OP_v_rcp_f32:
	case OP_v_rcp_iflag_f32:
	case OP_v_sqrt_f32:
	case OP_v_cvt_f32_i32:
	case OP_v_cvt_f32_u32:
		return true;
	default:
		return false;
	}
}

static bool is_double(enum sim_op op)
{
	return op == OP_v_add_f64 || op == OP_v_mul_f64 || op == OP_v_fma_f64 ||
	       op == OP_v_fmac_f64;
}

static bool integer_source(enum sim_op op)
{
	return op == OP_v_cvt_f32_i32 || op == OP_v_cvt_f32_u32;
}

bool jit_valu_float(struct jit *j, const struct sim_inst *ip)
{
	enum sim_op op = ip->row->op;

	if (packed(j, ip))
		return true;
	if (!is_single(op) && !is_double(op))
		return false;
	if (ip->m.sdwa || ip->m.dpp || ip->m.clamp || ip->m.omod || ip->m.opsel ||
	    (ip->modded && integer_source(op)))
		return false;
	jit_scalars_first(j, ip);
	if (is_single(op))
		jit_put_row(j, ip->dst, LLVMBuildBitCast(j->v, single(j, ip), j->v32, ""));
	else
		jit_put_wide(j, ip->dst, LLVMBuildBitCast(j->v, twice(j, ip), j->v64, ""));
	return true;
}
