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

/* What identifies a wave. */
struct wave_ids {
	uint32_t group[3];
	uint32_t item; /* a lane's work-item, as in PROBE_FORM_WAVE_ITEM */
	/* hsa_kernel_dispatch_packet_t: workgroup sizes x, y at bytes 4 and 6. */
	const uint16_t DEV_CONSTANT *packet;
};

/* The id of a lane's work-item, as in PROBE_FORM_WAVE_ITEM. */
DEV_INLINE uint32_t item_id(void)
{
	return __builtin_amdgcn_workitem_id_x() | __builtin_amdgcn_workitem_id_y() << 10 |
	       __builtin_amdgcn_workitem_id_z() << 20;
}

DEV_INLINE const uint16_t DEV_CONSTANT *dispatch_packet(void)
{
	return (const uint16_t DEV_CONSTANT *)__builtin_amdgcn_dispatch_ptr();
}

/* In a kernel, or in a function that is called by the usual convention. */
DEV_INLINE struct wave_ids own_ids(void)
{
	return (struct wave_ids){
		{__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
		 __builtin_amdgcn_workgroup_id_z()},
		item_id(),
		dispatch_packet(),
	};
}

/*
 * The first work-item of the wave, as PROBE_FORM_WAVE_ITEM; in portable code the wave's index in
 * its workgroup: lanes are numbered with x fastest (AMDGPU ABI). Both are 0 in the first wave.
 */
DEV_INLINE uint32_t wave_number(const struct wave_ids *ids)
{
#ifdef DEV_PORTABLE
	uint32_t x = ids->item & 0x3ff, y = ids->item >> 10 & 0x3ff, z = ids->item >> 20;

	return dev_uniform32((x + ids->packet[2] * (y + ids->packet[3] * z)) / DEV_LANES);
#else
	return dev_uniform32(ids->item);
#endif
}

#ifdef DEV_PORTABLE
#define FORM_WAVE PROBE_FORM_WAVE
#else
#define FORM_WAVE PROBE_FORM_WAVE_ITEM
#endif

/*
 * The lanes for which BLOCK records store addresses (struct probe_rec_rows). If rows are short,
 * only the lowest two: most lanes would be the first two of a row.
 */
DEV_INLINE uint64_t row_lanes(const struct wave_ids *ids)
{
	return ids->packet[2] < 8 ? 3 : dev_ballot((ids->item & 0x3ff) <= 1) | 3;
}

struct wave_start {
	uint64_t exec, time, rows;
	uint32_t hw_id, site, timed, number;
	uint32_t group[3];
};

/* `rows` is for `trace` only. */
DEV_INLINE struct wave_start wave_start(const struct wave_ids *ids, uint32_t site, uint32_t timed)
{
	struct wave_start start = {
		.exec = dev_exec(),
		.time = dev_real_time(),
		.rows = timed ? 0 : row_lanes(ids),
		.hw_id = dev_hw_id(),
		.site = site,
		.timed = timed,
		.number = wave_number(ids),
		.group = {ids->group[0], ids->group[1], ids->group[2]},
	};

	/* In vector registers: scalar registers are scarce in shared functions. */
	__asm__("" : "+v"(start.time), "+v"(start.number));
	return start;
}

/*
 * Reserve space for records in code that is not called often. Inlines the refill, because a call
 * would leave few scalar registers for other values. Returns its address; 0 = all are lost.
 */
DEV_INLINE uint64_t reserve_records(uint32_t size, uint32_t records, uint32_t optnone)
{
	uint32_t full, fits;
	uint64_t at;

	if (optnone)
		return cursor_reserve(size, 1);
	__asm__ volatile("s_sub_u32 s86, s86, %1\n\ts_cselect_b32 %0, 1, 0"
			 : "=s"(full)
			 : "s"(dev_scalar32(size))
			 : CURSOR_CLOBBERS);
	if (full) {
		ring_refill(size, records);
		__asm__ volatile("s_mov_b32 %0, s92" : "=s"(fits));
		if (!fits)
			return 0;
	}
	__asm__ volatile("s_mov_b64 %0, s[84:85]\n\ts_add_u32 s84, s84, %1\n\t"
			 "s_addc_u32 s85, s85, 0"
			 : "=&s"(at)
			 : "s"(dev_scalar32(size))
			 : CURSOR_CLOBBERS);
	return at;
}

/* Records that follow a WAVE record at once. */
struct wave_extra {
	uint32_t size, records;
};

/*
 * `trace`: and its ROWS record. Returns the address of the extra records; 0 = all are lost. It is
 * the same for all lanes, but in vector registers.
 */
