/* SPDX-License-Identifier: MIT */
/*
 * Matrix fused multiply-add as gfx942 does it for types narrower than single precision, dense and
 * sparse (v_smfmac: A has two of each four elements along K, and C is D).
 *
 * AMD does not document the arithmetic; it follows MMA-Sim (arXiv:2511.10909), whose model of CDNA3
 * agrees with the hardware: exact products are aligned to the largest exponent of a group, cut to
 * 24 fractional bits and summed; that sum (31 fractional bits) and C (24) are aligned again, cut
 * downwards, added, and rounded to single precision. A group has 8 products (fp8: 16, those with
 * even and odd k in two sums; xf32: 4). The sparse ones are not in that model: theirs is the order
 * of the stored elements [E].
 */
#include "simgpu/exec/vector/fp8.h"
#include "simgpu/exec/vector/mfma_layout.h"

enum {
	PRODUCT_BITS = 24, /* below the point, of an aligned product and of C */
	SUM_BITS = 31,	   /* of an aligned sum */
	ZERO_EXPONENT = -126,
};

enum narrow {
	NARROW_F16,
	NARROW_BF16,
	NARROW_XF32,
	NARROW_FP8,
	NARROW_BF8,
};

/* An element: value = significand * 2^(exponent - fraction), |significand| < 2 << fraction. */
struct element {
	i32 significand;
	i32 exponent;
	f32 value;
};

struct elements {
	struct element at[16][64]; /* element of the lane, lane */
	unsigned int fraction;
};

static unsigned int fraction_of(enum narrow type)
{
	static const uint8_t bits[] = {10, 7, 10, FP8_MANTISSA, BF8_MANTISSA};

	return bits[type];
}

static i32 least_exponent(enum narrow type)
{
	static const i8 least[] = {-14, -126, -126, -7, -15};

	return least[type];
}

static f32 element_value(const u32 *row, unsigned int e, unsigned int l, enum narrow type)
{
	switch (type) {
	case NARROW_F16:
		return half_to_float((u16)(row[64 * (e / 2) + l] >> 16 * (e % 2)));
	case NARROW_BF16:
		return bits_float(row[64 * (e / 2) + l] >> 16 * (e % 2) << 16);
	case NARROW_XF32:
		return bits_float(row[64 * e + l] & 0xffffe000);
	case NARROW_FP8:
		return fp8_to_float(row[64 * (e / 4) + l] >> 8 * (e % 4) & 0xff, FP8_MANTISSA);
	default:
		return fp8_to_float(row[64 * (e / 4) + l] >> 8 * (e % 4) & 0xff, BF8_MANTISSA);
	}
}

static struct element split(f32 value, unsigned int fraction, i32 least)
{
	struct element e = {.value = value, .exponent = ZERO_EXPONENT};

	if (value == 0 || !isfinite(value))
		return e;
	e.exponent = ilogbf(value);
	if (e.exponent < least)
		e.exponent = least;
	e.significand = (i32)ldexp((f64)value, (i32)fraction - e.exponent);
	return e;
}

static void read_elements(const u32 *rows, unsigned int per_lane, enum narrow type,
			  struct elements *ret)
{
	ret->fraction = fraction_of(type);
	for (unsigned int e = 0; e < per_lane; e++)
		for (unsigned int l = 0; l < 64; l++)
			ret->at[e][l] = split(element_value(rows, e, l, type), ret->fraction,
					      least_exponent(type));
}

/* Cut towards zero, or downwards. */
static i64 cut(i64 value, i32 down)
{
	if (down > 62)
		return 0;
	return value < 0 ? -(-value >> down) : value >> down;
}

static i64 cut_down(i64 value, i32 down)
{
	return value >> (down > 62 ? 62 : down);
}

struct sum {
	i64 significand; /* PRODUCT_BITS below the point */
	i32 exponent;
};

