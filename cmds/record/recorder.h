/* SPDX-License-Identifier: MIT */
/*
 * A recorder reads one traced process: its segment, until the process is gone. It is made on the
 * main thread, then works on a thread of its own; nothing in it is shared with another recorder but
 * the read-only configuration and the loaded plugins.
 */
#ifndef PROBE_CMDS_RECORD_RECORDER_H
#define PROBE_CMDS_RECORD_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmds/record/recording.h"
#include "wire/segment_reader.h"

/* Why a recording is to end although its process lives. */
enum recorder_stop_reason {
	RECORDER_STOP_NOT = 0,
	RECORDER_STOP_LEFT,	/* the application has ended and left the process behind */
	RECORDER_STOP_REPLACED, /* the process has executed another program */
};

struct recorder {
	struct recorder *next; /* of the server */
	pid_t pid;
	int lock; /* of the database; -1. Closed after it: SQLite's locks would go with it */
	int pidfd, sock, wake; /* wake: an eventfd to end early */
	pthread_t thread;
	_Atomic enum recorder_stop_reason stop;
	struct handler_workers *workers; /* opened before the program started; NULL = not */
	atomic_bool done;
	uint64_t drain_until; /* CLOCK_MONOTONIC; 0 = until nothing is left */
	bool waiting;	      /* the host ring's next record is not finished yet */
	struct segment_reader seg;
	struct recording recording;
};

/* What is known of a process that has said hello. */
struct recorder_process {
	pid_t pid;
	int sock;
	uint32_t rings_wanted;
};

/* Takes the store over, and on success the socket. */
struct probe_err *recorder_create(const struct recorder_process *process,
				  const struct run_config *config, struct probe_store *store,
				  struct recorder **ret);
/* After the thread has been joined. */
void recorder_destroy(struct recorder *recorder);
struct probe_err *recorder_start(struct recorder *recorder);
/* From another thread: read the remaining records and end. */
void recorder_stop(struct recorder *recorder, enum recorder_stop_reason why);

#endif
