/* SPDX-License-Identifier: MIT */
/* Kernel lists and names on the parent's side; see kernels.h. */
#include "codeobj/kernels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "codeobj/kernels_read.h"
#include "common/buf.h"
#include "common/err.h"

static const char clone_prefix[] = "__probe_";

enum probe_kind probe_clone_kind(const char *symbol, const char **original)
{
	size_t prefix = sizeof(clone_prefix) - 1;

	if (strncmp(symbol, clone_prefix, prefix))
		return PROBE_KIND_NONE;
	for (int kind = 1; kind < PROBE_KINDS; kind++) {
		const char *name = probe_kind_name((enum probe_kind)kind);
		size_t len = strlen(name);

		if (!strncmp(symbol + prefix, name, len) && symbol[prefix + len] == '_' &&
		    symbol[prefix + len + 1]) {
			*original = symbol + prefix + len + 1;
			return (enum probe_kind)kind;
		}
	}
	return PROBE_KIND_NONE;
}

static struct probe_err *receive_kernel(struct probe_buf *buf, struct probe_kernel *kernel)
{
	const char *symbol, *name, *original;
	struct probe_err *err;

	err = probe_buf_string(buf, &symbol);
	if (!err)
		err = probe_buf_string(buf, &name);
	if (!err)
		err = probe_buf_u64(buf, &kernel->address);
	if (!err)
		err = probe_buf_u32(buf, &kernel->kernarg_size);
	if (!err)
		err = probe_buf_u32(buf, &kernel->group_size);
	if (!err)
		err = probe_buf_u32(buf, &kernel->private_size);
	if (!err)
		err = probe_buf_u32(buf, &kernel->sgprs);
	if (!err)
		err = probe_buf_u32(buf, &kernel->vgprs);
	if (!err)
		err = probe_buf_u32(buf, &kernel->agprs);
	if (!err)
		err = probe_buf_u32(buf, &kernel->wave_size);
	if (err)
		return err;
	kernel->kind = probe_clone_kind(symbol, &original);
	kernel->symbol = strdup(symbol);
	kernel->name = strdup(name);
	return kernel->symbol && kernel->name ? NULL : probe_err_oom();
}

static void find_originals(struct probe_kernels *kernels)
{
	for (size_t i = 0; i < kernels->count; i++) {
		struct probe_kernel *kernel = &kernels->kernels[i];
		const char *original;

		kernel->original = i;
		if (!probe_clone_kind(kernel->symbol, &original))
			continue;
		for (size_t k = 0; k < kernels->count; k++)
			if (!strcmp(kernels->kernels[k].symbol, original))
				kernel->original = k;
	}
}

struct probe_err *probe_kernels_receive(struct probe_buf *buf, struct probe_kernels **ret)
{
	struct probe_kernels *kernels;
	struct probe_err *err;
	uint32_t count;

	err = probe_buf_u32(buf, &count);
	if (err)
		return err;
	if (count > probe_buf_left(buf))
		return probe_buf_error(buf, "%u kernels in %zu bytes", count, probe_buf_left(buf));
	kernels = calloc(1, sizeof(*kernels));
	if (!kernels)
		return probe_err_oom();
	kernels->kernels = calloc(count + 1ul, sizeof(*kernels->kernels));
	if (!kernels->kernels)
		err = probe_err_oom();
	while (kernels->count < count && !err)
		err = receive_kernel(buf, &kernels->kernels[kernels->count++]);
	if (err) {
		probe_kernels_destroy(kernels);
		return err;
	}
	find_originals(kernels);
	*ret = kernels;
	return NULL;
}

void probe_kernels_destroy(struct probe_kernels *kernels)
{
	if (!kernels)
		return;
	for (size_t i = 0; i < kernels->count; i++) {
		free(kernels->kernels[i].symbol);
		free(kernels->kernels[i].name);
	}
	free(kernels->kernels);
	free(kernels);
}

/* ---- Names --------------------------------------------------------------------------------- */

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
	/* A dead child costs readability only. */
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
