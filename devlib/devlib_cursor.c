/* SPDX-License-Identifier: MIT */
/* Where a wave's records find no more room, and where a wave begins and ends (devlib_cursor.h). */
#include "devlib_cursor.h"

/*
 * Show the host the records written so far. Returns the head: the bytes written since the ring's
 * start. The state has the head of the last time; between them nothing wraps.
 */
DEV_INLINE uint64_t publish(const dev_ctx *ctx, dev_state *state, uint32_t first, bool *ret_begun)
{
	volatile dev_ring *host = dev_ring_host(ctx, (uint64_t)state);
	uint64_t head = dev_load(&state->head), at;
	uint64_t data =
		ctx->ring_data + (uint64_t)dev_ring_index(ctx, (uint64_t)state) * ctx->ring_size;
	uint32_t written;

	__asm__ volatile("s_mov_b64 %0, s[84:85]\n\ts_mov_b32 %1, s87\n\ts_mov_b32 s87, 0"
			 : "=&s"(at), "=&s"(written)
			 :
			 : CURSOR_CHANGES);
	*ret_begun = at != 0;
	if (!at)
		return head;
	head += (uint32_t)(at - data) - ((uint32_t)head & (ctx->ring_size - 1));
	/* The supervisor's acquire of head pairs with this. */
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
	if (dev_speaks(first)) {
		__atomic_fetch_add(dev_opaque(&state->emitted), written, __ATOMIC_RELAXED);
		__atomic_store_n(&state->head, head, __ATOMIC_RELAXED);
		__atomic_store_n(&host->head, head, __ATOMIC_RELAXED);
	}
	return head;
}

/* Is this record worth waiting for? Under PROBE_FULL_SAMPLE each sample_every-th is. */
DEV_INLINE bool may_wait(const dev_ctx *ctx, dev_state *state, uint32_t first)
{
	uint64_t refused;

	if (ctx->when_full != PROBE_FULL_SAMPLE)
		return ctx->when_full == PROBE_FULL_BLOCK;
	refused = dev_load(&state->refused);
	if (dev_speaks(first))
		__atomic_store_n(&state->refused, refused + 1, __ATOMIC_RELAXED);
	return (uint32_t)refused % ctx->sample_every == 0;
}

/* Wait until `need` bytes behind `head` are free; false = they did not become so. */
DEV_INLINE bool await_room(const dev_ctx *ctx, dev_state *state, uint64_t head, uint32_t need,
			   uint32_t first, bool begun, uint64_t *ret_tail)
{
	uint64_t tail = dev_load(&state->tail);
	uint32_t naps = 0, ring = ctx->ring_size;
	bool asked = !begun, wait = !begun; /* without the wave's record all would be lost */

	/* The cached tail is old, so it may only be too small. */
	while ((uint32_t)(head + need) - (uint32_t)tail > ring) {
		tail = dev_load_host(&dev_ring_host(ctx, (uint64_t)state)->tail);
		if ((uint32_t)(head + need) - (uint32_t)tail <= ring) {
			if (dev_speaks(first))
				__atomic_store_n(&state->tail, tail, __ATOMIC_RELAXED);
			break;
		}
		if (!asked)
			wait = may_wait(ctx, state, first);
		asked = true;
		if (!wait || naps++ >= ctx->spin_limit)
			return false;
		__builtin_amdgcn_s_sleep(DEV_SLEEP);
	}
	*ret_tail = tail;
	return true;
}

DEV_INLINE void answer(uint64_t at, uint32_t left, uint32_t room)
{
	__asm__ volatile("s_mov_b64 s[84:85], %0\n\ts_mov_b32 s86, %1\n\ts_mov_b32 s92, %2"
			 :
			 : "s"(dev_scalar64(at)), "s"(dev_scalar32(left)), "s"(dev_scalar32(room))
			 : CURSOR_CHANGES);
}

