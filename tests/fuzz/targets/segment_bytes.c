/* SPDX-License-Identifier: MIT */
/*
 * Two words, each the head of a ring, then the bytes of the host ring and of a trace ring: what is
 * read of them, first while the application lives, then after its death.
 */
#include <stdbool.h>

#include "common/crc32.h"
#include "common/err.h"
#include "tests/fuzz/targets/fuzz_input.h"
#include "wire/segment_reader_file.h"
#include "wire/segment_writer.h"
#include "wire/segment_reader_file.h"

enum { HOST_BYTES = 65536, RING_BYTES = 4096, INPUT_MAX = 16384 };

/* Of most records the checksum is made right, which mutations never do. */
static void sum_up(unsigned char *data, uint64_t size)
{
	for (uint64_t at = 0; size - at >= sizeof(struct probe_host_rec);) {
		struct probe_host_rec *rec = (struct probe_host_rec *)(data + at);

		if (rec->size < sizeof(*rec) || rec->size > size - at || rec->size % 8)
			return;
		if (rec->commit && rec->tid % 16)
			rec->commit = probe_commit_word(
				probe_crc32(0, rec + 1, rec->size - sizeof(*rec)));
		at += rec->size;
	}
}

static void read_records(struct segment_reader *segment, bool final)
{
	struct segment_record record;
	uint64_t sum = 0;

	while (segment_reader_next(segment, final, &record) == SEGMENT_RECORD)
		for (size_t i = 0; i < record.size; i++)
			sum += record.payload[i];
	/* Nothing is left when the writers are dead, whatever they left. */
	FUZZ_ASSERT(!final || segment_reader_next(segment, true, &record) == SEGMENT_EMPTY);
	FUZZ_ASSERT(sum != 1 || segment->size);
}

static void read_ring(struct segment_reader *segment)
{
	static unsigned char out[RING_BYTES];
	size_t size;

	segment_reader_snapshot(segment);
	while ((size = segment_reader_ring_peek(segment, 0, out)) > 0) {
		FUZZ_ASSERT(size <= RING_BYTES);
		segment_reader_ring_consume(segment, 0, size);
	}
	segment_reader_ring_unread(segment, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct segment_rings rings = {.count = 1, .size = RING_BYTES};
	struct fuzz_input input = {bytes, size < INPUT_MAX ? size : INPUT_MAX};
	struct segment_reader segment;
	uint64_t heads[2];

	fuzz_take(&input, heads, sizeof(heads));
	if (segment_reader_create(HOST_BYTES, &rings, false, &segment))
		return 0;
	segment.hold = heads[0] & 4;
	segment_reader_seek(&segment, heads[1] & 0xfff8);
	memcpy(segment.heads, input.at, input.left < 64 ? input.left : 64);
	memcpy(segment.data, input.at, input.left < RING_BYTES ? input.left : RING_BYTES);
	segment.heads[0].head = heads[1] >> 16;
	fuzz_take(&input, segment.host_data, input.left);
	segment.host->head = heads[0] & 3 ? heads[0] & ~7ull : (heads[1] & 0xfff8) + (size & ~7ull);
	sum_up(segment.host_data, size < INPUT_MAX ? size : INPUT_MAX);
	read_records(&segment, false);
	read_ring(&segment);
	read_records(&segment, true);
	segment_reader_release(&segment);
	segment_reader_destroy(&segment);
	return 0;
}
