/* SPDX-License-Identifier: MIT */
/*
 * Half precision, single and packed, computed as half_float.h says. Results clear vdst[31:16]
 * unless marked X_KEEPHI.
 */
#include "simgpu/exec/vector/transcendental.h"
#include "simgpu/exec/vector/half_mode.h"

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

static inline u32 flush16(u32 bits)
{
	return bits & 0x7c00 ? bits : bits & 0x8000;
}

/* mad/mac are not fused, and neither read nor produce denormals, like those of single precision. */
static inline f32 mad_operand(f32 v)
{
	return fabsf(v) < 0x1p-14f ? copysignf(0, v) : v;
}

static inline f32 mad_product(u32 bits)
{
	return half_to_float((u16)flush16(bits));
}

static inline f32 lo16f(u32 v)
{
	return half_to_float((u16)v);
}

static inline f32 hi16f(u32 v)
{
	return half_to_float((u16)(v >> 16));
}

#define N(name)		  name
#define HALF(v)		  float_to_half(v)
#define HALF_FMA(x, y, z) half_fma(x, y, z)
#define PACK(lo, hi)	  (HALF(lo) | (u32)HALF(hi) << 16)
#include "simgpu/exec/vector/f16_bodies.inc"
#undef N
#undef HALF
#undef HALF_FMA

#define N(name)		  with_mode_##name
#define HALF(v)		  half_round(v, m)
#define HALF_FMA(x, y, z) half_fma_round(x, y, z, m)
#define put_f16(r, l, v)  ((r)[l] = half_round(v, m))
#include "simgpu/exec/vector/f16_bodies.inc"
#undef put_f16

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

BODY2(v_min_f16, u16, u16, u16, min16(x, y))
BODY2(v_max_f16, u16, u16, u16, max16(x, y))
BODY3(v_min3_f16, u16, u16, u16, u16, min16(min16(x, y), z))
BODY3(v_max3_f16, u16, u16, u16, u16, max16(max16(x, y), z))
BODY3(v_med3_f16, u16, u16, u16, u16, med3_16(x, y, z))
BODY1(v_trunc_f16, f16, f16, truncf(x))
BODY1(v_ceil_f16, f16, f16, ceilf(x))
BODY1(v_floor_f16, f16, f16, floorf(x))
BODY1(v_rndne_f16, f16, f16, rintf(x))
BODY1(v_fract_f16, f16, f16, fract16(x))
BODY1(v_frexp_exp_i16_f16, u16, f16, (u16)frexp_exp32(x))
BODY1(v_frexp_mant_f16, f16, f16, frexp_mant32(x))
BODY3(v_div_fixup_f16, u16, u16, u16, u16, div_fixup16(x, y, z))

/* Packed minimum and maximum. */
BODY2(v_pk_min_f16, u32, u32, u32, min16(x & 0xffff, y & 0xffff) | min16(x >> 16, y >> 16) << 16)
BODY2(v_pk_max_f16, u32, u32, u32, max16(x & 0xffff, y & 0xffff) | max16(x >> 16, y >> 16) << 16)

/* With a second body for other values of MODE. */
#define ROUNDED_AS(name, fn, fl)                                                                   \
	{                                                                                          \
		.op = OP_##name, .kind = X_VALU, .flags = (fl), .body = fn,                        \
		.with_mode = with_mode_##fn                                                        \
	}
#define ROUNDED(name, fl) ROUNDED_AS(name, name, fl)
const struct sim_exec LEVEL(sim_exec_valu_f16)[] = {
	ROUNDED(v_add_f16, FP_F64),
	ROUNDED(v_sub_f16, FP_F64),
	ROUNDED(v_subrev_f16, FP_F64),
	ROUNDED(v_mul_f16, FP_F64),
	VALU(v_min_f16, FP_F64 | FP_IEEE),
	VALU(v_max_f16, FP_F64 | FP_IEEE),
	ROUNDED(v_fma_f16, FP_F64 | X_KEEPHI),
	ROUNDED_AS(v_fma_legacy_f16, v_fma_f16, FP_F64),
	ROUNDED(v_mad_f16, FP_F64 | X_KEEPHI),
	ROUNDED_AS(v_mad_legacy_f16, v_mad_f16, FP_F64),
	ROUNDED_AS(v_mac_f16, v_mad_f16, FP_F64 | X_FMACC),
	ROUNDED_AS(v_madmk_f16, v_mad_f16, FP_F64),
	ROUNDED_AS(v_madak_f16, v_mad_f16, FP_F64),
	VALU(v_min3_f16, FP_F64 | FP_IEEE | X_KEEPHI),
	VALU(v_max3_f16, FP_F64 | FP_IEEE | X_KEEPHI),
	VALU(v_med3_f16, FP_F64 | FP_IEEE | X_KEEPHI),
	ROUNDED(v_rcp_f16, FP_F64),
	ROUNDED(v_rsq_f16, FP_F64),
	ROUNDED(v_sqrt_f16, FP_F64),
	ROUNDED(v_exp_f16, FP_F64),
	ROUNDED(v_log_f16, FP_F64),
	ROUNDED(v_sin_f16, FP_F64),
	ROUNDED(v_cos_f16, FP_F64),
	VALU(v_trunc_f16, FP_F64),
	VALU(v_ceil_f16, FP_F64),
	VALU(v_floor_f16, FP_F64),
	VALU(v_rndne_f16, 0),
	VALU(v_fract_f16, FP_F64),
	VALU(v_frexp_exp_i16_f16, FP_F64),
	VALU(v_frexp_mant_f16, FP_F64),
	ROUNDED(v_ldexp_f16, FP_F64),
	VALU(v_div_fixup_f16, FP_F64 | X_KEEPHI),
	VALU_AS(v_div_fixup_legacy_f16, v_div_fixup_f16, FP_F64),
	ROUNDED(v_cvt_f16_f32, FP_F32 | FP_F64),
	ROUNDED(v_cvt_f16_u16, FP_F64),
	ROUNDED(v_cvt_f16_i16, FP_F64),
	ROUNDED(v_pk_add_f16, FP_F64 | X_PACKED),
	ROUNDED(v_pk_mul_f16, FP_F64 | X_PACKED),
	ROUNDED(v_pk_fma_f16, FP_F64 | X_PACKED),
	ROUNDED_AS(v_pk_fmac_f16, v_pk_fma_f16, FP_F64 | X_FMACC),
	VALU(v_pk_min_f16, FP_F64 | FP_IEEE | X_PACKED),
	VALU(v_pk_max_f16, FP_F64 | FP_IEEE | X_PACKED),
	ROUNDED(v_fma_mixlo_f16, FP_F32 | FP_F64 | X_MIX | X_KEEPHI),
	ROUNDED_AS(v_fma_mixhi_f16, v_fma_mixlo_f16, FP_F32 | FP_F64 | X_MIX | X_KEEPHI),
	{0},
};
