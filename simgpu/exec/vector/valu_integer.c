/* SPDX-License-Identifier: MIT */
/*
 * Vector integer, logic, shift and byte operations, 16 to 64 bits. Bodies express the result in
 * terms of sources x, y, z. "AMD Instinct MI200" ISA manual, chapters "VOP1" to "VOP3".
 */
#include "simgpu/exec/vector/lane_rows.h"

static inline u32 sat_u32(u64 v)
{
	return v > UINT32_MAX ? UINT32_MAX : (u32)v;
}

static inline u32 sat_i32(i64 v)
{
	return (u32)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (i32)v);
}

static inline u32 sat_i16(i32 v)
{
	return (u32)(v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v);
}

static inline u32 sat_u16(i64 v)
{
	return (u32)(v > UINT16_MAX ? UINT16_MAX : v < 0 ? 0 : v);
}

static inline i32 sext24(u32 v)
{
	return (i32)(v << 8) >> 8;
}

static inline u32 umin(u32 x, u32 y)
{
	return x < y ? x : y;
}

static inline u32 umax(u32 x, u32 y)
{
	return x > y ? x : y;
}

static inline i32 imin(i32 x, i32 y)
{
	return x < y ? x : y;
}

static inline i32 imax(i32 x, i32 y)
{
	return x > y ? x : y;
}

static inline u32 brev(u32 v)
{
	v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
	v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
	v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(v);
}

static inline u32 bfe_u(u32 v, u32 at, u32 width)
{
	return width ? v >> at & ((1u << width) - 1) : 0;
}

static inline i32 bfe_i(u32 v, u32 at, u32 width)
{
	u32 field = bfe_u(v, at, width), sign = width ? 1u << (width - 1) : 0;

	/* A field that extends beyond the top is already sign-filled by its missing bits. */
	if (at + width > 32)
		return (i32)v >> at;
	return (i32)((field ^ sign) - sign);
}

