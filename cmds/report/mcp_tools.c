/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* for memfd_create */

#include "cmds/report/mcp_tools.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARAMETERS_MAX = 6, WORDS_MAX = 100, RUNS_MAX = 50, TEXT_MAX = 4 << 20 };

struct parameter {
	const char *name, *type; /* a type of JSON Schema; arrays contain strings */
	const char *option;	 /* NULL: a file name, without an option before it */
	const char *help;
};

struct tool {
	const char *name, *help;
	const char *words[6]; /* verb and fixed options */
	struct parameter parameters[PARAMETERS_MAX];
	unsigned required; /* the first `required` parameters are mandatory */
};

#define FILE_PARAMETER                                                                             \
	{                                                                                          \
		"file", "string", NULL, "database; without it the newest in probe-out"             \
	}
#define KERNEL                                                                                     \
	{                                                                                          \
		"kernel", "string", "-k", "regular expression on demangled kernel names"           \
	}
#define LIMIT                                                                                      \
	{                                                                                          \
		"limit", "integer", "-n", "at most this many rows"                                 \
	}
#define FIELDS                                                                                     \
	{                                                                                          \
		"fields", "string", "-f", "columns, separated by commas"                           \
	}

static const struct tool tools[] = {
	{.name = "list_runs", .help = "Databases below probe-out, the newest first."},
	{.name = "findings",
	 .help = "Source lines with bank conflicts or extra cache-line requests: counts, cause, "
		 "fix, estimated cycles.",
	 .words = {"lines", "--findings", "--format", "json"},
	 .parameters = {FILE_PARAMETER, KERNEL, LIMIT, FIELDS}},
	{.name = "lines",
	 .help = "All source lines with memory accesses and their exact counts.",
	 .words = {"lines", "--all", "--format", "json"},
	 .parameters = {FILE_PARAMETER, KERNEL, LIMIT, FIELDS}},
	{.name = "kernels",
	 .help = "Kernels that ran, with times, registers and counts.",
	 .words = {"kernels", "--format", "json"},
	 .parameters = {FILE_PARAMETER, KERNEL, LIMIT, FIELDS}},
	{.name = "occupancy",
	 .help = "Waves a compute unit holds of each kernel, and what limits them.",
	 .words = {"occupancy", "--format", "json"},
	 .parameters = {FILE_PARAMETER, KERNEL, LIMIT, FIELDS}},
	{.name = "mix",
	 .help = "Operations of each kernel by type, arithmetic intensity and roofline (runs of "
		 "kind count).",
	 .words = {"mix", "--format", "json"},
	 .parameters = {FILE_PARAMETER, KERNEL, LIMIT, FIELDS}},
	{.name = "spills",
	 .help = "Source lines at which a kernel saves registers that do not fit.",
	 .words = {"spills", "--format", "json"},
	 .parameters = {FILE_PARAMETER, KERNEL, LIMIT, FIELDS}},
	{.name = "samples",
	 .help = "PC samples by source line, and why waves stalled.",
	 .words = {"samples", "--format", "json"},
	 .parameters = {FILE_PARAMETER, KERNEL, LIMIT, FIELDS}},
	{.name = "annotate",
	 .help = "Instructions of a kernel with source lines, samples and counts.",
	 .words = {"annotate", "--format", "json"},
	 .parameters = {KERNEL, FILE_PARAMETER, LIMIT, FIELDS},
	 .required = 1},
	{.name = "diff",
	 .help = "What changed between two runs of a program, by line and kernel.",
	 .words = {"diff", "--format", "json"},
	 .parameters = {{"before", "string", NULL, "database of the older run"},
			{"after", "string", NULL, "database of the newer run"},
			KERNEL,
			LIMIT},
	 .required = 2},
	{.name = "check",
	 .help = "Lines and kernels that break rules such as 'line.conflicts > +5%'.",
	 .words = {"check", "--format", "json"},
	 .parameters = {{"file", "string", NULL, "database to judge"},
			{"rules", "array", "--fail-on", "one or more rules"},
			{"baseline", "string", "--baseline", "database to compare with"},
			KERNEL},
	 .required = 2},
};

enum { TOOLS = sizeof(tools) / sizeof(*tools) };

/* ---- Describing ------------------------------------------------------------------------------ */

static json_t *schema_of(const struct tool *tool)
{
	json_t *properties = json_object(), *required = json_array();

	for (unsigned i = 0; i < PARAMETERS_MAX && tool->parameters[i].name; i++) {
		const struct parameter *parameter = &tool->parameters[i];
		json_t *property = json_pack("{s:s, s:s}", "type", parameter->type, "description",
					     parameter->help);

		if (!strcmp(parameter->type, "array"))
			json_object_set_new(property, "items",
					    json_pack("{s:s}", "type", "string"));
		json_object_set_new(properties, parameter->name, property);
		if (i < tool->required)
			json_array_append_new(required, json_string(parameter->name));
	}
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
			 "required", required, "additionalProperties", 0);
}

json_t *mcp_tools_list(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < TOOLS; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", tools[i].name,
						      "description", tools[i].help, "inputSchema",
						      schema_of(&tools[i])));
	return list;
}

/* ---- Calling --------------------------------------------------------------------------------- */

static json_t *result_of(const char *text, bool failed)
{
	return json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
			 json_stringn_nocheck(text, strlen(text)), "isError", failed);
}

static int newest_first(const void *a, const void *b)
{
	struct stat x = {0}, y = {0};

	stat(*(char *const *)a, &x);
	stat(*(char *const *)b, &y);
	return (x.st_mtime < y.st_mtime) - (x.st_mtime > y.st_mtime);
}

