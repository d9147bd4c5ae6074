/* SPDX-License-Identifier: MIT */
/* Rows of probe_record: two lengths, then the frame of the spans and that of the bytes. */
#include "store/record_block.h"
#include "tests/fuzz/targets/fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fuzz_input input = {bytes, size};
	struct probe_block block = {0};
	struct probe_packed packed = {0};
	uint32_t spans_size = fuzz_u32(&input), unpacked = fuzz_u32(&input);

	packed.spans_size = spans_size % (input.left + 1);
	packed.spans = fuzz_text(input.at, packed.spans_size);
	packed.bytes_size = input.left - packed.spans_size;
	packed.bytes = fuzz_text(input.at + packed.spans_size, packed.bytes_size);
	for (int i = 0; i < 2; i++) {
		size_t end = 0;

		if (!probe_block_unpack(&packed, unpacked % (8u << 20), &block))
			continue;
		for (size_t k = 0; k < block.span_count; k++)
			end += probe_span_padded(&block.spans[k]);
		FUZZ_ASSERT(end <= unpacked % (8u << 20));
	}
	probe_block_deinit(&block);
	free(packed.spans);
	free(packed.bytes);
	return 0;
}
