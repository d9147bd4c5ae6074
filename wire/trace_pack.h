/* SPDX-License-Identifier: MIT */
/*
 * Trace bytes made smaller for storing, without loss, faster than a disk: affine records, which are
 * most, shrink from 24 bytes to one or a few. Any bytes pack, also ones that are no records.
 *
 * Packed form, little-endian: a sequence of
 *   0x00+s              affine record like the last one of slot s, base moved by the same step
 * again 0x40+s, zigzag      the same, but base moved by a new step 0x80, 24 bytes      affine
 * record in full (struct probe_rec_affine); sets its slot 0x81, length, bytes anything else Slot s
 * is (site & 63). Numbers are LEB128. Slots begin empty; a step begins as 0.
 */
#ifndef PROBE_WIRE_TRACE_PACK_H
#define PROBE_WIRE_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Room that packing `size` bytes may need. Worst are made-up bytes: 24 of an affine record (25
 * packed) in turn with 8 of something else (10 packed).
 */
#define PROBE_TRACE_PACK_ROOM(size) ((size) + (size) / 8 + 32)

/* Returns the packed size. */
size_t probe_trace_pack(const unsigned char *bytes, size_t size, unsigned char *out);

/*
 * The bytes again, from anybody's database: false if they are not packed by the rules above or are
 * not exactly `size` bytes.
 */
bool probe_trace_unpack(const unsigned char *packed, size_t packed_size, unsigned char *out,
			size_t size);

#endif
