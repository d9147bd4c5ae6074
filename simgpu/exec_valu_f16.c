/* SPDX-License-Identifier: MIT */
/* Half precision, computed as half.h says. Results clear vdst[31:16] unless marked X_KEEPHI. */
#include "exec_trans.h"

static inline u32 quiet16(u32 bits)
{
	return bits | 0x200;
}

static inline bool nan16(u32 bits)
{
	return (bits & 0x7fff) > 0x7c00;
}

static inline bool snan16(u32 bits)
{
	return nan16(bits) && !(bits & 0x200);
}

static inline i32 order16(u32 bits)
{
	return bits & 0x8000 ? (i32)(0x7fff - (bits & 0x7fff)) - 0x8000 : (i32)bits;
}

static inline u32 min16(u32 x, u32 y)
{
	u32 r = order16(x) < order16(y) ? x : y;

	r = nan16(y) ? x : r;
	r = nan16(x) ? y : r;
	r = snan16(y) ? quiet16(y) : r;
	return snan16(x) ? quiet16(x) : r;
}

static inline u32 max16(u32 x, u32 y)
{
	u32 r = order16(x) > order16(y) ? x : y;

	r = nan16(y) ? x : r;
	r = nan16(x) ? y : r;
	r = snan16(y) ? quiet16(y) : r;
	return snan16(x) ? quiet16(x) : r;
}

static inline u32 med3_16(u32 x, u32 y, u32 z)
{
	if (nan16(x) || nan16(y) || nan16(z))
		return min16(min16(x, y), z);
	return max16(min16(x, y), min16(max16(x, y), z));
}

/* Unfused: the product is rounded to half first. */
static inline f32 mad16(f32 x, f32 y, f32 z)
{
	return half_to_float(float_to_half(x * y)) + z;
}

static inline f32 fract16(f32 v)
{
	f32 r = v - floorf(v);

	return r >= 0x1.ffep-1f ? 0x1.ffcp-1f : r;
}

static inline u32 div_fixup16(u32 x, u32 y, u32 z)
{
	u32 sign = (y ^ z) & 0x8000, ay = y & 0x7fff, az = z & 0x7fff;

	if (nan16(z))
		return quiet16(z);
	if (nan16(y))
		return quiet16(y);
	if ((ay == 0 && az == 0) || (ay == 0x7c00 && az == 0x7c00))
		return 0xfe00;
	if (ay == 0 || az == 0x7c00)
		return sign | 0x7c00;
	if (ay == 0x7c00 || az == 0)
		return sign;
	return sign | (x & 0x7fff);
}

BODY2(v_add_f16, f16, f16, f16, x + y)
BODY2(v_sub_f16, f16, f16, f16, x - y)
BODY2(v_subrev_f16, f16, f16, f16, y - x)
BODY2(v_mul_f16, f16, f16, f16, x *y)
BODY2(v_min_f16, u16, u16, u16, min16(x, y))
BODY2(v_max_f16, u16, u16, u16, max16(x, y))
BODY3(v_fma_f16, u16, f16, f16, f16, half_fma(x, y, z))
BODY3(v_mad_f16, f16, f16, f16, f16, mad16(x, y, z))
BODY3(v_min3_f16, u16, u16, u16, u16, min16(min16(x, y), z))
BODY3(v_max3_f16, u16, u16, u16, u16, max16(max16(x, y), z))
BODY3(v_med3_f16, u16, u16, u16, u16, med3_16(x, y, z))
BODY1(v_rcp_f16, f16, f16, 1.0f / x)
BODY1(v_rsq_f16, f16, f16, (f32)(1.0 / sqrt((f64)x)))
BODY1(v_sqrt_f16, f16, f16, sqrtf(x))
BODY1(v_exp_f16, f16, f16, (f32)exp2_any((f64)x))
BODY1(v_log_f16, f16, f16, (f32)log2_any((f64)x))
BODY1(v_sin_f16, f16, f16, (f32)sin_turns((f64)x))
BODY1(v_cos_f16, f16, f16, (f32)cos_turns((f64)x))
BODY1(v_trunc_f16, f16, f16, truncf(x))
BODY1(v_ceil_f16, f16, f16, ceilf(x))
BODY1(v_floor_f16, f16, f16, floorf(x))
BODY1(v_rndne_f16, f16, f16, rintf(x))
BODY1(v_fract_f16, f16, f16, fract16(x))
BODY1(v_frexp_exp_i16_f16, u16, f16, (u16)frexp_exp32(x))
BODY1(v_frexp_mant_f16, f16, f16, frexp_mant32(x))
BODY2(v_ldexp_f16, f16, f16, i16, scale32(x, y))
BODY3(v_div_fixup_f16, u16, u16, u16, u16, div_fixup16(x, y, z))

const struct sim_exec LEVEL(sim_exec_valu_f16)[] = {
	VALU(v_add_f16, FP_F64),
	VALU(v_sub_f16, FP_F64),
	VALU(v_subrev_f16, FP_F64),
	VALU(v_mul_f16, FP_F64),
	VALU(v_min_f16, FP_F64),
	VALU(v_max_f16, FP_F64),
	VALU(v_fma_f16, FP_F64 | X_KEEPHI),
	VALU_AS(v_fma_legacy_f16, v_fma_f16, FP_F64),
	VALU(v_mad_f16, FP_F64 | X_KEEPHI),
	VALU_AS(v_mad_legacy_f16, v_mad_f16, FP_F64),
	VALU_AS(v_mac_f16, v_mad_f16, FP_F64 | X_FMACC),
	VALU_AS(v_madmk_f16, v_mad_f16, FP_F64),
	VALU_AS(v_madak_f16, v_mad_f16, FP_F64),
	VALU(v_min3_f16, FP_F64 | X_KEEPHI),
	VALU(v_max3_f16, FP_F64 | X_KEEPHI),
	VALU(v_med3_f16, FP_F64 | X_KEEPHI),
	VALU(v_rcp_f16, FP_F64),
	VALU(v_rsq_f16, FP_F64),
	VALU(v_sqrt_f16, FP_F64),
	VALU(v_exp_f16, FP_F64),
	VALU(v_log_f16, FP_F64),
	VALU(v_sin_f16, FP_F64),
	VALU(v_cos_f16, FP_F64),
	VALU(v_trunc_f16, FP_F64),
	VALU(v_ceil_f16, FP_F64),
	VALU(v_floor_f16, FP_F64),
	VALU(v_rndne_f16, 0),
	VALU(v_fract_f16, FP_F64),
	VALU(v_frexp_exp_i16_f16, 0),
	VALU(v_frexp_mant_f16, FP_F64),
	VALU(v_ldexp_f16, FP_F64),
	VALU(v_div_fixup_f16, X_KEEPHI),
	VALU_AS(v_div_fixup_legacy_f16, v_div_fixup_f16, 0),
	{0},
};
