/* SPDX-License-Identifier: MIT */
/*
 * Conversions. Float to integer truncates, saturates, and makes NaN zero; integer to float and
 * narrowing follow MODE.
 */
#include "simgpu/exec/vector/fp8.h"

static inline i32 to_i32(f64 v)
{
	v = v != v ? 0 : v;
	v = v > 2147483647.0 ? 2147483647.0 : v;
	v = v < -2147483648.0 ? -2147483648.0 : v;
	return (i32)v;
}

static inline u32 to_u32(f64 v)
{
	v = v != v ? 0 : v;
	v = v > 4294967295.0 ? 4294967295.0 : v;
	v = v < 0 ? 0 : v;
	return (u32)(i64)v;
}

static inline u32 to_i16(f32 v)
{
	v = v != v ? 0 : v;
	v = v > 32767 ? 32767 : v;
	v = v < -32768 ? -32768 : v;
	return (u32)(i32)v & 0xffff;
}

static inline u32 to_u16(f32 v)
{
	v = v != v ? 0 : v;
	v = v > 65535 ? 65535 : v;
	v = v < 0 ? 0 : v;
	return (u32)(i32)v;
}

/* Normalised: [-1, 1] to +-32767 and [0, 1] to 65535, to nearest even. */
static inline u32 norm_i16(f32 v)
{
	v = v != v ? 0 : v > 1 ? 1 : v < -1 ? -1 : v;
	return (u32)(i32)rintf(v * 32767) & 0xffff;
}

static inline u32 norm_u16(f32 v)
{
	v = v != v ? 0 : v > 1 ? 1 : v < 0 ? 0 : v;
	return (u32)(i32)rintf(v * 65535);
}

/* Towards zero, whatever MODE says; the largest half instead of a rounded-up infinity. */
static inline u32 half_rtz(f32 v)
{
	u32 bits = float_bits(v), sign = bits >> 16 & 0x8000, mag = bits & 0x7fffffff;
	i32 shift = 113 - (i32)(mag >> 23);

	if (mag > 0x7f800000)
		return sign | 0x7e00 | (mag >> 13 & 0x3ff);
	if (mag == 0x7f800000)
		return sign | 0x7c00;
	if (mag >= 0x47800000)
		return sign | 0x7bff;
	if (shift <= 0)
		return sign | (mag - (112u << 23)) >> 13;
	if (shift > 11)
		return sign;
	return sign | ((mag & 0x7fffff) | 0x800000) >> (13 + shift);
}

static inline u32 clamp_i16(i32 v)
{
	return (u32)(v > 32767 ? 32767 : v < -32768 ? -32768 : v) & 0xffff;
}

static inline u32 clamp_u16(u32 v)
{
	return v > 65535 ? 65535 : v;
}

/* Signed 4-bit offset in sixteenths: V_CVT_OFF_F32_I4's table. */
static inline f32 off_i4(u32 v)
{
	return (f32)((i32)(v << 28) >> 28) * 0.0625f;
}

/* To an unsigned byte: truncated and saturated. */
static inline u32 to_u8(f32 v)
{
	v = v != v ? 0 : v;
	v = v > 255 ? 255 : v;
	v = v < 0 ? 0 : v;
	return (u32)(i32)v;
}

/* Byte y of z replaced. */
static inline u32 pack_u8(f32 x, u32 y, u32 z)
{
	u32 at = 8 * (y & 3);

	return (z & ~(0xffu << at)) | to_u8(x) << at;
}

BODY1(v_cvt_f64_i32, f64, i32, (f64)x)
BODY1(v_cvt_f64_u32, f64, u32, (f64)x)
BODY1(v_cvt_f32_i32, f32, i32, (f32)x)
BODY1(v_cvt_f32_u32, f32, u32, (f32)x)
BODY1(v_cvt_u32_f32, u32, f32, to_u32((f64)x))
BODY1(v_cvt_i32_f32, i32, f32, to_i32((f64)x))
BODY1(v_cvt_i32_f64, i32, f64, to_i32(x))
BODY1(v_cvt_u32_f64, u32, f64, to_u32(x))
BODY1(v_cvt_f32_f64, f32, f64, (f32)x)
BODY1(v_cvt_f64_f32, f64, f32, (f64)x)
BODY1(v_cvt_f32_f16, f32, f16, x)
BODY1(v_cvt_u16_f16, u16, f16, to_u16(x))
BODY1(v_cvt_i16_f16, u16, f16, to_i16(x))
BODY1(v_cvt_norm_i16_f16, u16, f16, norm_i16(x))
BODY1(v_cvt_norm_u16_f16, u16, f16, norm_u16(x))
BODY1(v_cvt_rpi_i32_f32, i32, f32, to_i32(floor((f64)x + 0.5)))
BODY1(v_cvt_flr_i32_f32, i32, f32, to_i32(floor((f64)x)))
BODY1(v_cvt_off_f32_i4, f32, u32, off_i4(x))
BODY1(v_cvt_f32_ubyte0, f32, u32, (f32)(x & 255))
BODY1(v_cvt_f32_ubyte1, f32, u32, (f32)(x >> 8 & 255))
BODY1(v_cvt_f32_ubyte2, f32, u32, (f32)(x >> 16 & 255))
BODY1(v_cvt_f32_ubyte3, f32, u32, (f32)(x >> 24))
BODY2(v_cvt_pkrtz_f16_f32, u32, f32, f32, half_rtz(x) | half_rtz(y) << 16)
BODY2(v_cvt_pknorm_i16_f32, u32, f32, f32, norm_i16(x) | norm_i16(y) << 16)
BODY2(v_cvt_pknorm_u16_f32, u32, f32, f32, norm_u16(x) | norm_u16(y) << 16)
BODY2(v_cvt_pknorm_i16_f16, u32, f16, f16, norm_i16(x) | norm_i16(y) << 16)
BODY2(v_cvt_pknorm_u16_f16, u32, f16, f16, norm_u16(x) | norm_u16(y) << 16)
BODY2(v_cvt_pk_u16_u32, u32, u32, u32, clamp_u16(x) | clamp_u16(y) << 16)
BODY2(v_cvt_pk_i16_i32, u32, i32, i32, clamp_i16(x) | clamp_i16(y) << 16)
BODY3(v_cvt_pk_u8_f32, u32, f32, u32, u32, pack_u8(x, y, z))

