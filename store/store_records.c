/* SPDX-License-Identifier: MIT */
/* Rows of probe_record: trace bytes are collected in a block, which becomes a row. */
#include <errno.h>
#include <stdlib.h>

#include <zstd.h>

#include "store/store_priv.h"

static int insert_row(struct probe_store *store, const struct probe_packed *packed)
{
	const struct probe_block *block = &store->block;
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < block->span_count; i++) {
		uint64_t id = block->spans[i].dispatch;

		first = id < first ? id : first;
		last = id > last ? id : last;
	}
	if (!store->records)
		store->records = probe_store_rows(store, "probe_record",
						  "first_dispatch, last_dispatch, size, spans, "
						  "bytes",
						  5, 1);
	return probe_rows_add(
		store->records,
		(struct probe_cell[]){probe_cell_int(first), probe_cell_int(last),
				      probe_cell_int(block->size),
				      probe_cell_blob(packed->spans, packed->spans_size),
				      probe_cell_blob(packed->bytes, packed->bytes_size)});
}

int probe_store_flush_block(struct probe_store *store)
{
	struct probe_packed packed;
	int err = 0;

	if (!store->block.span_count)
		return 0;
	if (!store->zstd)
		store->zstd = ZSTD_createCCtx();
	if (!store->zstd || !probe_block_pack(&store->block, store->zstd, &packed))
		return probe_store_fail(store, "allocate memory");
	err = insert_row(store, &packed);
	free(packed.spans);
	free(packed.bytes);
	probe_store_drop_block(store);
	return err;
}

void probe_store_free_block(struct probe_store *store)
{
	probe_block_deinit(&store->block);
	ZSTD_freeCCtx(store->zstd);
}

void probe_store_trace(struct probe_store *store, const struct probe_span *span, const void *bytes)
{
	if (!span->size || probe_store_begin(store))
		return;
	if (!probe_block_add(&store->block, span, bytes))
		probe_store_fail(store, "allocate memory");
	else if (store->block.size >= PROBE_BLOCK_BYTES)
		probe_store_flush_block(store);
}
