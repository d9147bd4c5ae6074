/* SPDX-License-Identifier: MIT */
/*
 * Vector compares: each body returns a mask of lanes. Float compares whose name contains "n", "u"
 * or "tru" in lower case are true for NaN; see the VOPC chapter.
 */
#include "simgpu/exec/vector/float_bodies.h"

#define COMPARE(name, T1, T2, expr)                                                                \
	static u64 name(BODY_ARGS)                                                                 \
	{                                                                                          \
		_Alignas(64) u32 r[64];                                                            \
		(void)d;                                                                           \
		LANES                                                                              \
		{                                                                                  \
			T1##_ x = get_##T1(a, l);                                                  \
			T2##_ y = get_##T2(b, l);                                                  \
			r[l] = (expr) ? ~0u : 0;                                                   \
		}                                                                                  \
		return row_mask(r);                                                                \
	}

static u64 none(BODY_ARGS)
{
	(void)d;
	return 0;
}

static u64 every(BODY_ARGS)
{
	(void)d;
	return ~0ull;
}

#define INTEGER(T)                                                                                 \
	COMPARE(v_cmp_lt_##T, T, T, x < y)                                                         \
	COMPARE(v_cmp_eq_##T, T, T, x == y)                                                        \
	COMPARE(v_cmp_le_##T, T, T, x <= y)                                                        \
	COMPARE(v_cmp_gt_##T, T, T, x > y)                                                         \
	COMPARE(v_cmp_ne_##T, T, T, x != y)                                                        \
	COMPARE(v_cmp_ge_##T, T, T, x >= y)
INTEGER(u16)
INTEGER(i16)
INTEGER(u32)
INTEGER(i32)
INTEGER(u64)
INTEGER(i64)

#define FLOAT(T)                                                                                   \
	COMPARE(v_cmp_lt_##T, T, T, x < y)                                                         \
	COMPARE(v_cmp_eq_##T, T, T, x == y)                                                        \
	COMPARE(v_cmp_le_##T, T, T, x <= y)                                                        \
	COMPARE(v_cmp_gt_##T, T, T, x > y)                                                         \
	COMPARE(v_cmp_lg_##T, T, T, x<y || x> y)                                                   \
	COMPARE(v_cmp_ge_##T, T, T, x >= y)                                                        \
	COMPARE(v_cmp_o_##T, T, T, x == x && y == y)                                               \
	COMPARE(v_cmp_u_##T, T, T, x != x || y != y)                                               \
	COMPARE(v_cmp_nge_##T, T, T, !(x >= y))                                                    \
	COMPARE(v_cmp_nlg_##T, T, T, !(x < y || x > y))                                            \
	COMPARE(v_cmp_ngt_##T, T, T, !(x > y))                                                     \
	COMPARE(v_cmp_nle_##T, T, T, !(x <= y))                                                    \
	COMPARE(v_cmp_neq_##T, T, T, x != y)                                                       \
	COMPARE(v_cmp_nlt_##T, T, T, !(x < y))
FLOAT(f16)
FLOAT(f32)
FLOAT(f64)

/*
 * Class bits: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0,
 * 7 +denormal, 8 +normal, 9 +inf.
 */
static inline u32 class_bit(bool sign, bool maxexp, bool zeroexp, bool fraction, bool quiet)
{
	if (maxexp && fraction)
		return quiet ? 2 : 1;
	if (maxexp)
		return sign ? 4 : 0x200;
	if (!zeroexp)
		return sign ? 8 : 0x100;
	if (fraction)
		return sign ? 0x10 : 0x80;
	return sign ? 0x20 : 0x40;
}

static inline u32 class16(u32 v)
{
	return class_bit(v >> 15 & 1, (v & 0x7c00) == 0x7c00, !(v & 0x7c00), v & 0x3ff, v & 0x200);
}

static inline u32 class32(u32 v)
{
	return class_bit(v >> 31, (v >> 23 & 255) == 255, !(v >> 23 & 255), v & 0x7fffff,
			 v & 0x400000);
}

static inline u32 class64(u64 v)
{
	return class_bit(v >> 63, (v >> 52 & 2047) == 2047, !(v >> 52 & 2047), v << 12 != 0,
			 v >> 51 & 1);
}
COMPARE(v_cmp_class_f16, u16, u32, class16(x) & y)
COMPARE(v_cmp_class_f32, u32, u32, class32(x) & y)
COMPARE(v_cmp_class_f64, u64, u32, class64(x) & y)

/* A compare and its v_cmpx variant. */
#define CMP_AS(cond, T, fn, fl)                                                                    \
	{.op = OP_v_cmp_##cond##_##T, .kind = X_VOPC, .flags = (fl), .body = fn},                  \
	{                                                                                          \
		.op = OP_v_cmpx_##cond##_##T, .kind = X_VOPC, .flags = (fl), .body = fn            \
	}
#define CMP(cond, T, fl) CMP_AS(cond, T, v_cmp_##cond##_##T, fl)
#define INTEGERS(T)                                                                                \
	CMP(lt, T, 0), CMP(eq, T, 0), CMP(le, T, 0), CMP(gt, T, 0), CMP(ne, T, 0), CMP(ge, T, 0),  \
		CMP_AS(f, T, none, 0), CMP_AS(t, T, every, 0)
#define FLOATS(T, fl)                                                                              \
	CMP(lt, T, fl), CMP(eq, T, fl), CMP(le, T, fl), CMP(gt, T, fl), CMP(lg, T, fl),            \
		CMP(ge, T, fl), CMP(o, T, fl), CMP(u, T, fl), CMP(nge, T, fl), CMP(nlg, T, fl),    \
		CMP(ngt, T, fl), CMP(nle, T, fl), CMP(neq, T, fl), CMP(nlt, T, fl),                \
		CMP_AS(f, T, none, 0), CMP_AS(tru, T, every, 0), CMP(class, T, 0)
const struct sim_exec LEVEL(sim_exec_valu_cmp)[] = {
	INTEGERS(u16), INTEGERS(i16),	    INTEGERS(u32),	 INTEGERS(i32),	      INTEGERS(u64),
	INTEGERS(i64), FLOATS(f16, FP_F64), FLOATS(f32, FP_F32), FLOATS(f64, FP_F64), {0},
};
