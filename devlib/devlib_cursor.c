/* SPDX-License-Identifier: MIT */
/* Where a wave's records find no more room, and where a wave begins and ends (devlib_cursor.h). */
#include "devlib_time.h"

/* Show the host the records written so far. */
DEV_INLINE void publish(const dev_ctx *ctx, dev_state *state, uint64_t head, uint32_t first)
{
	volatile dev_ring *host = dev_ring_host(ctx, (uint64_t)state);

	/* The supervisor's acquire of head pairs with this. */
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
	if (dev_speaks(first))
		__atomic_store_n(&host->head, head, __ATOMIC_RELAXED);
}

/*
 * Is this record worth waiting for? Under PROBE_FULL_SAMPLE each sample_every-th is; and a wave's
 * own always, since without it all would be lost.
 */
DEV_INLINE bool may_wait(const dev_ctx *ctx, dev_state *state, uint32_t first)
{
	uint32_t asked, refused;

	__asm__ volatile("s_mov_b32 %0, s92" : "=s"(asked));
	if (ctx->when_full == PROBE_FULL_BLOCK || asked == 2)
		return true;
	if (ctx->when_full == PROBE_FULL_DROP)
		return false;
	refused = (uint32_t)dev_load(&state->refused) + 1;
	if (refused >= ctx->sample_every)
		refused = 0;
	if (dev_speaks(first))
		__atomic_store_n(&state->refused, refused, __ATOMIC_RELAXED);
	return !refused;
}

/* Wait until `need` bytes behind `head` are free; false = they did not become so. */
DEV_INLINE bool await_room(const dev_ctx *ctx, dev_state *state, uint32_t head, uint32_t need,
			   uint32_t first, uint32_t *ret_tail)
{
	uint32_t tail = (uint32_t)dev_load(&state->tail), ring = ctx->ring_size, naps = 0;

	/* The cached tail is old, so it may only be too small. */
	if (head + need - tail > ring) {
		bool wait = may_wait(ctx, state, first);

		for (;;) {
			uint64_t now = dev_load_host(&dev_ring_host(ctx, (uint64_t)state)->tail);

			tail = (uint32_t)now;
			if (head + need - tail <= ring) {
				if (dev_speaks(first))
					__atomic_store_n(&state->tail, now, __ATOMIC_RELAXED);
				break;
			}
			if (!wait || naps++ >= ctx->spin_limit)
				return false;
			__builtin_amdgcn_s_sleep(DEV_SLEEP);
		}
	}
	*ret_tail = tail;
	return true;
}

DEV_INLINE void answer(uint64_t at, uint64_t lap, uint32_t left)
{
	__asm__ volatile("s_mov_b64 s[84:85], %0\n\t"
			 "s_mov_b64 s[78:79], %1\n\t"
			 "s_mov_b32 s86, %2\n\t"
			 "s_mov_b32 s92, 1"
			 :
			 : "s"(dev_scalar64(at)), "s"(dev_scalar64(lap)), "s"(dev_scalar32(left))
			 : CURSOR_CHANGES);
}

DEV_INLINE void refuse(void)
{
	__asm__ volatile("s_mov_b32 s86, 0\n\ts_mov_b32 s92, 0" : : : CURSOR_CHANGES);
}

/* A wave without a ring counts in its register; see __probe_dev_cursor_exit(). */
DEV_INLINE void lose(uint32_t records)
{
	__asm__ volatile("s_add_u32 s87, s87, %0" : : "s"(dev_scalar32(records)) : CURSOR_CHANGES);
	refuse();
}

/* Bytes from `offset` on to write before the host is told: the reader shall work meanwhile. */
DEV_INLINE uint32_t stretch(uint32_t ring, uint32_t offset, uint32_t free, uint32_t size)
{
	uint32_t most = ring / 4 > size ? ring / 4 : size;
	uint32_t room = free < ring - offset ? free : ring - offset;

	return room < most ? room : most;
}

/* Show what is written, and wait for room behind it; false = there is none. */
DEV_INLINE bool find_room(dev_state *state, uint32_t size, uint32_t first, uint32_t *ret_tail)
{
	const dev_ctx *ctx = (const dev_ctx *)dev_load(&state->ctx);
	uint32_t ring = ctx->ring_size;
	uint64_t head = cursor_head();
	uint32_t rest = ring - ((uint32_t)head & (ring - 1));

	publish(ctx, state, head, first);
	return await_room(ctx, state, (uint32_t)head, rest < size ? rest + size : size, first,
			  ret_tail);
}

