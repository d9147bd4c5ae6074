/* SPDX-License-Identifier: MIT */
/* Options that choose what is instrumented: kernels, libraries, dispatches. */
#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "cmds/options/run_options.h"

#define RANGES_MAX 64 /* as the library in the application takes */

static struct probe_err *check_regex(const char *option, const char *value)
{
	regex_t regex;
	char message[128];
	int rc = regcomp(&regex, value, REG_EXTENDED | REG_NOSUB);

	if (!rc) {
		regfree(&regex);
		return NULL;
	}
	regerror(rc, &regex, message, sizeof(message));
	return probe_err_create("%s: '%s' is no regular expression: %s", option, value, message);
}

/* A number from 1 (0 = none there); *text moves past it. */
static unsigned long long count_at(const char **text)
{
	unsigned long long value;
	char *end;

	if (**text < '0' || **text > '9')
		return 0;
	errno = 0;
	value = strtoull(*text, &end, 10);
	*text = end;
	return errno ? 0 : value;
}

/* "3,7-9" */
static bool ranges_valid(const char *text)
{
	for (int n = 0; n < RANGES_MAX; n++) {
		unsigned long long first = count_at(&text), last = first;

		if (*text == '-') {
			text++;
			last = count_at(&text);
		}
		if (!first || last < first)
			return false;
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
	return false;
}

bool run_dispatches_valid(const char *text)
{
	unsigned long long n, m;
	const char *at = text;

	if (!strcmp(text, "all") || !strcmp(text, "first"))
		return true;
	n = count_at(&at);
	if (strncmp(at, "-in-", 4))
		return ranges_valid(text);
	at += 4;
	m = count_at(&at);
	if (!n || n > m || m > UINT32_MAX)
		return false;
	if (*at == ':' && at[1] >= '0' && at[1] <= '9') {
		at++;
		errno = 0;
		strtoull(at, (char **)&at, 10);
		return !*at && !errno;
	}
	return !*at;
}

static struct probe_err *check_dispatches(const char *option, const char *value)
{
	if (run_dispatches_valid(value))
		return NULL;
	return probe_err_create(
		"%s: '%s' is none of: all, first, numbers and ranges from 1 (3,7-9), "
		"N-in-M or N-in-M:SEED with 0 < N <= M",
		option, value);
}

/* One more line. */
static struct probe_err *add_glob(char **list, const char *option, const char *value)
{
	size_t old = *list ? strlen(*list) + 1 : 0;
	char *grown;

	if (!*value || strchr(value, '\n'))
		return probe_err_create("%s: '%s' is no pattern for a file", option, value);
	grown = realloc(*list, old + strlen(value) + 1);
	if (!grown)
		return probe_err_oom();
	if (old)
		grown[old - 1] = '\n';
	strcpy(grown + old, value);
	*list = grown;
	return NULL;
}

struct probe_err *run_take_filter(struct run_config *config, enum run_filter filter,
				  const char *option, const char *value)
{
	switch (filter) {
	case RUN_FILTER_KERNEL:
		config->kernel_include = value;
		return check_regex(option, value);
	case RUN_FILTER_NOT_KERNEL:
		config->kernel_exclude = value;
		return check_regex(option, value);
	case RUN_FILTER_LIBRARY:
		return add_glob(&config->library_include, option, value);
	case RUN_FILTER_NOT_LIBRARY:
		return add_glob(&config->library_exclude, option, value);
	case RUN_FILTER_DISPATCHES:
		config->dispatches = value;
		return check_dispatches(option, value);
	}
	return NULL;
}
