/* SPDX-License-Identifier: MIT */
/*
 * Lossless compression of trace bytes for storing, faster than a disk: affine records, which are
 * most, shrink from 24 bytes to one or a few. Any bytes can be packed, even if they are no records.
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
#ifndef PROBE_WIRE_TRACE_PACK_H
#define PROBE_WIRE_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Upper bound of the packed size. The worst case alternates 24 bytes of an affine record (25
 * packed) with 8 other bytes (10 packed).
 */
#define PROBE_TRACE_PACK_MAX(size) ((size) + (size) / 8 + 32)

/* Returns the packed size. */
size_t probe_trace_pack(const unsigned char *bytes, size_t size, unsigned char *out);

/*
 * Unpack bytes of a database, which is not trusted: false if they are malformed, or are not exactly
 * `size` bytes.
 */
bool probe_trace_unpack(const unsigned char *packed, size_t packed_size, unsigned char *out,
			size_t size);

#endif
