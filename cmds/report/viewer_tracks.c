/* SPDX-License-Identifier: MIT */
#include "cmds/report/viewer_tracks.h"

#include <stdlib.h>
#include <string.h>

#include "cmds/report/viewer_events.h"

bool viewer_tracks_add(struct viewer_tracks *tracks, int64_t pid, int64_t tid, const char *name)
{
	size_t n = tracks->count;
	struct viewer_track *grown = tracks->list;

	/* The array grows at powers of two. */
	if (!(n & (n - 1)))
		grown = realloc(tracks->list, (n ? 2 * n : 1) * sizeof(*grown));
	if (!grown)
		return false;
	tracks->list = grown;
	grown[n] = (struct viewer_track){.pid = pid, .tid = tid, .name = strdup(name)};
	tracks->count += grown[n].name != NULL;
	return grown[n].name;
}

struct viewer_track *viewer_tracks_find(const struct viewer_tracks *tracks, int64_t pid,
					int64_t tid)
{
	size_t low = 0, high = tracks->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct viewer_track *at = &tracks->list[middle];

		if (at->pid < pid || (at->pid == pid && at->tid < tid))
			low = middle + 1;
		else
			high = middle;
	}
	return low < tracks->count && tracks->list[low].pid == pid && tracks->list[low].tid == tid
		       ? &tracks->list[low]
		       : NULL;
}

void viewer_tracks_deinit(struct viewer_tracks *tracks)
{
	for (size_t i = 0; i < tracks->count; i++) {
		free(tracks->list[i].name);
		free(tracks->list[i].lanes);
	}
	free(tracks->list);
}

bool viewer_is_host(int64_t pid)
{
	return pid >= VIEWER_HOST;
}

int64_t viewer_os_pid(int64_t pid)
{
	return (pid - VIEWER_HOST) % VIEWER_PER_FILE;
}

static void leave(const struct viewer_tracks *tracks, const struct viewer_track *track,
		  unsigned lane, int64_t until)
{
	struct viewer_lane *of = &track->lanes[lane];

	while (of->depth && of->ends[of->depth - 1] <= until) {
		of->depth--;
		if (tracks->leave)
			tracks->leave(tracks->user, track, lane, of->ends[of->depth],
				      of->whats[of->depth]);
	}
}

/* A slice fits if it is inside of those that are open; on a device, if none is. */
static bool fits(const struct viewer_lane *lane, bool host, int64_t end)
{
	return !lane->depth ||
	       (host && lane->ends[lane->depth - 1] >= end && lane->depth < VIEWER_NESTED);
}

static void enter(struct viewer_lane *lane, int64_t end, uint32_t what)
{
	lane->ends[lane->depth] = end;
	lane->whats[lane->depth++] = what;
}

int viewer_tracks_lane(const struct viewer_tracks *tracks, struct viewer_track *track,
		       int64_t start, int64_t end, uint32_t what, bool *added)
{
	struct viewer_lane *grown;

	*added = false;
	for (unsigned i = 0; i < track->lane_count; i++) {
		leave(tracks, track, i, start);
		if (fits(&track->lanes[i], viewer_is_host(track->pid), end)) {
			enter(&track->lanes[i], end, what);
			return (int)i;
		}
	}
	if (track->lane_count == VIEWER_LANES)
		return VIEWER_LANES;
	grown = realloc(track->lanes, (track->lane_count + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	track->lanes = grown;
	grown[track->lane_count] = (struct viewer_lane){0};
	enter(&grown[track->lane_count], end, what);
	*added = true;
	return (int)track->lane_count++;
}

void viewer_tracks_finish(const struct viewer_tracks *tracks)
{
	for (size_t i = 0; i < tracks->count; i++)
		for (unsigned lane = 0; lane < tracks->list[i].lane_count; lane++)
			leave(tracks, &tracks->list[i], lane, INT64_MAX);
}
