/* SPDX-License-Identifier: MIT */
/*
 * Matrix fused multiply-add of gfx90a; gfx942 has some of them under other names. AMD does not
 * document the order of the sums; it follows MMA-Sim (arXiv:2511.10909), whose model of CDNA2
 * agrees with the hardware bit for bit:
 *   f64, f32: one fma after the other, over k in order;
 *   f16, bf16: the products of a lane's elements (four, or two) are summed in pairs, that sum is
 *   added to C, everything rounded to single precision; denormals are zero on the way in, in
 *   every sum, and on the way out.
 */
#include "simgpu/exec/vector/mfma_layout.h"

enum element {
	EL_F16,
	EL_BF16,
};

static inline __attribute__((always_inline)) const struct sim_inst *
mfma_f32(struct sim_wave *w, const struct sim_inst *ip, struct shape s)
{
	unsigned int rows = s.m * s.m * s.blocks / 64, blgp = (unsigned int)(ip->imm >> 16) & 7;
	const u32 *asrc = inst_src(w, ip, 0), *bsrc = inst_src(w, ip, 1);
	_Alignas(64) u32 acc[32 * 64];

	copy_c(w, ip, acc, rows);
	for (unsigned int b = 0; b < s.blocks; b++) {
		unsigned int ab = a_block(ip, b, s.blocks);

		for (unsigned int k = 0; k < s.k; k++) {
			f32 column[32];

			for (unsigned int j = 0; j < s.m; j++)
				column[j] = get_f32(bsrc, blgp_lane(blgp, source_lane(s, b, j, k)));
			for (unsigned int i = 0; i < s.m; i++) {
				f32 x = get_f32(asrc, source_lane(s, ab, i, k));
				u32 *d = acc + 64 * result_row(s, b, i) + result_lane(s, b, i);

				for (unsigned int j = 0; j < s.m; j++)
					put_f32(d, j, fmaf(x, column[j], get_f32(d, j)));
			}
		}
	}
	memcpy(w->vgpr[ip->dst], acc, 256 * rows);
	return ip + 2;
}

/* Elements of all lanes, in single precision; denormals become +0. */
static inline void elements_half(const u32 *src, f32 (*to)[64], unsigned int n, enum element type)
{
	for (unsigned int e = 0; e < n; e++) {
		const u32 *row = src + 64 * (e / 2);
		unsigned int shift = 16 * (e % 2);

		if (type == EL_BF16)
			LANES to[e][l] =
				row[l] >> shift & 0x7f80 ? bits_float(row[l] >> shift << 16) : 0;
		else
			LANES to[e][l] = row[l] >> shift & 0x7c00
						 ? half_to_float((u16)(row[l] >> shift))
						 : 0;
	}
}

static inline f32 half_product(f32 x, f32 y)
{
	return flush32(x * y + 0.0f); /* an exact zero is positive */
}

/* A row of D: acc[j] += the sum over a group of two or four elements. */
static inline void half_group(u32 *restrict acc, const f32 *restrict x,
			      const f32 (*restrict column)[64], unsigned int m, unsigned int n)
{
	for (unsigned int j = 0; j < m; j++) {
		f32 sum = flush32(half_product(x[0], column[0][j]) +
				  half_product(x[1], column[1][j]));

		if (n == 4)
			sum = flush32(sum + flush32(half_product(x[2], column[2][j]) +
						    half_product(x[3], column[3][j])));
		put_f32(acc, j, flush32(get_f32(acc, j) + sum));
	}
}

static inline __attribute__((always_inline)) const struct sim_inst *
mfma_half(struct sim_wave *w, const struct sim_inst *ip, struct shape s, enum element type)
{
	unsigned int rows = s.m * s.m * s.blocks / 64, blgp = (unsigned int)(ip->imm >> 16) & 7;
	_Alignas(64) f32 a[4][64], y[4][64];
	_Alignas(64) u32 acc[32 * 64];

	elements_half(inst_src(w, ip, 0), a, s.per_lane, type);
	elements_half(inst_src(w, ip, 1), y, s.per_lane, type);
	permute(y, s.per_lane, blgp);
	copy_c(w, ip, acc, rows);
	for (unsigned int n = 0; n < 64 * rows; n++)
		acc[n] = acc[n] & 0x7f800000 ? acc[n] : 0;
	for (unsigned int b = 0; b < s.blocks; b++) {
		unsigned int ab = a_block(ip, b, s.blocks);

		for (unsigned int k = 0; k < s.k; k += s.per_lane) {
			const f32(*column)[64] = (const f32(*)[64])(y[0] + source_lane(s, b, 0, k));

			for (unsigned int i = 0; i < s.m; i++) {
				f32 x[4];

				for (unsigned int e = 0; e < s.per_lane; e++)
					x[e] = a[e][source_lane(s, ab, i, k)];
				half_group(acc + 64 * result_row(s, b, i) + result_lane(s, b, i), x,
					   column, s.m, s.per_lane);
			}
		}
	}
	memcpy(w->vgpr[ip->dst], acc, 256 * rows);
	return ip + 2;
}

