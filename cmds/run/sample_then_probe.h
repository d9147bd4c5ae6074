/* SPDX-License-Identifier: MIT */
/*
 * probe-run --twice: runs the program uninstrumented and sampled, then with probes, and merges both
 * runs into one database.
 */
#ifndef PROBE_CMDS_RUN_SAMPLE_THEN_PROBE_H
#define PROBE_CMDS_RUN_SAMPLE_THEN_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct probe_err;
struct run_config;
struct run_server;

enum run_pass_kind { RUN_PASS_SAMPLED, RUN_PASS_PROBED, RUN_PASSES };

/* The result of one run of the program; zeroed if there was none. */
struct run_pass {
	int wait_status;
	uint64_t lost;
	char *database; /* of its process; NULL: none, or several processes */
	bool several;
	bool probed;  /* instrumented kernels ran */
	bool nothing; /* processes connected, but nothing could be stored */
};

/*
 * The configuration of a run: *ret, which points to *file. Defaults for missing sampling options:
 * host trap on a GPU (`gpu`), stochastic on the simulated one.
 */
struct probe_err *run_pass_config(const struct run_config *config, enum run_pass_kind kind,
				  bool gpu, struct run_config *ret, char **file);

/* Stores the paths of the databases before the recorders are destroyed. */
void run_pass_database(const struct run_server *server, struct run_pass *pass);

/*
 * After run number i: true if there is another one. A program that was killed is not started again.
 */
bool run_pass_next(const struct run_pass *pass, int i);

/* Merges the two databases and deletes that of the sampled run; reports an error if that fails. */
void run_passes_merge(const struct run_pass passes[RUN_PASSES]);

/* The exit status: that of the first run, or of the second if only that failed. */
int run_passes_status(const struct run_pass passes[RUN_PASSES]);

#endif
