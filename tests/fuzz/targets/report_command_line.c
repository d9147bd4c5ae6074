/* SPDX-License-Identifier: MIT */
/* probe-report's options, one per line. */
#include <stdio.h>

#include "cmds/report/gate_rules.h"
#include "cmds/report/report_options.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"
#include "tests/fuzz/targets/fuzz_input.h"

enum { WORDS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size), *words[WORDS_MAX + 2];
	int count = 1 + fuzz_words(text, words + 1, WORDS_MAX);
	struct report_line line;
	struct probe_err *err;

	words[0] = (char[]){"probe-report"};
	err = report_parse(count, words, &line);
	err = err || line.done ? err : report_check_options(&line.report);
	for (size_t i = 0; !err && i < line.report.rule_count; i++) {
		struct gate_rule rule;

		probe_err_destroy(gate_rule_parse(line.report.rules[i], &rule));
	}
	probe_err_destroy(err);
	report_line_deinit(&line);
	free(text);
	return 0;
}