static inline __attribute__((always_inline)) const struct sim_inst *
mfma_i32(struct sim_wave *w, const struct sim_inst *ip, struct shape s)
{
	unsigned int rows = s.m * s.m * s.blocks / 64, blgp = (unsigned int)(ip->imm >> 16) & 7;
	const u32 *asrc = inst_src(w, ip, 0), *bsrc = inst_src(w, ip, 1);
	_Alignas(64) i32 a[8][64], y[8][64];
	_Alignas(64) u32 acc[32 * 64];

	for (unsigned int e = 0; e < s.per_lane; e++) {
		LANES a[e][l] = (i8)(asrc[64 * (e / 4) + l] >> 8 * (e % 4));
		LANES y[e][l] = (i8)(bsrc[64 * (e / 4) + l] >> 8 * (e % 4));
	}
	permute(y, s.per_lane, blgp);
	copy_c(w, ip, acc, rows);
	for (unsigned int b = 0; b < s.blocks; b++) {
		unsigned int ab = a_block(ip, b, s.blocks);

		for (unsigned int k = 0; k < s.k; k++) {
			const i32 *column = y[k % s.per_lane] + source_lane(s, b, 0, k);

			for (unsigned int i = 0; i < s.m; i++) {
				i32 x = a[k % s.per_lane][source_lane(s, ab, i, k)];
				u32 *d = acc + 64 * result_row(s, b, i) + result_lane(s, b, i);

				for (unsigned int j = 0; j < s.m; j++)
					d[j] += (u32)(x * column[j]);
			}
		}
	}
	memcpy(w->vgpr[ip->dst], acc, 256 * rows);
	return ip + 2;
}

/* Double precision: the BLGP field holds negations of A, B and C. */
static inline f64 negated(f64 v, const struct sim_inst *ip, unsigned int n)
{
	return ip->imm >> (16 + n) & 1 ? -v : v;
}

static const struct sim_inst *mfma_f64(struct sim_wave *w, const struct sim_inst *ip,
				       struct shape s)
{
	unsigned int rows = s.m == 16 ? 8 : 2;
	const u32 *asrc = inst_src(w, ip, 0), *bsrc = inst_src(w, ip, 1);
	_Alignas(64) u32 acc[8 * 64], out[8 * 64];

	copy_c(w, ip, acc, rows);
	if (ip->constant & 4)
		for (unsigned int r = 1; r < rows; r += 2)
			memcpy(acc + 64 * r, inst_src(w, ip, 2) + 64, 256);
	for (unsigned int b = 0; b < s.blocks; b++)
		for (unsigned int i = 0; i < s.m; i++)
			for (unsigned int j = 0; j < s.m; j++) {
				unsigned int pair = s.m == 16 ? i / 4 : 0;
				unsigned int lane =
					s.m == 16 ? j + 16 * (i % 4) : j + 4 * b + 16 * i;
				f64 sum = negated(get_f64(acc + 128 * pair, lane), ip, 2);

				for (unsigned int k = 0; k < s.k; k++) {
					f64 x = get_f64(
						asrc,
						source_lane(s, a_block(ip, b, s.blocks), i, k));
					f64 y = get_f64(bsrc, source_lane(s, b, j, k));

					sum = fma(negated(x, ip, 0), negated(y, ip, 1), sum);
				}
				put_f64(out + 128 * pair, lane, sum);
			}
	memcpy(w->vgpr[ip->dst], out, 256 * rows);
	return ip + 2;
}

/* name, M, K, blocks, elements per lane, element type */
#define MFMA_SINGLE(X)                                                                             \
	X(v_mfma_f32_32x32x1f32, 32, 1, 2, 1)                                                      \
	X(v_mfma_f32_16x16x1f32, 16, 1, 4, 1)                                                      \
	X(v_mfma_f32_4x4x1f32, 4, 1, 16, 1)                                                        \
	X(v_mfma_f32_32x32x2f32, 32, 2, 1, 1)                                                      \
	X(v_mfma_f32_16x16x4f32, 16, 4, 1, 1)
