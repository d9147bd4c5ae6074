/* SPDX-License-Identifier: MIT */
#include "common/crc32.h"

#include <string.h>

/* CRC-32C of the 16 values of a nibble: small enough to read, and only the slow path uses it. */
static const uint32_t nibble[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
	0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t probe_crc32_portable(uint32_t crc, const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;

	crc = ~crc;
	for (; size; size--, byte++) {
		crc ^= *byte;
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t crc32_sse42(uint32_t crc, const uint8_t *byte,
							      size_t size)
{
	uint64_t sum = ~crc;
	uint64_t word;

	for (; size >= 8; size -= 8, byte += 8) {
		memcpy(&word, byte, 8);
		sum = __builtin_ia32_crc32di(sum, word);
	}
	for (; size; size--, byte++)
		sum = __builtin_ia32_crc32qi((uint32_t)sum, *byte);
	return ~(uint32_t)sum;
}
#endif

uint32_t probe_crc32(uint32_t crc, const void *bytes, size_t size)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return crc32_sse42(crc, bytes, size);
#endif
	return probe_crc32_portable(crc, bytes, size);
}
