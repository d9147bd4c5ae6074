/* SPDX-License-Identifier: MIT */
/* Messages of a recording, for the user and for its database, and the reason if it is partial. */
#ifndef PROBE_CMDS_RECORD_RECORD_LOG_H
#define PROBE_CMDS_RECORD_RECORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_store;

struct record_log {
	struct probe_store *store; /* NULL: only for the user */
	char partial[160];	   /* the first reason; "" = not partial */
	bool holding;
	char *held; /* while holding: level, origin and text of each message, NUL after each */
	size_t held_size;
	uint64_t unheld; /* messages for which there was no space */
};

/* `origin`: probe-run, tool (the library in the application), or a handler's name. */
void record_log_put(struct record_log *log, int level, const char *origin, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * From record_log_hold() on, messages wait for record_log_release(), which stores them: in between,
 * the caller may undo what it adds to the store.
 */
void record_log_hold(struct record_log *log);
void record_log_release(struct record_log *log);

/* Keeps the reason, unless there is one already. */
void record_log_partial(struct record_log *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
