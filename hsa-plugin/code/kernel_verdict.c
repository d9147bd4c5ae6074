/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/code/kernel_verdict.h"

#include <stdlib.h>
#include <string.h>

#include <probe/wire.h>

#include "hsa-plugin/code/call_graph.h"

enum { FRAME_GROWTH_MIN = 1024 };

struct clone_prefix {
	const char *prefix;
	uint32_t kind;
};

static const struct clone_prefix prefixes[] = {
	{"__probe_memory_", PROBE_KIND_MEMORY},
	{"__probe_trace_", PROBE_KIND_TRACE},
	{"__probe_time_", PROBE_KIND_TIME},
	{"__probe_count_", PROBE_KIND_COUNT},
};

const char *probe_clone_of(const char *symbol, uint32_t *kind)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i].prefix);

		if (strncmp(symbol, prefixes[i].prefix, length) || !symbol[length])
			continue;
		*kind = prefixes[i].kind;
		return symbol + length;
	}
	return NULL;
}

static int by_symbol(const void *a, const void *b)
{
	const struct probe_kernel_row *x = a, *y = b;

	return strcmp(x->meta->symbol, y->meta->symbol);
}

static struct probe_kernel_row *find(struct probe_kernel_row *rows, size_t count,
				     const char *symbol)
{
	struct probe_kernel_meta meta = {.symbol = (char *)symbol};
	struct probe_kernel_row key = {.meta = &meta};

	return count ? bsearch(&key, rows, count, sizeof(key), by_symbol) : NULL;
}

struct code_object {
	const struct probe_config *config;
	const struct probe_site_table *sites;
	const struct probe_image *image;
	bool library;			/* the code object passes the library filters */
	struct probe_call_graph *calls; /* created on first use */
};

/*
 * Where the compiler estimated the stack of callees, those of the clone need more. Without
 * recursion, each level of calls grows as much as the kernel's own frame, and by at least
 * FRAME_GROWTH_MIN.
 */
static bool bound_stack(struct code_object *code, struct probe_kernel_row *original,
			const struct probe_kernel_row *clone)
{
	const struct probe_kernel_meta *from = original->meta, *to = clone->meta;
	uint32_t growth = FRAME_GROWTH_MIN;
	int depth;

	if (!from->dynamic_stack)
		return true;
	if (!code->calls)
		code->calls = probe_call_graph_create(code->image->bytes, code->image->size);
	if (!code->calls)
		return false;
	depth = probe_call_graph_depth(code->calls, from->symbol);
	if (depth < 0)
		return false;
	if (to->private_size > from->private_size + growth)
		growth = to->private_size - from->private_size;
	original->kernel->stack_growth = (uint32_t)depth * growth;
	return true;
}

static uint32_t verdict_of(struct code_object *code, struct probe_kernel_row *original,
			   const struct probe_kernel_row *clone)
{
	const struct probe_config *config = code->config;
	struct probe_kernel *kernel = original->kernel;
	char *name;
	bool wanted;

	if (config->kind == PROBE_KIND_NONE)
		return PROBE_V_OFF;
	if (!code->library)
		return PROBE_V_LIBRARY;
	name = probe_demangle(original->meta->symbol);
	wanted = name && probe_config_wants(config, name);
	free(name);
	if (!wanted)
		return PROBE_V_FILTERED;
	if (!clone)
		return PROBE_V_NO_CLONE;
	if (!probe_site_table_range(code->sites, original->meta->symbol, &kernel->site_first,
				    &kernel->site_count))
		return PROBE_V_METADATA;
	if (probe_kernargs_plan(original->meta, clone->meta, &kernel->plan))
		return PROBE_V_METADATA;
	if (!bound_stack(code, original, clone))
		return PROBE_V_RECURSION;
	kernel->clone = clone->kernel;
	return PROBE_V_SWAPPED;
}

void probe_kernels_decide(const struct probe_config *config, const char *uri,
			  struct probe_kernel_row *rows, size_t count,
			  const struct probe_site_table *sites, const struct probe_image *image)
{
	bool library = probe_config_wants_library(config, uri);
	struct code_object code = {config, sites, image, library, NULL};
	struct probe_kernel_row **clones = calloc(count, sizeof(*clones));

	if (count)
		qsort(rows, count, sizeof(rows[0]), by_symbol);
	for (size_t i = 0; i < count; i++) {
		uint32_t kind = PROBE_KIND_NONE;
		const char *name = probe_clone_of(rows[i].meta->symbol, &kind);
		struct probe_kernel_row *original = name ? find(rows, count, name) : NULL;

		if (!original)
			continue;
		rows[i].kernel->kind = kind;
		rows[i].original = original->kernel;
		if (clones && kind == config->kind)
			clones[original - rows] = &rows[i];
	}
	for (size_t i = 0; i < count; i++) {
		/* A clone that the application dispatches itself runs unchanged. */
		if (rows[i].original)
			rows[i].kernel->verdict = PROBE_V_NO_CLONE;
		else
			rows[i].kernel->verdict =
				verdict_of(&code, &rows[i], clones ? clones[i] : NULL);
	}
	probe_call_graph_destroy(code.calls);
	free(clones);
}
