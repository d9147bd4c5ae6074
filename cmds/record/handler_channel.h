/* SPDX-License-Identifier: MIT */
/*
 * The channel from a handler's worker process to probe-run. The handler's output goes as messages
 * through a socket; its current call is in a page of shared memory. The handler may corrupt the
 * worker, so probe-run validates everything.
 */
#ifndef PROBE_CMDS_RECORD_HANDLER_CHANNEL_H
#define PROBE_CMDS_RECORD_HANDLER_CHANNEL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

#include "cmds/record/replay.h"

/* X(NAME, "word in messages") */
#define HANDLER_CALL_TABLE(X)                                                                      \
	X(OPEN, "open")                                                                            \
	X(RUN_BEGIN, "run_begin")                                                                  \
	X(DISPATCH_BEGIN, "dispatch_begin")                                                        \
	X(BATCH, "batch")                                                                          \
	X(DISPATCH_END, "dispatch_end")                                                            \
	X(RUN_END, "run_end")                                                                      \
	X(CLOSE, "close")

enum handler_call {
#define HANDLER_CALL_ENUM(name, word) HANDLER_CALL_##name,
	HANDLER_CALL_TABLE(HANDLER_CALL_ENUM)
#undef HANDLER_CALL_ENUM
		HANDLER_CALLS
};

/* Shared with probe-run, written by the worker. */
struct handler_progress {
	_Atomic uint64_t since;	  /* CLOCK_MONOTONIC when the call began; 0 = in no call */
	_Atomic uint32_t call;	  /* enum handler_call */
	_Atomic uint32_t writing; /* the worker waits for probe-run to read */
};

enum handler_message {
	HANDLER_MESSAGE_OPENED = 1, /* text: the error; "" = the handler is open */
	HANDLER_MESSAGE_LOG,	    /* u32 level, text */
	HANDLER_MESSAGE_TABLE,	    /* text name, u32 count, then each column: u32 type, text */
	HANDLER_MESSAGE_ROW,	    /* u32 table, cells */
	HANDLER_MESSAGE_FAILED,	    /* u32 call, u32 errno */
	HANDLER_MESSAGE_DONE,	    /* text: why the records cannot be read; struct replay_counts */
};

/* Precedes each message. */
struct handler_message_head {
	uint32_t type, size; /* size: of the message after the head */
};

enum { HANDLER_MESSAGE_MAX = 64 << 20 };

struct handler_channel; /* the worker's end */

struct handler_channel *handler_channel_create(int fd, struct handler_progress *progress);
void handler_channel_opened(struct handler_channel *channel, const char *why_not);
void handler_channel_log(struct handler_channel *channel, enum probe_level level, const char *text);
void handler_channel_table(struct handler_channel *channel, const char *name,
			   const struct probe_column *columns, size_t count);
void handler_channel_row(struct handler_channel *channel, uint32_t table,
			 const enum probe_type *types, const union probe_value *values,
			 size_t count);
void handler_channel_failed(struct handler_channel *channel, enum handler_call call, int err);
void handler_channel_done(struct handler_channel *channel, const char *why_not,
			  const struct replay_counts *counts);

/* Called around each call into the handler. */
void handler_channel_enter(struct handler_channel *channel, enum handler_call call);
void handler_channel_leave(struct handler_channel *channel);

uint64_t handler_clock_ns(void);

#endif
