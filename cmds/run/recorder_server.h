/* SPDX-License-Identifier: MIT */
/*
 * The socket that traced processes connect to, and a recorder for each. For the main thread of the
 * recorder process (recorder_service.h).
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

#define RUN_HELLOS 64 /* connections that have not said hello yet */

/* From probe-run to the recorder. If they end, probe-run has died. */
enum run_order_type {
	RUN_ORDER_APPLICATION = 1, /* runs as process `pid` */
	RUN_ORDER_ENDED,	   /* it has ended */
	RUN_ORDER_STOP,		   /* do not wait for anything */
};
struct run_order {
	uint32_t type;
	int32_t pid;
};

struct run_server {
	const struct run_config *config;
	const struct run_plugins *plugins;
	char *directory; /* ours alone, mode 0700 */
	char *path;	 /* of the socket: PROBE_SOCKET */
	int fd;
	int hellos[RUN_HELLOS];
	size_t hello_count;
	struct handler_workers *workers; /* opened, for the first process; then NULL */
	struct recorder *recorders;	 /* newest first */
	int control;			 /* orders come here; -1 = no more */
	pid_t application;		 /* 0 = not known yet */
	bool ended, stop;		 /* by an order */
	uint64_t refused;		 /* processes that said hello and could not be recorded */
};

struct probe_err *run_server_init(struct run_server *server, const struct run_config *config,
				  const struct run_plugins *plugins);
void run_server_deinit(struct run_server *server);

/* Serve until the application has ended. False: it was not started. */
bool run_server_serve(struct run_server *server, int control);

/*
 * The application has ended: end the recordings. Processes it left behind get a second, then
 * their recordings end, too.
 */
void run_server_finish(struct run_server *server);

/* Then run the handlers over each recording, and finish its file. */
void run_server_handle(struct run_server *server);

#endif
