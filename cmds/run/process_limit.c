/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/process_limit.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"

enum {
	OWN = 6,      /* witness, recorder and its thread, a reader of code objects; two in the
			 program */
	PROGRAM = 16, /* threads of a program with the HIP runtime, about twice of what it needs */
};

/* UINT64_MAX: there is no such file, or it says "max". */
static uint64_t read_number(const char *group, const char *name)
{
	uint64_t ret = UINT64_MAX;
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	file = fopen(path, "re");
	if (file) {
		if (fscanf(file, "%" SCNu64, &ret) != 1)
			ret = UINT64_MAX;
		fclose(file);
	}
	return ret;
}

/* Of the group and those that contain it. `group` is changed. */
static uint64_t left_of(char *group, size_t root)
{
	uint64_t ret = UINT64_MAX;

	for (char *end; strlen(group) > root; *end = 0) {
		uint64_t max = read_number(group, "pids.max");
		uint64_t used = read_number(group, "pids.current");

		if (max != UINT64_MAX && used != UINT64_MAX) {
			uint64_t left = max > used ? max - used : 0;

			ret = left < ret ? left : ret;
		}
		end = strrchr(group, '/');
	}
	return ret;
}

uint64_t run_processes_left(const char *groups, const char *root)
{
	/* Version 1 has a hierarchy for each controller, version 2 one for all. */
	static const struct {
		const char *controller, *folder;
	} versions[] = {{":pids:/", "/pids/"}, {"::/", "/"}};
	uint64_t ret = UINT64_MAX;
	char line[PATH_MAX], group[2 * PATH_MAX];
	FILE *file = fopen(groups, "re");

	while (file && fgets(line, sizeof(line), file)) {
		char *controller = strchr(line, ':');

		line[strcspn(line, "\n")] = 0;
		for (size_t i = 0; controller && i < 2; i++) {
			size_t length = strlen(versions[i].controller);
			uint64_t left;

			if (strncmp(controller, versions[i].controller, length))
				continue;
			snprintf(group, sizeof(group), "%s%s%s", root, versions[i].folder,
				 controller + length);
			left = left_of(group, strlen(root));
			ret = left < ret ? left : ret;
		}
	}
	if (file)
		fclose(file);
	return ret;
}

void run_processes_announce(unsigned handlers)
{
	uint64_t left = run_processes_left("/proc/self/cgroup", "/sys/fs/cgroup");

	if (left < OWN + handlers + PROGRAM)
		probe_log(PROBE_LOG_WARNING,
			  "the control group allows %" PRIu64
			  " more processes and threads, of which "
			  "Probe takes up to %u: too few may be left for the program",
			  left, OWN + handlers);
}
