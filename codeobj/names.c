/* SPDX-License-Identifier: MIT */
#include "codeobj/names.h"

#include <stdlib.h>
#include <string.h>

#include <amd_comgr.h>

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

struct probe_err *probe_names_demangle(const char *const *names, size_t count, char ***ret)
{
	return probe_demangle_in_child(probe_name_demangle, names, count, ret);
}
