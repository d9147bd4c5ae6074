/* SPDX-License-Identifier: MIT */
#include "store/record_block.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "common/memory_watch.h"

#define LEVEL 1
#define WORD  sizeof(uint64_t)

void probe_block_deinit(struct probe_block *block)
{
	free(block->bytes);
	free(block->spans);
	*block = (struct probe_block){0};
}

/* Makes *array, of *capacity elements, hold at least `count`. */
static bool reserve(void **array, size_t *capacity, size_t count, size_t element)
{
	size_t larger = *capacity < 1024 ? 1024 : *capacity * 2;
	void *grown;

	if (count <= *capacity)
		return true;
	if (larger < count)
		larger = count;
	grown = realloc(*array, larger * element);
	if (!grown)
		return false;
	*array = grown;
	*capacity = larger;
	return true;
}

static bool reserve_bytes(struct probe_block *block, size_t size)
{
	void *bytes = block->bytes;
	bool ok = reserve(&bytes, &block->capacity, size, 1);

	block->bytes = bytes;
	return ok;
}

static bool reserve_spans(struct probe_block *block, size_t count)
{
	void *spans = block->spans;
	bool ok = reserve(&spans, &block->span_capacity, count, sizeof(*block->spans));

	block->spans = spans;
	return ok;
}

bool probe_block_add(struct probe_block *block, const struct probe_span *span, const void *bytes)
{
	struct probe_span *last = NULL;
	size_t padded = probe_span_padded(span);

	if (!reserve_bytes(block, block->size + padded) ||
	    !reserve_spans(block, block->span_count + 1))
		return false;
	memcpy(block->bytes + block->size, bytes, span->size);
	memset(block->bytes + block->size + span->size, 0, padded - span->size);
	block->size += padded;
	if (block->span_count)
		last = &block->spans[block->span_count - 1];
	if (last && last->dispatch == span->dispatch && last->ring == span->ring &&
	    last->size % 8 == 0 && last->size <= UINT32_MAX - span->size)
		last->size += span->size;
	else
		block->spans[block->span_count++] = *span;
	return true;
}

/*
 * The bytes of 64-bit words by their place in the word: first all lowest ones, and so on. Addresses
 * differ in the low ones: the others are compressed to nearly nothing.
 */
static void split_words(unsigned char *to, const unsigned char *from, size_t size)
{
	size_t words = size / WORD;

	for (size_t i = 0; i < words; i++)
		for (size_t k = 0; k < WORD; k++)
			to[k * words + i] = from[i * WORD + k];
}

static void join_words(unsigned char *to, const unsigned char *from, size_t size)
{
	size_t words = size / WORD;

	for (size_t i = 0; i < words; i++)
		for (size_t k = 0; k < WORD; k++)
			to[i * WORD + k] = from[k * words + i];
}

/* The compressed bytes, NULL without memory. */
static void *compress(ZSTD_CCtx *context, const void *bytes, size_t size, size_t *ret_size)
{
	size_t bound = ZSTD_compressBound(size);
	unsigned char *split = malloc(size + bound), *ret = NULL;

	if (!split)
		return NULL;
	split_words(split, bytes, size);
	*ret_size = ZSTD_compressCCtx(context, split + size, bound, split, size, LEVEL);
	if (!ZSTD_isError(*ret_size))
		ret = malloc(*ret_size);
	if (ret)
		memcpy(ret, split + size, *ret_size);
	free(split);
	return ret;
}

/* False if it is malformed, or without memory. */
static bool decompress(unsigned char *to, size_t size, const void *packed, size_t packed_size)
{
	unsigned char *split = malloc(size + 1);
	size_t got = split ? ZSTD_decompress(split, size, packed, packed_size) : 0;
	bool ok = split && got == size;

	if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		probe_memory_note_failure();
	if (ok)
		join_words(to, split, size);
	free(split);
	return ok;
}

bool probe_block_pack(const struct probe_block *block, void *context, struct probe_packed *ret)
{
	*ret = (struct probe_packed){0};
	ret->spans = compress(context, block->spans, block->span_count * sizeof(*block->spans),
			      &ret->spans_size);
	if (ret->spans)
		ret->bytes = compress(context, block->bytes, block->size, &ret->bytes_size);
	if (ret->bytes)
		return true;
	free(ret->spans);
	return false;
}

/* Do the spans cover exactly `size` bytes? */
static bool spans_cover(const struct probe_block *block, uint64_t size)
{
	uint64_t covered = 0;

	for (size_t i = 0; i < block->span_count; i++)
		covered += probe_span_padded(&block->spans[i]);
	return covered == size;
}

static bool unpack_spans(const struct probe_packed *packed, uint64_t size, struct probe_block *ret)
{
	unsigned long long spans = ZSTD_getFrameContentSize(packed->spans, packed->spans_size);

	/* A span has at least 8 bytes; also false for the constants that are errors. */
	if (size > PROBE_BLOCK_MAX || spans % sizeof(*ret->spans) ||
	    spans / sizeof(*ret->spans) > size / 8 ||
	    !reserve_spans(ret, spans / sizeof(*ret->spans)))
		return false;
	ret->span_count = spans / sizeof(*ret->spans);
	return decompress((void *)ret->spans, spans, packed->spans, packed->spans_size) &&
	       spans_cover(ret, size);
}

bool probe_block_unpack(const struct probe_packed *packed, uint64_t size, struct probe_block *ret)
{
	if (!packed->spans || !unpack_spans(packed, size, ret))
		return false;
	if (!packed->bytes)
		return true;
	ret->size = size;
	return size % WORD == 0 && reserve_bytes(ret, size) &&
	       decompress(ret->bytes, size, packed->bytes, packed->bytes_size);
}
