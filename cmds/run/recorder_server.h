/* SPDX-License-Identifier: MIT */
/*
 * The socket to which traced processes connect, and one recorder for each. For the main thread of
 * the recorder process (recorder_service.h).
 */
#ifndef PROBE_CMDS_RUN_RECORDER_SERVER_H
#define PROBE_CMDS_RUN_RECORDER_SERVER_H

#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct handler_workers;
struct probe_err;
struct run_config;
struct run_plugins;
struct recorder;
struct run_ledger;

#define RUN_HELLOS 64 /* limit of connections that have not sent a hello yet */

/* Messages from probe-run to the recorder. If the stream ends, probe-run has died. */
enum run_order_type {
	RUN_ORDER_APPLICATION = 1, /* the application runs as process `pid` */
	RUN_ORDER_ENDED,	   /* the application has ended */
	RUN_ORDER_STOP,		   /* end without waiting */
};
struct run_order {
	uint32_t type;
	int32_t pid;
};

struct run_server {
	const struct run_config *config;
	const struct run_plugins *plugins;
	char *directory; /* private directory, mode 0700 */
	char *path;	 /* path of the socket: PROBE_SOCKET */
	int fd;
	int hellos[RUN_HELLOS];
	size_t hello_count;
	int reserve;			 /* a descriptor to give up for a connection; -1 = none */
	bool deaf;			 /* no descriptor for a connection, until one is answered */
	struct handler_workers *workers; /* opened for the first process; then NULL */
	struct run_ledger *ledger;	 /* all processes of the run */
	struct recorder *recorders;	 /* of those that are recorded, newest first, and of those
					  * whose database could not be written */
	int ended_recordings;		 /* eventfd: there are some */
	int control;			 /* orders arrive here; -1 = no more */
	int signals;			 /* SIGTERM to the recorder; -1 = none */
	int orders;			 /* readable if one of both is; -1 = none */
	uint64_t terminated;		 /* when the first SIGTERM came; 0 = none has */
	pid_t application;		 /* 0 = not known yet */
	bool ended, stop;		 /* set by an order */
	uint64_t refused;		 /* processes that connected but could not be recorded */
};

/* One without descriptors, for run_server_deinit(). */
#define RUN_SERVER_EMPTY                                                                           \
	{                                                                                          \
		.fd = -1, .reserve = -1, .ended_recordings = -1, .control = -1, .signals = -1,     \
		.orders = -1                                                                       \
	}

struct probe_err *run_server_init(struct run_server *server, const struct run_config *config,
				  const struct run_plugins *plugins);
void run_server_deinit(struct run_server *server);
/* In a process that does not serve: no process does. Programs that wait for an answer go on. */
void run_server_refuse(struct run_server *server);

/* In a recorder that replaces one that has died: continues its recordings. */
void run_server_continue(struct run_server *server);

/* In the recorder, before the application starts: orders will come from the socket `control`. */
struct probe_err *run_server_watch(struct run_server *server, int control);
/* Serves until the application has ended. False if it was not started. */
bool run_server_serve(struct run_server *server);

/* The application has ended: ends the recordings. Processes that outlive it get one more second. */
void run_server_finish(struct run_server *server);

/* After that: runs the handlers over each recording. */
void run_server_handle(struct run_server *server);

#endif
