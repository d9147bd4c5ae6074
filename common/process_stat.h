/* SPDX-License-Identifier: MIT */
/* What Linux says of a process in one line, /proc/PID/stat (proc(5)). */
#ifndef PROBE_COMMON_PROCESS_STAT_H
#define PROBE_COMMON_PROCESS_STAT_H

#include <stdint.h>
#include <sys/types.h>

/* Fields, counted from 1. */
enum probe_stat_field {
	PROBE_STAT_STATE = 3, /* a character: 'R' = it runs, or waits for a processor */
	PROBE_STAT_PARENT = 4,
	PROBE_STAT_GROUP = 5,
	PROBE_STAT_SESSION = 6,
	PROBE_STAT_USER_TICKS = 14,
	PROBE_STAT_SYSTEM_TICKS = 15,
	PROBE_STAT_START = 22, /* in clock ticks since boot */
};

/* A field of a process, or of the calling one with `pid` 0. 0 = there is none, or it is hidden. */
int64_t probe_process_stat(pid_t pid, enum probe_stat_field field);

#endif
