/* SPDX-License-Identifier: MIT */
/*
 * A recorder reads the segment of one traced process until the process has ended. The main thread
 * creates it; then it works on a thread of its own. Recorders share only the read-only
 * configuration and the loaded plugins.
 */
#ifndef PROBE_CMDS_RECORD_RECORDER_H
#define PROBE_CMDS_RECORD_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmds/record/recording.h"
#include "cmds/record/spool.h"
#include "common/cleanup.h"
#include "wire/segment_reader.h"

/* Why a recording ends although its process is alive. */
enum recorder_stop_reason {
	RECORDER_STOP_NOT = 0,
	RECORDER_STOP_LEFT,	  /* the application has ended, but this process has not */
	RECORDER_STOP_TERMINATED, /* the recorder got SIGTERM */
	RECORDER_STOP_REPLACED,	  /* the process has executed another program */
};

struct recorder {
	struct recorder *next; /* in the server's list */
	pid_t pid;
	int lock; /* a lock on the database, or -1. Closed after the database, because closing it
		   * would release SQLite's locks */
	int pidfd, sock, wake; /* wake: an eventfd that ends it early */
	pthread_t thread;
	_Atomic enum recorder_stop_reason stop;
	int notify; /* an eventfd of the owner, written when `done` is set; -1 = none */
	struct ledger_entry *entry; /* the owner's */
	atomic_bool done;
	bool joined;
	_Atomic uint64_t spool_taken, spool_written; /* bytes, for a progress line */
	long pause_ns;	      /* the last one between rounds, while a kernel writes to rings */
	bool behind;	      /* not all that was read is in the recording */
	uint64_t drain_until; /* CLOCK_MONOTONIC; 0 = no time limit */
	bool unused;	      /* continued, and the process had not taken the segment before */
	bool ended;	      /* the process had ended before this recorder began */
	struct segment_reader seg;
	struct spool spool;
	struct spool_settings settings; /* of recorder_open() */
	struct spool_round round;	/* the last one read */
	struct run_dispatch *complete;	/* completed before it */
	struct recording recording;
};

/* A process that has connected. */
struct recorder_process {
	pid_t pid;
	int sock;
	uint32_t rings_wanted;
};

/* Takes ownership of the store, and on success of the socket. */
struct probe_err *recorder_create(const struct recorder_process *process,
				  const struct run_config *config, struct probe_store *store,
				  struct recorder **ret);
/*
 * A recorder in place of one that has died, from what that one had read. Waits until no process has
 * the file. Settings replace those of a configuration made from settings.options. recreate() makes
 * the database again; then the recorder can be started.
 */
struct probe_err *recorder_open(const char *spool, struct recorder **ret, bool *ret_absent);
void recorder_settings(const struct recorder *recorder, struct run_config *config);
struct probe_err *recorder_recreate(struct recorder *recorder, const struct run_config *config,
				    struct probe_store **ret_store);
/*
 * Waits for the thread, and gives back what only that needed: the segment, and descriptors. May be
 * called again.
 */
void recorder_join(struct recorder *recorder);
/* The last step: the database needs the spool no more, or the user is told that it does. */
void recorder_finish(struct recorder *recorder);
/* To be called after the thread has been joined. */
void recorder_destroy(struct recorder *recorder);
/* Draws a line about what the recorders of the list still have to store, if it is time. */
void recorder_show_progress(const struct recorder *list);
PROBE_DEFINE_RELEASE(recorder_release, struct recorder *, recorder_destroy)
struct probe_err *recorder_start(struct recorder *recorder);
/* From another thread: makes it read the remaining records and end. */
void recorder_stop(struct recorder *recorder, enum recorder_stop_reason why);

#endif
