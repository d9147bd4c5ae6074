/* SPDX-License-Identifier: MIT */
#include "simgpu/base/sim_options.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/simulated_device.h"

#define PREFIX "PROBE_SIM_"

struct option_row {
	const char *name; /* without PREFIX */
	size_t offset;
	uint64_t fallback, min, max;
};

/* README.md has the same table with explanations. */
static const struct option_row rows[] = {
	{"THREADS", offsetof(struct sim_options, threads), 0, 0, 256},
	{"GPUS", offsetof(struct sim_options, gpus), 1, 1, SIM_GPUS},
	{"LARGE_BAR", offsetof(struct sim_options, large_bar), 1, 0, 1},
	{"VRAM_MIB", offsetof(struct sim_options, vram_mib), SIM_VRAM_MIB_MOST, 64,
	 SIM_VRAM_MIB_MOST},
	{"QUANTUM", offsetof(struct sim_options, quantum), 4096, 1, 1 << 24},
	{"SPIN_US", offsetof(struct sim_options, spin_us), 30, 0, 1000000},
	{"FILL", offsetof(struct sim_options, fill), 0, 0, UINT32_MAX},
	{"MODEL", offsetof(struct sim_options, model), 1, 0, 1},
	{"POLLS", offsetof(struct sim_options, polls), 1, 0, SIM_POLLS_IN_TRIAL},
	{"PC", offsetof(struct sim_options, pc), 0, 0, 1},
	{"DRIVER_SAMPLING", offsetof(struct sim_options, driver_sampling), 0, 0, 1},
	{"LOG", offsetof(struct sim_options, log), 0, 0, 2},
};

static struct sim_options options;
const struct sim_options *_Atomic sim_options_read;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t read_number(const struct option_row *row)
{
	char name[64] = PREFIX;
	const char *text = getenv(strncat(name, row->name, sizeof(name) - sizeof(PREFIX)));
	uint64_t value;
	char *end;

	if (!text || !*text)
		return row->fallback;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (!errno && !*end && value >= row->min && value <= row->max)
		return value;
	sim_print("invalid value '%s' for %s; expected a number from %llu to %llu; using "
		  "the default",
		  text, name, (unsigned long long)row->min, (unsigned long long)row->max);
	return row->fallback;
}

static const char *read_text(const char *option)
{
	char name[64] = PREFIX;
	const char *text = getenv(strncat(name, option, sizeof(name) - sizeof(PREFIX)));

	return text && *text ? text : NULL;
}

/* Options with text values, or that the instruction set or probe-run reads itself. */
static const char *const texts[] = {"STATS", "TRACE", "TRACE_WAVE", "FIDELITY",
				    "PCS",   "ISA",   "JIT",	    "DEVICE"};

static bool known(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (length == strlen(texts[i]) && !strncmp(name, texts[i], length))
			return true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (length == strlen(rows[i].name) && !strncmp(name, rows[i].name, length))
			return true;
	return false;
}

/* Otherwise a misspelt option would silently do nothing. */
static void warn_unknown(void)
{
	const size_t skip = sizeof(PREFIX) - 1;

	for (char **var = environ; var && *var; var++) {
		size_t length = strcspn(*var, "=");

		if (!strncmp(*var, PREFIX, skip) && !known(*var + skip, length - skip))
			sim_print("%.*s is not an option; simgpu/README.md lists them", (int)length,
				  *var);
	}
}

static void read_all(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		*(uint64_t *)((char *)&options + rows[i].offset) = read_number(&rows[i]);
	if (!options.threads)
		options.threads = cpus > 0 ? (uint64_t)cpus : 1;
	if (options.vram_mib > sim_device()->vram_mib)
		options.vram_mib = sim_device()->vram_mib;
	options.stats = read_text("STATS");
	options.trace = read_text("TRACE");
	options.trace_wave = read_text("TRACE_WAVE");
	options.fidelity = read_text("FIDELITY");
	options.pcs = read_text("PCS");
	warn_unknown();
	sim_log_set_level((unsigned)options.log);
	atomic_store_explicit(&sim_options_read, &options, memory_order_release);
}

const struct sim_options *sim_options_read_once(void)
{
	pthread_once(&once, read_all);
	return &options;
}