static inline u32 popcount(u32 v)
{
	v -= v >> 1 & 0x55555555;
	v = (v & 0x33333333) + (v >> 2 & 0x33333333);
	return ((v + (v >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

static inline u32 absdiff8(u32 x, u32 y, unsigned int byte)
{
	i32 d = (i32)(x >> 8 * byte & 255) - (i32)(y >> 8 * byte & 255);

	return (u32)(d < 0 ? -d : d);
}

static inline u32 sad8(u32 x, u32 y)
{
	return absdiff8(x, y, 0) + absdiff8(x, y, 1) + absdiff8(x, y, 2) + absdiff8(x, y, 3);
}

/* Masked: bytes where y is zero do not count. */
static inline u32 msad8(u32 x, u32 y)
{
	u32 sum = 0;

	for (unsigned int byte = 0; byte < 4; byte++)
		sum += y >> 8 * byte & 255 ? absdiff8(x, y, byte) : 0;
	return sum;
}

static inline u32 lerp8(u32 x, u32 y, u32 z)
{
	u32 r = 0;

	for (unsigned int at = 0; at < 32; at += 8)
		r |= ((x >> at & 255) + (y >> at & 255) + (z >> at & 1)) >> 1 << at;
	return r;
}

/* One byte of v_perm_b32: 0..3 from y, 4..7 from x, 8..11 sign bytes, 12 zero, above ones. */
static inline u32 perm_byte(u32 x, u32 y, u32 sel)
{
	u64 in = (u64)x << 32 | y;

	if (sel >= 13)
		return 0xff;
	if (sel == 12)
		return 0;
	if (sel >= 8)
		return in >> (16 * (sel - 8) + 15) & 1 ? 0xff : 0;
	return in >> 8 * sel & 0xff;
}

static inline u32 perm(u32 x, u32 y, u32 z)
{
	return perm_byte(x, y, z & 255) | perm_byte(x, y, z >> 8 & 255) << 8 |
	       perm_byte(x, y, z >> 16 & 255) << 16 | perm_byte(x, y, z >> 24) << 24;
}

BODY1(v_mov_b32, u32, u32, x)
BODY1(v_mov_b64, u64, u64, x)
BODY1(v_not_b32, u32, u32, ~x)
BODY1(v_bfrev_b32, u32, u32, brev(x))
BODY1(v_ffbh_u32, u32, u32, x ? (u32)__builtin_clz(x) : ~0u)
BODY1(v_ffbl_b32, u32, u32, x ? (u32)__builtin_ctz(x) : ~0u)
BODY1(v_ffbh_i32, i32, i32, x == 0 || x == -1 ? -1 : __builtin_clrsb(x) + 1)
BODY1(v_sat_pk_u8_i16, u32, u32,
      umin((u32)imax((i16)x, 0), 255) | umin((u32)imax((i32)x >> 16, 0), 255) << 8)

BODY2(v_add_u32, u32, u32, u32, x + y)
BODY2(v_sub_u32, u32, u32, u32, x - y)
BODY2(v_subrev_u32, u32, u32, u32, y - x)
BODY2(v_add_u32_sat, u32, u32, u32, sat_u32((u64)x + y))
BODY2(v_sub_u32_sat, u32, u32, u32, x > y ? x - y : 0)
BODY2(v_subrev_u32_sat, u32, u32, u32, y > x ? y - x : 0)
BODY2(v_add_i32_sat, u32, i32, i32, sat_i32((i64)x + y))
BODY2(v_sub_i32_sat, u32, i32, i32, sat_i32((i64)x - y))
BODY2(v_add_u16, u16, u16, u16, (u32)x + y)
BODY2(v_sub_u16, u16, u16, u16, (u32)x - y)
BODY2(v_subrev_u16, u16, u16, u16, (u32)y - x)
BODY2(v_add_u16_sat, u16, u16, u16, sat_u16((i64)x + y))
BODY2(v_sub_u16_sat, u16, u16, u16, sat_u16((i64)x - y))
BODY2(v_subrev_u16_sat, u16, u16, u16, sat_u16((i64)y - x))
BODY2(v_add_i16_sat, u16, i16, i16, sat_i16(x + y))
BODY2(v_sub_i16_sat, u16, i16, i16, sat_i16(x - y))
BODY2(v_and_b32, u32, u32, u32, x &y)
BODY2(v_or_b32, u32, u32, u32, x | y)
BODY2(v_xor_b32, u32, u32, u32, x ^ y)
BODY2(v_xnor_b32, u32, u32, u32, ~(x ^ y))
BODY2(v_min_u32, u32, u32, u32, umin(x, y))
BODY2(v_max_u32, u32, u32, u32, umax(x, y))
BODY2(v_min_i32, i32, i32, i32, imin(x, y))
BODY2(v_max_i32, i32, i32, i32, imax(x, y))
BODY2(v_min_u16, u16, u16, u16, umin(x, y))
BODY2(v_max_u16, u16, u16, u16, umax(x, y))
BODY2(v_min_i16, u16, i16, i16, (u32)imin(x, y))
BODY2(v_max_i16, u16, i16, i16, (u32)imax(x, y))
BODY2(v_lshlrev_b32, u32, u32, u32, y << (x & 31))
BODY2(v_lshrrev_b32, u32, u32, u32, y >> (x & 31))
BODY2(v_ashrrev_i32, i32, u32, i32, y >> (x & 31))
BODY2(v_lshlrev_b16, u16, u16, u16, (u32)y << (x & 15))
BODY2(v_lshrrev_b16, u16, u16, u16, (u32)y >> (x & 15))
BODY2(v_ashrrev_i16, u16, u16, i16, (u32)(y >> (x & 15)))
BODY2(v_lshlrev_b64, u64, u32, u64, y << (x & 63))
BODY2(v_lshrrev_b64, u64, u32, u64, y >> (x & 63))
BODY2(v_ashrrev_i64, i64, u32, i64, y >> (x & 63))
BODY2(v_bfm_b32, u32, u32, u32, ((1u << (x & 31)) - 1) << (y & 31))
BODY2(v_bcnt_u32_b32, u32, u32, u32, popcount(x) + y)
BODY2(v_mul_lo_u32, u32, u32, u32, x *y)
BODY2(v_mul_hi_u32, u32, u32, u32, (u32)((u64)x *y >> 32))
BODY2(v_mul_hi_i32, i32, i32, i32, (i32)((i64)x *y >> 32))
BODY2(v_mul_u32_u24, u32, u32, u32, (x & 0xffffff) * (y & 0xffffff))
BODY2(v_mul_i32_i24, u32, u32, u32, (u32)sext24(x) * (u32)sext24(y))
BODY2(v_mul_u32_u24_sat, u32, u32, u32, sat_u32((u64)(x & 0xffffff) * (y & 0xffffff)))
BODY2(v_mul_i32_i24_sat, u32, u32, u32, sat_i32((i64)sext24(x) * sext24(y)))
BODY2(v_mul_hi_u32_u24, u32, u32, u32, (u32)((u64)(x & 0xffffff) * (y & 0xffffff) >> 32))
BODY2(v_mul_hi_i32_i24, u32, u32, u32, (u32)((i64)sext24(x) * sext24(y) >> 32))
BODY2(v_mul_lo_u16, u16, u16, u16, (u32)x *y)
BODY2(v_pack_b32_f16, u32, u16, u16, x | (u32)y << 16)

BODY3(v_add3_u32, u32, u32, u32, u32, x + y + z)
BODY3(v_lshl_add_u64, u64, u64, u32, u64, (x << (y & 7)) + z)
BODY3(v_lshl_add_u32, u32, u32, u32, u32, (x << (y & 31)) + z)
BODY3(v_add_lshl_u32, u32, u32, u32, u32, (x + y) << (z & 31))
BODY3(v_lshl_or_b32, u32, u32, u32, u32, x << (y & 31) | z)
BODY3(v_and_or_b32, u32, u32, u32, u32, (x & y) | z)
BODY3(v_or3_b32, u32, u32, u32, u32, x | y | z)
BODY3(v_xad_u32, u32, u32, u32, u32, (x ^ y) + z)
BODY3(v_bfi_b32, u32, u32, u32, u32, (x & y) | (~x & z))
BODY3(v_bfe_u32, u32, u32, u32, u32, bfe_u(x, y & 31, z & 31))
BODY3(v_bfe_i32, i32, u32, u32, u32, bfe_i(x, y & 31, z & 31))
BODY3(v_alignbit_b32, u32, u32, u32, u32, (u32)(((u64)x << 32 | y) >> (z & 31)))
BODY3(v_alignbyte_b32, u32, u32, u32, u32, (u32)(((u64)x << 32 | y) >> 8 * (z & 3)))
BODY3(v_perm_b32, u32, u32, u32, u32, perm(x, y, z))
BODY3(v_min3_u32, u32, u32, u32, u32, umin(umin(x, y), z))
BODY3(v_max3_u32, u32, u32, u32, u32, umax(umax(x, y), z))
BODY3(v_med3_u32, u32, u32, u32, u32, umax(umin(x, y), umin(umax(x, y), z)))
BODY3(v_min3_i32, i32, i32, i32, i32, imin(imin(x, y), z))
BODY3(v_max3_i32, i32, i32, i32, i32, imax(imax(x, y), z))
BODY3(v_med3_i32, i32, i32, i32, i32, imax(imin(x, y), imin(imax(x, y), z)))
BODY3(v_min3_u16, u16, u16, u16, u16, umin(umin(x, y), z))
BODY3(v_max3_u16, u16, u16, u16, u16, umax(umax(x, y), z))
BODY3(v_med3_u16, u16, u16, u16, u16, umax(umin(x, y), umin(umax(x, y), z)))
BODY3(v_min3_i16, u16, i16, i16, i16, (u32)imin(imin(x, y), z))
BODY3(v_max3_i16, u16, i16, i16, i16, (u32)imax(imax(x, y), z))
BODY3(v_med3_i16, u16, i16, i16, i16, (u32)imax(imin(x, y), imin(imax(x, y), z)))
BODY3(v_mad_u32_u24, u32, u32, u32, u32, (x & 0xffffff) * (y & 0xffffff) + z)
BODY3(v_mad_i32_i24, u32, u32, u32, u32, (u32)sext24(x) * (u32)sext24(y) + z)
BODY3(v_mad_u32_u24_sat, u32, u32, u32, u32, sat_u32((u64)(x & 0xffffff) * (y & 0xffffff) + z))
BODY3(v_mad_i32_i24_sat, u32, u32, u32, i32, sat_i32((i64)sext24(x) * sext24(y) + z))
BODY3(v_mad_u16, u16, u16, u16, u16, (u32)x *y + z)
BODY3(v_mad_i16, u16, i16, i16, i16, (u32)(x *y) + (u32)z)
BODY3(v_mad_u16_sat, u16, u16, u16, u16, sat_u16((i64)x *y + z))
BODY3(v_mad_i16_sat, u16, i16, i16, i16, sat_i16((i32)x *y + z))
BODY3(v_mad_u32_u16, u32, u16, u16, u32, (u32)x *y + z)
BODY3(v_mad_i32_i16, u32, i16, i16, u32, (u32)(x *y) + z)
BODY3(v_mad_u32_u16_sat, u32, u16, u16, u32, sat_u32((u64)x *y + z))
BODY3(v_mad_i32_i16_sat, u32, i16, i16, i32, sat_i32((i64)x *y + z))
BODY3(v_sad_u8, u32, u32, u32, u32, sad8(x, y) + z)
BODY3(v_sad_hi_u8, u32, u32, u32, u32, (sad8(x, y) << 16) + z)
BODY3(v_msad_u8, u32, u32, u32, u32, msad8(x, y) + z)
BODY3(v_sad_u16, u32, u32, u32, u32,
      (u32)abs((i32)(x & 0xffff) - (i32)(y & 0xffff)) + (u32)abs((i32)(x >> 16) - (i32)(y >> 16)) +
	      z)
BODY3(v_sad_u32, u32, u32, u32, u32, (x > y ? x - y : y - x) + z)
BODY3(v_sad_u8_sat, u32, u32, u32, u32, sat_u32((u64)sad8(x, y) + z))
BODY3(v_sad_hi_u8_sat, u32, u32, u32, u32, sat_u32(((u64)sad8(x, y) << 16) + z))
BODY3(v_msad_u8_sat, u32, u32, u32, u32, sat_u32((u64)msad8(x, y) + z))
BODY3(v_sad_u16_sat, u32, u32, u32, u32,
      sat_u32((u64)(u32)abs((i32)(x & 0xffff) - (i32)(y & 0xffff)) +
	      (u32)abs((i32)(x >> 16) - (i32)(y >> 16)) + z))
BODY3(v_sad_u32_sat, u32, u32, u32, u32, sat_u32((u64)(x > y ? x - y : y - x) + z))
BODY3(v_lerp_u8, u32, u32, u32, u32, lerp8(x, y, z))

/* Four sums of absolute differences of a sliding window of x against y, 16 bits each. */
static inline u64 qsad(u64 x, u32 y, u64 z, bool masked, bool clamp)
{
	u64 r = 0;

	for (unsigned int i = 0; i < 4; i++) {
		u32 window = (u32)(x >> 8 * i);
		u32 sum =
			(masked ? msad8(window, y) : sad8(window, y)) + (u32)(z >> 16 * i & 0xffff);

		sum = clamp ? umin(sum, 0xffff) : sum;
		r |= (u64)(u16)sum << 16 * i;
	}
	return r;
}
BODY3(v_qsad_pk_u16_u8, u64, u64, u32, u64, qsad(x, y, z, false, false))
BODY3(v_mqsad_pk_u16_u8, u64, u64, u32, u64, qsad(x, y, z, true, false))
BODY3(v_qsad_pk_u16_u8_sat, u64, u64, u32, u64, qsad(x, y, z, false, true))
BODY3(v_mqsad_pk_u16_u8_sat, u64, u64, u32, u64, qsad(x, y, z, true, true))

/*
 * A source of up to four dwords, dword i of lane l; dwords that a scalar or a constant lacks are
 * zero.
 */
static u32 source_dword(const struct sim_wave *w, const struct sim_inst *ip, unsigned int n,
			unsigned int i, unsigned int l)
{
	const u32 *src = inst_src(w, ip, n);

	if (ip->scalar >> n & 1)
		return src[i];
	return ip->constant >> n & 1 && i > 1 ? 0 : src[64 * i + l];
}

/* Like V_MQSAD_PK_U16_U8 with four 32-bit sums; too wide for a body. */
static const struct sim_inst *v_mqsad_u32_u8(struct sim_wave *w, const struct sim_inst *ip)
{
	_Alignas(64) u32 out[4 * 64];

	for (unsigned int l = 0; l < 64; l++) {
		u64 x = source_dword(w, ip, 0, 0, l) | (u64)source_dword(w, ip, 0, 1, l) << 32;
		u32 y = source_dword(w, ip, 1, 0, l);

		for (unsigned int i = 0; i < 4; i++) {
			u64 sum = (u64)msad8((u32)(x >> 8 * i), y) + source_dword(w, ip, 2, i, l);

			out[64 * i + l] = ip->m.clamp ? sat_u32(sum) : (u32)sum;
		}
	}
	row_merge(w->vgpr[ip->dst], out, w->exec, 4);
	return ip + ip->words;
}

/*
 * V_SCREEN_PARTITION_4SE_B32: which of four shader engines a rectangle of 32-pixel tiles touches;
 * x = {x_min, y_min, x_max, y_max} modulo 4, tile (x, y) belongs to engine {x0 ^ y1, y0 ^ x1}.
 */
static inline u32 screen_partition(u32 x)
{
	u32 mask = 0, width = ((x >> 2) - (x >> 6)) & 3, height = (x - (x >> 4)) & 3;

	for (u32 i = 0; i <= width; i++)
		for (u32 j = 0; j <= height; j++) {
			u32 tx = (x >> 6) + i, ty = (x >> 4) + j;
			u32 engine = ((tx ^ ty >> 1) & 1) << 1 | ((ty ^ tx >> 1) & 1);

			mask |= 1u << engine;
		}
	return mask;
}
BODY1(v_screen_partition_4se_b32, u32, u32, screen_partition(x))

const struct sim_exec LEVEL(sim_exec_valu_int)[] = {
	{.op = OP_v_mqsad_u32_u8, .kind = X_DIRECT, .handler = v_mqsad_u32_u8},
	VALU(v_screen_partition_4se_b32, 0),
	VALU(v_mov_b32, 0),
	VALU(v_mov_b64, 0),
	VALU_AS(v_accvgpr_read_b32, v_mov_b32, 0),
	VALU_AS(v_accvgpr_write_b32, v_mov_b32, 0),
	VALU_AS(v_accvgpr_mov_b32, v_mov_b32, 0),
	VALU(v_not_b32, 0),
	VALU(v_bfrev_b32, 0),
	VALU(v_ffbh_u32, 0),
	VALU(v_ffbl_b32, 0),
	VALU(v_ffbh_i32, 0),
	VALU(v_sat_pk_u8_i16, 0),
	VALU_SAT(v_add_u32, 0),
	VALU_SAT(v_sub_u32, 0),
	VALU_SAT(v_subrev_u32, 0),
	{.op = OP_v_add_i32,
	 .kind = X_VALU,
	 .flags = 0,
	 .body = v_add_u32,
	 .clamped = v_add_i32_sat},
	{.op = OP_v_sub_i32,
	 .kind = X_VALU,
	 .flags = 0,
	 .body = v_sub_u32,
	 .clamped = v_sub_i32_sat},
	VALU_SAT(v_add_u16, 0),
	VALU_SAT(v_sub_u16, 0),
	VALU_SAT(v_subrev_u16, 0),
	{.op = OP_v_add_i16,
	 .kind = X_VALU,
	 .flags = X_KEEPHI,
	 .body = v_add_u16,
	 .clamped = v_add_i16_sat},
	{.op = OP_v_sub_i16,
	 .kind = X_VALU,
	 .flags = X_KEEPHI,
	 .body = v_sub_u16,
	 .clamped = v_sub_i16_sat},
	VALU(v_and_b32, 0),
	VALU(v_or_b32, 0),
	VALU(v_xor_b32, 0),
	VALU(v_xnor_b32, 0),
	VALU(v_min_u32, 0),
	VALU(v_max_u32, 0),
	VALU(v_min_i32, 0),
	VALU(v_max_i32, 0),
	VALU(v_min_u16, 0),
	VALU(v_max_u16, 0),
	VALU(v_min_i16, 0),
	VALU(v_max_i16, 0),
	VALU(v_lshlrev_b32, 0),
	VALU(v_lshrrev_b32, 0),
	VALU(v_ashrrev_i32, 0),
	VALU(v_lshlrev_b16, 0),
	VALU(v_lshrrev_b16, 0),
	VALU(v_ashrrev_i16, 0),
	VALU(v_lshlrev_b64, 0),
	VALU(v_lshrrev_b64, 0),
	VALU(v_ashrrev_i64, 0),
	VALU(v_bfm_b32, 0),
	VALU(v_bcnt_u32_b32, 0),
	VALU(v_mul_lo_u32, 0),
	VALU(v_mul_hi_u32, 0),
	VALU(v_mul_hi_i32, 0),
	VALU_SAT(v_mul_u32_u24, 0),
	VALU_SAT(v_mul_i32_i24, 0),
	VALU(v_mul_hi_u32_u24, 0),
	VALU(v_mul_hi_i32_i24, 0),
	VALU(v_mul_lo_u16, 0),
	VALU(v_pack_b32_f16, 0),
	VALU(v_add3_u32, 0),
	VALU(v_lshl_add_u32, 0),
	VALU(v_lshl_add_u64, 0),
	VALU(v_add_lshl_u32, 0),
	VALU(v_lshl_or_b32, 0),
	VALU(v_and_or_b32, 0),
	VALU(v_or3_b32, 0),
	VALU(v_xad_u32, 0),
	VALU(v_bfi_b32, 0),
	VALU(v_bfe_u32, 0),
	VALU(v_bfe_i32, 0),
	VALU(v_alignbit_b32, 0),
	VALU(v_alignbyte_b32, 0),
	VALU(v_perm_b32, 0),
	VALU(v_min3_u32, 0),
	VALU(v_max3_u32, 0),
	VALU(v_med3_u32, 0),
	VALU(v_min3_i32, 0),
	VALU(v_max3_i32, 0),
	VALU(v_med3_i32, 0),
	VALU(v_min3_u16, X_KEEPHI),
	VALU(v_max3_u16, X_KEEPHI),
	VALU(v_med3_u16, X_KEEPHI),
	VALU(v_min3_i16, X_KEEPHI),
	VALU(v_max3_i16, X_KEEPHI),
	VALU(v_med3_i16, X_KEEPHI),
	VALU_SAT(v_mad_u32_u24, 0),
	VALU_SAT(v_mad_i32_i24, 0),
	VALU_SAT(v_mad_u16, X_KEEPHI),
	VALU_SAT(v_mad_i16, X_KEEPHI),
	{.op = OP_v_mad_legacy_u16,
	 .kind = X_VALU,
	 .flags = 0,
	 .body = v_mad_u16,
	 .clamped = v_mad_u16_sat},
	{.op = OP_v_mad_legacy_i16,
	 .kind = X_VALU,
	 .flags = 0,
	 .body = v_mad_i16,
	 .clamped = v_mad_i16_sat},
	VALU_SAT(v_mad_u32_u16, 0),
	VALU_SAT(v_mad_i32_i16, 0),
	VALU_SAT(v_sad_u8, 0),
	VALU_SAT(v_sad_hi_u8, 0),
	VALU_SAT(v_msad_u8, 0),
	VALU_SAT(v_sad_u16, 0),
	VALU_SAT(v_sad_u32, 0),
	VALU(v_lerp_u8, 0),
	VALU_SAT(v_qsad_pk_u16_u8, 0),
	VALU_SAT(v_mqsad_pk_u16_u8, 0),
	{0},
};
