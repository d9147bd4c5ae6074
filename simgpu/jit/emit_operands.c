/* SPDX-License-Identifier: MIT */
#include "simgpu/jit/emit_operands.h"

#include <string.h>

#include "simgpu/jit/emit_state.h"

static bool is_row(const struct sim_inst *ip, unsigned int n)
{
	return ip->rel >> n & 1 && !(ip->scalar >> n & 1);
}

static unsigned int row_of(const struct sim_inst *ip, unsigned int n)
{
	return (unsigned int)(ip->off[n] - offsetof(struct sim_wave, vgpr)) / (4 * SIM_LANES);
}

value jit_source(struct jit *j, const struct sim_inst *ip, unsigned int n, unsigned int part)
{
	uint32_t bits;

	if (is_row(ip, n))
		return jit_get_row(j, row_of(ip, n) + part);
	if (ip->rel >> n & 1)
		return jit_splat(j, jit_get32(j, jit_code(ip->off[n]) + part));
	memcpy(&bits, (const uint32_t *)ip->off[n] + SIM_LANES * part, sizeof(bits));
	return jit_splat(j, jit_i32(j, bits));
}

static value join(struct jit *j, value low, value high)
{
	value shift = jit_splat(j, jit_i64(j, 32));

	low = LLVMBuildZExt(j->v, low, j->v64, "");
	high = LLVMBuildShl(j->v, LLVMBuildZExt(j->v, high, j->v64, ""), shift, "");
	return LLVMBuildOr(j->v, low, high, "");
}

value jit_source64(struct jit *j, const struct sim_inst *ip, unsigned int n)
{
	if (ip->rel >> n & 1 && ip->scalar >> n & 1)
		return jit_splat(j, jit_get64(j, jit_code(ip->off[n])));
	return join(j, jit_source(j, ip, n, 0), jit_source(j, ip, n, 1));
}

void jit_put_wide(struct jit *j, unsigned int row, value v)
{
	value shift = jit_splat(j, jit_i64(j, 32));

	jit_put_row(j, row, LLVMBuildTrunc(j->v, v, j->v32, ""));
	jit_put_row(j, row + 1,
		    LLVMBuildTrunc(j->v, LLVMBuildLShr(j->v, v, shift, ""), j->v32, ""));
}

/*
 * Reads scalars first: reading one that the open loop makes closes the loop, and rows read before
 * would then be those of its last iteration.
 */
void jit_scalars_first(struct jit *j, const struct sim_inst *ip)
{
	for (unsigned int n = 0; n < 3; n++) {
		if (!(ip->rel >> n & 1) || !(ip->scalar >> n & 1))
			continue;
		jit_get32(j, jit_code(ip->off[n]));
		if (ip->size[n] == 2)
			jit_get32(j, jit_code(ip->off[n]) + 1);
	}
	jit_loop_open(j);
}

/*
 * Constants are read from their rows in memory, because LLVM would fold x * 1.0 to x, which does
 * not quiet a signalling NaN as the multiplication does.
 */
value jit_source_float_bits(struct jit *j, const struct sim_inst *ip, unsigned int n,
			    unsigned int part)
{
	value at, bits;

	if (ip->rel >> n & 1)
		return jit_source(j, ip, n, part);
	at = LLVMConstIntToPtr(jit_i64(j, ip->off[n] + 4 * SIM_LANES * part), j->ptr);
	bits = LLVMBuildLoad2(j->s, j->i32, at, "");
	LLVMSetVolatile(bits, true);
	return jit_splat(j, bits);
}

/* Applies abs, then neg, to the sign bit of dword `high`. */
static value with_sign(struct jit *j, const struct sim_inst *ip, unsigned int n, value bits)
{
	if (!ip->modded)
		return bits;
	if (ip->m.abs >> n & 1)
		bits = LLVMBuildAnd(j->v, bits, jit_splat(j, jit_i32(j, 0x7fffffff)), "");
	if (ip->m.neg >> n & 1)
		bits = LLVMBuildXor(j->v, bits, jit_splat(j, jit_i32(j, 0x80000000)), "");
	return bits;
}

value jit_source_float(struct jit *j, const struct sim_inst *ip, unsigned int n)
{
	value bits = with_sign(j, ip, n, jit_source_float_bits(j, ip, n, 0));

	return LLVMBuildBitCast(j->v, bits, j->vf32, "");
}

value jit_source_double(struct jit *j, const struct sim_inst *ip, unsigned int n)
{
	value low = jit_source_float_bits(j, ip, n, 0), high = jit_source_float_bits(j, ip, n, 1);

	high = with_sign(j, ip, n, high);
	low = LLVMBuildZExt(j->v, low, j->v64, "");
	high = LLVMBuildZExt(j->v, high, j->v64, "");
	high = LLVMBuildShl(j->v, high, jit_splat(j, jit_i64(j, 32)), "");
	return LLVMBuildBitCast(j->v, LLVMBuildOr(j->v, low, high, ""), j->vf64, "");
}
