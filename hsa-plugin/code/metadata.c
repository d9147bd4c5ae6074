/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/code/metadata.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "hsa-plugin/runtime/comgr.h"

typedef amd_comgr_metadata_node_t node;

struct kind_row {
	const char *name;
	enum probe_arg_kind kind;
};

static const struct kind_row kind_rows[] = {
	{"hidden_none", PROBE_ARG_NONE},
	{"hidden_global_offset_x", PROBE_ARG_GLOBAL_OFFSET_X},
	{"hidden_global_offset_y", PROBE_ARG_GLOBAL_OFFSET_Y},
	{"hidden_global_offset_z", PROBE_ARG_GLOBAL_OFFSET_Z},
	{"hidden_block_count_x", PROBE_ARG_BLOCK_COUNT_X},
	{"hidden_block_count_y", PROBE_ARG_BLOCK_COUNT_Y},
	{"hidden_block_count_z", PROBE_ARG_BLOCK_COUNT_Z},
	{"hidden_group_size_x", PROBE_ARG_GROUP_SIZE_X},
	{"hidden_group_size_y", PROBE_ARG_GROUP_SIZE_Y},
	{"hidden_group_size_z", PROBE_ARG_GROUP_SIZE_Z},
	{"hidden_remainder_x", PROBE_ARG_REMAINDER_X},
	{"hidden_remainder_y", PROBE_ARG_REMAINDER_Y},
	{"hidden_remainder_z", PROBE_ARG_REMAINDER_Z},
	{"hidden_grid_dims", PROBE_ARG_GRID_DIMS},
	{"hidden_dynamic_lds_size", PROBE_ARG_DYNAMIC_LDS_SIZE},
	{"hidden_private_base", PROBE_ARG_PRIVATE_BASE},
	{"hidden_shared_base", PROBE_ARG_SHARED_BASE},
	{"hidden_queue_ptr", PROBE_ARG_QUEUE_PTR},
	{"hidden_printf_buffer", PROBE_ARG_PRINTF_BUFFER},
	{"hidden_hostcall_buffer", PROBE_ARG_HOSTCALL_BUFFER},
	{"hidden_multigrid_sync_arg", PROBE_ARG_MULTIGRID_SYNC_ARG},
	{"hidden_heap_v1", PROBE_ARG_HEAP_V1},
	{"hidden_default_queue", PROBE_ARG_DEFAULT_QUEUE},
	{"hidden_completion_action", PROBE_ARG_COMPLETION_ACTION},
};

enum probe_arg_kind probe_arg_kind_of(const char *value_kind)
{
	for (size_t i = 0; i < sizeof(kind_rows) / sizeof(kind_rows[0]); i++)
		if (!strcmp(value_kind, kind_rows[i].name))
			return kind_rows[i].kind;
	return strncmp(value_kind, "hidden_", 7) ? PROBE_ARG_EXPLICIT : PROBE_ARG_UNKNOWN;
}

static bool ok(amd_comgr_status_t status)
{
	return status == AMD_COMGR_STATUS_SUCCESS;
}

/* The string under `key` in a map, which the caller frees; NULL if there is none. */
static char *text_of(const struct probe_comgr *comgr, node map, const char *key)
{
	char *text = NULL;
	size_t size = 0;
	node value;

	if (!ok(comgr->metadata_lookup(map, key, &value)))
		return NULL;
	if (ok(comgr->get_metadata_string(value, &size, NULL)) && size && size < 1 << 20)
		text = malloc(size + 1);
	if (text) {
		text[size] = 0;
		if (!ok(comgr->get_metadata_string(value, &size, text))) {
			free(text);
			text = NULL;
		}
	}
	comgr->destroy_metadata(value);
	return text;
}

/* comgr returns numbers as text, too. False if absent or beyond 32 bits. */
static bool number_of(const struct probe_comgr *comgr, node map, const char *key, uint32_t *ret)
{
	PROBE_AUTO_FREE char *text = text_of(comgr, map, key);
	unsigned long long value;
	char *end;

	if (!text)
		return false;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || value > UINT32_MAX)
		return false;
	*ret = (uint32_t)value;
	return true;
}

static bool flag_of(const struct probe_comgr *comgr, node map, const char *key)
{
	PROBE_AUTO_FREE char *text = text_of(comgr, map, key);

	return text && (!strcmp(text, "true") || !strcmp(text, "1"));
}

static int read_arg(const struct probe_comgr *comgr, node map, struct probe_arg *ret)
{
	PROBE_AUTO_FREE char *kind = text_of(comgr, map, ".value_kind");

	if (!kind)
		return -EBADMSG;
	ret->kind = probe_arg_kind_of(kind);
	if (!number_of(comgr, map, ".offset", &ret->offset) ||
	    !number_of(comgr, map, ".size", &ret->size))
		return -EBADMSG;
	return 0;
}

static int read_arg_list(const struct probe_comgr *comgr, node list, struct probe_kernel_meta *ret)
{
	size_t count = 0;
	int err = 0;

	if (!ok(comgr->get_metadata_list_size(list, &count)) || count > PROBE_ARGS_MAX)
		return -EBADMSG;
	if (!count)
		return 0;
	ret->args = calloc(count, sizeof(*ret->args));
	if (!ret->args)
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++) {
		node arg;

		if (!ok(comgr->index_list_metadata(list, i, &arg)))
			return -EBADMSG;
		err = read_arg(comgr, arg, &ret->args[i]);
		comgr->destroy_metadata(arg);
		ret->arg_count++;
	}
	return err;
}

