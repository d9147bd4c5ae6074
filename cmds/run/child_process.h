/* SPDX-License-Identifier: MIT */
/*
 * Runs the application as a child process. Only some variables differ from a plain start; probe-run
 * waits for it as time(1) does and exits as it does.
 */
#ifndef PROBE_CMDS_RUN_CHILD_PROCESS_H
#define PROBE_CMDS_RUN_CHILD_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cmds/run/group_witness.h"

struct probe_err;
struct run_environment;

enum {
	RUN_STATUS_LOST = 3,
	RUN_STATUS_OURS = 125,
	RUN_STATUS_NOT_EXECUTABLE = 126,
	RUN_STATUS_NOT_FOUND = 127,
};

/*
 * Signal dispositions before probe-run changed them, for the application.
 */
struct run_signals {
	struct sigaction interrupt, quit, pipe, file_size, children;
	sigset_t mask;
	int fd; /* signalfd for the signals that the application is to get, and for SIGCHLD */
	unsigned ends;		      /* SIGINT and SIGTERM received */
	int last;		      /* the last one received; 0 = none */
	struct group_witness witness; /* while the application runs */
};

/*
 * Ignores signals that are meant for the application, and reads those that end probe-run from a
 * descriptor.
 */
struct probe_err *run_signals_init(struct run_signals *signals);
void run_signals_restore(const struct run_signals *signals);

/*
 * Reads the signals received, and forwards those sent to this process alone to `child` (-1: none).
 * Signals of the terminal and of the process group reach the child anyway.
 */
void run_signals_forward(struct run_signals *signals, pid_t child);

/* The program to start. */
struct run_child {
	char **argv;
	const struct run_environment *environment; /* variables to add */
	struct run_signals *signals;
	/*
	 * A second run: its output is discarded, and it reads its input again if that is a file,
	 * else nothing.
	 */
	bool again;
};

/* `*status` is 126 or 127 on failure. */
struct probe_err *run_child_start(const struct run_child *child, pid_t *ret, int *status);

/* Ends as the child did: returns its exit status, or raises its signal in this process. */
int run_end_like(int wait_status);

#endif
