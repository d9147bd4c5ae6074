/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/agent_query.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "cmds/options/install_paths.h"
#include "cmds/run/device_choice.h"
#include "cmds/options/sampling_options.h"

#define PROGRAM "lib/probe/probe-agents"

enum { TEXT_MAX = 64 << 10, TIMEOUT_MS = 20000, SENTENCE = 1024 };

/* ---- The child ------------------------------------------------------------------------------ */

/* A variable of the program's environment; name NULL: none. */
struct setting {
	const char *name;
	char *value;
};

static void become(const char *program, const struct setting *setting, int out)
{
	dup2(out, STDOUT_FILENO);
	/* Only the runtime is queried, without tools in it. */
	unsetenv("HSA_TOOLS_LIB");
	if (setting->name)
		setenv(setting->name, setting->value, 1);
	execl(program, program, (char *)NULL);
	_exit(127);
}

/* Reads until the end, or the timeout. */
static size_t read_all(int fd, char *text, size_t room)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	size_t size = 0;

	while (size < room && poll(&poller, 1, TIMEOUT_MS) > 0) {
		ssize_t got = read(fd, text + size, room - size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		size += (size_t)got;
	}
	return size;
}

static struct probe_err *run_agents_program(const char *program, const struct setting *setting,
					    char *text, size_t room)
{
	int fd[2], status = 0;
	size_t size;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return probe_err_create("cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		become(program, setting, fd[1]);
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return probe_err_create("cannot fork: %s", strerror(errno));
	}
	size = read_all(fd[0], text, room - 1);
	text[size] = 0;
	close(fd[0]);
	kill(pid, SIGKILL); /* its output is complete, or it hangs */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return probe_err_create("%s cannot be executed: the installation is incomplete",
					program);
	return NULL;
}

/* ---- Its output ----------------------------------------------------------------------------- */

static void read_agent(struct run_agents *agents, char *line)
{
	struct run_agent_row row = {0};
	char type[8] = "", *name, *product;

	if (agents->count == RUN_AGENTS_MAX ||
	    sscanf(line, "agent\t%" SCNu32 "\t%7[^\t]", &row.index, type) != 2)
		return;
	name = strchr(strchr(line + strlen("agent\t"), '\t') + 1, '\t');
	product = name ? strchr(name + 1, '\t') : NULL;
	if (!product)
		return;
	*product = 0;
	row.gpu = !strcmp(type, "gpu");
	snprintf(row.name, sizeof(row.name), "%s", name + 1);
	snprintf(row.product, sizeof(row.product), "%s", product + 1);
	agents->rows[agents->count++] = row;
}

static void read_sampling(struct run_agents *agents, const char *line)
{
	struct run_agent_row *row = agents->count ? &agents->rows[agents->count - 1] : NULL;
	struct run_agent_sampling sampling;
	uint32_t index;

	if (!row || row->count == RUN_CONFIGURATIONS_MAX ||
	    sscanf(line,
		   "sampling\t%" SCNu32 "\t%" SCNu32 "\t%" SCNu32 "\t%" SCNu64 "\t%" SCNu64
		   "\t%" SCNu64,
		   &index, &sampling.method, &sampling.units, &sampling.min, &sampling.max,
		   &sampling.flags) != 6 ||
	    index != row->index)
		return;
	row->sampling[row->count++] = sampling;
}

static void parse(char *text, struct run_agents *ret)
{
	char *rest = NULL;

	*ret = (struct run_agents){.provider = "none"};
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (!strncmp(line, "agent\t", 6))
			read_agent(ret, line);
		else if (!strncmp(line, "sampling\t", 9))
			read_sampling(ret, line);
		else
			sscanf(line, "provider\t%31s", ret->provider);
	}
}

static struct setting choose_simulator(const struct run_layout *layout)
{
	return (struct setting){"LD_PRELOAD", run_simulator_preload(layout)};
}

static void setting_deinit(struct setting *setting)
{
	free(setting->value);
}

struct probe_err *run_agents_read(const struct run_layout *layout, bool simulated,
				  struct run_agents *ret)
{
	PROBE_AUTO(setting_deinit) struct setting setting = {0};
	PROBE_AUTO_FREE char *text = malloc(TEXT_MAX);
	PROBE_AUTO_FREE char *program = NULL;
	struct probe_err *err;