static int read_args(const struct probe_comgr *comgr, node kernel, struct probe_kernel_meta *ret)
{
	node list;
	int err;

	/* A kernel without arguments has no ".args". */
	if (!ok(comgr->metadata_lookup(kernel, ".args", &list)))
		return 0;
	err = read_arg_list(comgr, list, ret);
	comgr->destroy_metadata(list);
	return err;
}

static int read_kernel(const struct probe_comgr *comgr, node map, struct probe_kernel_meta *ret)
{
	size_t length;

	ret->symbol = text_of(comgr, map, ".symbol");
	if (!ret->symbol)
		return -EBADMSG;
	length = strlen(ret->symbol);
	if (length > 3 && !strcmp(ret->symbol + length - 3, ".kd"))
		ret->symbol[length - 3] = 0;
	if (!number_of(comgr, map, ".kernarg_segment_size", &ret->kernarg_size) ||
	    !number_of(comgr, map, ".group_segment_fixed_size", &ret->group_size) ||
	    !number_of(comgr, map, ".private_segment_fixed_size", &ret->private_size))
		return -EBADMSG;
	number_of(comgr, map, ".kernarg_segment_align", &ret->kernarg_align);
	number_of(comgr, map, ".sgpr_count", &ret->sgprs);
	number_of(comgr, map, ".vgpr_count", &ret->vgprs);
	number_of(comgr, map, ".agpr_count", &ret->agprs);
	number_of(comgr, map, ".wavefront_size", &ret->wave_size);
	number_of(comgr, map, ".max_flat_workgroup_size", &ret->max_group);
	ret->dynamic_stack = flag_of(comgr, map, ".uses_dynamic_stack");
	return read_args(comgr, map, ret);
}

static int read_kernel_list(const struct probe_comgr *comgr, node list, struct probe_metadata *ret)
{
	size_t count = 0;
	int err = 0;

	if (!ok(comgr->get_metadata_list_size(list, &count)) || count > 1 << 20)
		return -EBADMSG;
	if (!count)
		return 0;
	ret->kernels = calloc(count, sizeof(*ret->kernels));
	if (!ret->kernels)
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++) {
		node kernel;

		if (!ok(comgr->index_list_metadata(list, i, &kernel)))
			return -EBADMSG;
		ret->count++;
		err = read_kernel(comgr, kernel, &ret->kernels[i]);
		comgr->destroy_metadata(kernel);
	}
	return err;
}

static int read_kernels(const struct probe_comgr *comgr, node root, struct probe_metadata *ret)
{
	node list;
	int err;

	/* A code object may have device functions but no kernel. */
	if (!ok(comgr->metadata_lookup(root, "amdhsa.kernels", &list)))
		return 0;
	err = read_kernel_list(comgr, list, ret);
	comgr->destroy_metadata(list);
	return err;
}

int probe_metadata_read(const void *bytes, size_t size, struct probe_metadata *ret)
{
	const struct probe_comgr *comgr = probe_comgr_get();
	struct probe_metadata metadata = {0};
	amd_comgr_data_t data;
	int err = -EBADMSG;
	node root;

	if (!comgr)
		return -ENOSYS;
	if (!ok(comgr->create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &data)))
		return -ENOMEM;
	if (ok(comgr->set_data(data, size, bytes)) && ok(comgr->get_data_metadata(data, &root))) {
		err = read_kernels(comgr, root, &metadata);
		comgr->destroy_metadata(root);
	}
	comgr->release_data(data);
	if (err) {
		probe_metadata_destroy(&metadata);
		return err;
	}
	*ret = metadata;
	return 0;
}

void probe_metadata_destroy(struct probe_metadata *metadata)
{
	for (size_t i = 0; i < metadata->count; i++) {
		free(metadata->kernels[i].symbol);
		free(metadata->kernels[i].args);
	}
	free(metadata->kernels);
	memset(metadata, 0, sizeof(*metadata));
}

static char *demangle(const struct probe_comgr *comgr, amd_comgr_data_t in)
{
	amd_comgr_data_t out;
	char *text = NULL;
	size_t size = 0;

	if (!ok(comgr->demangle_symbol_name(in, &out)))
		return NULL;
	if (ok(comgr->get_data(out, &size, NULL)) && size && size < 1 << 20)
		text = malloc(size + 1);
	if (text) {
		text[size] = 0;
		if (!ok(comgr->get_data(out, &size, text)))
			text[0] = 0;
	}
	comgr->release_data(out);
	return text;
}

char *probe_demangle(const char *symbol)
{
	const struct probe_comgr *comgr = probe_comgr_get();
	amd_comgr_data_t in;
	char *text = NULL;

	if (comgr && comgr->demangle_symbol_name && !strncmp(symbol, "_Z", 2) &&
	    ok(comgr->create_data(AMD_COMGR_DATA_KIND_BYTES, &in))) {
		if (ok(comgr->set_data(in, strlen(symbol), symbol)))
			text = demangle(comgr, in);
		comgr->release_data(in);
	}
	if (text && text[0])
		return text;
	free(text);
	return strdup(symbol);
}
