/* SPDX-License-Identifier: MIT */
/* Messages of a recording, for the user and for its database, and the reason if it is partial. */
#ifndef PROBE_CMDS_RECORD_RECORD_LOG_H
#define PROBE_CMDS_RECORD_RECORD_LOG_H

struct probe_store;

struct record_log {
	struct probe_store *store; /* NULL: only for the user */
	char partial[160];	   /* the first reason; "" = not partial */
};

/* `origin`: probe-run, tool (the library in the application), or a handler's name. */
void record_log_put(struct record_log *log, int level, const char *origin, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Keeps the reason, unless there is one already. */
void record_log_partial(struct record_log *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
