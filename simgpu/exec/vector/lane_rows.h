/* SPDX-License-Identifier: MIT */
/*
 * Rows of 64 lanes: typed access for bodies, broadcast, merge under EXEC, masks from rows. Loops
 * over lanes are plain C that the compiler vectorises for the level. Only merge and mask, which it
 * vectorises badly, are written with intrinsics.
 */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_LANE_ROWS_H
#define PROBE_SIMGPU_EXEC_VECTOR_LANE_ROWS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "simgpu/exec/vector/half_float.h"
#include "simgpu/exec/level_names.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;

/* Lanes are independent of each other: a body may overwrite its own sources lane by lane. */
#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety)") for (unsigned int l = 0; l < 64; l++)
#else
#define LANES _Pragma("GCC ivdep") for (unsigned int l = 0; l < 64; l++)
#endif

static inline u32 get_u32(const u32 *r, unsigned int l)
{
	return r[l];
}

static inline i32 get_i32(const u32 *r, unsigned int l)
{
	return (i32)r[l];
}

static inline u16 get_u16(const u32 *r, unsigned int l)
{
	return (u16)r[l];
}

static inline i16 get_i16(const u32 *r, unsigned int l)
{
	return (i16)r[l];
}

static inline f32 get_f32(const u32 *r, unsigned int l)
{
	f32 v;

	memcpy(&v, &r[l], sizeof(v));
	return v;
}

static inline u64 get_u64(const u32 *r, unsigned int l)
{
	return r[l] | (u64)r[64 + l] << 32;
}

static inline i64 get_i64(const u32 *r, unsigned int l)
{
	return (i64)get_u64(r, l);
}