/* Two results as one 64-bit value. */
static inline u64 two_floats(u32 v, enum fp8_format mantissa)
{
	return float_bits(fp8_to_float(v & 0xff, mantissa)) |
	       (u64)float_bits(fp8_to_float(v >> 8 & 0xff, mantissa)) << 32;
}

static inline u32 two_fp8(f32 x, f32 y, enum fp8_format mantissa)
{
	return fp8_of_float(x, mantissa, false) | fp8_of_float(y, mantissa, false) << 8;
}

BODY1(v_cvt_f32_fp8, f32, u32, fp8_to_float(x & 0xff, FP8_MANTISSA))
BODY1(v_cvt_f32_bf8, f32, u32, fp8_to_float(x & 0xff, BF8_MANTISSA))
BODY1(v_cvt_pk_f32_fp8, u64, u32, two_floats(x, FP8_MANTISSA))
BODY1(v_cvt_pk_f32_bf8, u64, u32, two_floats(x, BF8_MANTISSA))
BODY2(v_cvt_pk_fp8_f32, u32, f32, f32, two_fp8(x, y, FP8_MANTISSA))
BODY2(v_cvt_pk_bf8_f32, u32, f32, f32, two_fp8(x, y, BF8_MANTISSA))
BODY2(v_cvt_sr_fp8_f32, u32, f32, u32, fp8_of_float_by_chance(x, y, FP8_MANTISSA))
BODY2(v_cvt_sr_bf8_f32, u32, f32, u32, fp8_of_float_by_chance(x, y, BF8_MANTISSA))

const struct sim_exec LEVEL(sim_exec_valu_cvt)[] = {
	VALU(v_cvt_f64_i32, FP_F64),
	VALU(v_cvt_f64_u32, FP_F64),
	VALU(v_cvt_f32_i32, FP_F32),
	VALU(v_cvt_f32_u32, FP_F32),
	VALU(v_cvt_u32_f32, FP_F32),
	VALU(v_cvt_i32_f32, FP_F32),
	VALU(v_cvt_i32_f64, FP_F64),
	VALU(v_cvt_u32_f64, FP_F64),
	VALU(v_cvt_f32_f64, FP_F32 | FP_F64),
	VALU(v_cvt_f64_f32, FP_F32),
	VALU(v_cvt_f32_f16, FP_F64),
	VALU(v_cvt_u16_f16, FP_F64),
	VALU(v_cvt_i16_f16, FP_F64),
	VALU(v_cvt_norm_i16_f16, 0),
	VALU(v_cvt_norm_u16_f16, 0),
	VALU(v_cvt_rpi_i32_f32, 0),
	VALU(v_cvt_flr_i32_f32, 0),
	VALU(v_cvt_off_f32_i4, 0),
	VALU(v_cvt_f32_ubyte0, 0),
	VALU(v_cvt_f32_ubyte1, 0),
	VALU(v_cvt_f32_ubyte2, 0),
	VALU(v_cvt_f32_ubyte3, 0),
	VALU(v_cvt_pkrtz_f16_f32, 0),
	VALU(v_cvt_pknorm_i16_f32, 0),
	VALU(v_cvt_pknorm_u16_f32, 0),
	VALU(v_cvt_pknorm_i16_f16, 0),
	VALU(v_cvt_pknorm_u16_f16, 0),
	VALU(v_cvt_pk_u16_u32, 0),
	VALU(v_cvt_pk_i16_i32, 0),
	VALU(v_cvt_pk_u8_f32, 0),
	VALU(v_cvt_f32_fp8, 0),
	VALU(v_cvt_f32_bf8, 0),
	VALU(v_cvt_pk_f32_fp8, 0),
	VALU(v_cvt_pk_f32_bf8, 0),
	VALU(v_cvt_pk_fp8_f32, X_KEEPHI),
	VALU(v_cvt_pk_bf8_f32, X_KEEPHI),
	VALU(v_cvt_sr_fp8_f32, X_KEEPBYTES),
	VALU(v_cvt_sr_bf8_f32, X_KEEPBYTES),
	VALU_AS(v_cvt_pkaccum_u8_f32, v_cvt_pk_u8_f32, X_FMACC),
	{0},
};