/* Of every step-th of n products. */
static struct sum sum_products(const struct element *const *x, const struct element *const *y,
			       unsigned int n, unsigned int step, unsigned int fraction)
{
	struct sum sum = {0, INT32_MIN};

	for (unsigned int k = 0; k < n; k += step) {
		i32 exponent = x[k]->exponent + y[k]->exponent;

		sum.exponent = exponent > sum.exponent ? exponent : sum.exponent;
	}
	for (unsigned int k = 0; k < n; k += step) {
		i64 product = (i64)x[k]->significand * y[k]->significand;

		sum.significand += cut(product << (PRODUCT_BITS - fraction),
				       sum.exponent - x[k]->exponent - y[k]->exponent);
	}
	return sum;
}

static struct sum join(struct sum a, struct sum b)
{
	i32 exponent = a.exponent > b.exponent ? a.exponent : b.exponent;

	return (struct sum){cut_down(a.significand, exponent - a.exponent) +
				    cut_down(b.significand, exponent - b.exponent),
			    exponent};
}

/* What is not finite, and products that single precision cannot hold. */
static bool is_special(const struct element *const *x, const struct element *const *y,
		       unsigned int n, f32 c, f32 *ret)
{
	f64 sum = (f64)c;
	bool above = false, below = false;

	for (unsigned int k = 0; k < n; k++) {
		f64 product = (f64)x[k]->value * (f64)y[k]->value;

		sum += product;
		above |= product >= 0x1p128;
		below |= product <= -0x1p128;
	}
	*ret = above && below ? bits_float(0x7fc00000) : above ? INFINITY : -INFINITY;
	if (!isfinite(sum))
		*ret = (f32)sum;
	return !isfinite(sum) || above || below;
}

/* c plus the products of one group. */
static f32 add_group(const struct element *const *x, const struct element *const *y, unsigned int n,
		     unsigned int fraction, bool fp8, f32 c)
{
	struct element addend = split(c, 23, ZERO_EXPONENT);
	struct sum sum;
	i32 exponent;
	i64 total;
	f32 special;

	if (is_special(x, y, n, c, &special))
		return special;
	sum = sum_products(x, y, n, fp8 ? 2 : 1, fraction);
	if (fp8)
		sum = join(sum, sum_products(x + 1, y + 1, n - 1, 2, fraction));
	exponent = sum.exponent > addend.exponent ? sum.exponent : addend.exponent;
	total = cut_down(sum.significand << (SUM_BITS - PRODUCT_BITS), exponent - sum.exponent);
	if (!fp8 || addend.exponent >= exponent - 25)
		total += cut_down((i64)addend.significand << (PRODUCT_BITS - 23),
				  exponent - addend.exponent)
			 << (SUM_BITS - PRODUCT_BITS);
	return (f32)ldexp((f64)total, exponent - SUM_BITS);
}

struct narrow_mfma {
	struct shape shape;
	enum narrow a, b;
	unsigned int group; /* products summed at once */
};

static const struct sim_inst *mfma_narrow(struct sim_wave *w, const struct sim_inst *ip,
					  const struct narrow_mfma *how)
{
	const struct shape s = how->shape;
	unsigned int rows = s.m * s.m * s.blocks / 64, blgp = (unsigned int)(ip->imm >> 16) & 7;
	const struct element *x[16], *y[16];
	struct elements a, b;
	_Alignas(64) u32 acc[32 * 64];

	read_elements(inst_src(w, ip, 0), s.per_lane, how->a, &a);
	read_elements(inst_src(w, ip, 1), s.per_lane, how->b, &b);
	copy_c(w, ip, acc, rows);
	for (unsigned int at = 0; at < s.blocks * s.m * s.m; at++) {
		unsigned int block = at / (s.m * s.m), i = at / s.m % s.m, j = at % s.m;
		u32 *d = acc + 64 * result_row(s, block, i) + result_lane(s, block, i);
		unsigned int ab = a_block(ip, block, s.blocks);

		for (unsigned int k = 0; k < s.k; k += how->group) {
			for (unsigned int n = 0; n < how->group; n++) {
				unsigned int e = (k + n) % s.per_lane;

				x[n] = &a.at[e][source_lane(s, ab, i, k + n)];
				y[n] = &b.at[e][blgp_lane(blgp, source_lane(s, block, j, k + n))];
			}
			put_f32(d, j,
				add_group(x, y, how->group, a.fraction + b.fraction,
					  how->a >= NARROW_FP8, get_f32(d, j)));
		}
	}
	memcpy(w->vgpr[ip->dst], acc, 256 * rows);
	return ip + 2;
}