DEV_INLINE void refuse(dev_state *state, uint32_t records, uint32_t first)
{
	if (dev_speaks(first)) {
		__atomic_fetch_add(dev_opaque(&state->emitted), records, __ATOMIC_RELAXED);
		__atomic_fetch_add(dev_opaque(&state->dropped), records, __ATOMIC_RELAXED);
	}
	__asm__ volatile("s_mov_b32 s86, 0\n\ts_mov_b32 s92, 0" : : : CURSOR_CHANGES);
}

/*
 * Make room for `records` records of `bytes` bytes in all, or count them as lost. A new stretch is
 * at most a quarter of the ring, so that the reader can work while the wave writes.
 */
DEV_SHARED void __probe_dev_ring_refill(uint32_t bytes, uint32_t records)
{
	uint32_t first = dev_first(dev_exec()), size = dev_uniform32(bytes), mode = cursor_mode();
	dev_state *state = cursor_state();

	if (mode != CURSOR_OWNER) {
		if (mode == CURSOR_LOST)
			refuse(state, records, first);
		else
			__asm__ volatile("s_mov_b32 s86, 0\n\ts_mov_b32 s92, 0"
					 :
					 :
					 : CURSOR_CHANGES);
		return;
	}
	const dev_ctx *ctx = (const dev_ctx *)dev_load(&state->ctx);
	uint32_t ring = ctx->ring_size;
	bool begun;
	uint64_t head = publish(ctx, state, first, &begun), tail;
	uint32_t offset = (uint32_t)head & (ring - 1);
	uint32_t pad = ring - offset < size ? ring - offset : 0;
	uint64_t data = ctx->ring_data + (uint64_t)dev_ring_index(ctx, (uint64_t)state) * ring;

	if (!await_room(ctx, state, head, pad + size, first, begun, &tail)) {
		/* The place stays: what comes next may be smaller. */
		answer(data + offset, 0, 0);
		refuse(state, records, first);
		return;
	}
	uint32_t room = ring - ((uint32_t)head - (uint32_t)tail) - pad, most = ring / 4;

	if (pad && dev_speaks(first)) {
		*(uint64_t DEV_GLOBAL *)(data + offset) = PROBE_FORM_PAD;
		__atomic_store_n(&state->head, head + pad, __ATOMIC_RELAXED);
	}
	offset = pad ? 0 : offset;
	most = most > size ? most : size;
	room = room < ring - offset ? room : ring - offset;
	room = room < most ? room : most;
	answer(data + offset, room - size, 1);
}

/* Number of the wave in its workgroup: lanes are numbered x first (AMDGPU ABI). */
DEV_INLINE uint32_t wave_in_group(void)
{
	/* hsa_kernel_dispatch_packet_t: workgroup sizes x, y at bytes 4 and 6. */
	const uint16_t DEV_CONSTANT *packet =
		(const uint16_t DEV_CONSTANT *)__builtin_amdgcn_dispatch_ptr();
	uint32_t x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
		 z = __builtin_amdgcn_workitem_id_z();

	return dev_uniform32((x + packet[2] * (y + packet[3] * z)) / 64);
}

/*
 * The lanes that BLOCK records have. Not by rows where they are short: most lanes would be among
 * them.
 */
DEV_INLINE uint64_t row_lanes(void)
{
	const uint16_t DEV_CONSTANT *packet =
		(const uint16_t DEV_CONSTANT *)__builtin_amdgcn_dispatch_ptr();

	return packet[2] < 8 ? 3 : dev_ballot(__builtin_amdgcn_workitem_id_x() <= 1) | 3;
}

struct wave_start {
	uint64_t exec, time, rows;
	uint32_t hw_id, site, timed;
};

