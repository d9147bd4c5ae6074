/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/device_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/options/install_paths.h"
#include "cmds/options/run_options.h"
#include "cmds/record/program_targets.h"
#include "cmds/run/program_file.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"

bool run_gpu_present(void)
{
	PROBE_AUTO_CLOSE int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	return fd >= 0;
}

static const char library[] = "libprobe-sim.so";

/* Appended to the existing value: a sanitizer's library must remain the first. */
char *run_simulator_preload(const struct run_layout *layout)
{
	const char *old = getenv("LD_PRELOAD");
	char *ret;

	return asprintf(&ret, "%s%s%s/%s", old ? old : "", old && *old ? ":" : "", layout->sim,
			library) < 0
		       ? NULL
		       : ret;
}

bool run_simulator_installed(const struct run_layout *layout)
{
	return run_file_exists(layout->sim, library);
}

/*
 * Without a choice by the user it is the MI300X if the program has kernels for it: a compiler that
 * knows it comes with a runtime that does.
 */
static void choose_simulated(const struct run_config *config, const struct run_targets *targets)
{
	const char *wanted = getenv("PROBE_SIM_DEVICE");

	if (config->device > RUN_DEVICE_SIM)
		setenv("PROBE_SIM_DEVICE", run_simulated_target(config), 1);
	else if ((!wanted || !*wanted) && run_targets_fit_simulated(targets, "gfx942"))
		setenv("PROBE_SIM_DEVICE", "gfx942", 1);
}

struct probe_err *run_device_choose(const struct run_config *config,
				    const struct run_layout *layout, const char *program,
				    bool *ret_simulated, struct run_targets *ret_targets)
{
	PROBE_AUTO_FREE char *path = run_program_path(program);
	bool gpu = config->device < RUN_DEVICE_SIM && run_gpu_present();
	const char *why = strerror(errno);

	*ret_simulated = !gpu;
	if (gpu)
		return NULL;
	if (config->device == RUN_DEVICE_GPU)
		return probe_err_create("no AMD GPU: /dev/kfd: %s; --device sim selects the "
					"simulated one",
					why);
	if (!run_simulator_installed(layout))
		return probe_err_create("no %s: %s/%s does not exist",
					config->device >= RUN_DEVICE_SIM
						? "simulated GPU"
						: "AMD GPU (/dev/kfd), and no simulated one",
					layout->sim, library);
	*ret_targets = run_program_targets(path);
	choose_simulated(config, ret_targets);
	return NULL;
}

const char *run_simulated_target(const struct run_config *config)
{
	const char *wanted = getenv("PROBE_SIM_DEVICE");

	if (config->device == RUN_DEVICE_SIM_GFX942)
		return "gfx942";
	/* The simulated GPU warns of other names. */
	return config->device != RUN_DEVICE_SIM_GFX90A && wanted && !strcmp(wanted, "gfx942")
		       ? wanted
		       : "gfx90a";
}

static void warn_other_target(const struct run_config *config, const char *program,
			      const struct run_targets *targets)
{
	const char *target = run_simulated_target(config), *other = run_simulated_fit(targets);

	if (!*targets->names || targets->more || run_targets_fit_simulated(targets, target))
		return;
	if (other)
		probe_log(PROBE_LOG_WARNING,
			  "%s has no kernels for the simulated %s, but for the other simulated "
			  "GPU: use --device=sim:%s",
			  program, target, other);
	else
		probe_log(PROBE_LOG_WARNING,
			  "%s has kernels for %s, but none for the simulated %s: compile it with "
			  "--offload-arch=%s",
			  program, targets->names, target, target);
}

void run_device_announce(const struct run_config *config, const char *program, bool simulated,
			 const struct run_targets *targets)
{
	if (!simulated) {
		probe_log(PROBE_LOG_INFO, "device: the AMD GPU of this machine");
		return;
	}
	probe_log(PROBE_LOG_INFO, "device: simulated %s%s", run_simulated_target(config),
		  config->device >= RUN_DEVICE_SIM ? "" : " (no AMD GPU here: /dev/kfd)");
	warn_other_target(config, program, targets);
}
