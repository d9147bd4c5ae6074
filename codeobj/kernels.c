/* SPDX-License-Identifier: MIT */
/*
 * Kernels and their metadata. amd-comgr reads them in a sandboxed child. Keys: AMDGPUUsage, "Code
 * Object V3+ Metadata", kernel map.
 */
#include "codeobj/kernels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <amd_comgr.h>

#include "codeobj/child.h"
#include "codeobj/elf_image.h"
#include "codeobj/names.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"

#define KERNELS_MAX    65536
#define TEXT_MAX_BYTES 65536

PROBE_DEFINE_RELEASE(kernels_release, struct probe_kernels *, probe_kernels_destroy)

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

enum { NUMBERS = 9 };

/* The numbers of a kernel, in the order in which they are transferred. */
static void list_numbers(struct probe_kernel *kernel, uint32_t *ret[NUMBERS])
{
	ret[0] = &kernel->kernarg_size;
	ret[1] = &kernel->group_size;
	ret[2] = &kernel->private_size;
	ret[3] = &kernel->sgprs;
	ret[4] = &kernel->vgprs;
	ret[5] = &kernel->agprs;
	ret[6] = &kernel->wave_size;
	ret[7] = &kernel->vgpr_spills;
	ret[8] = &kernel->sgpr_spills;
}

/* ---- In the child --------------------------------------------------------------------------- */

static struct probe_err *comgr_error(const char *name, const char *doing, amd_comgr_status_t status)
{
	const char *text = NULL;

	if (amd_comgr_status_string(status, &text) != AMD_COMGR_STATUS_SUCCESS)
		text = NULL;
	return probe_err_at(name, PROBE_ERR_NO_OFFSET, "kernel metadata: cannot %s: %s", doing,
			    text ? text : "unknown error");
}

/* The text of a node, to be freed; NULL if it is not a string. */
static char *node_text(amd_comgr_metadata_node_t node)
{
	amd_comgr_metadata_kind_t kind;
	size_t size = 0;
	char *text;

	if (amd_comgr_get_metadata_kind(node, &kind) != AMD_COMGR_STATUS_SUCCESS ||
	    kind != AMD_COMGR_METADATA_KIND_STRING ||
	    amd_comgr_get_metadata_string(node, &size, NULL) != AMD_COMGR_STATUS_SUCCESS ||
	    size > TEXT_MAX_BYTES)
		return NULL;
	text = calloc(1, size + 1);
	if (text && amd_comgr_get_metadata_string(node, &size, text) != AMD_COMGR_STATUS_SUCCESS) {
		free(text);
		text = NULL;
	}
	return text;
}

static char *map_text(amd_comgr_metadata_node_t map, const char *key)
{
	amd_comgr_metadata_node_t node;
	char *text;

	if (amd_comgr_metadata_lookup(map, key, &node) != AMD_COMGR_STATUS_SUCCESS)
		return NULL;
	text = node_text(node);
	amd_comgr_destroy_metadata(node);
	return text;
}

