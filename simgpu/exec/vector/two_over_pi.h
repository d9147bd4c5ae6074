/* SPDX-License-Identifier: MIT */
/* The first 1280 binary digits of 2/pi after the point, and 53-bit parts of them. */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_TWO_OVER_PI_H
#define PROBE_SIMGPU_EXEC_VECTOR_TWO_OVER_PI_H

#include <stdint.h>

static const uint64_t two_over_pi[20] = {
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* Bits [shift, shift + 53) after the binary point; zero beyond bit 1201 as in the hardware. */
static inline uint64_t two_over_pi_bits(uint32_t shift)
{
	uint32_t word = shift / 64, bit = shift % 64;
	uint64_t bits;

	if (word >= 19)
		return 0;
	bits = two_over_pi[word] << bit;
	if (bit)
		bits |= two_over_pi[word + 1] >> (64 - bit);
	return bits >> 11;
}

#endif