/*
 * Sparse: K counts the elements of B; a lane has half as many of A. For each two of A's, two bits
 * each say which of four they are. A register of indices holds several sets: CBSZ 0 takes the one
 * that ABID names, else the first.
 */
static unsigned int sparse_k(const struct sim_inst *ip, const u32 *indices, unsigned int lane,
			     unsigned int stored, unsigned int e)
{
	unsigned int bits = 2 * stored, sets = 32 / bits;
	unsigned int set = ip->imm & 7 ? 0 : (unsigned int)(ip->imm >> 8) & (sets - 1);

	return e / 2 * 4 + (indices[lane] >> (bits * set + 2 * e) & 3);
}

static const struct sim_inst *smfmac_narrow(struct sim_wave *w, const struct sim_inst *ip,
					    const struct narrow_mfma *how)
{
	const struct shape s = how->shape;
	unsigned int rows = s.m * s.m / 64, stored = s.per_lane / 2, kept = s.k / 2;
	const u32 *indices = inst_src(w, ip, 2);
	const struct element *x[16], *y[16];
	struct elements a, b;
	_Alignas(64) u32 acc[16 * 64];

	read_elements(inst_src(w, ip, 0), stored, how->a, &a);
	read_elements(inst_src(w, ip, 1), s.per_lane, how->b, &b);
	memcpy(acc, w->vgpr[ip->dst], 256 * rows);
	for (unsigned int at = 0; at < s.m * s.m; at++) {
		unsigned int i = at / s.m, j = at % s.m;
		u32 *d = acc + 64 * result_row(s, 0, i) + result_lane(s, 0, i);

		for (unsigned int k = 0; k < kept; k += how->group) {
			for (unsigned int n = 0; n < how->group; n++) {
				unsigned int piece = (k + n) / stored, e = (k + n) % stored;
				unsigned int lane = i + s.m * piece;

				x[n] = &a.at[e][lane];
				y[n] = &b.at[sparse_k(ip, indices, lane, stored, e)]
					    [j + s.m * piece];
			}
			put_f32(d, j,
				add_group(x, y, how->group, a.fraction + b.fraction,
					  how->a >= NARROW_FP8, get_f32(d, j)));
		}
	}
	memcpy(w->vgpr[ip->dst], acc, 256 * rows);
	return ip + 2;
}

static inline i32 byte_of(const u32 *rows, unsigned int e, unsigned int l)
{
	return (i8)(rows[64 * (e / 4) + l] >> 8 * (e % 4));
}

static const struct sim_inst *smfmac_i8(struct sim_wave *w, const struct sim_inst *ip,
					const struct narrow_mfma *how)
{
	const struct shape s = how->shape;
	unsigned int rows = s.m * s.m / 64, stored = s.per_lane / 2;
	const u32 *a = inst_src(w, ip, 0), *b = inst_src(w, ip, 1), *indices = inst_src(w, ip, 2);
	_Alignas(64) u32 acc[16 * 64];

	memcpy(acc, w->vgpr[ip->dst], 256 * rows);
	for (unsigned int at = 0; at < s.m * s.m; at++) {
		unsigned int i = at / s.m, j = at % s.m;
		u32 *d = acc + 64 * result_row(s, 0, i) + result_lane(s, 0, i) + j;

		for (unsigned int k = 0; k < s.k / 2; k++) {
			unsigned int piece = k / stored, e = k % stored, lane = i + s.m * piece;
			unsigned int which = sparse_k(ip, indices, lane, stored, e);

			*d += (u32)(byte_of(a, e, lane) * byte_of(b, which, j + s.m * piece));
		}
	}
	memcpy(w->vgpr[ip->dst], acc, 256 * rows);
	return ip + 2;
}

