/* SPDX-License-Identifier: MIT */
/* Messages of a recording, for the user and for its database, and why it is partial if it is. */
#ifndef PROBE_CMDS_RECORD_RECORD_LOG_H
#define PROBE_CMDS_RECORD_RECORD_LOG_H

struct probe_store;

struct record_log {
	struct probe_store *store; /* NULL: for the user only */
	char partial[160];	   /* the first reason; "" = it is not partial */
};

/* `origin`: probe-run, tool (the library in the application), or a handler's name. */
void record_log_put(struct record_log *log, int level, const char *origin, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Keep the reason, unless there is one already. */
void record_log_partial(struct record_log *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
