/* SPDX-License-Identifier: MIT */
/* Writes the fidelity report when the process ends; a forked child does not write the file. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "simgpu/diag/fidelity.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"

static pid_t owner;

static void __attribute__((constructor)) remember(void)
{
	owner = getpid();
}

static void __attribute__((destructor)) write_report(void)
{
	const char *path = sim_options()->fidelity;
	FILE *file;

	if (!path || getpid() != owner)
		return;
	file = fopen(path, "we");
	if (!file) {
		sim_print("cannot write PROBE_SIM_FIDELITY=%s: %s", path, strerror(errno));
		return;
	}
	sim_fidelity_report(file);
	fclose(file);
}
