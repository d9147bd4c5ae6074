/* SPDX-License-Identifier: MIT */
/*
 * probe-config: prints the compiler flags and paths of this installation. Users need not type
 * plugin paths, and no plugin is loaded into the wrong LLVM. It prints only paths that exist.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/log.h"
#include "common/option.h"
#include "probe_version.h"

enum {
	DEFAULT_MAJOR = PROBE_HIP_LLVM, /* the LLVM of hipcc where Probe was built */
	STATUS_USAGE = 2,
};

enum key {
	KEY_HEADING,
	KEY_PASS_PLUGIN,
	KEY_CFLAGS,
	KEY_INCLUDES,
	KEY_HANDLERS,
	KEY_CMAKE,
	KEY_TARGETS,
	KEY_LLVM,
	KEY_PRINT_OPTIONS,
	KEY_HELP,
	KEY_VERSION,
};

static const struct probe_option options[] = {
	{.help = "What to print, one line each, in this order", .key = KEY_HEADING},
	{"cflags", 0, NULL, "flags that compile HIP code with probes", KEY_CFLAGS},
	{"pass-plugin", 0, NULL, "path of the pass plugin, libprobe.so", KEY_PASS_PLUGIN},
	{"includes", 0, NULL, "flags for the headers of handlers", KEY_INCLUDES},
	{"handlers-dir", 0, NULL, "directory of the handlers", KEY_HANDLERS},
	{"cmake-dir", 0, NULL, "directory for CMake's probe_DIR", KEY_CMAKE},
	{"targets", 0, NULL, "GPU targets that the pass supports, one per line", KEY_TARGETS},
	{.help = "Other", .key = KEY_HEADING},
	{"llvm", 0, "MAJOR", "the compiler's LLVM, such as 15 (default: that of hipcc)", KEY_LLVM},
	{"print-options", 0, NULL, "print the long options, one per line", KEY_PRINT_OPTIONS},
	{"help", 'h', NULL, "print this text", KEY_HELP},
	{"version", 0, NULL, "print the version", KEY_VERSION},
};

static const struct probe_command command = {
	.name = "probe-config",
	.usage = "OPTION...",
	.summary = "Print compiler flags and paths of this installation of Probe.",
	.options = options,
	.count = sizeof(options) / sizeof(options[0]),
	.footer = "Example: hipcc -O2 $(probe-config --cflags) app.hip -o app",
};

/* The targets of llvm-plugin/base/gpu_target.c; tests/cmd/config.sh compares the two lists. */
static const char *const targets[] = {
	"gfx900",
	"gfx902",
	"gfx904",
	"gfx906",
	"gfx908",
	"gfx909",
	"gfx90a",
	"gfx90c",
	"gfx940",
	"gfx941",
	"gfx942",
	"gfx950",
	/* Only the memory kind. */
	"gfx1010",
	"gfx1011",
	"gfx1012",
	"gfx1013",
	"gfx1030",
	"gfx1031",
	"gfx1032",
	"gfx1033",
	"gfx1034",
	"gfx1035",
	"gfx1036",
	"gfx1100",
	"gfx1101",
	"gfx1102",
	"gfx1103",
};

struct request {
	unsigned keys; /* bit (1 << enum key) */
	unsigned major;
	char root[PATH_MAX];
};

static struct probe_err *set_option(void *user, int key, const char *value)
{
	struct request *request = user;
	char *end;
	unsigned long major;

	request->keys |= 1u << key;
	if (key != KEY_LLVM)
		return NULL;
	errno = 0;
	major = strtoul(value, &end, 10);
	if (errno || *end || end == value || major > 999)
		return probe_err_create(
			"invalid value '%s' for --llvm; expected an LLVM major version such as 15",
			value);
	request->major = (unsigned)major;
	return NULL;
}

/* ROOT/bin/probe-config, in a build tree and when installed. */
static struct probe_err *find_root(struct request *request)
{
	ssize_t len = readlink("/proc/self/exe", request->root, sizeof(request->root) - 1);