/* Make room for `records` records of `bytes` bytes in all, or count them as lost. */
DEV_SHARED void __probe_dev_ring_refill(uint32_t bytes, uint32_t records)
{
	uint32_t first = dev_first(dev_exec()), size = dev_uniform32(bytes), mode = cursor_mode();
	dev_state *state = cursor_state();

	if (mode != CURSOR_OWNER) {
		if (mode == CURSOR_LOST)
			lose(dev_uniform32(records));
		else
			refuse();
		return;
	}
	uint32_t tail;
	bool room = find_room(state, size, first, &tail);

	/* All is read again: scalar registers are scarce here. */
	state = cursor_state();
	const dev_ctx *ctx = (const dev_ctx *)dev_load(&state->ctx);

	if (!room) {
		if (dev_speaks(first))
			dev_ring_count(state, dev_ring_host(ctx, (uint64_t)state), 0, records);
		refuse();
		return;
	}
	uint64_t head = cursor_head();
	uint64_t data =
		ctx->ring_data + (uint64_t)dev_ring_index(ctx, (uint64_t)state) * ctx->ring_size;
	uint32_t ring = ctx->ring_size, offset = (uint32_t)head & (ring - 1);

	if (ring - offset < size) {
		if (dev_speaks(first))
			*(uint64_t DEV_GLOBAL *)(data + offset) = PROBE_FORM_PAD;
		head += ring - offset;
		offset = 0;
	}
	answer(data + offset, head - (data + offset),
	       stretch(ring, offset, ring - ((uint32_t)head - tail), size) - size);
}

/* Number of the wave in its workgroup: lanes are numbered x first (AMDGPU ABI). */
DEV_INLINE uint32_t wave_in_group(void)
{
	/* hsa_kernel_dispatch_packet_t: workgroup sizes x, y at bytes 4 and 6. */
	const uint16_t DEV_CONSTANT *packet =
		(const uint16_t DEV_CONSTANT *)__builtin_amdgcn_dispatch_ptr();
	uint32_t x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
		 z = __builtin_amdgcn_workitem_id_z();

	return dev_uniform32((x + packet[2] * (y + packet[3] * z)) / DEV_LANES);
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
	uint32_t hw_id, site, timed, number;
};

