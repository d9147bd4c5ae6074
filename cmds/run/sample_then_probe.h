/* SPDX-License-Identifier: MIT */
/*
 * probe-run --twice: the program runs uninstrumented and sampled, then with its kernels probed, and
 * both runs become one database.
 */
#ifndef PROBE_CMDS_RUN_SAMPLE_THEN_PROBE_H
#define PROBE_CMDS_RUN_SAMPLE_THEN_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct probe_err;
struct run_config;
struct run_server;

enum run_pass_kind { RUN_PASS_SAMPLED, RUN_PASS_PROBED, RUN_PASSES };

/* One run of the program; a zeroed one has not taken place. */
struct run_pass {
	int wait_status;
	uint64_t lost;
	char *database; /* of its process; NULL: none, or several processes */
	bool several;
	bool probed;  /* instrumented kernels ran */
	bool nothing; /* processes were to be recorded, and nothing could be stored */
};

/*
 * The configuration of a run: *ret, which points to *file. Without options of sampling there are
 * defaults: on a GPU (`gpu`) host trap, on the simulated one stochastic.
 */
struct probe_err *run_pass_config(const struct run_config *config, enum run_pass_kind kind,
				  bool gpu, struct run_config *ret, char **file);

/* Note where the databases are, before the recorders are destroyed. */
void run_pass_database(const struct run_server *server, struct run_pass *pass);

/* After run number i: is there a next one? A program that was killed is not started again. */
bool run_pass_next(const struct run_pass *pass, int i);

/* Merge the two databases and delete that of the sampled run, or report why not. */
void run_passes_merge(const struct run_pass passes[RUN_PASSES]);

/* How to end: as the first run, or as the second if only that failed. */
int run_passes_status(const struct run_pass passes[RUN_PASSES]);

#endif
