/* SPDX-License-Identifier: MIT */
/* The variables that libprobe-hsa.so reads inside the program, NAME=value, one per line. */
#include <probe/env.h>

#include "hsa-plugin/code/filters.h"
#include "hsa-plugin/queue/agent_sampling.h"
#include "tests/fuzz/targets/fuzz_input.h"

enum { WORDS_MAX = 32 };

static void check(struct probe_config *config)
{
	FUZZ_ASSERT(config->kind < PROBE_KINDS);
	FUZZ_ASSERT(config->full.action != PROBE_FULL_SAMPLE || config->full.sample_every);
	FUZZ_ASSERT(config->selection.ranges <= PROBE_RANGES_MAX);
	for (int i = 0; i < 3; i++)
		FUZZ_ASSERT(config->workgroups.first[i] <= config->workgroups.last[i]);
	for (uint64_t number = 1; number < 4; number++)
		probe_selection_has(&config->selection, number);
	probe_config_wants(config, "void kernel<float, 4>(float*, int)");
	probe_config_wants_library(config, "file:///opt/a%20b/app#offset=4096&size=100");
	/* The library keeps them as long as the process lives. */
	if (config->include_set)
		regfree(&config->include);
	if (config->exclude_set)
		regfree(&config->exclude);
	free(config->library_include);
	free(config->library_exclude);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size < 8192 ? size : 8192), *lines[WORDS_MAX + 1];
	int count = fuzz_words(text, lines, WORDS_MAX);
	struct probe_sampler_request sampling;
	struct probe_config config;

	clearenv();
	setenv(PROBE_ENV_SOCKET, "@nobody", 1);
	for (int i = 0; i < count; i++)
		if (!strncmp(lines[i], "PROBE_", 6) && strchr(lines[i], '='))
			putenv(lines[i]);
	if (probe_config_read(&config))
		check(&config);
	probe_sampling_config_read(&sampling);
	FUZZ_ASSERT(!sampling.on || sampling.interval);
	clearenv();
	free(text);
	return 0;
}