/* False: it is lost. The trace kind's ROWS record goes with it. */
DEV_INLINE bool write_wave(const dev_ctx *ctx, const struct wave_start *start, uint32_t plain)
{
	uint32_t size =
		sizeof(struct probe_rec_wave) + (start->timed ? 0 : sizeof(struct probe_rec_rows));
	uint64_t at = cursor_take(size, plain);

	if (!at)
		return false;
	if (!dev_speaks(dev_first(start->exec)))
		return true;
	struct probe_rec_wave DEV_GLOBAL *record = (struct probe_rec_wave DEV_GLOBAL *)at;
	struct probe_rec_rows DEV_GLOBAL *rows = (struct probe_rec_rows DEV_GLOBAL *)(record + 1);

	record->word0 = PROBE_FORM_WAVE << PROBE_FORM_SHIFT | start->site;
	record->wave = start->number;
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

/* What s92 asks of the launch's first wave: time_calibrate(). */
DEV_INLINE uint32_t is_first(uint32_t number)
{
	uint32_t place = __builtin_amdgcn_workgroup_id_x() | __builtin_amdgcn_workgroup_id_y() |
			 __builtin_amdgcn_workgroup_id_z() | number;

	return dev_uniform32(place ? 1 : 3);
}

/*
 * Own a ring and begin the wave in it. Without the wave's record nothing behind it has a meaning,
 * so a wave that cannot write it has lost all.
 */
DEV_ENTRY uint64_t __probe_dev_cursor_enter(const dev_ctx *ctx, void *refill, void *any,
					    uint32_t site, uint32_t timed, uint32_t plain)
{
	uint32_t number = wave_in_group();

	if (timed && !plain && time_enter(ctx, refill, site, number))
		return 0;
	struct wave_start start = {
		.exec = dev_exec(),
		.time = dev_real_time(),
		.rows = timed ? 0 : row_lanes(),
		.hw_id = dev_hw_id(),
		.site = site,
		.timed = timed,
		.number = number,
	};
	struct cursor_start cursor = {
		.refill = refill,
		.any = any,
		.rows = start.rows,
		.mode = CURSOR_OFF,
	};
	uint32_t first = dev_first(start.exec), ring = ctx->ring_size;
	dev_state *state = 0;
	uint64_t head;

	if (dev_chosen(ctx)) {
		state = dev_ring_claim(ctx, dev_place(start.hw_id), first,
				       ctx->when_full == PROBE_FULL_BLOCK ? ctx->spin_limit : 0,
				       &head);
		cursor.mode = state ? CURSOR_OWNER : CURSOR_LOST;
	}
	if (state) {
		uint32_t offset = (uint32_t)head & (ring - 1), free;

		free = ring - ((uint32_t)head - (uint32_t)dev_load(&state->tail));
		cursor.state = (uint64_t)state;
		cursor.at = ctx->ring_data + (uint64_t)dev_ring_index(ctx, (uint64_t)state) * ring +
			    offset;
		cursor.lap = head - cursor.at;
		cursor.left = stretch(ring, offset, free, 0);
		if (dev_speaks(first))
			__atomic_store_n(&state->ctx, (uint64_t)ctx, __ATOMIC_RELAXED);
	}
	cursor_set(&cursor);
	if (!write_wave(ctx, &start, plain) && state) {
		if (dev_speaks(first))
			dev_ring_release(state, head);
		cursor.mode = CURSOR_LOST;
		cursor.left = 0;
		cursor_set(&cursor);
	}
	__asm__ volatile("s_mov_b32 s92, %0"
			 :
			 : "s"(timed ? is_first(start.number) : 1)
			 : CURSOR_CHANGES);
	if (timed)
		stamp_begin(PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | site, plain);
	return (uint64_t)state;
}

/*
 * A wave without a ring has counted losses and must show them: it waits for a ring. Nobody waits
 * for it any more: it has passed its barriers.
 */
DEV_INLINE void show_losses(const dev_ctx *ctx, uint32_t lost, uint32_t first)
{
	uint64_t head;
	dev_state *state;

	if (!lost)
		return;
	state = dev_ring_claim(ctx, dev_place(dev_hw_id()), first, ~0u, &head);
	if (!state || !dev_speaks(first))
		return;
	dev_ring_count(state, dev_ring_host(ctx, (uint64_t)state), 0, lost);
	dev_ring_release(state, head);
}

DEV_INLINE void write_end(uint64_t clock, uint32_t site, uint32_t first, uint32_t plain)
{
	uint64_t at = cursor_take(sizeof(struct probe_rec_wave_end), plain);
	struct probe_rec_wave_end DEV_GLOBAL *record = (struct probe_rec_wave_end DEV_GLOBAL *)at;

	if (!at || !dev_speaks(first))
		return;
	record->word0 = PROBE_FORM_WAVE_END << PROBE_FORM_SHIFT | site;
	record->lanes = dev_count(dev_exec());
	record->clock = clock;
	record->time = dev_real_time();
}

DEV_ENTRY void __probe_dev_cursor_exit(const dev_ctx *ctx, uint64_t wave, uint32_t site,
				       uint32_t timed, uint32_t plain)
{
	uint64_t clock = timed ? dev_clock() : 0, head;
	uint32_t first, mode, written;

	(void)wave;
	if (timed)
		time_calibrate(plain);
	if (timed && !plain)
		time_exit(clock, site);
	first = dev_first(dev_exec());
	mode = cursor_mode();
	if (mode == CURSOR_OFF)
		return;
	if (timed)
		write_end(clock, site, first, plain);
	__asm__ volatile("s_mov_b32 %0, s87" : "=s"(written));
	if (mode == CURSOR_LOST) {
		show_losses(ctx, written, first);
		return;
	}
	dev_state *state = cursor_state();
	volatile dev_ring *host = dev_ring_host(ctx, (uint64_t)state);

	head = cursor_head();
	publish(ctx, state, head, first);
	if (dev_speaks(first)) {
		dev_ring_count(state, host, written, 0);
		dev_ring_release(state, head);
	}
}
