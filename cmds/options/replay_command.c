/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/options/replay_command.h"

#include <stdio.h>

#include "common/cleanup.h"
#include "common/shell_word.h"

char *replay_command(const char *handlers, const char *path)
{
	PROBE_AUTO_FREE char *list = probe_shell_word(handlers), *file = probe_shell_word(path);
	char *ret;

	if (!list || !file ||
	    asprintf(&ret, "probe-report replay -a %s --in-place %s", list, file) < 0)
		return NULL;
	return ret;
}
