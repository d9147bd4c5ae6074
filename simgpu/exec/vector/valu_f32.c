/* SPDX-License-Identifier: MIT */
/*
 * Single precision. Sums, products and fma are IEEE; rcp, rsq and sqrt are correctly rounded, and
 * exp, log, sin, cos nearly so (transcendental.h); the hardware guarantees 1 ulp.
 */
#include "simgpu/exec/vector/transcendental.h"

/* mad/mac (not fma) neither read nor produce denormals, whatever MODE says. */
static inline f32 mad32(f32 x, f32 y, f32 z)
{
	return flush32(add32(flush32(mul32(flush32(x), flush32(y))), flush32(z)));
}

static inline f32 mul_legacy(f32 x, f32 y)
{
	return x == 0 || y == 0 ? 0 : mul32(x, y);
}

static inline f32 mad_legacy(f32 x, f32 y, f32 z)
{
	x = flush32(x);
	y = flush32(y);
	return flush32(add32(flush32(mul_legacy(x, y)), flush32(z)));
}

static inline f32 fract32(f32 v)
{
	f32 r = v - floorf(v);

	return r >= 1 ? 0x1.fffffep-1f : r;
}

BODY2(v_add_f32, f32, f32, f32, add32(x, y))
BODY2(v_sub_f32, f32, f32, f32, x - y)
BODY2(v_subrev_f32, f32, f32, f32, y - x)
BODY2(v_mul_f32, f32, f32, f32, mul32(x, y))
BODY2(v_mul_legacy_f32, f32, f32, f32, mul_legacy(x, y))
BODY2(v_min_f32, u32, u32, u32, min32(x, y))
BODY2(v_max_f32, u32, u32, u32, max32(x, y))
BODY3(v_fma_f32, f32, f32, f32, f32, fma32(x, y, z))
BODY3(v_mad_f32, f32, f32, f32, f32, mad32(x, y, z))
BODY3(v_mad_legacy_f32, f32, f32, f32, f32, mad_legacy(x, y, z))
BODY3(v_min3_f32, u32, u32, u32, u32, min32(min32(x, y), z))
BODY3(v_max3_f32, u32, u32, u32, u32, max32(max32(x, y), z))
BODY3(v_med3_f32, u32, u32, u32, u32, med3_32(x, y, z))
BODY1(v_rcp_f32, f32, f32, flush32(1.0f / flush32(x)))
BODY1(v_rsq_f32, f32, f32, (f32)(1.0 / sqrt((f64)flush32(x))))
BODY1(v_sqrt_f32, f32, f32, sqrtf(flush32(x)))
BODY1(v_exp_f32, f32, f32, flush32((f32)exp2_any((f64)flush32(x))))
BODY1(v_log_f32, f32, f32, (f32)log2_any((f64)flush32(x)))
BODY1(v_sin_f32, f32, f32, flush32((f32)sin_turns((f64)flush32(x))))
BODY1(v_cos_f32, f32, f32, flush32((f32)cos_turns((f64)flush32(x))))
BODY1(v_trunc_f32, f32, f32, nan_first32(x, truncf(x)))
BODY1(v_ceil_f32, f32, f32, nan_first32(x, ceilf(x)))
BODY1(v_floor_f32, f32, f32, nan_first32(x, floorf(x)))
BODY1(v_rndne_f32, f32, f32, nan_first32(x, rintf(x)))
BODY1(v_fract_f32, f32, f32, fract32(x))
BODY1(v_frexp_exp_i32_f32, i32, f32, frexp_exp32(x))
BODY1(v_frexp_mant_f32, f32, f32, frexp_mant32(x))
BODY2(v_ldexp_f32, f32, f32, i32, scale32(x, y))

/*
 * V_DIV_FIXUP_F32: special cases of quotient x, denominator y, numerator z. The manual's overflow
 * test names the denominator's exponent, which was handled before; here an infinite or NaN quotient
 * indicates an overflow.
 */
static inline u32 div_fixup32(u32 x, u32 y, u32 z)
{
	u32 sign = (y ^ z) & 0x80000000, ay = y & 0x7fffffff, az = z & 0x7fffffff;

	if (nan32(z))
		return quiet32(z);
	if (nan32(y))
		return quiet32(y);
	if ((ay == 0 && az == 0) || (ay == 0x7f800000 && az == 0x7f800000))
		return 0xffc00000;
	if (ay == 0 || az == 0x7f800000)
		return sign | 0x7f800000;
	if (ay == 0x7f800000 || az == 0)
		return sign;
	if ((i32)(az >> 23) - (i32)(ay >> 23) < -150)
		return sign;
	if ((x & 0x7f800000) == 0x7f800000)
		return sign | 0x7f800000;
	return sign | (x & 0x7fffffff);
}
BODY3(v_div_fixup_f32, u32, u32, u32, u32, div_fixup32(x, y, z))

