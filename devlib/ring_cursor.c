/* SPDX-License-Identifier: MIT */
/* `trace`, `time`: a wave claims a ring when it starts and releases it when it ends
 * (ring_cursor.h). */
#include "devlib/ring_refill.h"
#include "devlib/time_probe.h"
#ifndef DEV_PORTABLE
#include "devlib/stored_waves.h"
#include "devlib/trace_wave.h"
#endif

DEV_SHARED void __probe_dev_ring_refill(uint32_t bytes, uint32_t records)
{
	ring_refill(bytes, records);
}

/* Index in its workgroup of a work-item's wave: lanes are numbered with x fastest (AMDGPU ABI). */
DEV_INLINE uint32_t wave_of_item(uint32_t x, uint32_t y, uint32_t z)
{
	/* hsa_kernel_dispatch_packet_t: workgroup sizes x, y at bytes 4 and 6. */
	const uint16_t DEV_CONSTANT *packet =
		(const uint16_t DEV_CONSTANT *)__builtin_amdgcn_dispatch_ptr();

	return dev_uniform32((x + packet[2] * (y + packet[3] * z)) / DEV_LANES);
}

DEV_INLINE uint32_t wave_in_group(void)
{
	return wave_of_item(__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
			    __builtin_amdgcn_workitem_id_z());
}

#ifndef DEV_PORTABLE
/* The id of the first lane's work-item, as in PROBE_FORM_WAVE_ITEM. */
DEV_INLINE uint32_t item_id(void)
{
	return __builtin_amdgcn_workitem_id_x() | __builtin_amdgcn_workitem_id_y() << 10 |
	       __builtin_amdgcn_workitem_id_z() << 20;
}
#endif

