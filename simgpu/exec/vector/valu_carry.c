/* SPDX-License-Identifier: MIT */
/*
 * Vector operations with a lane mask as input or output: carry chains, selects, wide multiply-add,
 * and the scaled division steps. "AMD Instinct MI200" ISA manual, chapters VOP2 and VOP3B.
 */
#include "simgpu/exec/vector/float_bodies.h"

/*
 * d = x + y, or x - y, where X and Y name a or b; the result holds the carries. LIMIT is the
 * clamped value of a result that overflowed.
 */
#define CARRY_BODY(name, X, Y, SUM, OUT, RESULT)                                                   \
	static u64 name(BODY_ARGS)                                                                 \
	{                                                                                          \
		_Alignas(64) u32 out[64];                                                          \
		LANES                                                                              \
		{                                                                                  \
			u32 x = X[l], y = Y[l], r = (SUM), over = (OUT) ? ~0u : 0;                 \
			d[l] = (RESULT);                                                           \
			out[l] = over;                                                             \
		}                                                                                  \
		return row_mask(out);                                                              \
	}
#define CARRY(name, X, Y, SUM, OUT, LIMIT)                                                         \
	CARRY_BODY(name, X, Y, SUM, OUT, r)                                                        \
	CARRY_BODY(name##_sat, X, Y, SUM, OUT, over ? LIMIT : r)
CARRY(v_add_co_u32, a, b, x + y, r < x, ~0u)
CARRY(v_sub_co_u32, a, b, x - y, x < y, 0)
CARRY(v_subrev_co_u32, b, a, x - y, x < y, 0)

/* The same with the carry of lane l in bit l of m. */
#define CARRY_IN_BODY(name, X, Y, SUM, OUT, RESULT)                                                \
	static u64 name(BODY_ARGS)                                                                 \
	{                                                                                          \
		_Alignas(64) u32 out[64], carry[64];                                               \
		row_bits(carry, m);                                                                \
		LANES                                                                              \
		{                                                                                  \
			u32 x = X[l], y = Y[l], in = carry[l], r = (SUM), over = (OUT) ? ~0u : 0;  \
			d[l] = (RESULT);                                                           \
			out[l] = over;                                                             \
		}                                                                                  \
		return row_mask(out);                                                              \
	}
#define CARRY_IN(name, X, Y, SUM, OUT, LIMIT)                                                      \
	CARRY_IN_BODY(name, X, Y, SUM, OUT, r)                                                     \
	CARRY_IN_BODY(name##_sat, X, Y, SUM, OUT, over ? LIMIT : r)
CARRY_IN(v_addc_co_u32, a, b, x + y + in, (r < x) | ((r == x) & (in & (y == ~0u))), ~0u)
CARRY_IN(v_subb_co_u32, a, b, x - y - in, (x < y) | ((x == y) & in), 0)
CARRY_IN(v_subbrev_co_u32, b, a, x - y - in, (x < y) | ((x == y) & in), 0)

static u64 v_cndmask_b32(BODY_ARGS)
{
	if (d != a)
		memcpy(d, a, 4 * SIM_LANES);
	row_merge(d, b, m, 1);
	return 0;
}

/* The mask is bit 64 of the exact result: the carry. */
static inline __attribute__((always_inline)) u64 mad_u64(BODY_ARGS, bool clamp)
{
	_Alignas(64) u32 out[64];

	LANES
	{
		u64 p = (u64)a[l] * b[l], r = p + get_u64(c, l);

		put_u64(d, l, clamp && r < p ? ~0ull : r);
		out[l] = r < p ? ~0u : 0;
	}
	return row_mask(out);
}

/* The same, signed: bit 64 is the sign. */
static inline __attribute__((always_inline)) u64 mad_i64(BODY_ARGS, bool clamp)
{
	_Alignas(64) u32 out[64];

	LANES
	{
		u64 p = (u64)((i64)(i32)a[l] * (i32)b[l]), z = get_u64(c, l), r = p + z;
		bool over = (i64)(~(p ^ z) & (p ^ r)) < 0, negative = over ^ ((i64)r < 0);

		put_u64(d, l, clamp && over ? negative ? 1ull << 63 : ~0ull >> 1 : r);
		out[l] = negative ? ~0u : 0;
	}
	return row_mask(out);
}

static u64 v_mad_u64_u32(BODY_ARGS)
{
	return mad_u64(d, a, b, c, m, false);
}

static u64 v_mad_u64_u32_sat(BODY_ARGS)
{
	return mad_u64(d, a, b, c, m, true);
}

static u64 v_mad_i64_i32(BODY_ARGS)
{
	return mad_i64(d, a, b, c, m, false);
}

static u64 v_mad_i64_i32_sat(BODY_ARGS)
{
	return mad_i64(d, a, b, c, m, true);
}

/*
 * V_DIV_SCALE: scales x (denominator y or numerator z) so that the refinement of z / y neither
 * overflows nor loses bits; with the mask, V_DIV_FMAS scales the result back. If both 1/y and z/y
 * are denormal, the manual's text scales the denominator up, which would overflow; only scaling it
 * down yields a correct quotient.
 */
static inline f32 div_scale32(f32 x, f32 y, f32 z, bool *scaled)
{
	i32 ey = (i32)(float_bits(y) >> 23 & 255), ez = (i32)(float_bits(z) >> 23 & 255);
	f64 inverse = fabs(1.0 / (f64)y), quotient = fabs((f64)z / (f64)y);
	bool is_y = float_bits(x) == float_bits(y), is_z = float_bits(x) == float_bits(z);

	*scaled = false;
	if (y == 0 || z == 0)
		return bits_float(0x7fc00000);
	if (ez - ey >= 96) {
		*scaled = true;
		return is_y ? x * 0x1p64f : x;
	}
	if (ey == 0)
		return x * 0x1p64f;
	if (inverse < 0x1p-126 && quotient < 0x1p-126) {
		*scaled = true;
		return is_y ? x * 0x1p-64f : x;
	}
	if (inverse < 0x1p-126)
		return x * 0x1p-64f;
	if (quotient < 0x1p-126) {
		*scaled = true;
		return is_z ? x * 0x1p64f : x;
	}
	return ez <= 23 ? x * 0x1p64f : x;
}

static inline f64 div_scale64(f64 x, f64 y, f64 z, bool *scaled)
{
	i32 ey = (i32)(double_bits(y) >> 52 & 2047), ez = (i32)(double_bits(z) >> 52 & 2047);
	f64 inverse = fabs(1.0 / y), quotient = fabs(z / y);
	bool is_y = double_bits(x) == double_bits(y), is_z = double_bits(x) == double_bits(z);

	*scaled = false;
	if (y == 0 || z == 0)
		return bits_double(0x7ff8ull << 48);
	if (ez - ey >= 768) {
		*scaled = true;
		return is_y ? x * 0x1p128 : x;
	}
	if (ey == 0)
		return x * 0x1p128;
	if (inverse < 0x1p-1022 && quotient < 0x1p-1022) {
		*scaled = true;
		return is_y ? x * 0x1p-128 : x;
	}
	if (inverse < 0x1p-1022)
		return x * 0x1p-128;
	if (quotient < 0x1p-1022) {
		*scaled = true;
		return is_z ? x * 0x1p128 : x;
	}
	return ez <= 53 ? x * 0x1p128 : x;
}

static u64 v_div_scale_f32(BODY_ARGS)
{
	u64 mask = 0;

	for (unsigned int l = 0; l < 64; l++) {
		bool scaled;

		put_f32(d, l, div_scale32(get_f32(a, l), get_f32(b, l), get_f32(c, l), &scaled));
		mask |= (u64)scaled << l;
	}
	return mask;
}

static u64 v_div_scale_f64(BODY_ARGS)
{
	u64 mask = 0;

	for (unsigned int l = 0; l < 64; l++) {
		bool scaled;

		put_f64(d, l, div_scale64(get_f64(a, l), get_f64(b, l), get_f64(c, l), &scaled));
		mask |= (u64)scaled << l;
	}
	return mask;
}

/*
 * V_DIV_FMAS: fma, then reverses V_DIV_SCALE where VCC is set. The quotient estimate in z gives the
 * direction: a huge quotient had its denominator scaled up, a tiny one its numerator. Sum and
 * scaling are rounded once; otherwise denormal quotients would not be correctly rounded.
 */
static inline f32 div_fmas32(f32 x, f32 y, f32 z, bool scaled)
{
	f64 p = (f64)x * y, s = p + z, bb = s - p; /* p is exact */
	f64 err = (p - (s - bb)) + (z - bb);	   /* so is s + err (two-sum) */
	u64 bits = double_bits(s);

	if (!scaled || s != s)
		return fma32(x, y, z);
	/* Round to odd, so that the conversion below rounds as if from the exact value. */
	if (err != 0 && err == err && !(bits & 1))
		bits = (err > 0) == (s > 0) ? bits | 1 : bits - 1;
	s = bits_double(bits);
	return (f32)((float_bits(z) >> 23 & 255) > 127 ? s * 0x1p64 : s * 0x1p-64);
}

/* (r + err) * 2^-128 with one rounding, to nearest even; err is below r's last bit. */
static inline f64 scale_down64(f64 r, f64 err)
{
	u64 bits = double_bits(r), fraction, rest, half;
	i32 exponent = (i32)(bits >> 52 & 2047) - 128, shift = 1 - exponent;
	bool more = err != 0 && (err > 0) == (r > 0), less = err != 0 && !more;

	if (exponent > 0 || (bits >> 52 & 2047) == 0 || err != err)
		return r * 0x1p-128;
	if (shift > 53)
		return r * 0x1p-128;
	fraction = (bits & ((1ull << 52) - 1)) | 1ull << 52;
	half = 1ull << (shift - 1);
	rest = fraction & (2 * half - 1);
	fraction >>= shift;
	if (rest > half || (rest == half && (more || (!less && fraction & 1))))
		fraction++;
	return bits_double((bits & 1ull << 63) | fraction);
}

static inline f64 div_fmas64(f64 x, f64 y, f64 z, bool scaled)
{
	f64 r = fma64(x, y, z);

	if (!scaled || r != r)
		return r;
	if ((double_bits(z) >> 52 & 2047) > 1023)
		return r * 0x1p128;
	/* z and r are close, so z - r is exact and the fma gives the sign of r's error. */
	return scale_down64(r, fma(x, y, z - r));
}

static u64 v_div_fmas_f32(BODY_ARGS)
{
	LANES put_f32(d, l, div_fmas32(get_f32(a, l), get_f32(b, l), get_f32(c, l), m >> l & 1));
	return 0;
}

static u64 v_div_fmas_f64(BODY_ARGS)
{
	LANES put_f64(d, l, div_fmas64(get_f64(a, l), get_f64(b, l), get_f64(c, l), m >> l & 1));
	return 0;
}

#define MASK(name, fl)                                                                             \
	{                                                                                          \
		.op = OP_##name, .kind = X_MASK, .flags = (fl), .body = name                       \
	}
#define MASK_SAT(name)                                                                             \
	{                                                                                          \
		.op = OP_##name, .kind = X_MASK, .body = name, .clamped = name##_sat               \
	}
const struct sim_exec LEVEL(sim_exec_valu_mask)[] = {
	MASK_SAT(v_add_co_u32),	       MASK_SAT(v_sub_co_u32),
	MASK_SAT(v_subrev_co_u32),     MASK_SAT(v_addc_co_u32),
	MASK_SAT(v_subb_co_u32),       MASK_SAT(v_subbrev_co_u32),
	MASK(v_cndmask_b32, 0),	       MASK_SAT(v_mad_u64_u32),
	MASK_SAT(v_mad_i64_i32),       MASK(v_div_scale_f32, FP_F32),
	MASK(v_div_scale_f64, FP_F64), MASK(v_div_fmas_f32, FP_F32),
	MASK(v_div_fmas_f64, FP_F64),  {0},
};
