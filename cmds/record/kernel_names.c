/* SPDX-License-Identifier: MIT */
#include "cmds/record/kernel_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "common/buf.h"
#include "common/err.h"

#define NAME_BYTES_MAX 65536u

/* Itanium C++ ABI, section 3.4: every C++ runtime provides this demangler. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

struct work {
	const char *const *symbols;
	size_t count;
};

static bool mangled(const char *symbol)
{
	return !strncmp(symbol, "_Z", 2) && strlen(symbol) < NAME_BYTES_MAX;
}

/*
 * With -fgpu-rdc, Clang appends ".intern.HASH" or ".static.HASH" to names of static objects to make
 * them unique across files. Demanglers do not know these suffixes.
 */
static char *demangle_one(const char *symbol)
{
	static const char *const suffixes[] = {".intern.", ".static."};
	char *own = strdup(symbol), *name = NULL;
	int status = 0;

	for (size_t i = 0; own && i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *suffix = strstr(own, suffixes[i]);

		if (suffix)
			*suffix = 0;
	}
	if (own)
		name = __cxa_demangle(own, NULL, NULL, &status);
	free(own);
	return name;
}

static struct probe_err *demangle(void *user, FILE *out)
{
	const struct work *work = user;

	for (size_t i = 0; i < work->count; i++) {
		char *name;

		if (!mangled(work->symbols[i]))
			continue;
		name = demangle_one(work->symbols[i]);
		probe_put_string(out, name ? name : work->symbols[i]);
		free(name);
	}
	return NULL;
}

/* The child's answer is not trusted: a string per mangled name, in order, possibly incomplete. */
static void take_answer(const struct work *work, const void *answer, size_t size, char **names)
{
	struct probe_buf buf;

	probe_buf_init(&buf, "demangled names", answer, size);
	for (size_t i = 0; i < work->count; i++) {
		const char *text = NULL;
		struct probe_err *err;

		if (!mangled(work->symbols[i]))
			continue;
		err = probe_buf_string(&buf, &text);
		if (err) {
			probe_err_destroy(err);
			return;
		}
		names[i] = *text ? strdup(text) : NULL;
	}
}

char **run_names_demangle(const char *const *symbols, size_t count)
{
	struct work work = {symbols, count};
	char **names = calloc(count + 1, sizeof(*names));
	uint8_t *answer = NULL;
	size_t size = 0;
	bool any = false, ok = names != NULL;

	for (size_t i = 0; i < count && !any; i++)
		any = mangled(symbols[i]);
	if (ok && any) {
		probe_err_destroy(
			probe_child_run("demangling names", demangle, &work, &answer, &size));
		if (answer)
			take_answer(&work, answer, size, names);
		free(answer);
	}
	for (size_t i = 0; ok && i < count; i++) {
		if (!names[i])
			names[i] = strdup(symbols[i]);
		ok = names[i] != NULL;
	}
	if (ok)
		return names;
	if (names)
		run_names_destroy(names, count);
	return NULL;
}

void run_names_destroy(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
