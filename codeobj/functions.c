/* SPDX-License-Identifier: MIT */
#include "codeobj/functions.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "codeobj/elf_image.h"
#include "codeobj/names.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"

#define SYMBOL_MAX_BYTES 65536 /* functions with longer names are ignored */

PROBE_DEFINE_RELEASE(functions_release, struct probe_functions *, probe_functions_destroy)

static void send_function(void *user, const char *symbol, uint64_t value, uint64_t size)
{
	FILE *out = user;

	if (strlen(symbol) > SYMBOL_MAX_BYTES)
		return;
	probe_put_string(out, symbol);
	probe_put_u64(out, value);
	probe_put_u64(out, size);
}

struct probe_err *probe_functions_send(const char *name, const void *bytes, size_t size, FILE *out)
{
	PROBE_AUTO(probe_elf_close) struct probe_elf elf = {0};
	struct probe_err *err = probe_elf_open(name, bytes, size, &elf);

	return err ? err : probe_elf_functions(&elf, send_function, out);
}

static struct probe_err *receive(struct probe_buf *buf, struct probe_functions *functions)
{
	size_t capacity = functions->count ? functions->count : 1;
	struct probe_symbol symbol = {0}, *symbols = functions->symbols;
	const char *text;
	struct probe_err *err;

	/* Powers of two. */
	if (!(functions->count & (functions->count - 1))) {
		symbols = realloc(symbols, 2 * capacity * sizeof(*symbols));
		if (!symbols)
			return probe_err_oom();
		functions->symbols = symbols;
	}
	err = probe_buf_string(buf, &text);
	if (err)
		return err;
	err = probe_buf_u64(buf, &symbol.address);
	if (err)
		return err;
	err = probe_buf_u64(buf, &symbol.size);
	if (err)
		return err;
	symbol.symbol = strdup(text);
	if (!symbol.symbol)
		return probe_err_oom();
	symbols[functions->count++] = symbol;
	return NULL;
}

/* By name as well, so that the choice between several names of one address is stable. */
static int compare(const void *a, const void *b)
{
	const struct probe_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->symbol, y->symbol);
}

static struct probe_err *demangle(struct probe_functions *functions)
{
	PROBE_AUTO_FREE const char **names = calloc(functions->count + 1, sizeof(*names));
	PROBE_AUTO_FREE char **result = NULL;
	struct probe_err *err;

	if (!names)
		return probe_err_oom();
	for (size_t i = 0; i < functions->count; i++)
		names[i] = functions->symbols[i].symbol;
	err = probe_names_demangle(names, functions->count, &result);
	if (err)
		return err;
	for (size_t i = 0; i < functions->count; i++)
		functions->symbols[i].name = result[i];
	return NULL;
}

struct probe_err *probe_functions_receive(struct probe_buf *buf, struct probe_functions **ret)
{
	PROBE_AUTO(functions_release)
	struct probe_functions *functions = calloc(1, sizeof(*functions));
	struct probe_err *err;

	if (!functions)
		return probe_err_oom();
	while (probe_buf_left(buf)) {
		err = receive(buf, functions);
		if (err)
			return err;
	}
	if (functions->count)
		qsort(functions->symbols, functions->count, sizeof(*functions->symbols), compare);
	err = demangle(functions);
	if (err)
		return err;
	*ret = PROBE_KEEP(functions);
	return NULL;
}

void probe_functions_destroy(struct probe_functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->count; i++) {
		free(functions->symbols[i].symbol);
		free(functions->symbols[i].name);
	}
	free(functions->symbols);
	free(functions);
}

const struct probe_symbol *probe_functions_find(const struct probe_functions *functions,
						uint64_t address)
{
	size_t low = 0, high = functions->count;
	const struct probe_symbol *symbol;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	symbol = &functions->symbols[low - 1];
	return !symbol->size || address - symbol->address < symbol->size ? symbol : NULL;
}