	if (asprintf(&program, "%s/" PROGRAM, layout->root) < 0)
		program = NULL;
	if (simulated)
		setting = choose_simulator(layout);
	if (!text || !program || (simulated && !setting.value))
		return probe_err_oom();
	err = run_agents_program(program, &setting, text, TEXT_MAX);
	if (err)
		return err;
	parse(text, ret);
	return NULL;
}

/* ---- Configurations of sampling ------------------------------------------------------------- */

/* "stochastic, cycles, 256 to 2147483648, powers of two" */
static int describe(const struct run_agent_sampling *row, char *text, size_t room)
{
	char range[64];

	if (row->max >= UINT64_MAX / 2)
		snprintf(range, sizeof(range), "%" PRIu64 " or more", row->min);
	else if (row->max == row->min)
		snprintf(range, sizeof(range), "%" PRIu64 " only (it is being sampled)", row->min);
	else
		snprintf(range, sizeof(range), "%" PRIu64 " to %" PRIu64, row->min, row->max);
	return snprintf(text, room, "%s, %s, %s%s", run_sampling_method_name(row->method),
			run_sampling_unit_name(row->units), range,
			row->flags & 1 ? ", powers of two" : "");
}

void run_agents_print(const struct run_agents *agents, FILE *out)
{
	bool simulated = !strcmp(agents->provider, "simulated");

	for (size_t i = 0; i < agents->count; i++) {
		const struct run_agent_row *row = &agents->rows[i];
		char text[SENTENCE];

		fprintf(out, "  %-16" PRIu32 " %s, %s\n", row->index, row->name, row->product);
		for (size_t k = 0; k < row->count; k++) {
			describe(&row->sampling[k], text, sizeof(text));
			fprintf(out, "                   %s%s\n", text,
				simulated && row->sampling[k].method == 1
					? " (an extension of the simulated GPU: gfx90a has none)"
					: "");
		}
		if (row->gpu && !row->count)
			fprintf(out, "                   no PC sampling\n");
	}
	if (!agents->count)
		fprintf(out, "  none: no HSA runtime, or no device for it\n");
}

static bool fits(const struct run_agent_sampling *row, const struct run_sampling *sampling)
{
	return row->method == sampling->method && row->units == sampling->unit &&
	       sampling->interval >= row->min && sampling->interval <= row->max &&
	       (!(row->flags & 1) || !(sampling->interval & (sampling->interval - 1)));
}

struct probe_err *run_agents_check(const struct run_agents *agents,
				   const struct run_sampling *sampling)
{
	char text[SENTENCE] = "";
	size_t size = 0, gpus = 0;

	for (size_t i = 0; i < agents->count; i++) {
		const struct run_agent_row *row = &agents->rows[i];

		gpus += row->gpu;
		for (size_t k = 0; k < row->count; k++) {
			char one[160];

			if (fits(&row->sampling[k], sampling))
				return NULL;
			describe(&row->sampling[k], one, sizeof(one));
			if (size < sizeof(text) - sizeof(one) - 64)
				size += (size_t)snprintf(text + size, sizeof(text) - size,
							 "%s agent %" PRIu32 " (%s): %s",
							 size ? ";" : "", row->index, row->name,
							 one);
		}
	}
	if (!gpus)
		return probe_err_create("PC sampling: the HSA runtime has no GPU");
	if (!size && !strcmp(agents->provider, "none"))
		return probe_err_create(
			"PC sampling: this HSA runtime does not support it; use ROCr 6.2 or later, "
			"or --device=sim");
	if (!size && !strcmp(agents->provider, "simulated"))
		return probe_err_create("PC sampling: the simulated GPU samples in simulated time "
					"only; unset PROBE_SIM_MODEL");
	if (!size)
		return probe_err_create("PC sampling: no GPU of this machine supports it now");
	return probe_err_create("PC sampling: no GPU supports %s every %" PRIu64
				" (%s); supported:%s",
				run_sampling_method_name(sampling->method), sampling->interval,
				run_sampling_unit_name(sampling->unit), text);
}