static json_t *list_runs(void)
{
	json_t *list = json_array(), *result;
	glob_t found = {0};
	char *text;

	if (!glob("probe-out/*/*.db", 0, NULL, &found)) {
		qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), newest_first);
		for (size_t i = 0; i < found.gl_pathc && i < RUNS_MAX; i++)
			json_array_append_new(list, json_string(found.gl_pathv[i]));
	}
	globfree(&found);
	text = json_dumps(list, JSON_INDENT(1));
	result = text ? result_of(text, false) : NULL;
	json_decref(list);
	free(text);
	return result;
}

struct command {
	const char *words[WORDS_MAX + 1];
	size_t count;
	const char *files[PARAMETERS_MAX];
	size_t file_count;
	char numbers[PARAMETERS_MAX][24];
};

static bool add_word(struct command *command, const char *word)
{
	if (command->count == WORDS_MAX)
		return false;
	command->words[command->count++] = word;
	return true;
}

static bool add_value(struct command *command, const struct parameter *parameter,
		      const json_t *value, size_t at)
{
	const char *text = json_string_value(value);

	if (json_is_integer(value)) {
		snprintf(command->numbers[at], sizeof(command->numbers[at]), "%lld",
			 (long long)json_integer_value(value));
		text = command->numbers[at];
	}
	if (!text)
		return false;
	if (parameter->option)
		return add_word(command, parameter->option) && add_word(command, text);
	command->files[command->file_count++] = text;
	return true;
}

static bool add_parameter(struct command *command, const struct parameter *parameter,
			  const json_t *value, size_t at)
{
	const char *wanted = parameter->type;
	const json_t *item;
	size_t i;

	if (!strcmp(wanted, "array")) {
		if (!json_is_array(value))
			return false;
		json_array_foreach(value, i,
				   item) if (!json_is_string(item) ||
					     !add_value(command, parameter, item, at)) return false;
		return true;
	}
	if (strcmp(wanted, json_is_string(value)    ? "string"
			   : json_is_integer(value) ? "integer"
						    : ""))
		return false;
	return add_value(command, parameter, value, at);
}

static char *sentence(const char *format, const char *a, const char *b)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, format, a, b);
	fclose(out);
	return text;
}

/* The words of a command line; the error is a sentence. */
/* The first that the tool does not have, or NULL. */
static const char *unknown_parameter(const struct tool *tool, const json_t *arguments)
{
	/* Jansson iterates over objects that are not const. */
	for (void *at = json_object_iter((json_t *)arguments); at;
	     at = json_object_iter_next((json_t *)arguments, at)) {
		const char *name = json_object_iter_key(at);
		unsigned i = 0;

		while (i < PARAMETERS_MAX && tool->parameters[i].name &&
		       strcmp(tool->parameters[i].name, name))
			i++;
		if (i == PARAMETERS_MAX || !tool->parameters[i].name)
			return name;
	}
	return NULL;
}

static char *make_command(const struct tool *tool, const json_t *arguments, struct command *command)
{
	const char *unknown;

	add_word(command, "probe-report");
	for (size_t i = 0; i < 6 && tool->words[i]; i++)
		add_word(command, tool->words[i]);
	add_word(command, "-q");
	for (unsigned i = 0; i < PARAMETERS_MAX && tool->parameters[i].name; i++) {
		const struct parameter *parameter = &tool->parameters[i];
		const json_t *value = json_object_get(arguments, parameter->name);

		if (!value && i < tool->required)
			return sentence("%s: parameter '%s' is missing", tool->name,
					parameter->name);
		if (value && !add_parameter(command, parameter, value, i))
			return sentence("%s: parameter '%s' has the wrong type", tool->name,
					parameter->name);
	}
	unknown = unknown_parameter(tool, arguments);
	if (unknown)
		return sentence("%s: unknown parameter '%s'", tool->name, unknown);
	/* Files come last, so that they are never parsed as options. */
	add_word(command, "--");
	for (size_t i = 0; i < command->file_count; i++)
		add_word(command, command->files[i]);
	command->words[command->count] = NULL;
	return NULL;
}

/* The contents of a file in memory, as a string. */
static char *text_of(int fd)
{
	struct stat st;
	char *text;
	ssize_t size;

	if (fstat(fd, &st))
		return NULL;
	size = st.st_size < TEXT_MAX ? st.st_size : TEXT_MAX;
	text = malloc((size_t)size + 1);
	if (!text)
		return NULL;
	size = pread(fd, text, (size_t)size, 0);
	text[size < 0 ? 0 : size] = 0;
	return text;
}

static void run_child(const struct command *command, int out, int err)
{
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execv("/proc/self/exe", (char *const *)command->words);
	_exit(127);
}

static json_t *run_command(const struct command *command)
{
	int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
	json_t *result = NULL;
	int status = -1;
	pid_t pid;

	if (out >= 0 && err >= 0 && (pid = fork()) >= 0) {
		char *text;

		if (!pid)
			run_child(command, out, err);
		waitpid(pid, &status, 0);
		/* `check` prints its rows and then fails, so both outputs matter. */
		text = text_of(status && !lseek(out, 0, SEEK_END) ? err : out);
		if (text)
			result = result_of(text, status != 0);
		free(text);
	}
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	return result;
}

json_t *mcp_tools_call(const char *name, const json_t *arguments, char **error)
{
	struct command command = {.count = 0};
	json_t *result;
	size_t i = 0;

	*error = NULL;
	while (i < TOOLS && strcmp(tools[i].name, name))
		i++;
	if (i == TOOLS) {
		*error = sentence("no tool '%s'%s", name, "");
		return NULL;
	}
	if (!tools[i].words[0])
		return list_runs();
	*error = make_command(&tools[i], arguments, &command);
	if (*error)
		return NULL;
	result = run_command(&command);
	if (!result)
		*error = sentence("%s: out of memory%s", name, "");
	return result;
}
