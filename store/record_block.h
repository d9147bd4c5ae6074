/* SPDX-License-Identifier: MIT */
/*
 * A row of probe_record: trace bytes of many waves, as the device wrote them, compressed together.
 *
 * A span is a part of one ring's stream that belongs to one dispatch. Its bytes begin at a multiple
 * of 8 of the block's bytes. The row has the spans (little-endian, as in memory) and the bytes,
 * each as a Zstandard frame.
 */
#ifndef PROBE_STORE_RECORD_BLOCK_H
#define PROBE_STORE_RECORD_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `ring` of a span that is the dispatch's kernel arguments, which its records refer to. */
#define PROBE_SPAN_ARGUMENTS UINT32_MAX

struct probe_span {
	uint64_t dispatch;
	uint32_t ring, size; /* without padding */
};

/* A block is stored when it has as many bytes, or at a commit. */
#define PROBE_BLOCK_BYTES (1u << 20)
/* The largest block that is read; a span alone may be larger than PROBE_BLOCK_BYTES. */
#define PROBE_BLOCK_MAX (256u << 20)

/* Initialised to zero. */
struct probe_block {
	unsigned char *bytes;
	size_t size, capacity;
	struct probe_span *spans;
	size_t span_count, span_capacity;
};

void probe_block_deinit(struct probe_block *block);

/* Bytes of a span in its block. */
static inline size_t probe_span_padded(const struct probe_span *span)
{
	return ((size_t)span->size + 7) & ~(size_t)7;
}

/* False without memory: nothing is added. */
bool probe_block_add(struct probe_block *block, const struct probe_span *span, const void *bytes);

struct probe_packed {
	void *spans, *bytes; /* freed by the caller */
	size_t spans_size, bytes_size;
};

/* `context`: a ZSTD_CCtx, kept from block to block. False without memory. */
bool probe_block_pack(const struct probe_block *block, void *context, struct probe_packed *ret);

/*
 * The block of a row, which is not trusted: false if it is malformed, or without memory. With
 * packed.bytes NULL only the spans. `ret` may have been used before.
 */
bool probe_block_unpack(const struct probe_packed *packed, uint64_t size, struct probe_block *ret);

#endif