/*
 * The lanes for which BLOCK records store addresses (struct probe_rec_rows). If rows are short,
 * only the lowest two: most lanes would be the first two of a row.
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

/* `trace`: and its ROWS record. False: both are lost. */
DEV_INLINE bool write_wave(const dev_ctx *ctx, const struct wave_start *start, uint32_t optnone)
{
	uint32_t size =
		sizeof(struct probe_rec_wave) + (start->timed ? 0 : sizeof(struct probe_rec_rows));
	uint64_t at = cursor_reserve(size, optnone);
	uint32_t number = start->number, form = PROBE_FORM_WAVE;

#ifndef DEV_PORTABLE
	if (!start->timed) {
		form = PROBE_FORM_WAVE_ITEM;
		number = dev_uniform32(item_id());
	}
#endif

	if (!at)
		return false;
	if (!dev_is_leader(dev_first(start->exec)))
		return true;
	struct probe_rec_wave DEV_GLOBAL *record = (struct probe_rec_wave DEV_GLOBAL *)at;
	struct probe_rec_rows DEV_GLOBAL *rows = (struct probe_rec_rows DEV_GLOBAL *)(record + 1);

	record->word0 = form << PROBE_FORM_SHIFT | start->site;
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

/* s92 at the wave's start: 3 = the first wave that records, which runs time_calibrate(). */
DEV_INLINE uint32_t calibration_state(const dev_ctx *ctx, uint32_t number)
{
	uint32_t distance = (__builtin_amdgcn_workgroup_id_x() ^ ctx->group_first[0]) |
			    (__builtin_amdgcn_workgroup_id_y() ^ ctx->group_first[1]) |
			    (__builtin_amdgcn_workgroup_id_z() ^ ctx->group_first[2]) | number;

	return dev_uniform32(distance ? 1 : 3);
}

/* `trace`: the first word of a free ring's state without space: free_bytes is 1. */
#define STATE_FULL (1ull << 32)

/* The cursor of a wave that has claimed a ring. `word`: first word of the ring's state before. */
DEV_INLINE void enter_ring_at(const dev_ctx *ctx, dev_state *state, uint64_t word,
			      const struct wave_start *start, struct cursor_start *ret)
{
	uint64_t data = dev_ring_data(ctx, state), head = word;
	uint32_t ring = ctx->ring_size, offset, free_bytes;

	if (!start->timed)
		head = ((uint64_t)ctx->wave.data_high << 32 | (uint32_t)word) +
		       dev_load(&state->head_offset);
	offset = (uint32_t)head & (ring - 1);
	free_bytes = ring - ((uint32_t)head - (uint32_t)dev_load(&state->tail));
	ret->state = (uint64_t)state;
	ret->at = data + offset;
	ret->head_offset = head - ret->at;
	/* `trace`: with many short waves, each publishes the head when it ends: use larger batches.
	 */
	ret->free_bytes = batch_bytes(ring, offset, free_bytes, start->timed ? 0 : ring / 2) | 1;
	if (!dev_is_leader(dev_first(start->exec)))
		return;
	if (start->timed)
		__atomic_store_n(&state->ctx, (uint64_t)ctx, __ATOMIC_RELAXED);
	else
		__atomic_store_n(&state->head_offset, ret->head_offset, __ATOMIC_RELAXED);
}

/*
 * Claim a ring and write the wave's WAVE record. The records of a wave are meaningless without it:
 * if it is lost, the wave releases the ring and counts all its records as lost. `shared`: the
 * function for s[88:89].
 */
DEV_INLINE dev_state *enter_ring(const dev_ctx *ctx, const void *shared,
				 const struct wave_start *start, uint32_t optnone)
{
	struct cursor_start cursor = {
		.refill = shared,
		.rows = start->rows,
		.exec = start->timed ? 0 : start->exec,
		.mode = CURSOR_FILTERED,
	};
	uint32_t leader = dev_first(start->exec);
	dev_state *state = 0;
	uint64_t word;

	if (dev_workgroup_selected(ctx)) {
		state = dev_ring_claim(ctx, start->hw_id, leader,
				       ctx->when_full == PROBE_FULL_BLOCK ? ctx->spin_limit : 0,
				       start->timed, &word);
		cursor.mode = state ? CURSOR_OWNER : CURSOR_NO_RING;
	}
	if (state)
		enter_ring_at(ctx, state, word, start, &cursor);
	cursor_set(&cursor);
	if (!write_wave(ctx, start, optnone) && state) {
		if (dev_is_leader(leader))
			dev_ring_release(state,
					 start->timed ? word : (uint32_t)cursor.at | STATE_FULL);
		cursor.mode = CURSOR_NO_RING;
		cursor.free_bytes = 0;
		cursor_set(&cursor);
	}
	return state;
}

DEV_ENTRY uint64_t __probe_dev_cursor_enter(const dev_ctx *ctx, void *refill, void *call,
					    uint32_t site, uint32_t timed, uint32_t optnone)
{
#ifndef DEV_PORTABLE
	if (!timed && !optnone && trace_enter(ctx, call))
		return 0;
	if (timed && !optnone && time_enter(ctx, refill, site, item_id()))
		return 0;
#endif
	timed = DEV_SCALAR32(timed);
	ctx = DEV_SCALAR_CTX(ctx);
	struct wave_start start = {
		.exec = dev_exec(),
		.time = dev_real_time(),
		.rows = timed ? 0 : row_lanes(),
		.hw_id = dev_hw_id(),
		.site = site,
		.timed = timed,
		.number = wave_in_group(),
	};
	dev_state *state = enter_ring(ctx, DEV_SCALAR_CODE(timed ? refill : call), &start, optnone);

	__asm__ volatile("s_mov_b32 s92, %0"
			 :
			 : "s"(dev_scalar32(timed ? calibration_state(ctx, start.number) : 1))
			 : CURSOR_CLOBBERS);
	/* If this is a called function, the kernel makes the stamp itself, after the call. */
	if (timed && DEV_STAMPS(optnone))
		stamp_begin(PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | site, optnone);
	return (uint64_t)state;
}

/*
 * A wave without a ring has counted losses and must report them. It waits for a ring without a
 * time-out: it has passed its barriers, so that no other wave waits for it.
 */
DEV_INLINE void report_losses(const dev_ctx *ctx, uint32_t lost, uint32_t leader, uint32_t timed)
{
	uint64_t word;
	dev_state *state;

	if (!lost)
		return;
	state = dev_ring_claim(ctx, dev_hw_id(), leader, ~0u, timed, &word);
	if (!state || !dev_is_leader(leader))
		return;
	dev_ring_add_lost(state, dev_ring_host(state), lost);
	dev_ring_release(state, word);
}

DEV_INLINE void write_end(uint64_t clock, uint32_t site, uint32_t leader, uint32_t optnone)
{
	uint64_t at = cursor_reserve(sizeof(struct probe_rec_wave_end), optnone);
	struct probe_rec_wave_end DEV_GLOBAL *record = (struct probe_rec_wave_end DEV_GLOBAL *)at;

	if (!at || !dev_is_leader(leader))
		return;
	record->word0 = PROBE_FORM_WAVE_END << PROBE_FORM_SHIFT | site;
	record->lanes = dev_count(dev_exec());
	record->clock = clock;
	record->time = dev_real_time();
}

/* The end of a wave on the slow path. */
DEV_INLINE void exit_ring(const dev_ctx *ctx, uint64_t clock, uint32_t site, uint32_t timed,
			  uint32_t optnone)
{
	uint32_t leader = dev_first(dev_exec()), mode = cursor_mode(), lost;
	uint64_t head, word;

	if (mode == CURSOR_FILTERED)
		return;
	if (timed)
		write_end(clock, site, leader, optnone);
	__asm__ volatile("s_mov_b32 %0, s87" : "=s"(lost));
	if (mode == CURSOR_NO_RING) {
		report_losses(ctx, lost, leader, timed);
		return;
	}
	dev_state *state = cursor_state();

	head = cursor_head();
	publish_head(state, head, leader);
	word = timed ? head : cursor_state_word();
	/* Written records need no count here: probe-run counts those that it reads. */
	if (dev_is_leader(leader))
		dev_ring_release(state, word);
}

DEV_ENTRY void __probe_dev_cursor_exit(const dev_ctx *ctx, uint64_t wave, uint32_t site,
				       uint32_t timed, uint32_t optnone)
{
	(void)wave;
	timed = DEV_SCALAR32(timed);
	ctx = DEV_SCALAR_CTX(ctx);
	uint64_t clock = timed ? dev_clock() : 0;

	if (timed)
		time_calibrate(optnone);
#ifndef DEV_PORTABLE
	if (timed && !optnone)
		time_exit(clock, site);
#endif
	exit_ring(ctx, clock, site, timed, optnone);
}

#ifndef DEV_PORTABLE
/* The end of a wave in optimised code of the trace kind: here if it has a ring, else below. */
DEV_ENTRY void __probe_dev_trace_exit(void)
{
	trace_exit();
}

/* Shared, because it is long and few waves need it. Nothing comes after it in the wave. */
DEV_SHARED void __probe_dev_trace_exit_slow(uint64_t ctx)
{
	exit_ring(DEV_SCALAR_CTX((const dev_ctx *)ctx), 0, 0, 0, 0);
}

DEV_ENTRY void __probe_dev_stored_enter(uint32_t spans)
{
	stored_enter(spans, item_id());
}

DEV_ENTRY void __probe_dev_stored_begin(uint32_t span)
{
	stored_begin(span);
}

/* `divergent`: lanes may reach the end of this span one after the other. */
DEV_ENTRY void __probe_dev_stored_end(uint32_t span, uint32_t divergent)
{
	stored_end(span, divergent);
}

/* `site0` to `site3`: the sites of the spans. */
DEV_ENTRY void __probe_dev_stored_exit(const dev_ctx *ctx, void *refill, uint32_t site,
				       uint32_t spans, uint32_t site0, uint32_t site1,
				       uint32_t site2, uint32_t site3)
{
	const struct stored_sites sites = {{site0, site1, site2, site3}};
	uint64_t end = stored_exit(ctx, site, &sites, spans);
	struct stored stored;

	stored_read(&stored);
	struct wave_start start = {
		.exec = dev_exec(),
		.time = stored.time,
		.hw_id = dev_hw_id(),
		.site = site,
		.timed = 1,
		.number = wave_of_item(stored.item & 0x3ff, stored.item >> 10 & 0x3ff,
				       stored.item >> 20),
	};
	uint32_t state = calibration_state(ctx, start.number);

	enter_ring(ctx, refill, &start, 0);
	__asm__ volatile("s_mov_b32 s92, 1" : : : CURSOR_CLOBBERS);
	stored_stamp(PROBE_FORM_BEGIN, site, dev_count(start.exec), stored.begin);
	for (uint32_t i = 0; i < PROBE_STORED_SPANS; i++)
		stored_span(sites.site[i], &stored.span[i], spans > i);
	if (state == 3)
		stored_calibrate();
	exit_ring(ctx, end, site, 1, 0);
}
#endif