/* name, function, M, K, blocks, elements per lane (of B), types of A and B, group */
#define FP8_TYPES(X, start, fn, ...)                                                               \
	X(start##_bf8_bf8, fn, __VA_ARGS__, NARROW_BF8, NARROW_BF8, 16)                            \
	X(start##_bf8_fp8, fn, __VA_ARGS__, NARROW_BF8, NARROW_FP8, 16)                            \
	X(start##_fp8_bf8, fn, __VA_ARGS__, NARROW_FP8, NARROW_BF8, 16)                            \
	X(start##_fp8_fp8, fn, __VA_ARGS__, NARROW_FP8, NARROW_FP8, 16)
#define BOTH_HALVES(X, start, fn, m, k, b, n, group)                                               \
	X(start##_f16, fn, m, k, b, n, NARROW_F16, NARROW_F16, group)                              \
	X(start##_bf16, fn, m, k, b, n, NARROW_BF16, NARROW_BF16, group)
#define NARROW_ALL(X)                                                                              \
	BOTH_HALVES(X, v_mfma_f32_32x32x4_2b, mfma_narrow, 32, 4, 2, 4, 4)                         \
	BOTH_HALVES(X, v_mfma_f32_16x16x4_4b, mfma_narrow, 16, 4, 4, 4, 4)                         \
	BOTH_HALVES(X, v_mfma_f32_4x4x4_16b, mfma_narrow, 4, 4, 16, 4, 4)                          \
	BOTH_HALVES(X, v_mfma_f32_32x32x8, mfma_narrow, 32, 8, 1, 4, 8)                            \
	BOTH_HALVES(X, v_mfma_f32_16x16x16, mfma_narrow, 16, 16, 1, 4, 8)                          \
	X(v_mfma_f32_16x16x8_xf32, mfma_narrow, 16, 8, 1, 2, NARROW_XF32, NARROW_XF32, 4)          \
	X(v_mfma_f32_32x32x4_xf32, mfma_narrow, 32, 4, 1, 2, NARROW_XF32, NARROW_XF32, 4)          \
	FP8_TYPES(X, v_mfma_f32_16x16x32, mfma_narrow, 16, 32, 1, 8)                               \
	FP8_TYPES(X, v_mfma_f32_32x32x16, mfma_narrow, 32, 16, 1, 8)                               \
	BOTH_HALVES(X, v_smfmac_f32_16x16x32, smfmac_narrow, 16, 32, 1, 8, 8)                      \
	BOTH_HALVES(X, v_smfmac_f32_32x32x16, smfmac_narrow, 32, 16, 1, 8, 8)                      \
	FP8_TYPES(X, v_smfmac_f32_16x16x64, smfmac_narrow, 16, 64, 1, 16)                          \
	FP8_TYPES(X, v_smfmac_f32_32x32x32, smfmac_narrow, 32, 32, 1, 16)                          \
	X(v_smfmac_i32_16x16x64_i8, smfmac_i8, 16, 64, 1, 16, 0, 0, 0)                             \
	X(v_smfmac_i32_32x32x32_i8, smfmac_i8, 32, 32, 1, 16, 0, 0, 0)

#define HANDLER(name, fn, m, k, b, n, ta, tb, group)                                               \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		static const struct narrow_mfma how = {{m, k, b, n}, ta, tb, group};               \
                                                                                                   \
		return fn(w, ip, &how);                                                            \
	}
NARROW_ALL(HANDLER)

#define ENTRY(name, ...) {.op = OP_##name, .kind = X_DIRECT, .handler = name},
const struct sim_exec LEVEL(sim_exec_mfma_gfx942)[] = {NARROW_ALL(ENTRY){0}};
