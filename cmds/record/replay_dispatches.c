/* SPDX-License-Identifier: MIT */
/* The dispatches of a replay: when each begins and ends. */
#include <stdlib.h>

#include "cmds/record/handler_instance.h"
#include "cmds/record/replay_feed.h"

uint64_t replay_last_span(const struct replay_feed *feed, uint64_t dispatch)
{
	size_t low = 0, high = feed->last_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (feed->last[middle].dispatch < dispatch)
			low = middle + 1;
		else
			high = middle;
	}
	return low < feed->last_count && feed->last[low].dispatch == dispatch ? feed->last[low].span
									      : 0;
}

void replay_end_dispatch(struct replay_feed *feed, struct run_dispatch *dispatch)
{
	if (dispatch->completed)
		handler_instance_end_dispatch(feed->handler, &dispatch->info);
	run_dispatch_remove(&feed->objects, dispatch);
}

static bool begin_dispatch(struct replay_feed *feed, sqlite3_stmt *stmt, bool more)
{
	struct run_dispatch *dispatch = calloc(1, sizeof(*dispatch));
	struct probe_hr_dispatch *hr;
	uint64_t start, end;

	if (!dispatch)
		return false;
	hr = &dispatch->hr;
	hr->id = replay_number(stmt, 0);
	hr->kernel = (uint32_t)replay_number(stmt, 1);
	hr->launched = (uint32_t)replay_number(stmt, 2);
	hr->kind = (uint32_t)replay_number(stmt, 3);
	hr->agent = (uint32_t)replay_number(stmt, 4);
	for (int i = 0; i < 3; i++) {
		hr->grid[i] = (uint32_t)replay_number(stmt, 5 + i);
		hr->group[i] = (uint32_t)replay_number(stmt, 8 + i);
	}
	hr->lds_aperture = (uint32_t)replay_number(stmt, 11);
	hr->scratch_aperture = (uint32_t)replay_number(stmt, 12);
	dispatch->completed = replay_number(stmt, 13);
	start = replay_number(stmt, 14);
	end = replay_number(stmt, 15);
	hr->group_size = (uint32_t)replay_number(stmt, 16);
	if (!hr->id || run_dispatch_find(&feed->objects, hr->id)) {
		free(dispatch);
		return false;
	}
	run_dispatch_info(&feed->objects, dispatch);
	run_dispatch_add(&feed->objects, dispatch);
	handler_instance_begin_dispatch(feed->handler, &dispatch->info);
	dispatch->info.start_ns = start;
	dispatch->info.end_ns = end;
	feed->counts->dispatches++;
	/* Without records there is nothing to wait for. */
	if (!more && !probe_kind_has_counters(hr->kind))
		replay_end_dispatch(feed, dispatch);
	return true;
}

struct probe_err *replay_begin_up_to(struct replay_feed *feed, uint64_t id)
{
	struct probe_err *err = NULL;

	while (feed->dispatches_left) {
		uint64_t next = replay_number(feed->dispatches, 0);

		if (next > id)
			break;
		feed->counts->invalid +=
			!begin_dispatch(feed, feed->dispatches, replay_last_span(feed, next) != 0);
		err = replay_step(feed, feed->dispatches, &feed->dispatches_left);
		if (err)
			feed->dispatches_left = false;
	}
	return err;
}

struct probe_err *replay_open_dispatches(struct replay_feed *feed)
{
	struct probe_err *err = replay_prepare(
		feed,
		"SELECT d.dispatch_id, d.kernel_id, launched_kernel_id, kind, agent, grid_x, "
		"grid_y, grid_z, group_x, group_y, group_z, lds_aperture, scratch_aperture, "
		"completed, k.start, k.\"end\", k.group_segment_size FROM probe_dispatch d LEFT JOIN "
		"rocpd_kernel_dispatch k ON k.id = d.dispatch_id WHERE kind <> 0 ORDER BY "
		"d.dispatch_id",
		&feed->dispatches);

	return err ? err : replay_step(feed, feed->dispatches, &feed->dispatches_left);
}

void replay_end_all(struct replay_feed *feed)
{
	struct process_objects *objects = &feed->objects;

	for (size_t i = 0; i < objects->bucket_count; i++)
		while (objects->buckets[i])
			replay_end_dispatch(feed, objects->buckets[i]);
}
