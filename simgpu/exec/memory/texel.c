/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/memory/texel.h"

#include <math.h>
#include <string.h>

#include "simgpu/exec/vector/half_float.h"

/* Bits of the channels, the first in the lowest bits. */
static const uint8_t layouts[][4] = {
	[1] = {8},
	[2] = {16},
	[3] = {8, 8},
	[4] = {32},
	[5] = {16, 16},
	[6] = {11, 11, 10},
	[7] = {10, 11, 11},
	[8] = {2, 10, 10, 10},
	[9] = {10, 10, 10, 2},
	[10] = {8, 8, 8, 8},
	[11] = {32, 32},
	[12] = {16, 16, 16, 16},
	[13] = {32, 32, 32},
	[14] = {32, 32, 32, 32},
	[16] = {5, 6, 5},
	[17] = {5, 5, 5, 1},
	[18] = {1, 5, 5, 5},
	[19] = {4, 4, 4, 4},
};

unsigned int texel_bytes(struct texel_format format)
{
	unsigned int bits = 0;

	if (format.data >= sizeof(layouts) / sizeof(layouts[0]) ||
	    format.number == TEXEL_RESERVED ||
	    (format.number > TEXEL_FLOAT && format.number != TEXEL_SRGB))
		return 0;
	for (unsigned int n = 0; n < 4; n++)
		bits += layouts[format.data][n];
	/* Floats have 32, 16, 11 or 10 bits. */
	if (format.number == TEXEL_FLOAT && layouts[format.data][0] < 10)
		return 0;
	return bits / 8;
}

/* Floats of 11 and 10 bits are half floats without a sign and with fewer mantissa bits. */
static uint32_t small_float(uint32_t raw, unsigned int bits)
{
	return float_bits(half_to_float((uint16_t)(raw << (15 - bits))));
}

static float srgb_to_linear(float c)
{
	return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static float linear_to_srgb(float c)
{
	return c <= 0.0031308f ? c * 12.92f : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
}

static int32_t sign_extend(uint32_t raw, unsigned int bits)
{
	return (int32_t)(raw << (32 - bits)) >> (32 - bits);
}

static uint32_t channel_read(struct texel_format format, unsigned int n, uint32_t raw)
{
	unsigned int bits = layouts[format.data][n];
	double top = (double)((1ull << bits) - 1), high = (double)((1ull << (bits - 1)) - 1);
	float v;

	switch (format.number) {
	case TEXEL_UNORM:
		return float_bits((float)(raw / top));
	case TEXEL_SRGB:
		v = (float)(raw / top);
		return float_bits(n < 3 ? srgb_to_linear(v) : v);
	case TEXEL_SNORM:
		v = high > 0 ? (float)(sign_extend(raw, bits) / high) : 0;
		return float_bits(v < -1 ? -1 : v);
	case TEXEL_USCALED:
		return float_bits((float)raw);
	case TEXEL_SSCALED:
		return float_bits((float)sign_extend(raw, bits));
	case TEXEL_SINT:
		return (uint32_t)sign_extend(raw, bits);
	case TEXEL_FLOAT:
		if (bits == 16)
			return float_bits(half_to_float((uint16_t)raw));
		return bits == 32 ? raw : small_float(raw, bits);
	default:
		return raw;
	}
}

static uint32_t one(struct texel_format format)
{
	return texel_is_integer(format) ? 1 : float_bits(1);
}

void texel_read(struct texel_format format, const void *from, uint32_t channel[4])
{
	uint64_t word[2] = {0};
	unsigned int at = 0;

	memcpy(word, from, texel_bytes(format));
	for (unsigned int n = 0; n < 4; n++) {
		unsigned int bits = layouts[format.data][n];
		uint32_t raw = (uint32_t)(word[at / 64] >> at % 64 & ((1ull << bits) - 1));

		channel[n] = bits ? channel_read(format, n, raw) : n == 3 ? one(format) : 0;
		at += bits;
	}
}

static double clamp(double v, double lo, double hi)
{
	return !(v > lo) ? lo : v > hi ? hi : v; /* NaN becomes the lower limit */
}

/* Rounds to nearest even. These floats have no sign, so it is lost. */
static uint32_t to_small_float(float v, unsigned int bits)
{
	uint32_t half = float_to_half(v > 0 ? v : v != v ? v : 0) & 0x7fff;
	unsigned int drop = 15 - bits;
	uint32_t kept = half >> drop, rest = half & ((1u << drop) - 1), tie = 1u << (drop - 1);

	if (half < 0x7c00 && (rest > tie || (rest == tie && kept & 1)))
		kept++;
	return half > 0x7c00 ? kept | 1 : kept;
}

static uint32_t channel_write(struct texel_format format, unsigned int n, uint32_t value)
{
	unsigned int bits = layouts[format.data][n];
	double top = (double)((1ull << bits) - 1), high = (double)((1ull << (bits - 1)) - 1);
	uint32_t mask = (uint32_t)((1ull << bits) - 1);
	float v = bits_float(value);

	switch (format.number) {
	case TEXEL_SRGB:
	case TEXEL_UNORM:
		v = (float)clamp(v, 0, 1);
		if (format.number == TEXEL_SRGB && n < 3)
			v = linear_to_srgb(v);
		return (uint32_t)rint(v * top);
	case TEXEL_SNORM:
		return (uint32_t)(int64_t)rint((v != v ? 0 : clamp(v, -1, 1)) * high) & mask;
	case TEXEL_USCALED:
		return (uint32_t)clamp(trunc(v), 0, top);
	case TEXEL_SSCALED:
		return (uint32_t)(int64_t)clamp(v != v ? 0 : trunc(v), -high - 1, high) & mask;
	case TEXEL_UINT:
		return value > mask ? mask : value;
	case TEXEL_SINT:
		return (uint32_t)(int64_t)clamp((int32_t)value, -high - 1, high) & mask;
	default:
		if (bits == 32)
			return value;
		return bits == 16 ? float_to_half(v) : to_small_float(v, bits);
	}
}

void texel_write(struct texel_format format, const uint32_t channel[4], void *to)
{
	uint64_t word[2] = {0};
	unsigned int at = 0;

	for (unsigned int n = 0; n < 4 && layouts[format.data][n]; n++) {
		word[at / 64] |= (uint64_t)channel_write(format, n, channel[n]) << at % 64;
		at += layouts[format.data][n];
	}
	memcpy(to, word, texel_bytes(format));
}

void texel_select(struct texel_format format, uint32_t selects, uint32_t channel[4])
{
	uint32_t from[8] = {0, one(format)};

	memcpy(from + 4, channel, 4 * sizeof(*channel));
	for (unsigned int n = 0; n < 4; n++)
		channel[n] = from[selects >> 3 * n & 7];
}