/* Cube map helpers (chapter VOP3, V_CUBE*): x, y, z is the direction. */
static inline bool major_z(f32 x, f32 y, f32 z)
{
	return fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y);
}

static inline bool major_y(f32 x, f32 y, f32 z)
{
	return !major_z(x, y, z) && fabsf(y) >= fabsf(x);
}

static inline f32 cube_id(f32 x, f32 y, f32 z)
{
	if (major_z(x, y, z))
		return z < 0 ? 5 : 4;
	if (major_y(x, y, z))
		return y < 0 ? 3 : 2;
	return x < 0 ? 1 : 0;
}

static inline f32 cube_sc(f32 x, f32 y, f32 z)
{
	if (major_z(x, y, z))
		return z < 0 ? -x : x;
	if (major_y(x, y, z))
		return x;
	return x < 0 ? z : -z;
}

static inline f32 cube_tc(f32 x, f32 y, f32 z)
{
	if (major_z(x, y, z))
		return -y;
	if (major_y(x, y, z))
		return y < 0 ? -z : z;
	return -y;
}

static inline f32 cube_ma(f32 x, f32 y, f32 z)
{
	return 2 * (major_z(x, y, z) ? z : major_y(x, y, z) ? y : x);
}
BODY3(v_cubeid_f32, f32, f32, f32, f32, cube_id(x, y, z))
BODY3(v_cubesc_f32, f32, f32, f32, f32, cube_sc(x, y, z))
BODY3(v_cubetc_f32, f32, f32, f32, f32, cube_tc(x, y, z))
BODY3(v_cubema_f32, f32, f32, f32, f32, cube_ma(x, y, z))

const struct sim_exec LEVEL(sim_exec_valu_f32)[] = {
	VALU(v_add_f32, FP_F32),
	VALU(v_sub_f32, FP_F32),
	VALU(v_subrev_f32, FP_F32),
	VALU(v_mul_f32, FP_F32),
	VALU(v_mul_legacy_f32, FP_F32),
	VALU(v_min_f32, FP_F32 | FP_IEEE),
	VALU(v_max_f32, FP_F32 | FP_IEEE),
	VALU(v_fma_f32, FP_F32),
	VALU_AS(v_fmac_f32, v_fma_f32, FP_F32 | X_FMACC),
	VALU(v_mad_f32, FP_F32),
	VALU_AS(v_mac_f32, v_mad_f32, FP_F32 | X_FMACC),
	VALU_AS(v_fmamk_f32, v_fma_f32, FP_F32),
	VALU_AS(v_fmaak_f32, v_fma_f32, FP_F32),
	VALU_AS(v_madmk_f32, v_mad_f32, FP_F32),
	VALU_AS(v_madak_f32, v_mad_f32, FP_F32),
	VALU(v_mad_legacy_f32, FP_F32),
	VALU(v_min3_f32, FP_F32 | FP_IEEE),
	VALU(v_max3_f32, FP_F32 | FP_IEEE),
	VALU(v_med3_f32, FP_F32 | FP_IEEE),
	VALU(v_rcp_f32, 0),
	VALU_AS(v_rcp_iflag_f32, v_rcp_f32, 0),
	VALU(v_rsq_f32, 0),
	VALU(v_sqrt_f32, 0),
	VALU(v_exp_f32, 0),
	VALU_AS(v_exp_legacy_f32, v_exp_f32, 0),
	VALU(v_log_f32, 0),
	VALU_AS(v_log_legacy_f32, v_log_f32, 0),
	VALU(v_sin_f32, 0),
	VALU(v_cos_f32, 0),
	VALU(v_trunc_f32, FP_F32),
	VALU(v_ceil_f32, FP_F32),
	VALU(v_floor_f32, FP_F32),
	VALU(v_rndne_f32, 0),
	VALU(v_fract_f32, FP_F32),
	VALU(v_frexp_exp_i32_f32, FP_F32),
	VALU(v_frexp_mant_f32, FP_F32),
	VALU(v_ldexp_f32, FP_F32),
	VALU(v_div_fixup_f32, FP_F32),
	VALU(v_cubeid_f32, FP_F32),
	VALU(v_cubesc_f32, FP_F32),
	VALU(v_cubetc_f32, FP_F32),
	VALU(v_cubema_f32, FP_F32),
	{0},
};