/* False: it is lost. The trace kind's ROWS record goes with it. */
DEV_INLINE bool write_wave(const dev_ctx *ctx, const struct wave_start *start, uint32_t plain)
{
	uint32_t size =
		sizeof(struct probe_rec_wave) + (start->timed ? 0 : sizeof(struct probe_rec_rows));
	uint64_t at = cursor_take(size, plain);
	uint32_t number = wave_in_group();

	if (!at)
		return false;
	if (!dev_speaks(dev_first(start->exec)))
		return true;
	struct probe_rec_wave DEV_GLOBAL *record = (struct probe_rec_wave DEV_GLOBAL *)at;
	struct probe_rec_rows DEV_GLOBAL *rows = (struct probe_rec_rows DEV_GLOBAL *)(record + 1);

	record->word0 = PROBE_FORM_WAVE << PROBE_FORM_SHIFT | start->site;
	record->wave = number;
	record->dispatch = ctx->dispatch;
	record->group[0] = __builtin_amdgcn_workgroup_id_x();
	record->group[1] = __builtin_amdgcn_workgroup_id_y();
	record->group[2] = __builtin_amdgcn_workgroup_id_z();
	record->hw_id = start->hw_id;
	record->time = start->time;
	record->exec = start->exec;
	if (start->timed)
		return true;
	rows->word0 = PROBE_FORM_ROWS << PROBE_FORM_SHIFT;
	rows->reserved = 0;
	rows->lanes = start->rows;
	return true;
}

/*
 * Own a ring and begin the wave in it. Without the wave's record nothing behind it has a meaning,
 * so a wave that cannot write it has lost all.
 */
DEV_ENTRY uint64_t __probe_dev_cursor_enter(const dev_ctx *ctx, void *refill, void *any,
					    uint32_t site, uint32_t timed, uint32_t plain)
{
	struct wave_start start = {
		.exec = dev_exec(),
		.time = __builtin_amdgcn_s_memrealtime(),
		.rows = timed ? 0 : row_lanes(),
		.hw_id = dev_hw_id(),
		.site = site,
		.timed = timed,
	};
	uint32_t first = dev_first(start.exec), mode = CURSOR_OFF;
	uint64_t wave = 0;

	if (cursor_wanted(ctx)) {
		wave = dev_uniform64(dev_ring_claim(ctx, dev_place(start.hw_id), first));
		mode = wave & DEV_NO_RING ? CURSOR_LOST : CURSOR_OWNER;
		if (mode == CURSOR_OWNER && dev_speaks(first))
			__atomic_store_n(&dev_ring_state(wave)->ctx, (uint64_t)ctx,
					 __ATOMIC_RELAXED);
	}
	cursor_set((uint64_t)dev_ring_state(wave), refill, any, start.rows, mode);
	if (!write_wave(ctx, &start, plain) && mode == CURSOR_OWNER) {
		dev_ring_release(ctx, wave, first);
		cursor_set(wave, refill, any, start.rows, CURSOR_LOST);
	}
	return wave;
}

DEV_ENTRY void __probe_dev_cursor_exit(const dev_ctx *ctx, uint64_t wave, uint32_t site,
				       uint32_t timed, uint32_t plain)
{
	uint32_t first = dev_first(dev_exec()), mode = cursor_mode();
	uint64_t clock = __builtin_readcyclecounter();

	(void)wave;
	if (mode == CURSOR_OFF)
		return;
	if (timed) {
		uint64_t at = cursor_take(sizeof(struct probe_rec_wave_end), plain);
		struct probe_rec_wave_end DEV_GLOBAL *record =
			(struct probe_rec_wave_end DEV_GLOBAL *)at;

		if (at && dev_speaks(first)) {
			record->word0 = PROBE_FORM_WAVE_END << PROBE_FORM_SHIFT | site;
			record->lanes = dev_count(dev_exec());
			record->clock = clock;
			record->time = __builtin_amdgcn_s_memrealtime();
		}
	}
	dev_state *state = cursor_state();
	bool begun;

	if (mode == CURSOR_OWNER)
		publish(ctx, state, first, &begun);
	/* A wave without a ring has counted losses and must show them: see dev_ring_release(). */
	else if (!dev_ring_try(state, first))
		return;
	dev_ring_release(ctx, (uint64_t)state, first);
}
