/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "common/process_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t probe_process_stat(pid_t pid, enum probe_stat_field field)
{
	char path[32] = "/proc/self/stat", text[1024];
	ssize_t size = 0;
	char *at;
	int fd;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[size > 0 ? size : 0] = 0;
	/* The second field is the name in parentheses and may contain anything. */
	at = strrchr(text, ')');
	for (int i = 2; at && i < (int)field; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return 0;
	return field == PROBE_STAT_STATE ? at[1] : strtoll(at + 1, NULL, 10);
}
