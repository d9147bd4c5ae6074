/* SPDX-License-Identifier: MIT */
/*
 * PROBE_SIM_PCS=FILE: counters of every instruction that ran, written when the process ends; a
 * forked child does not write the file, nor does a process without kernels, such as the timeout(1)
 * that started the program. Addresses are those of the loaded code.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/exec/wave.h"

static pid_t owner;

static void __attribute__((constructor)) remember(void)
{
	owner = getpid();
}

/* Nonzero: cannot be opened. */
static int begin(FILE **ret, const char *path)
{
	*ret = fopen(path, "we");
	if (*ret)
		fputs("pc,mnemonic,execs,active,lanes,quads,lines64,lines128,lds_passes,"
		      "lds_conflicts\n",
		      *ret);
	else
		sim_print("cannot write PROBE_SIM_PCS=%s: %s", path, strerror(errno));
	return !*ret;
}

static int write_row(void *ctx, uint64_t pc, const struct sim_pc_counters *c)
{
	FILE **file = ctx;

	if (!*file && begin(file, sim_options()->pcs))
		return 1;
	fprintf(*file,
		"%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
		pc, sim_pc_name(pc), c->execs, c->active, c->lanes, c->quads, c->lines64,
		c->lines128, c->lds_passes, c->lds_conflicts);
	return 0;
}

static void __attribute__((destructor)) write_counters(void)
{
	const char *path = sim_options()->pcs;
	FILE *file = NULL;

	if (!path || getpid() != owner)
		return;
	if (sim_pc_counters_each(0, UINT64_MAX, write_row, &file) < 0)
		sim_print("PROBE_SIM_PCS=%s: no memory; the file is not complete", path);
	if (file)
		fclose(file);
}
