/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/left_processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <probe/env.h>

#include "common/cleanup.h"

enum { ENVIRONMENT_MAX = 1 << 20 };

static size_t read_file(const char *directory, const char *name, char *text, size_t size)
{
	PROBE_AUTO_CLOSE int fd = -1;
	size_t used = 0;
	char path[300];
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%s/%s", directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && used < size && (got = read(fd, text + used, size - used)) > 0)
		used += (size_t)got;
	return used;
}

struct left_processes run_left_processes(const char *socket)
{
	PROBE_AUTO_FREE char *environment = malloc(ENVIRONMENT_MAX), *entry = NULL;
	struct left_processes left = {0};
	int size = asprintf(&entry, "%s=%s", PROBE_ENV_SOCKET, socket);
	DIR *processes = opendir("/proc");
	struct dirent *process;

	if (size < 0)
		entry = NULL;
	while (environment && entry && processes && (process = readdir(processes))) {
		size_t got, name;

		if (!isdigit((unsigned char)process->d_name[0]))
			continue;
		got = read_file(process->d_name, "environ", environment, ENVIRONMENT_MAX);
		/* With its NUL; another socket's name is not longer. */
		if (!memmem(environment, got, entry, (size_t)size + 1))
			continue;
		left.count++;
		left.pid = (pid_t)atoi(process->d_name);
		name = read_file(process->d_name, "comm", left.name, sizeof(left.name) - 1);
		left.name[name ? name - 1 : 0] = 0; /* a newline ends it */
	}
	if (processes)
		closedir(processes);
	return left;
}