DEV_INLINE uint64_t write_wave(const dev_ctx *ctx, const struct wave_start *start,
			       const struct wave_extra *extra, uint32_t optnone)
{
	uint32_t size =
		sizeof(struct probe_rec_wave) + (start->timed ? 0 : sizeof(struct probe_rec_rows));
	uint64_t at = reserve_records(size + extra->size, 1 + extra->records, optnone);

	if (!at || !dev_is_leader(dev_first(start->exec)))
		return at ? at + size : 0;
	struct probe_rec_wave DEV_GLOBAL *record = (struct probe_rec_wave DEV_GLOBAL *)at;
	struct probe_rec_rows DEV_GLOBAL *rows = (struct probe_rec_rows DEV_GLOBAL *)(record + 1);

	record->word0 = FORM_WAVE << PROBE_FORM_SHIFT | start->site;
	record->wave = start->number;
	record->dispatch = ctx->dispatch;
	record->group[0] = start->group[0];
	record->group[1] = start->group[1];
	record->group[2] = start->group[2];
	record->hw_id = start->hw_id;
	record->time = start->time;
	record->exec = start->exec;
	if (start->timed)
		return at + size;
	rows->word0 = PROBE_FORM_ROWS << PROBE_FORM_SHIFT;
	rows->reserved = 0;
	rows->lanes = start->rows;
	return at + size;
}