	if (len < 0)
		return probe_err_create("cannot read /proc/self/exe: %s", strerror(errno));
	request->root[len] = 0;
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(request->root, '/');

		if (slash)
			*slash = 0;
	}
	return NULL;
}

/* Prints `before`, the path below the root, and a newline, if the path exists. */
static struct probe_err *print_path(const struct request *request, const char *before,
				    const char *path, const char *advice)
{
	struct probe_err *err = NULL;
	char *full;

	if (asprintf(&full, "%s/%s", request->root, path) < 0)
		return probe_err_oom();
	if (access(full, R_OK))
		err = probe_err_create("%s does not exist: %s", full, advice);
	else
		printf("%s%s\n", before, full);
	free(full);
	return err;
}

static struct probe_err *print_plugin(const struct request *request, const char *before)
{
	char path[64], advice[160];

	snprintf(path, sizeof(path), "lib/probe/llvm-%u/libprobe.so", request->major);
	snprintf(advice, sizeof(advice),
		 "no pass was built for LLVM %u; install llvm-%u-dev and clang-%u and build again",
		 request->major, request->major, request->major);
	return print_path(request, before, path, advice);
}

static struct probe_err *print_one(const struct request *request, int key)
{
	switch (key) {
	case KEY_CFLAGS: /* without -g every source line would be unknown */
		return print_plugin(request, "-g -fpass-plugin=");
	case KEY_PASS_PLUGIN:
		return print_plugin(request, "");
	case KEY_INCLUDES:
		return print_path(request, "-I", "include", "the headers are not installed");
	case KEY_HANDLERS:
		return print_path(request, "", "lib/probe/handlers", "no handlers were built");
	case KEY_CMAKE:
		return print_path(request, "", "lib/cmake/probe", "not installed for CMake");
	case KEY_TARGETS:
		for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
			puts(targets[i]);
		return NULL;
	default:
		return NULL;
	}
}

static int usage_error(struct probe_err *err)
{
	probe_log_err(PROBE_LOG_ERROR, err);
	probe_log(PROBE_LOG_ERROR, "see probe-config --help");
	probe_err_destroy(err);
	return STATUS_USAGE;
}

/* Handles --help and similar options; true if there was one. */
static bool print_about(unsigned keys)
{
	if (keys & 1u << KEY_HELP)
		probe_command_help(&command, stdout);
	else if (keys & 1u << KEY_VERSION)
		printf("probe-config %s (%s), passes for LLVM up to 19\n", PROBE_VERSION,
		       PROBE_GIT_ID);
	else if (keys & 1u << KEY_PRINT_OPTIONS)
		probe_command_list(&command, stdout);
	else
		return false;
	return true;
}

static struct probe_err *parse(int argc, char **argv, struct request *ret)
{
	int index;
	struct probe_err *err = probe_command_parse(&command, argc, argv, set_option, ret, &index);

	if (err)
		return err;
	if (index < argc)
		return probe_err_create("unexpected argument '%s'", argv[index]);
	if (!(ret->keys & ~(1u << KEY_LLVM)))
		return probe_err_create("nothing to print; give an option such as --cflags");
	return NULL;
}

static struct probe_err *print_all(struct request *request)
{
	struct probe_err *err = find_root(request);

	if (err)
		return err;
	for (size_t i = 0; i < command.count; i++) {
		if (options[i].key == KEY_HEADING || !(request->keys & 1u << options[i].key))
			continue;
		err = print_one(request, options[i].key);
		if (err)
			return err;
	}
	return fflush(stdout) ? probe_err_create("cannot write: %s", strerror(errno)) : NULL;
}

int main(int argc, char **argv)
{
	struct request request = {.major = DEFAULT_MAJOR};
	struct probe_err *err = parse(argc, argv, &request);

	if (err && err != probe_err_oom())
		return usage_error(err);
	if (!err && print_about(request.keys))
		return 0;
	err = err ? err : print_all(&request);
	if (err) {
		probe_log_err(PROBE_LOG_ERROR, err);
		probe_err_destroy(err);
		return 1;
	}
	return 0;
}
