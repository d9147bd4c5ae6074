/* SPDX-License-Identifier: MIT */
#include "cmds/record/kernel_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/demangle_child.h"
#include "common/err.h"

#define NAME_BYTES_MAX 65536u

/* Itanium C++ ABI, section 3.4: every C++ runtime provides this demangler. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

static bool mangled(const char *symbol)
{
	return !strncmp(symbol, "_Z", 2) && strlen(symbol) < NAME_BYTES_MAX;
}

/*
 * With -fgpu-rdc, Clang appends ".intern.HASH" or ".static.HASH" to names of static objects to make
 * them unique across files. Demanglers do not know these suffixes.
 */
static char *demangle(const char *symbol)
{
	static const char *const suffixes[] = {".intern.", ".static."};
	char *own = strdup(symbol), *name = NULL;
	int status = 0;

	if (!own || !mangled(symbol))
		return own;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *suffix = strstr(own, suffixes[i]);

		if (suffix)
			*suffix = 0;
	}
	name = __cxa_demangle(own, NULL, NULL, &status);
	free(own);
	return name ? name : strdup(symbol);
}

char **run_names_demangle(const char *const *symbols, size_t count)
{
	char **names = NULL;

	probe_err_destroy(probe_demangle_in_child(demangle, symbols, count, &names));
	return names;
}

void run_names_destroy(char **names, size_t count)
{
	probe_names_destroy(names, count);
}
