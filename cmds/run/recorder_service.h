/* SPDX-License-Identifier: MIT */
/*
 * The recorder: a separate process that reads the segments, stores records and runs handlers.
 * probe-run itself only starts the application, forwards signals, and exits as the application
 * does. If probe-run is killed, the recorder continues until the application has ended and finishes
 * the databases. If the recorder dies, the application and its exit status are not affected, and
 * another recorder continues (spool.h).
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

/* What the recorder process does before and after it serves. */
struct run_service_work {
	struct run_server *server;
	struct probe_err *(*begin)(void *user);
	void (*end)(void *user, struct run_pass *pass); /* prints the summary */
	void *user;
	bool quiet; /* no progress lines */
};

struct run_service {
	const struct run_service_work *work; /* must outlive it */
	pid_t pid;			     /* 0 = none */
	int fd;
	pid_t application;
	unsigned deaths; /* of recorders */
	unsigned stops;	 /* of this recorder, by signals */
	bool reported;	 /* the recorder's last message has come: it has ended */
};

/* Returns when the recorder is ready to serve. From then on it owns the server. */
struct probe_err *run_service_start(struct run_service *service,
				    const struct run_service_work *work);
/* Sends the pid of the running application; -1: it does not run, and the recorder ends. */
void run_service_application(struct run_service *service, pid_t child);

/*
 * Waits for the application. If the user did not wait for its end, `*wait_status` is that of a
 * signal.
 */
void run_service_wait(struct run_service *service, pid_t child, struct run_signals *signals,
		      int *wait_status);
/*
 * After that: waits for the recorder. Returns an error if it died, or did not end soon after it was
 * requested to.
 */
struct probe_err *run_service_finish(struct run_service *service, struct run_signals *signals,
				     struct run_pass *pass);

#endif
