/* SPDX-License-Identifier: MIT */
/*
 * Packed arithmetic, dot products and mixed-precision fma (VOP3P, and the dot*c forms of VOP2).
 * op_sel and neg are applied to the source rows before the body runs (source_modifiers.c), so
 * bodies always combine low with low and high with high.
 */
#include "simgpu/exec/vector/float_bodies.h"

/* An element of V_DOT2: a denormal is zero. */
static inline f32 dot_half(u32 v)
{
	return v & 0x7c00 ? half_to_float((u16)v) : 0;
}

static inline u32 pack(u32 lo, u32 hi)
{
	return (lo & 0xffff) | hi << 16;
}

/* Two 16-bit lanes of x, y, z by an expression of p, q, r of type T. */
#define PACKED(name, T, expr)                                                                      \
	static inline u32 name##_one(u32 px, u32 py, u32 pz)                                       \
	{                                                                                          \
		T p = (T)px, q = (T)py, r = (T)pz;                                                 \
		(void)q, (void)r;                                                                  \
		return (u32)(expr);                                                                \
	}                                                                                          \
	static u64 name(BODY_ARGS)                                                                 \
	{                                                                                          \
		LANES d[l] = pack(name##_one(a[l], b[l], c[l]),                                    \
				  name##_one(a[l] >> 16, b[l] >> 16, c[l] >> 16));                 \
		return 0;                                                                          \
	}

static inline i32 sat_i16(i32 v)
{
	return v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v;
}

static inline i32 sat_u16(i64 v)
{
	return (i32)(v > UINT16_MAX ? UINT16_MAX : v < 0 ? 0 : v);
}

PACKED(v_pk_add_u16, u16, p + q)
PACKED(v_pk_sub_u16, u16, p - q)
PACKED(v_pk_mul_lo_u16, u16, (u32)p *q)
PACKED(v_pk_mul_lo_u16_sat, u16, sat_u16((i64)p *q))
PACKED(v_pk_mad_u16, u16, (u32)p *q + r)
PACKED(v_pk_add_u16_sat, u16, sat_u16((i64)p + q))
PACKED(v_pk_sub_u16_sat, u16, sat_u16((i64)p - q))
PACKED(v_pk_mad_u16_sat, u16, sat_u16((i64)p *q + r))
PACKED(v_pk_add_i16_sat, i16, sat_i16(p + q))
PACKED(v_pk_sub_i16_sat, i16, sat_i16(p - q))
PACKED(v_pk_mad_i16_sat, i16, sat_i16(p *q + r))
PACKED(v_pk_min_u16, u16, p < q ? p : q)
PACKED(v_pk_max_u16, u16, p > q ? p : q)
PACKED(v_pk_min_i16, i16, p < q ? p : q)
PACKED(v_pk_max_i16, i16, p > q ? p : q)
PACKED(v_pk_lshlrev_b16, u16, (u32)q << (p & 15))
PACKED(v_pk_lshrrev_b16, u16, q >> (p & 15))
PACKED(v_pk_ashrrev_i16, i16, q >> (p & 15))

/* Two single-precision values in adjacent registers. */
#define PACKED32(name, expr)                                                                       \
	static u64 name(BODY_ARGS)                                                                 \
	{                                                                                          \
		for (unsigned int half = 0; half < 128; half += 64) {                              \
			LANES                                                                      \
			{                                                                          \
				f32 x = get_f32(a + half, l), y = get_f32(b + half, l);            \
				f32 z = c ? get_f32(c + half, l) : 0;                              \
				(void)z;                                                           \
				put_f32(d + half, l, (expr));                                      \
			}                                                                          \
		}                                                                                  \
		return 0;                                                                          \
	}
PACKED32(v_pk_fma_f32, fma32(x, y, z))
PACKED32(v_pk_mul_f32, mul32(x, y))
PACKED32(v_pk_add_f32, add32(x, y))

/* The low result comes from source 0, the high one from source 1; op_sel is in the rows. */
static u64 v_pk_mov_b32(BODY_ARGS)
{
	LANES
	{
		u32 lo = a[l], hi = b[l];

		d[l] = lo;
		d[64 + l] = hi;
	}
	return 0;
}

static inline i32 sat32(i64 v)
{
	return (i32)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

static inline u32 satu32(u64 v)
{
	return v > UINT32_MAX ? UINT32_MAX : (u32)v;
}

/* Sum of n products of `bits`-wide fields. */
static inline i64 dot_i(u32 x, u32 y, unsigned int bits)
{
	i64 sum = 0;

	for (unsigned int at = 0; at < 32; at += bits) {
		i32 p = (i32)(x << (32 - bits - at)) >> (32 - bits);
		i32 q = (i32)(y << (32 - bits - at)) >> (32 - bits);

		sum += (i64)p * q;
	}
	return sum;
}

static inline u64 dot_u(u32 x, u32 y, unsigned int bits)
{
	u32 mask = (1u << bits) - 1;
	u64 sum = 0;

	for (unsigned int at = 0; at < 32; at += bits)
		sum += (u64)(x >> at & mask) * (y >> at & mask);
	return sum;
}

BODY3(v_dot2_i32_i16, u32, u32, u32, u32, (u32)(dot_i(x, y, 16) + z))
BODY3(v_dot4_i32_i8, u32, u32, u32, u32, (u32)(dot_i(x, y, 8) + z))
BODY3(v_dot8_i32_i4, u32, u32, u32, u32, (u32)(dot_i(x, y, 4) + z))
BODY3(v_dot2_u32_u16, u32, u32, u32, u32, (u32)(dot_u(x, y, 16) + z))
BODY3(v_dot4_u32_u8, u32, u32, u32, u32, (u32)(dot_u(x, y, 8) + z))
BODY3(v_dot8_u32_u4, u32, u32, u32, u32, (u32)(dot_u(x, y, 4) + z))
BODY3(v_dot2_i32_i16_sat, i32, u32, u32, i32, sat32(dot_i(x, y, 16) + z))
BODY3(v_dot4_i32_i8_sat, i32, u32, u32, i32, sat32(dot_i(x, y, 8) + z))
BODY3(v_dot8_i32_i4_sat, i32, u32, u32, i32, sat32(dot_i(x, y, 4) + z))
BODY3(v_dot2_u32_u16_sat, u32, u32, u32, u32, satu32(dot_u(x, y, 16) + z))
BODY3(v_dot4_u32_u8_sat, u32, u32, u32, u32, satu32(dot_u(x, y, 8) + z))
BODY3(v_dot8_u32_u4_sat, u32, u32, u32, u32, satu32(dot_u(x, y, 4) + z))
/*
 * The order is the manual's: the low product is added first; denormals in and out are zero, as
 * AMD documents for MI200. The products are exact.
 */
static inline f32 dot2(u32 x, u32 y, f32 z)
{
	f32 sum = flush32(add32(flush32(z), mul32(dot_half(x), dot_half(y))));

	return flush32(add32(sum, mul32(dot_half(x >> 16), dot_half(y >> 16))));
}
BODY3(v_dot2_f32_f16, f32, u32, u32, f32, dot2(x, y, z))

/*
 * Sources are already single-precision rows (source_modifiers.c), which also handles the forms with
 * half results.
 */
BODY3(v_fma_mix_f32, f32, f32, f32, f32, fma32(x, y, z))

#define PK(name, fl)	 VALU(name, (fl) | X_PACKED)
#define PK_SAT(name, fl) VALU_SAT(name, (fl) | X_PACKED)
#define PK_AS(name, fn, sat)                                                                       \
	{                                                                                          \
		.op = OP_##name, .kind = X_VALU, .flags = X_PACKED, .body = fn, .clamped = sat     \
	}
const struct sim_exec LEVEL(sim_exec_vop3p)[] = {
	PK_SAT(v_pk_add_u16, 0),
	PK_SAT(v_pk_sub_u16, 0),
	PK_SAT(v_pk_mad_u16, 0),
	PK_AS(v_pk_add_i16, v_pk_add_u16, v_pk_add_i16_sat),
	PK_AS(v_pk_sub_i16, v_pk_sub_u16, v_pk_sub_i16_sat),
	PK_AS(v_pk_mad_i16, v_pk_mad_u16, v_pk_mad_i16_sat),
	PK_SAT(v_pk_mul_lo_u16, 0),
	PK(v_pk_min_u16, 0),
	PK(v_pk_max_u16, 0),
	PK(v_pk_min_i16, 0),
	PK(v_pk_max_i16, 0),
	PK(v_pk_lshlrev_b16, 0),
	PK(v_pk_lshrrev_b16, 0),
	PK(v_pk_ashrrev_i16, 0),
	PK(v_pk_fma_f32, FP_F32),
	PK(v_pk_mul_f32, FP_F32),
	PK(v_pk_add_f32, FP_F32),
	PK(v_pk_mov_b32, 0),
	PK_SAT(v_dot2_i32_i16, 0),
	PK_SAT(v_dot4_i32_i8, 0),
	PK_SAT(v_dot8_i32_i4, 0),
	PK_SAT(v_dot2_u32_u16, 0),
	PK_SAT(v_dot4_u32_u8, 0),
	PK_SAT(v_dot8_u32_u4, 0),
	PK(v_dot2_f32_f16, 0),
	VALU_AS(v_dot2c_f32_f16, v_dot2_f32_f16, X_FMACC),
	{.op = OP_v_dot2c_i32_i16,
	 .kind = X_VALU,
	 .flags = X_FMACC,
	 .body = v_dot2_i32_i16,
	 .clamped = v_dot2_i32_i16_sat},
	{.op = OP_v_dot4c_i32_i8,
	 .kind = X_VALU,
	 .flags = X_FMACC,
	 .body = v_dot4_i32_i8,
	 .clamped = v_dot4_i32_i8_sat},
	{.op = OP_v_dot8c_i32_i4,
	 .kind = X_VALU,
	 .flags = X_FMACC,
	 .body = v_dot8_i32_i4,
	 .clamped = v_dot8_i32_i4_sat},
	VALU(v_fma_mix_f32, FP_F32 | FP_F64 | X_MIX),
	{0},
};