/* s92 at the wave's start: 3 = the first wave that records, which runs time_calibrate(). */
DEV_INLINE uint32_t calibration_state(const dev_ctx *ctx, const struct wave_start *start)
{
	uint32_t distance = (dev_uniform32(start->group[0]) ^ ctx->group_first[0]) |
			    (dev_uniform32(start->group[1]) ^ ctx->group_first[1]) |
			    (dev_uniform32(start->group[2]) ^ ctx->group_first[2]) |
			    dev_uniform32(start->number);

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
 * function for s[88:89]. Returns the address of the extra records, 0 = they are lost.
 */
DEV_INLINE uint64_t enter_ring(const dev_ctx *ctx, const void *shared,
			       const struct wave_start *start, const struct wave_extra *extra,
			       uint32_t optnone)
{
	struct cursor_start cursor = {
		.refill = shared,
		.rows = start->rows,
		.exec = start->timed ? 0 : start->exec,
		.mode = CURSOR_FILTERED,
	};
	uint32_t leader = dev_first(start->exec);
	dev_state *state = 0;
	uint64_t word, at;

	if (dev_workgroup_selected(ctx, start->group)) {
		state = dev_ring_claim(ctx, start->hw_id, leader,
				       ctx->when_full == PROBE_FULL_BLOCK ? ctx->spin_limit : 0,
				       start->timed, &word);
		cursor.mode = state ? CURSOR_OWNER : CURSOR_NO_RING;
	}
	if (state)
		enter_ring_at(ctx, state, word, start, &cursor);
	cursor_set(&cursor);
	at = write_wave(ctx, start, extra, optnone);
	if (!dev_uniform64(at) && state) {
		if (dev_is_leader(leader))
			dev_ring_release(state,
					 start->timed ? word : (uint32_t)cursor.at | STATE_FULL);
		cursor.mode = CURSOR_NO_RING;
		cursor.free_bytes = 0;
		cursor_set(&cursor);
	}
	return at;
}

/* Write a stamp at this address, which is the same for all lanes. */
DEV_INLINE void write_stamp(uint64_t at, uint32_t word0, uint32_t lanes, uint64_t clock)
{
	struct probe_rec_stamp DEV_GLOBAL *record = (struct probe_rec_stamp DEV_GLOBAL *)at;

	record->word0 = word0;
	record->lanes = lanes;
	record->clock = clock;
}

/*
 * A wave starts, on the slow path. `stamp`: write the BEGIN of `time`. Returns 0 if the wave's
 * records are lost.
 */
DEV_INLINE uint64_t cursor_enter(const dev_ctx *ctx, const void *shared, const struct wave_ids *ids,
				 uint32_t site, uint32_t timed, uint32_t stamp, uint32_t optnone)
{
	struct wave_start start = wave_start(ids, site, timed);
	struct wave_extra extra = {0};
	uint64_t at;

	stamp = timed ? stamp : 0;
	if (stamp && !optnone)
		extra = (struct wave_extra){sizeof(struct probe_rec_stamp), 1};
	at = enter_ring(ctx, shared, &start, &extra, optnone);
	__asm__ volatile("s_mov_b32 s92, %0"
			 :
			 : "s"(dev_scalar32(timed ? calibration_state(ctx, &start) : 1))
			 : CURSOR_CLOBBERS);
	if (stamp && optnone)
		stamp_begin(PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | site, 1);
	else if (stamp && at && dev_is_leader(dev_first(dev_exec())))
		write_stamp(at, PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | site, dev_count(start.exec),
			    dev_clock());
	return at;
}

/*
 * For unoptimised and portable code. If this is a called function, the kernel makes the stamp
 * itself, after the call.
 */
DEV_ENTRY uint64_t __probe_dev_cursor_enter(const dev_ctx *ctx, void *refill, void *call,
					    uint32_t site, uint32_t timed, uint32_t optnone)
{
	struct wave_ids ids = own_ids();

	timed = DEV_SCALAR32(timed);
	return cursor_enter(DEV_SCALAR_CTX(ctx), DEV_SCALAR_CODE(timed ? refill : call), &ids, site,
			    timed, DEV_STAMPS(optnone), optnone);
}

#ifndef DEV_PORTABLE
/*
 * The slow paths of optimised code. The pass makes them `naked`: the compiler saves no registers,
 * for which there is no stack. Arguments are in registers, because a naked function has none.
 *
 * The one at a wave's start is called as SLOW_ENTER says. The caller's values of v0 to v2 and of
 * scalar registers wait in v20 to v23, which this function does not allocate: stating them as
 * overwritten would cost instructions on the fast path, and compile time.
 */
DEV_SHARED void __probe_dev_enter_slow(void)
{
	uint64_t ctx, packet;
	uint32_t x, y, z, item, site;
	const void *shared;

	/* Everything depends on it, and it clobbers what it saves, so that it comes first. */
	__asm__ volatile(SLOW_SAVE
			 : "={v3}"(x), "={v[4:5]}"(ctx), "={v6}"(y), "={v7}"(z),
			   "={v[8:9]}"(packet), "={v10}"(item), "={v11}"(site)
			 :
			 : SLOW_SAVED);
	__builtin_amdgcn_sched_barrier(0);
	__asm__ volatile("s_mov_b64 %0, s[88:89]" : "=s"(shared));
	struct wave_ids ids = {
		{x, y, z}, item, (const uint16_t DEV_CONSTANT *)dev_uniform64(packet)};

	site = dev_uniform32(site);
	cursor_enter((const dev_ctx *)dev_uniform64(ctx), shared, &ids, site & ~ENTER_TIMED,
		     site & ENTER_TIMED, 1, 0);
	__asm__ volatile(SLOW_RESTORE : : : "memory");
}

/* A wave of optimised code starts. `slow`: __probe_dev_enter_slow(). */
DEV_ENTRY void __probe_dev_trace_enter(const dev_ctx *ctx, void *slow, void *call)
{
	trace_enter(ctx, slow, call, dispatch_packet());
}

DEV_ENTRY void __probe_dev_time_enter(const dev_ctx *ctx, void *slow, void *refill, uint32_t site)
{
	time_enter(ctx, slow, refill, site, item_id(), dispatch_packet());
}
#endif

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

/* Publish the wave's records and release its ring, or report its losses. */
DEV_INLINE void release_ring(const dev_ctx *ctx, uint32_t timed)
{
	uint32_t leader = dev_first(dev_exec()), mode = cursor_mode(), lost;
	uint64_t head, word;

	if (mode == CURSOR_FILTERED)
		return;
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

/* The end of a wave on the slow path. */
DEV_INLINE void exit_ring(const dev_ctx *ctx, uint64_t clock, uint32_t site, uint32_t timed,
			  uint32_t optnone)
{
	if (timed)
		write_end(clock, site, dev_first(dev_exec()), optnone);
	release_ring(ctx, timed);
}

/* For unoptimised and portable code. */
DEV_ENTRY void __probe_dev_cursor_exit(const dev_ctx *ctx, uint64_t wave, uint32_t site,
				       uint32_t timed, uint32_t optnone)
{
	(void)wave;
	timed = DEV_SCALAR32(timed);
	uint64_t clock = timed ? dev_clock() : 0;

	if (timed)
		time_calibrate(optnone);
	exit_ring(DEV_SCALAR_CTX(ctx), clock, site, timed, optnone);
}

#ifndef DEV_PORTABLE
/* `slow`: __probe_dev_time_exit_slow(). */
DEV_ENTRY void __probe_dev_time_exit(const dev_ctx *ctx, void *slow, uint32_t site)
{
	time_exit(ctx, slow, site);
}

/* A naked function at a wave's end does not return: it may have overwritten its return address. */
#define END_WAVE() __asm__ volatile("s_endpgm" : : : "memory")

/* After SLOW_CALL. */
DEV_SHARED void __probe_dev_time_exit_slow(void)
{
	uint64_t ctx, clock;
	uint32_t site;

	__asm__ volatile("" : "={v[0:1]}"(ctx), "={v[2:3]}"(clock), "={v4}"(site));
	time_calibrate(0);
	exit_ring((const dev_ctx *)dev_uniform64(ctx), dev_uniform64(clock), dev_uniform32(site), 1,
		  0);
	END_WAVE();
}

/* The end of a wave in optimised code of the trace kind: here if it has a ring, else below. */
DEV_ENTRY void __probe_dev_trace_exit(void)
{
	trace_exit();
}

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

/* `site0` to `site3`: the sites of the spans. `slow`: __probe_dev_stored_exit_slow(). */
DEV_ENTRY void __probe_dev_stored_exit(const dev_ctx *ctx, void *slow, uint32_t site,
				       uint32_t spans, uint32_t site0, uint32_t site1,
				       uint32_t site2, uint32_t site3)
{
	const struct stored_sites sites = {{site0, site1, site2, site3}};

	stored_exit(ctx, slow, site, &sites, spans);
}

/* As on the fast path: the first wave writes the idle stamps, too. */
DEV_INLINE void write_stored(uint64_t at, uint32_t site, uint32_t spans, uint32_t lanes,
			     uint64_t end, bool first)
{
	struct probe_rec_span DEV_GLOBAL *span =
		(struct probe_rec_span DEV_GLOBAL *)(at + sizeof(struct probe_rec_stamp));

	write_stamp(at, PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | site, lanes | PROBE_STAMP_SPAN,
		    stored_clock(STORED_BEGIN_LANE));
	for (uint32_t i = 0; i < PROBE_STORED_SPANS; i++) {
		uint32_t lane = STORED_SPAN_LANE + i * STORED_SPAN_LANES;

		if (spans <= i)
			continue;
		span[i].word0 =
			PROBE_FORM_SPAN << PROBE_FORM_SHIFT | stored_word(STORED_SITE_LANE + i);
		span[i].lanes = stored_word(lane + 4);
		span[i].begin = stored_clock(lane);
		span[i].end = stored_clock(lane + 2);
	}
	at = (uint64_t)(span + spans);
	if (first) {
		const uint32_t idle = PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | PROBE_SITE_IDLE;
		const uint32_t step = (PROBE_FORM_END - PROBE_FORM_BEGIN) << PROBE_FORM_SHIFT;
		uint64_t clock[4];

		stored_idle(clock);
		for (uint32_t i = 0; i < 4; i++) {
			write_stamp(at, idle + (i < 2 ? 0 : step), lanes | PROBE_STAMP_SPAN,
				    clock[i]);
			at += sizeof(struct probe_rec_stamp);
		}
	}
	struct probe_rec_wave_end DEV_GLOBAL *last = (struct probe_rec_wave_end DEV_GLOBAL *)at;

	last->word0 = PROBE_FORM_WAVE_END << PROBE_FORM_SHIFT | site;
	last->lanes = lanes;
	last->clock = end;
	last->time = dev_real_time();
}

/* After SLOW_CALL. */
DEV_SHARED void __probe_dev_stored_exit_slow(void)
{
	uint32_t x, y, z, site, spans;
	uint64_t at, end;
	const dev_ctx *ctx;

	__asm__ volatile(STORED_SAVE
			 : "={v[0:1]}"(at), "={v[2:3]}"(end), "={v4}"(x), "={v5}"(y), "={v6}"(z),
			   "={v7}"(site), "={v8}"(spans)
			 :
			 : "memory", "s4");
	struct wave_ids ids = {{x, y, z}, stored_word(STORED_ITEM_LANE), 0};
	struct wave_start start = wave_start(&ids, dev_uniform32(site), 1);

	start.time = stored_clock(STORED_TIME_LANE);
	ctx = (const dev_ctx *)dev_uniform64(at);
	bool first = calibration_state(ctx, &start) == 3;

	spans = dev_uniform32(spans);
	struct wave_extra extra = {
		sizeof(struct probe_rec_stamp) * (first ? 5 : 1) +
			spans * sizeof(struct probe_rec_span) + sizeof(struct probe_rec_wave_end),
		(first ? 6 : 2) + 2 * spans,
	};

	at = enter_ring(ctx, (const void *)__probe_dev_ring_refill, &start, &extra, 0);
	if (at && dev_is_leader(dev_first(start.exec)))
		write_stored(at, start.site, spans, dev_count(start.exec), end, first);
	release_ring(ctx, 1);
	END_WAVE();
}
#endif
