/* SPDX-License-Identifier: MIT */
#include "codeobj/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <amd_comgr.h>

#include "codeobj/child.h"
#include "common/buf.h"
#include "common/err.h"

/* Limit, because the demangler is slow and recurses deeply on longer names. */
#define NAME_MAX_BYTES 65536

/* ---- In the child --------------------------------------------------------------------------- */

/* For mangled names (Itanium ABI) only: comgr changes or rejects others. */
static char *comgr_demangle(const char *name)
{
	amd_comgr_data_t data, result;
	char *text = NULL;
	size_t size = 0;

	if (amd_comgr_create_data(AMD_COMGR_DATA_KIND_BYTES, &data) != AMD_COMGR_STATUS_SUCCESS)
		return NULL;
	if (amd_comgr_set_data(data, strlen(name), name) == AMD_COMGR_STATUS_SUCCESS &&
	    amd_comgr_demangle_symbol_name(data, &result) == AMD_COMGR_STATUS_SUCCESS) {
		if (amd_comgr_get_data(result, &size, NULL) == AMD_COMGR_STATUS_SUCCESS && size)
			text = calloc(1, size + 1);
		if (text && amd_comgr_get_data(result, &size, text) != AMD_COMGR_STATUS_SUCCESS) {
			free(text);
			text = NULL;
		}
		amd_comgr_release_data(result);
	}
	amd_comgr_release_data(data);
	return text;
}

char *probe_name_demangle(const char *name)
{
	char *text = NULL;

	if (!strncmp(name, "_Z", 2) && strlen(name) <= NAME_MAX_BYTES)
		text = comgr_demangle(name);
	return text ? text : strdup(name);
}

/* ---- In the parent -------------------------------------------------------------------------- */

struct names {
	const char *const *names;
	size_t count;
};

static struct probe_err *demangle_child(void *user, FILE *out)
{
	const struct names *names = user;

	for (size_t i = 0; i < names->count; i++) {
		char *text = probe_name_demangle(names->names[i]);

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

struct probe_err *probe_names_demangle(const char *const *names, size_t count, char ***ret)
{
	struct names work = {.names = names, .count = count};
	char **result = calloc(count + 1, sizeof(*result));
	uint8_t *answer = NULL;
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
			free(answer);
			return probe_err_oom();
		}
	}
	free(answer);
	*ret = result;
	return NULL;
}

void probe_names_destroy(char **names, size_t count)
{
	for (size_t i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
}