static inline f64 get_f64(const u32 *r, unsigned int l)
{
	u64 bits = get_u64(r, l);
	f64 v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* A 16-bit float, widened. */
static inline f32 get_f16(const u32 *r, unsigned int l)
{
	return half_to_float((u16)r[l]);
}

static inline void put_u32(u32 *r, unsigned int l, u32 v)
{
	r[l] = v;
}

static inline void put_i32(u32 *r, unsigned int l, i32 v)
{
	r[l] = (u32)v;
}

/* 16-bit results clear the other half (instructions that preserve it are marked X_KEEPHI). */
static inline void put_u16(u32 *r, unsigned int l, u32 v)
{
	r[l] = (u16)v;
}

static inline void put_f32(u32 *r, unsigned int l, f32 v)
{
	memcpy(&r[l], &v, sizeof(v));
}

static inline void put_u64(u32 *r, unsigned int l, u64 v)
{
	r[l] = (u32)v;
	r[64 + l] = (u32)(v >> 32);
}

static inline void put_i64(u32 *r, unsigned int l, i64 v)
{
	put_u64(r, l, (u64)v);
}

static inline void put_f64(u32 *r, unsigned int l, f64 v)
{
	u64 bits;

	memcpy(&bits, &v, sizeof(bits));
	put_u64(r, l, bits);
}

static inline void put_f16(u32 *r, unsigned int l, f32 v)
{
	r[l] = float_to_half(v);
}

/*
 * A body: T0 is the result's type, T1.. those of sources x, y, z. Short forms have unused
 * parameters, so that all have one signature.
 */
#define BODY_ARGS                                                                                  \
	u32 *d, __attribute__((unused)) const u32 *a, __attribute__((unused)) const u32 *b,        \
		__attribute__((unused)) const u32 *c, __attribute__((unused)) u64 m
#define BODY1(name, T0, T1, expr)                                                                  \
	static u64 name(BODY_ARGS)                                                                 \
	{                                                                                          \
		LANES                                                                              \
		{                                                                                  \
			T1##_ x = get_##T1(a, l);                                                  \
			put_##T0(d, l, (expr));                                                    \
		}                                                                                  \
		return 0;                                                                          \
	}
#define BODY2(name, T0, T1, T2, expr)                                                              \
	static u64 name(BODY_ARGS)                                                                 \
	{                                                                                          \
		LANES                                                                              \
		{                                                                                  \
			T1##_ x = get_##T1(a, l);                                                  \
			T2##_ y = get_##T2(b, l);                                                  \
			put_##T0(d, l, (expr));                                                    \
		}                                                                                  \
		return 0;                                                                          \
	}
#define BODY3(name, T0, T1, T2, T3, expr)                                                          \
	static u64 name(BODY_ARGS)                                                                 \
	{                                                                                          \
		LANES                                                                              \
		{                                                                                  \
			T1##_ x = get_##T1(a, l);                                                  \
			T2##_ y = get_##T2(b, l);                                                  \
			T3##_ z = get_##T3(c, l);                                                  \
			put_##T0(d, l, (expr));                                                    \
		}                                                                                  \
		return 0;                                                                          \
	}
typedef u16 u16_;
typedef i16 i16_;
typedef u32 u32_;
typedef i32 i32_;
typedef u64 u64_;
typedef i64 i64_;
typedef f32 f32_;
typedef f64 f64_;
typedef f32 f16_; /* computed in single precision, see half_float.h */

/* Table entries. */
#define VALU(name, fl)                                                                             \
	{                                                                                          \
		.op = OP_##name, .kind = X_VALU, .flags = (fl), .body = name                       \
	}
#define VALU_AS(name, fn, fl)                                                                      \
	{                                                                                          \
		.op = OP_##name, .kind = X_VALU, .flags = (fl), .body = fn                         \
	}
#define VALU_SAT(name, fl)                                                                         \
	{                                                                                          \
		.op = OP_##name, .kind = X_VALU, .flags = (fl), .body = name,                      \
		.clamped = name##_sat                                                              \
	}

/* r[0..63] = value; for 64-bit sources, the high halves follow. */
static inline void row_broadcast(u32 *r, const u32 *value, unsigned int dwords)
{
	for (unsigned int i = 0; i < dwords; i++)
		for (unsigned int l = 0; l < 64; l++)
			r[64 * i + l] = value[i];
}

/* dst = src in the lanes of mask. */
static inline void row_merge(u32 *dst, const u32 *src, u64 mask, unsigned int dwords)
{
	for (unsigned int i = 0; i < dwords; i++, dst += 64, src += 64) {
#if defined(__AVX512F__)
		for (unsigned int l = 0; l < 64; l += 16)
			_mm512_mask_storeu_epi32(dst + l, (__mmask16)(mask >> l),
						 _mm512_loadu_si512(src + l));
#elif defined(__AVX2__)
		const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

		for (unsigned int l = 0; l < 64; l += 8) {
			__m256i on = _mm256_set1_epi32((int)(mask >> l & 0xff));

			on = _mm256_cmpeq_epi32(_mm256_and_si256(on, bit), bit);
			_mm256_maskstore_epi32((int *)dst + l, on,
					       _mm256_loadu_si256((const void *)(src + l)));
		}
#else
		for (unsigned int l = 0; l < 64; l++) {
			u32 on = -(u32)(mask >> l & 1);

			dst[l] = (src[l] & on) | (dst[l] & ~on);
		}
#endif
	}
}

/* r[l] = bit l of mask. */
static inline void row_bits(u32 *r, u64 mask)
{
#if defined(__AVX512F__)
	for (unsigned int l = 0; l < 64; l += 16)
		_mm512_storeu_si512(r + l, _mm512_maskz_set1_epi32((__mmask16)(mask >> l), 1));
#elif defined(__AVX2__)
	const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

	for (unsigned int l = 0; l < 64; l += 8) {
		__m256i on = _mm256_set1_epi32((int)(mask >> l & 0xff));

		on = _mm256_cmpeq_epi32(_mm256_and_si256(on, bit), bit);
		_mm256_storeu_si256((void *)(r + l), _mm256_srli_epi32(on, 31));
	}
#else
	for (unsigned int l = 0; l < 64; l++)
		r[l] = (u32)(mask >> l & 1);
#endif
}

/* True if each lane's value is `first` plus its distance. */
static inline bool row_moved(const u32 *row, u32 first, const u32 *distance)
{
#if defined(__AVX512F__)
	const __m512i base = _mm512_set1_epi32((int)first);
	__m512i differ = _mm512_setzero_si512();

	for (unsigned int l = 0; l < 64; l += 16) {
		__m512i moved = _mm512_sub_epi32(_mm512_loadu_si512(row + l), base);

		moved = _mm512_xor_si512(moved, _mm512_loadu_si512(distance + l));
		differ = _mm512_or_si512(differ, moved);
	}
	return !_mm512_test_epi32_mask(differ, differ);
#elif defined(__AVX2__)
	const __m256i base = _mm256_set1_epi32((int)first);
	__m256i differ = _mm256_setzero_si256();

	for (unsigned int l = 0; l < 64; l += 8) {
		__m256i moved =
			_mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(row + l)), base);

		moved = _mm256_xor_si256(moved,
					 _mm256_loadu_si256((const __m256i *)(distance + l)));
		differ = _mm256_or_si256(differ, moved);
	}
	return _mm256_testz_si256(differ, differ);
#else
	u32 differ = 0;

	LANES differ |= (row[l] - first) ^ distance[l];
	return !differ;
#endif
}

static inline bool row_equal(const u32 *x, const u32 *y)
{
	return row_moved(x, 0, y);
}

/* Bit l of the result = top bit of r[l]. */
static inline u64 row_mask(const u32 *r)
{
	u64 mask = 0;

#if defined(__AVX512DQ__)
	for (unsigned int l = 0; l < 64; l += 16)
		mask |= (u64)_mm512_movepi32_mask(_mm512_loadu_si512(r + l)) << l;
#elif defined(__AVX2__)
	for (unsigned int l = 0; l < 64; l += 8)
		mask |= (u64)(u32)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(r + l))) << l;
#elif defined(__SSE2__)
	for (unsigned int l = 0; l < 64; l += 4)
		mask |= (u64)(u32)_mm_movemask_ps(_mm_loadu_ps((const float *)(r + l))) << l;
#else
	for (unsigned int l = 0; l < 64; l++)
		mask |= (u64)(r[l] >> 31) << l;
#endif
	return mask;
}

#endif
