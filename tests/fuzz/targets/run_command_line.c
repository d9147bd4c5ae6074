/* SPDX-License-Identifier: MIT */
/* probe-run's variables and options, one per line: PROBE_X=value is a variable. */
#include "cmds/options/output_path.h"
#include "cmds/options/run_options.h"
#include "common/err.h"
#include "tests/fuzz/targets/fuzz_input.h"

enum { WORDS_MAX = 64 };

static void check(const struct run_config *config)
{
	static const char environment[] = "HOME=/h\0OMPI_COMM_WORLD_RANK=3\0";
	const struct run_keys keys = {7, environment, sizeof(environment)};

	FUZZ_ASSERT((unsigned)config->kind < PROBE_KINDS);
	FUZZ_ASSERT(config->full.action != PROBE_FULL_SAMPLE || config->full.sample_every);
	for (int i = 0; i < 3; i++)
		FUZZ_ASSERT(config->workgroups.first[i] <= config->workgroups.last[i]);
	probe_err_destroy(run_keys_check(config->directory));
	free(run_output_path(config->directory, config->file, &keys));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size), *lines[WORDS_MAX + 1], *words[WORDS_MAX + 2];
	char *set[WORDS_MAX];
	int lines_count = fuzz_words(text, lines, WORDS_MAX), count = 0, set_count = 0;
	struct run_config config;
	struct probe_err *err;

	words[count++] = (char[]){"probe-run"};
	for (int i = 0; i < lines_count; i++) {
		char *equals = strchr(lines[i], '=');

		if (strncmp(lines[i], "PROBE_", 6) || !equals) {
			words[count++] = lines[i];
			continue;
		}
		*equals = 0;
		setenv(lines[i], equals + 1, 1);
		set[set_count++] = lines[i];
	}
	words[count] = NULL;
	err = run_config_init(&config, count, words);
	if (!err)
		check(&config);
	probe_err_destroy(err);
	run_config_deinit(&config);
	for (int i = 0; i < set_count; i++)
		unsetenv(set[i]);
	free(text);
	return 0;
}
