/* SPDX-License-Identifier: MIT */
/*
 * Double precision. rcp, rsq and sqrt are correctly rounded; the hardware returns fewer bits, which
 * compiled code refines.
 */
#include "simgpu/exec/vector/float_bodies.h"

#include "simgpu/exec/vector/two_over_pi.h"

static inline f64 fract64(f64 v)
{
	f64 r = v - floor(v);

	return r >= 1 ? 0x1.fffffffffffffp-1 : r;
}

BODY2(v_add_f64, f64, f64, f64, add64(x, y))
BODY2(v_mul_f64, f64, f64, f64, mul64(x, y))
BODY2(v_min_f64, u64, u64, u64, min64(x, y))
BODY2(v_max_f64, u64, u64, u64, max64(x, y))
BODY3(v_fma_f64, f64, f64, f64, f64, fma64(x, y, z))
BODY1(v_rcp_f64, f64, f64, 1.0 / x)
BODY1(v_rsq_f64, f64, f64, 1.0 / sqrt(x))
BODY1(v_sqrt_f64, f64, f64, sqrt(x))
BODY1(v_trunc_f64, f64, f64, nan_first64(x, trunc(x)))
BODY1(v_ceil_f64, f64, f64, nan_first64(x, ceil(x)))
BODY1(v_floor_f64, f64, f64, nan_first64(x, floor(x)))
BODY1(v_rndne_f64, f64, f64, nan_first64(x, rint(x)))
BODY1(v_fract_f64, f64, f64, fract64(x))
BODY1(v_frexp_exp_i32_f64, i32, f64, frexp_exp64(x))
BODY1(v_frexp_mant_f64, f64, f64, frexp_mant64(x))
BODY2(v_ldexp_f64, f64, f64, i32, scale64(x, y))

/* V_DIV_FIXUP_F64, like the single-precision form. */
static inline u64 div_fixup64(u64 x, u64 y, u64 z)
{
	const u64 top = 1ull << 63, inf = 0x7ffull << 52;
	u64 sign = (y ^ z) & top, ay = y & ~top, az = z & ~top;

	if (nan64(z))
		return quiet64(z);
	if (nan64(y))
		return quiet64(y);
	if ((ay == 0 && az == 0) || (ay == inf && az == inf))
		return 0xfff8ull << 48;
	if (ay == 0 || az == inf)
		return sign | inf;
	if (ay == inf || az == 0)
		return sign;
	if ((i32)(az >> 52) - (i32)(ay >> 52) < -1075)
		return sign;
	if ((x & inf) == inf)
		return sign | inf;
	return sign | (x & ~top);
}
BODY3(v_div_fixup_f64, u64, u64, u64, u64, div_fixup64(x, y, z))

/*
 * V_TRIG_PREOP_F64: 53 bits of 2/pi, at a position selected by the exponent of x and by segment y.
 */
static inline f64 trig_preop(u64 x, u32 y)
{
	u32 exponent = (u32)(x >> 52 & 0x7ff), shift = (y & 31) * 53;
	i32 scale;

	if (exponent > 1077)
		shift += exponent - 1077;
	scale = -53 - (i32)shift;
	if (exponent >= 1968)
		scale += 128;
	return ldexp((f64)two_over_pi_bits(shift), scale);
}
BODY2(v_trig_preop_f64, f64, u64, u32, trig_preop(x, y))

const struct sim_exec LEVEL(sim_exec_valu_f64)[] = {
	VALU(v_add_f64, FP_F64),
	VALU(v_mul_f64, FP_F64),
	VALU(v_min_f64, FP_F64 | FP_IEEE),
	VALU(v_max_f64, FP_F64 | FP_IEEE),
	VALU(v_fma_f64, FP_F64),
	VALU_AS(v_fmac_f64, v_fma_f64, FP_F64 | X_FMACC),
	VALU(v_rcp_f64, FP_F64),
	VALU(v_rsq_f64, FP_F64),
	VALU(v_sqrt_f64, FP_F64),
	VALU(v_trunc_f64, FP_F64),
	VALU(v_ceil_f64, FP_F64),
	VALU(v_floor_f64, FP_F64),
	VALU(v_rndne_f64, 0),
	VALU(v_fract_f64, FP_F64),
	VALU(v_frexp_exp_i32_f64, FP_F64),
	VALU(v_frexp_mant_f64, FP_F64),
	VALU(v_ldexp_f64, FP_F64),
	VALU(v_div_fixup_f64, FP_F64),
	VALU(v_trig_preop_f64, 0),
	{0},
};