static uint32_t map_number(amd_comgr_metadata_node_t map, const char *key)
{
	char *text = map_text(map, key);
	unsigned long value = text ? strtoul(text, NULL, 0) : 0;

	free(text);
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static struct probe_err *read_kernel(const char *name, amd_comgr_metadata_node_t map,
				     struct probe_kernel *kernel)
{
	static const char *const keys[NUMBERS] = {
		".kernarg_segment_size",
		".group_segment_fixed_size",
		".private_segment_fixed_size",
		".sgpr_count",
		".vgpr_count",
		".agpr_count",
		".wavefront_size",
		".vgpr_spill_count",
		".sgpr_spill_count",
	};
	uint32_t *number[NUMBERS];
	size_t len;

	kernel->symbol = map_text(map, ".symbol");
	if (!kernel->symbol)
		return probe_err_at(name, PROBE_ERR_NO_OFFSET,
				    "kernel metadata: a kernel has no .symbol");
	len = strlen(kernel->symbol);
	if (len > 3 && !strcmp(kernel->symbol + len - 3, ".kd"))
		kernel->symbol[len - 3] = '\0';
	kernel->name = probe_name_demangle(kernel->symbol);
	if (!kernel->name)
		return probe_err_oom();
	list_numbers(kernel, number);
	for (size_t i = 0; i < NUMBERS; i++)
		*number[i] = map_number(map, keys[i]);
	return NULL;
}

static struct probe_err *read_list(const char *name, amd_comgr_metadata_node_t list,
				   struct probe_kernels *kernels)
{
	size_t count = 0;

	if (amd_comgr_get_metadata_list_size(list, &count) != AMD_COMGR_STATUS_SUCCESS)
		return probe_err_at(name, PROBE_ERR_NO_OFFSET,
				    "kernel metadata: amdhsa.kernels is not a list");
	if (count > KERNELS_MAX)
		return probe_err_at(name, PROBE_ERR_NO_OFFSET, "%zu kernels; the limit is %d",
				    count, KERNELS_MAX);
	kernels->kernels = calloc(count + 1, sizeof(*kernels->kernels));
	if (!kernels->kernels)
		return probe_err_oom();
	for (size_t i = 0; i < count; i++) {
		amd_comgr_metadata_node_t map;
		amd_comgr_status_t status = amd_comgr_index_list_metadata(list, i, &map);
		struct probe_err *err;

		if (status != AMD_COMGR_STATUS_SUCCESS)
			return comgr_error(name, "read a kernel", status);
		err = read_kernel(name, map, &kernels->kernels[kernels->count++]);
		amd_comgr_destroy_metadata(map);
		if (err)
			return err;
	}
	return NULL;
}

static struct probe_err *read_metadata(const char *name, const void *bytes, size_t size,
				       struct probe_kernels *kernels)
{
	amd_comgr_metadata_node_t root, list;
	amd_comgr_status_t status;
	struct probe_err *err;
	amd_comgr_data_t data;

	status = amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &data);
	if (status != AMD_COMGR_STATUS_SUCCESS)
		return comgr_error(name, "start", status);
	status = amd_comgr_set_data(data, size, bytes);
	if (status == AMD_COMGR_STATUS_SUCCESS)
		status = amd_comgr_get_data_metadata(data, &root);
	if (status != AMD_COMGR_STATUS_SUCCESS) {
		amd_comgr_release_data(data);
		return comgr_error(name, "read the note", status);
	}
	status = amd_comgr_metadata_lookup(root, "amdhsa.kernels", &list);
	if (status == AMD_COMGR_STATUS_SUCCESS) {
		err = read_list(name, list, kernels);
		amd_comgr_destroy_metadata(list);
	} else {
		err = comgr_error(name, "find amdhsa.kernels", status);
	}
	amd_comgr_destroy_metadata(root);
	amd_comgr_release_data(data);
	return err;
}

static int compare_symbols(const void *a, const void *b)
{
	return strcmp((*(struct probe_kernel *const *)a)->symbol,
		      (*(struct probe_kernel *const *)b)->symbol);
}

struct index {
	struct probe_kernel **sorted;
	size_t count;
};

static void index_deinit(struct index *index)
{
	free(index->sorted);
}

static struct probe_err *make_index(struct probe_kernels *kernels, struct index *ret)
{
	ret->count = kernels->count;
	ret->sorted = calloc(ret->count + 1, sizeof(*ret->sorted));
	if (!ret->sorted)
		return probe_err_oom();
	for (size_t i = 0; i < ret->count; i++)
		ret->sorted[i] = &kernels->kernels[i];
	qsort(ret->sorted, ret->count, sizeof(*ret->sorted), compare_symbols);
	return NULL;
}

static struct probe_kernel *find_symbol(const struct index *index, const char *symbol)
{
	struct probe_kernel key = {.symbol = (char *)symbol}, *key_at = &key, **found;

