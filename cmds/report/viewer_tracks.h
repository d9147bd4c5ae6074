/* SPDX-License-Identifier: MIT */
/*
 * Tracks of a trace viewer, and their lanes. Slices of a track must be nested, but dispatches of a
 * queue, and ranges that a program begins and ends as it likes, overlap. A slice goes to the first
 * lane in which it does not.
 */
#ifndef PROBE_CMDS_REPORT_VIEWER_TRACKS_H
#define PROBE_CMDS_REPORT_VIEWER_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEWER_LANES = 64, VIEWER_NESTED = 64 };

struct viewer_lane {
	/* Of the slices that are open at the last start, outermost first. */
	int64_t ends[VIEWER_NESTED];
	uint32_t whats[VIEWER_NESTED];
	unsigned depth;
};

struct viewer_track {
	int64_t pid, tid;
	char *name;
	struct viewer_lane *lanes;
	unsigned lane_count;
};

struct viewer_tracks {
	struct viewer_track *list; /* sorted by pid and tid */
	size_t count;
	/* NULL, or called at the end of each slice of a lane, in the order of time. */
	void (*leave)(void *user, const struct viewer_track *track, unsigned lane, int64_t end,
		      uint32_t what);
	void *user;
};

/* In the order of pid and tid; false without memory. */
bool viewer_tracks_add(struct viewer_tracks *tracks, int64_t pid, int64_t tid, const char *name);
struct viewer_track *viewer_tracks_find(const struct viewer_tracks *tracks, int64_t pid,
					int64_t tid);
void viewer_tracks_deinit(struct viewer_tracks *tracks);

/* A track of the host, not of a device. */
bool viewer_is_host(int64_t pid);
/* The number of the process in its system. */
int64_t viewer_os_pid(int64_t pid);

/*
 * The lane of a slice, which is lane_count - 1 with *added if the lane is new. The slices of a
 * track come in the order of their start. `what`: for leave(). VIEWER_LANES if each of so many
 * lanes has a slice that overlaps this one; -1 without memory.
 */
int viewer_tracks_lane(const struct viewer_tracks *tracks, struct viewer_track *track,
		       int64_t start, int64_t end, uint32_t what, bool *added);
/* Ends the slices that are open. */
void viewer_tracks_finish(const struct viewer_tracks *tracks);

#endif
