/* SPDX-License-Identifier: MIT */
/*
 * The recorder: a process of its own that reads the segments, stores records and runs handlers.
 * probe-run itself only starts the application, passes signals on, and ends as the application
 * ends. If probe-run is killed, the recorder goes on until the application has ended, and finishes
 * the databases; if the recorder dies, the application and its exit status are not affected.
 */
#ifndef PROBE_CMDS_RUN_RECORDER_SERVICE_H
#define PROBE_CMDS_RUN_RECORDER_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct probe_err;
struct run_pass;
struct run_server;
struct run_signals;

/* What the recorder does before and after it serves; in its process. */
struct run_service_work {
	struct run_server *server;
	struct probe_err *(*begin)(void *user);
	void (*end)(void *user, struct run_pass *pass); /* the summary */
	void *user;
};

struct run_service {
	pid_t pid; /* 0 = there is none */
	int fd;
};

/* Returns when it is ready to serve. The server is its own from then on. */
struct probe_err *run_service_start(struct run_service *service,
				    const struct run_service_work *work);
/* The application runs; -1: it does not, the recorder ends. */
void run_service_application(const struct run_service *service, pid_t child);

/* Wait for the application. `*wait_status` is a signal's if the user did not wait for its end. */
void run_service_wait(const struct run_service *service, pid_t child, struct run_signals *signals,
		      int *wait_status);
/* Then for the recorder. An error if it died, or did not end soon after it was told to. */
struct probe_err *run_service_finish(struct run_service *service, struct run_signals *signals,
				     struct run_pass *pass);

#endif