	found = bsearch(&key_at, index->sorted, index->count, sizeof(*index->sorted),
			compare_symbols);
	return found ? *found : NULL;
}

static void set_address(void *user, const char *symbol, uint64_t value)
{
	struct probe_kernel *kernel = find_symbol(user, symbol);

	if (kernel)
		kernel->address = value;
}

static struct probe_err *read_addresses(const char *name, const void *bytes, size_t size,
					struct probe_kernels *kernels)
{
	PROBE_AUTO(index_deinit) struct index index = {0};
	PROBE_AUTO(probe_elf_close) struct probe_elf elf = {0};
	struct probe_err *err;

	err = make_index(kernels, &index);
	if (err)
		return err;
	err = probe_elf_open(name, bytes, size, &elf);
	return err ? err : probe_elf_symbols(&elf, set_address, &index);
}

struct probe_err *probe_kernels_read(const char *name, const void *bytes, size_t size,
				     struct probe_kernels **ret)
{
	PROBE_AUTO(kernels_release) struct probe_kernels *kernels = calloc(1, sizeof(*kernels));
	struct probe_err *err;

	if (!kernels)
		return probe_err_oom();
	err = read_metadata(name, bytes, size, kernels);
	if (err)
		return err;
	err = read_addresses(name, bytes, size, kernels);
	if (err)
		return err;
	*ret = PROBE_KEEP(kernels);
	return NULL;
}

void probe_kernels_send(const struct probe_kernels *kernels, FILE *out)
{
	probe_put_u32(out, (uint32_t)kernels->count);
	for (size_t i = 0; i < kernels->count; i++) {
		struct probe_kernel *kernel = &kernels->kernels[i];
		uint32_t *number[NUMBERS];

		probe_put_string(out, kernel->symbol);
		probe_put_string(out, kernel->name);
		probe_put_u64(out, kernel->address);
		list_numbers(kernel, number);
		for (size_t n = 0; n < NUMBERS; n++)
			probe_put_u32(out, *number[n]);
	}
}

/* ---- In the parent -------------------------------------------------------------------------- */

static struct probe_err *receive_kernel(struct probe_buf *buf, struct probe_kernel *kernel)
{
	const char *symbol, *name, *original;
	uint32_t *number[NUMBERS];
	struct probe_err *err;

	err = probe_buf_string(buf, &symbol);
	if (err)
		return err;
	err = probe_buf_string(buf, &name);
	if (err)
		return err;
	err = probe_buf_u64(buf, &kernel->address);
	if (err)
		return err;
	list_numbers(kernel, number);
	for (size_t i = 0; i < NUMBERS; i++) {
		err = probe_buf_u32(buf, number[i]);
		if (err)
			return err;
	}
	kernel->kind = probe_clone_kind(symbol, &original);
	kernel->symbol = strdup(symbol);
	kernel->name = strdup(name);
	return kernel->symbol && kernel->name ? NULL : probe_err_oom();
}

static struct probe_err *find_originals(struct probe_kernels *kernels)
{
	PROBE_AUTO(index_deinit) struct index index = {0};
	struct probe_err *err = make_index(kernels, &index);

	if (err)
		return err;
	for (size_t i = 0; i < kernels->count; i++) {
		struct probe_kernel *kernel = &kernels->kernels[i], *found = NULL;
		const char *original;

		if (probe_clone_kind(kernel->symbol, &original))
			found = find_symbol(&index, original);
		kernel->original = found ? (size_t)(found - kernels->kernels) : i;
	}
	return NULL;
}

struct probe_err *probe_kernels_receive(struct probe_buf *buf, struct probe_kernels **ret)
{
	PROBE_AUTO(kernels_release) struct probe_kernels *kernels = NULL;
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
		return probe_err_oom();
	while (kernels->count < count) {
		err = receive_kernel(buf, &kernels->kernels[kernels->count++]);
		if (err)
			return err;
	}
	err = find_originals(kernels);
	if (err)
		return err;
	*ret = PROBE_KEEP(kernels);
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