#define MFMA_HALF(X)                                                                               \
	X(v_mfma_f32_32x32x4f16, 32, 4, 2, 4, EL_F16)                                              \
	X(v_mfma_f32_16x16x4f16, 16, 4, 4, 4, EL_F16)                                              \
	X(v_mfma_f32_4x4x4f16, 4, 4, 16, 4, EL_F16)                                                \
	X(v_mfma_f32_32x32x8f16, 32, 8, 1, 4, EL_F16)                                              \
	X(v_mfma_f32_16x16x16f16, 16, 16, 1, 4, EL_F16)                                            \
	X(v_mfma_f32_32x32x4bf16_1k, 32, 4, 2, 4, EL_BF16)                                         \
	X(v_mfma_f32_16x16x4bf16_1k, 16, 4, 4, 4, EL_BF16)                                         \
	X(v_mfma_f32_4x4x4bf16_1k, 4, 4, 16, 4, EL_BF16)                                           \
	X(v_mfma_f32_32x32x8bf16_1k, 32, 8, 1, 4, EL_BF16)                                         \
	X(v_mfma_f32_16x16x16bf16_1k, 16, 16, 1, 4, EL_BF16)                                       \
	X(v_mfma_f32_32x32x2bf16, 32, 2, 2, 2, EL_BF16)                                            \
	X(v_mfma_f32_16x16x2bf16, 16, 2, 4, 2, EL_BF16)                                            \
	X(v_mfma_f32_4x4x2bf16, 4, 2, 16, 2, EL_BF16)                                              \
	X(v_mfma_f32_32x32x4bf16, 32, 4, 1, 2, EL_BF16)                                            \
	X(v_mfma_f32_16x16x8bf16, 16, 8, 1, 2, EL_BF16)
#define MFMA_INT(X)                                                                                \
	X(v_mfma_i32_32x32x4i8, 32, 4, 2, 4)                                                       \
	X(v_mfma_i32_16x16x4i8, 16, 4, 4, 4)                                                       \
	X(v_mfma_i32_4x4x4i8, 4, 4, 16, 4)                                                         \
	X(v_mfma_i32_32x32x8i8, 32, 8, 1, 4)                                                       \
	X(v_mfma_i32_16x16x16i8, 16, 16, 1, 4)                                                     \
	X(v_mfma_i32_32x32x16_i8, 32, 16, 1, 8)                                                    \
	X(v_mfma_i32_16x16x32_i8, 16, 32, 1, 8)

#define SINGLE_HANDLER(name, m, k, b, n)                                                           \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return mfma_f32(w, ip, (struct shape){m, k, b, n});                                \
	}
#define HALF_HANDLER(name, m, k, b, n, type)                                                       \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return mfma_half(w, ip, (struct shape){m, k, b, n}, type);                         \
	}
#define INT_HANDLER(name, m, k, b, n)                                                              \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return mfma_i32(w, ip, (struct shape){m, k, b, n});                                \
	}
MFMA_SINGLE(SINGLE_HANDLER)
MFMA_HALF(HALF_HANDLER)
MFMA_INT(INT_HANDLER)

static const struct sim_inst *v_mfma_f64_16x16x4f64(struct sim_wave *w, const struct sim_inst *ip)
{
	return mfma_f64(w, ip, (struct shape){16, 4, 1, 1});
}

static const struct sim_inst *v_mfma_f64_4x4x4f64(struct sim_wave *w, const struct sim_inst *ip)
{
	return mfma_f64(w, ip, (struct shape){4, 4, 4, 1});
}

#define ENTRY(name, ...) {.op = OP_##name, .kind = X_DIRECT, .handler = name},
/* Those that are the same on gfx942, under the names that tell the blocks. */
#define RENAMED(name, as) {.op = OP_##name, .kind = X_DIRECT, .handler = as},
const struct sim_exec LEVEL(sim_exec_mfma)[] = {
	MFMA_SINGLE(ENTRY) MFMA_HALF(ENTRY) MFMA_INT(ENTRY) ENTRY(v_mfma_f64_16x16x4f64) ENTRY(
		v_mfma_f64_4x4x4f64) RENAMED(v_mfma_f32_32x32x1_2b_f32, v_mfma_f32_32x32x1f32)
		RENAMED(v_mfma_f32_16x16x1_4b_f32, v_mfma_f32_16x16x1f32) RENAMED(
			v_mfma_f32_4x4x1_16b_f32,
			v_mfma_f32_4x4x1f32) RENAMED(v_mfma_f32_32x32x2_f32, v_mfma_f32_32x32x2f32)
			RENAMED(v_mfma_f32_16x16x4_f32, v_mfma_f32_16x16x4f32)
				RENAMED(v_mfma_i32_32x32x4_2b_i8, v_mfma_i32_32x32x4i8)
					RENAMED(v_mfma_i32_16x16x4_4b_i8, v_mfma_i32_16x16x4i8)
						RENAMED(v_mfma_i32_4x4x4_16b_i8, v_mfma_i32_4x4x4i8)
							RENAMED(v_mfma_f64_16x16x4_f64,
								v_mfma_f64_16x16x4f64)
								RENAMED(v_mfma_f64_4x4x4_4b_f64,
									v_mfma_f64_4x4x4f64){0},
};
