/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/collector/completion.h"

#include "hsa-plugin/process/clock.h"
#include "hsa-plugin/queue/counter_tables.h"
#include "hsa-plugin/launch/wave_storage.h"

enum { OLDEST = 128 /* the oldest dispatches, which every poll tests */ };

#define RECORD_WAIT_NS 2000000000ull
/* Even a copy of a few megabytes does not take this long: after it, a copy counts as hung. */
#define COPY_PATIENCE_NS 10000000000ull

/*
 * Copies the kernel's time stamps into the application's signal before it changes the signal's
 * value. A thread that waits for the value then reads the right times (amd_hsa_signal.h: raw ticks
 * in start_ts and end_ts).
 */
static void complete_application(hsa_signal_t signal, const amd_signal_t *ours)
{
	amd_signal_t *theirs = (amd_signal_t *)(uintptr_t)signal.handle;

	if (!theirs)
		return;
	theirs->start_ts = ours->start_ts;
	theirs->end_ts = ours->end_ts;
	probe_tool.hsa.signal_subtract_screlease(signal, 1);
}

static uint64_t to_ns(const struct probe_queue *queue, uint64_t tick)
{
	uint64_t system = 0;

	if (!tick || probe_tool.hsa.convert_tick(queue->agent->handle, tick, &system))
		return 0;
	if (probe_tool.tick_hz == 1000000000u || !probe_tool.tick_hz)
		return system;
	return (uint64_t)((__uint128_t)system * 1000000000u / probe_tool.tick_hz);
}

struct rows {
	uint32_t stored;
	uint64_t dropped;
};

static void put_complete(const struct probe_queue *queue, const struct probe_inflight *dispatch,
			 const amd_signal_t *signal, struct rows rows)
{
	uint64_t patience = probe_tool.config.full.action == PROBE_FULL_BLOCK ? RECORD_WAIT_NS : 0;
	struct probe_hr_complete row = {
		.id = dispatch->id,
		.counters = rows.stored,
		.rows_dropped = rows.dropped,
	};
	struct iovec part = {&row, sizeof(row)};

	/*
	 * Converted in ROCr's order, the later time first, so that a recalibration of its clocks
	 * does not change the duration.
	 */
	row.end = to_ns(queue, signal->end_ts);
	row.start = to_ns(queue, signal->start_ts);
	if (row.start > row.end) {
		uint64_t start = row.end;

		row.end = row.start;
		row.start = start;
		row.flags = 1;
	}
	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_COMPLETE, &part, 1, patience);
	atomic_fetch_add_explicit(&probe_tool.completed, 1, memory_order_relaxed);
}

/* Advances a dispatch as far as possible without waiting; true if its state changed. */
static bool advance(struct probe_queue *queue, struct probe_inflight *dispatch,
		    const amd_signal_t *signal)
{
	struct rows rows = {0};

	if (dispatch->state == PROBE_INFLIGHT_RUNNING) {
		if (probe_signal_get(signal) > 0)
			return false;
		complete_application(dispatch->application, signal);
		if (dispatch->replicas) {
			dispatch->copy_start = probe_now_ns();
			dispatch->state = PROBE_INFLIGHT_COPYING;
			probe_counters_begin(queue, dispatch);
			return true;
		}
		if (dispatch->storage)
			rows.dropped = probe_wave_storage_put(dispatch->id, dispatch->storage,
							      dispatch->storage_waves);
	} else if (dispatch->state == PROBE_INFLIGHT_COPYING) {
		bool give_up = probe_now_ns() - dispatch->copy_start > COPY_PATIENCE_NS;

		if (!probe_counters_end(queue, dispatch, give_up, &rows.stored, &rows.dropped))
			return false;
	}
	put_complete(queue, dispatch, signal, rows);
	dispatch->state = PROBE_INFLIGHT_DONE;
	return true;
}

/* Frees what the oldest dispatches used, up to the first one that is not done. */
static void retire(struct probe_queue *queue, uint64_t tail, uint64_t head)
{
	while (tail < head) {
		const struct probe_inflight *dispatch = probe_queue_inflight(queue, tail);

		if (dispatch->state != PROBE_INFLIGHT_DONE)
			return;
		/* Pair with the acquires in reserve_bytes() and has_inflight_space(). */
		atomic_store_explicit(&queue->kernarg_tail, dispatch->kernarg_end,
				      memory_order_release);
		atomic_store_explicit(&queue->tail, ++tail, memory_order_release);
	}
}

bool probe_queue_collect(struct probe_queue *queue, bool all)
{
	uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
	/* Pairs with the release in begin_inflight(). */
	uint64_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
	uint64_t end = all || head - tail < OLDEST ? head : tail + OLDEST;
	bool progress = false;

	for (uint64_t i = tail; i < end; i++) {
		struct probe_inflight *dispatch = probe_queue_inflight(queue, i);

		if (dispatch->state != PROBE_INFLIGHT_DONE)
			progress |= advance(queue, dispatch, probe_queue_completion(queue, i));
	}
	retire(queue, tail, head);
	return progress;
}
