/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli, polynomial 0x1edc6f41 reflected, initial value and final xor all ones): the
 * checksum of host records. Chosen because x86-64 has an instruction for it.
 */
#ifndef PROBE_COMMON_CRC32_H
#define PROBE_COMMON_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC of the bytes; start with 0, or with the last result to continue. */
uint32_t probe_crc32(uint32_t crc, const void *bytes, size_t size);

/* The same without the CRC instruction: for CPUs that lack it, and for the test. */
uint32_t probe_crc32_portable(uint32_t crc, const void *bytes, size_t size);

#endif
