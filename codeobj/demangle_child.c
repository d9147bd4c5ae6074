/* SPDX-License-Identifier: MIT */
#include "codeobj/demangle_child.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"

struct names {
	const char *const *names;
	size_t count;
	char *(*demangle)(const char *name);
};

static struct probe_err *demangle_child(void *user, FILE *out)
{
	const struct names *work = user;

	for (size_t i = 0; i < work->count; i++) {
		char *text = work->demangle(work->names[i]);

		if (!text)
			return probe_err_oom();
		probe_put_string(out, text);
		free(text);
	}
	return NULL;
}

static bool any_mangled(const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(names[i], "_Z", 2))
			return true;
	return false;
}

struct probe_err *probe_demangle_in_child(char *(*demangle)(const char *name),
					  const char *const *names, size_t count, char ***ret)
{
	struct names work = {.names = names, .count = count, .demangle = demangle};
	PROBE_AUTO_FREE uint8_t *answer = NULL;
	char **result = calloc(count + 1, sizeof(*result));
	size_t size = 0;
	struct probe_buf buf;

	if (!result)
		return probe_err_oom();
	/* If the child dies, names stay mangled. */
	if (any_mangled(names, count))
		probe_err_destroy(
			probe_child_run("demangling names", demangle_child, &work, &answer, &size));
	probe_buf_init(&buf, "demangled names", answer, size);
	for (size_t i = 0; i < count; i++) {
		const char *text = names[i];

		probe_err_destroy(probe_buf_string(&buf, &text));
		result[i] = strdup(text);
		if (!result[i]) {
			probe_names_destroy(result, i);
			return probe_err_oom();
		}
	}
	*ret = result;
	return NULL;
}

void probe_names_destroy(char **names, size_t count)
{
	for (size_t i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
}
