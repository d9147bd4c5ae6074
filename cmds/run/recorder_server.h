/* SPDX-License-Identifier: MIT */
/* The socket that traced processes connect to, and a recorder for each. For the main thread. */
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
struct run_signals;

#define RUN_HELLOS 64 /* connections that have not said hello yet */

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
	uint64_t refused;		 /* processes that said hello and could not be recorded */
};

struct probe_err *run_server_init(struct run_server *server, const struct run_config *config,
				  const struct run_plugins *plugins);
void run_server_deinit(struct run_server *server);

/* Serve until the child has ended, or the user has twice asked for an end. */
void run_server_serve(struct run_server *server, pid_t child, struct run_signals *signals,
		      int *wait_status);

/*
 * The application has ended: end the recordings. Processes it left behind get a second, then
 * their recordings end, too. False: the user does not wait for it; recorders are still at work.
 */
bool run_server_finish(struct run_server *server, struct run_signals *signals);

/* Then run the handlers over each recording, and finish its file. */
void run_server_handle(struct run_server *server, struct run_signals *signals);

#endif
