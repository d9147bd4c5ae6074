/* SPDX-License-Identifier: MIT */
/* Messages of an assistant to `probe-report mcp`. Linked with -Wl,--wrap=execv: nothing is run. */
#include <stdio.h>
#include <unistd.h>

#include "cmds/report/verb_table.h"
#include "tests/fuzz/targets/fuzz_input.h"

int __wrap_execv(const char *path, char *const *words);

int __wrap_execv(const char *path, char *const *words)
{
	_exit(!path || !words);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = fuzz_text(bytes, size), *words[] = {(char[]){"mcp"}, NULL};
	FILE *own = stdin;

	stdin = fmemopen(text, size + 1, "r");
	FUZZ_ASSERT(stdin);
	FUZZ_ASSERT(!report_verb_mcp.command(1, words));
	fclose(stdin);
	stdin = own;
	free(text);
	return 0;
}
