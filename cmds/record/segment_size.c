/* SPDX-License-Identifier: MIT */
#include "cmds/record/segment_size.h"

#include "wire/segment_reader_file.h"

/*
 * The file is sparse: pages exist once they are written. With the counter tables of a queue or two,
 * a process has at most 64 MiB.
 */
#define HOST_RING_BYTES (16ull << 20)
#define RINGS_BYTES	(32u << 20)
#define RING_BYTES_MAX	16384u
/* For launches of few waves, which would otherwise wait for the reader most of the time. */
#define LARGE_RINGS	 128u
#define LARGE_RING_BYTES (64u << 10)

/*
 * A power of two of rings, and the size of each one's share of RINGS_BYTES; fewer rings if not all
 * fit.
 */
static uint32_t ring_count(uint32_t wanted, uint32_t *ret_bytes)
{
	uint32_t count = 1;

	*ret_bytes = RING_BYTES_MAX;
	if (!wanted)
		return 0;
	while (count < wanted && count < RINGS_BYTES / PROBE_RING_SIZE_MIN)
		count *= 2;
	while (*ret_bytes > PROBE_RING_SIZE_MIN && *ret_bytes > RINGS_BYTES / count)
		*ret_bytes /= 2;
	return count;
}

struct probe_err *segment_create(uint32_t rings_wanted, struct segment_reader *ret)
{
	struct segment_rings rings = {
		.large_count = LARGE_RINGS,
		.large_size = LARGE_RING_BYTES,
	};

	rings.count = ring_count(rings_wanted, &rings.size);
	return segment_reader_create(HOST_RING_BYTES, &rings, true, ret);
}
