/* SPDX-License-Identifier: MIT */
/*
 * Trace bytes in databases of schema 4 and earlier, which stored expanded records, packed.
 *
 * Packed form, little-endian, is a sequence of
 *
 *	0x00+s			affine record like the last one of slot s, base moved by the same
 *				step again
 *	0x40+s, zigzag		the same, but base moved by a new step
 *	0x80, 24 bytes		affine record in full (struct probe_rec_affine); sets its slot
 *	0x81, length, bytes	anything else
 *
 * Slot s is (site & 63). Numbers are LEB128. Slots begin empty; a step begins as 0.
 */
#ifndef PROBE_WIRE_TRACE_UNPACK_H
#define PROBE_WIRE_TRACE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Unpack bytes of a database, which is not trusted: false if they are malformed, or are not exactly
 * `size` bytes.
 */
bool probe_trace_unpack(const unsigned char *packed, size_t packed_size, unsigned char *out,
			size_t size);

#endif
