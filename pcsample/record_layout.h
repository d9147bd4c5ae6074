/* SPDX-License-Identifier: MIT */
/* Offsets and bits of a 64-byte record; see decode.h for the sources. */
#ifndef PROBE_PCSAMPLE_RECORD_LAYOUT_H
#define PROBE_PCSAMPLE_RECORD_LAYOUT_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* The same for both methods and all families. */
enum {
	AT_PC = 0x00,
	AT_EXEC = 0x08,
	AT_WORKGROUP = 0x10,
	AT_WAVE = 0x1c, /* wave in group 5..0, chiplet from 8: the header's bit field says 6 */
	AT_HW_ID = 0x20,
	AT_SNAPSHOT = 0x24, /* three words; host trap: reserved */
	AT_TIMESTAMP = 0x30,
	AT_CORRELATION = 0x38,
};

/* Snapshot words data and data1. */
enum {
	DATA_VALID = 1 << 0,
	DATA_ISSUED = 1 << 1,
	GFX9_DUAL = 1 << 2,
	GFX9_ERROR_BIT = 26,
	GFX9_ERROR = 1 << GFX9_ERROR_BIT,
	WAVE_COUNT = 0x3f, /* in data1 */
};
#define GFX9_MID_MACRO (1u << 31) /* in data1 */

static inline uint32_t read32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

static inline uint64_t read64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return le64toh(value);
}

static inline void write32(uint8_t *bytes, uint32_t value)
{
	value = htole32(value);
	memcpy(bytes, &value, sizeof(value));
}

static inline void write64(uint8_t *bytes, uint64_t value)
{
	value = htole64(value);
	memcpy(bytes, &value, sizeof(value));
}

#endif
