/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/hooks/code_objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hsa-plugin/process/agents.h"
#include "hsa-plugin/code/code_image.h"
#include "hsa-plugin/code/kernel_verdict.h"
#include "hsa-plugin/code/kernel_table.h"
#include "hsa-plugin/code/metadata.h"
#include "hsa-plugin/queue/agent_sampling.h"
#include "hsa-plugin/code/site_range.h"
#include "hsa-plugin/process/tool.h"

enum { CHUNK = 64 << 10, URI_MAX = 16 << 10 };

/* A loaded code object: the state to undo when its executable is destroyed. */
struct loaded {
	struct loaded *next;
	uint64_t executable;
	uint32_t id;
	size_t count;
	struct probe_kernel *kernels[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct loaded *all;
static uint32_t last_id, last_kernel;

struct load_facts {
	uint64_t executable;
	struct probe_hr_code_object row;
	const struct probe_agent *agent;
	char *uri;
};

static uint64_t info(hsa_loaded_code_object_t object, int attribute)
{
	uint64_t value = 0;

	probe_tool.loader.hsa_ven_amd_loader_loaded_code_object_get_info(
		object, (hsa_ven_amd_loader_loaded_code_object_info_t)attribute, &value);
	return value;
}

static char *read_uri(hsa_loaded_code_object_t object, uint32_t *ret)
{
	uint32_t length =
		(uint32_t)info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH);
	char *uri = NULL;

	if (length <= URI_MAX)
		uri = calloc(1, (size_t)length + 1);
	if (uri && length)
		probe_tool.loader.hsa_ven_amd_loader_loaded_code_object_get_info(
			object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, uri);
	*ret = uri ? length : 0;
	return uri;
}

static int read_facts(hsa_executable_t executable, hsa_loaded_code_object_t object,
		      struct load_facts *ret)
{
	struct load_facts facts = {.executable = executable.handle};
	hsa_agent_t agent;

	if (info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND) !=
	    HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT)
		return -ENOENT;
	agent.handle = info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT);
	facts.agent = probe_agent_of(&probe_tool, agent);
	if (!facts.agent)
		return -ENOENT;
	facts.row.agent = facts.agent->index;
	facts.row.load_base = info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE);
	facts.row.load_size = info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE);
	facts.row.load_delta =
		(int64_t)info(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA);
	facts.row.storage = (uint32_t)info(
		object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE);
	if (facts.row.storage == HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY) {
		facts.row.memory_base = info(
			object,
			HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE);
		facts.row.bytes = info(
			object,
			HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE);
	}
	facts.uri = read_uri(object, &facts.row.uri_len);
	*ret = facts;
	return 0;
}

static void put_code_object(const struct load_facts *facts, const struct probe_image *image)
{
	struct probe_segment *seg = &probe_tool.segment;
	size_t most = probe_segment_payload_max(seg) - sizeof(struct probe_hr_code_bytes);
	size_t chunk = most < CHUNK ? most : CHUNK;
	struct iovec parts[] = {
		{(void *)&facts->row, sizeof(facts->row)},
		{facts->uri, facts->row.uri_len},
	};

	probe_segment_put_wait(seg, PROBE_HR_CODE_OBJECT, parts, 2, PROBE_LOAD_WAIT_NS);
	for (size_t at = 0; at < image->size; at += chunk) {
		struct probe_hr_code_bytes row = {.code_object = facts->row.id, .offset = at};

		row.bytes = (uint32_t)(image->size - at < chunk ? image->size - at : chunk);
		struct iovec bytes[] = {
			{&row, sizeof(row)},
			{(char *)image->bytes + at, row.bytes},
		};
		probe_segment_put_wait(seg, PROBE_HR_CODE_BYTES, bytes, 2, PROBE_LOAD_WAIT_NS);
	}
}

static void put_kernel(const struct probe_kernel *kernel, const struct probe_kernel_meta *meta,
		       uint32_t original)
{
	struct probe_hr_kernel row = {
		.id = kernel->id,
		.code_object = kernel->code_object,
		.kernel_object = kernel->object,
		.kernarg_size = meta->kernarg_size,
		.kernarg_align = meta->kernarg_align,
		.group_size = meta->group_size,
		.private_size = meta->private_size,
		.sgprs = meta->sgprs,
		.vgprs = meta->vgprs,
		.agprs = meta->agprs,
		.wave_size = meta->wave_size,
		.kind = kernel->kind,
		.original = original,
		.name_len = (uint32_t)strlen(meta->symbol),
	};
	struct iovec parts[] = {{&row, sizeof(row)}, {meta->symbol, row.name_len}};

	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_KERNEL, parts, 2, PROBE_LOAD_WAIT_NS);
}

/* Kernel symbols of the executable on one agent: names and addresses of the descriptors. */
struct symbols {
	size_t count, capacity;
	struct symbol {
		char *name;
		uint64_t object;
	} * symbols;
};

static hsa_status_t add_symbol(hsa_executable_t executable, hsa_agent_t agent,
			       hsa_executable_symbol_t handle, void *data)
{
	__typeof__(hsa_executable_symbol_get_info) *get = probe_tool.hsa.executable_symbol_get_info;
	hsa_symbol_kind_t kind = HSA_SYMBOL_KIND_VARIABLE;
	struct symbols *symbols = data;
	struct symbol symbol = {0};
	uint32_t length = 0;

	(void)executable;
	(void)agent;
	if (get(handle, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind) || kind != HSA_SYMBOL_KIND_KERNEL ||
	    get(handle, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length) || length > 1 << 20 ||
	    get(handle, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &symbol.object))
		return HSA_STATUS_SUCCESS;
	if (symbols->count == symbols->capacity) {
		size_t capacity = symbols->capacity ? 2 * symbols->capacity : 64;
		void *grown = realloc(symbols->symbols, capacity * sizeof(symbol));

		if (!grown)
			return HSA_STATUS_INFO_BREAK;
		symbols->symbols = grown;
		symbols->capacity = capacity;
	}
	symbol.name = calloc(1, (size_t)length + 1);
	if (!symbol.name || get(handle, HSA_EXECUTABLE_SYMBOL_INFO_NAME, symbol.name)) {
		free(symbol.name);
		return HSA_STATUS_SUCCESS;
	}
	if (length > 3 && !strcmp(symbol.name + length - 3, ".kd"))
		symbol.name[length - 3] = 0;
	symbols->symbols[symbols->count++] = symbol;
	return HSA_STATUS_SUCCESS;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static void symbols_deinit(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		free(symbols->symbols[i].name);
	free(symbols->symbols);
}

static uint64_t object_of(const struct symbols *symbols, const char *name)
{
	struct symbol key = {.name = (char *)name};
	const struct symbol *found = NULL;

	if (symbols->count)
		found = bsearch(&key, symbols->symbols, symbols->count, sizeof(key), by_name);
	return found ? found->object : 0;
}

static struct probe_kernel *make_kernel(const struct load_facts *facts,
					const struct probe_kernel_meta *meta, uint64_t object)
{
	struct probe_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return NULL;
	kernel->id = ++last_kernel;
	kernel->code_object = facts->row.id;
	kernel->object = object;
	kernel->group_size = meta->group_size;
	kernel->private_size = meta->private_size;
	kernel->max_group = meta->max_group;
	kernel->vgprs = meta->vgprs;
	kernel->agprs = meta->agprs;
	kernel->verdict = PROBE_V_METADATA;
	return kernel;
}

/*
 * Enters the kernels of a code object into the table. In practice an executable has one code object
 * per agent; if there are two, this tests which of them contains a symbol's address.
 */
static void enter_kernels(const struct load_facts *facts, const struct probe_metadata *metadata,
			  const struct symbols *symbols, const struct probe_site_table *sites,
			  const struct probe_image *image, struct loaded *loaded)
{
	struct probe_kernel_row *rows = calloc(metadata->count, sizeof(*rows));

	for (size_t i = 0; rows && i < metadata->count; i++) {
		uint64_t object = object_of(symbols, metadata->kernels[i].symbol);

		if (!object || object - facts->row.load_base >= facts->row.load_size)
			continue;
		rows[loaded->count].meta = &metadata->kernels[i];
		rows[loaded->count].kernel = make_kernel(facts, &metadata->kernels[i], object);
		if (!rows[loaded->count].kernel)
			continue;
		loaded->kernels[loaded->count] = rows[loaded->count].kernel;
		loaded->count++;
	}
	if (rows)
		probe_kernels_decide(&probe_tool.config, facts->uri, rows, loaded->count, sites,
				     image);
	for (size_t i = 0; i < loaded->count; i++)
		put_kernel(rows[i].kernel, rows[i].meta,
			   rows[i].original ? rows[i].original->id : 0);
	for (size_t i = 0; i < loaded->count; i++)
		probe_kernel_table_add(rows[i].kernel);
	free(rows);
}

static void enter(const struct load_facts *facts, const struct probe_image *image,
		  const struct symbols *symbols)
{
	struct probe_metadata metadata = {0};
	struct probe_site_table sites = {0};
	struct loaded *loaded;

	put_code_object(facts, image);
	if (image->size && !probe_metadata_read(image->bytes, image->size, &metadata))
		probe_site_table_find(image->bytes, image->size, &sites);
	loaded = calloc(1, sizeof(*loaded) + metadata.count * sizeof(loaded->kernels[0]));
	if (loaded) {
		loaded->executable = facts->executable;
		loaded->id = facts->row.id;
		enter_kernels(facts, &metadata, symbols, &sites, image, loaded);
		loaded->next = all;
		all = loaded;
	}
	probe_metadata_destroy(&metadata);
}

static hsa_status_t see(hsa_executable_t executable, hsa_loaded_code_object_t object, void *data)
{
	struct probe_image image = {0};
	struct symbols symbols = {0};
	struct load_facts facts;

	(void)data;
	if (read_facts(executable, object, &facts))
		return HSA_STATUS_SUCCESS;
	facts.row.id = ++last_id;
	if (probe_image_copy(facts.row.memory_base, facts.row.bytes, facts.uri ? facts.uri : "",
			     &image))
		image = (struct probe_image){0};
	facts.row.bytes = image.size;
	probe_tool.hsa.executable_iterate_agent_symbols(executable, facts.agent->handle, add_symbol,
							&symbols);
	if (symbols.count)
		qsort(symbols.symbols, symbols.count, sizeof(symbols.symbols[0]), by_name);
	enter(&facts, &image, &symbols);
	symbols_deinit(&symbols);
	free(image.bytes);
	free(facts.uri);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t probe_executable_freeze(hsa_executable_t executable, const char *options)
{
	hsa_status_t status = probe_tool.hsa.executable_freeze(executable, options);
	int saved = errno;

	if (status != HSA_STATUS_SUCCESS || !probe_tool_active() ||
	    !probe_tool.loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects)
		return status;
	pthread_mutex_lock(&lock);
	probe_tool.loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(executable, see,
										    NULL);
	pthread_mutex_unlock(&lock);
	errno = saved;
	return status;
}

static void free_loaded(struct loaded *loaded)
{
	struct probe_hr_code_unload row = {.code_object = loaded->id};
	struct iovec part = {&row, sizeof(row)};

	for (size_t i = 0; i < loaded->count; i++)
		probe_kernel_table_remove(loaded->kernels[i]);
	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_CODE_UNLOAD, &part, 1,
			       PROBE_LOAD_WAIT_NS);
	/* The kernels themselves are not freed: dispatches in flight point to them. */
	free(loaded);
}

hsa_status_t probe_executable_destroy(hsa_executable_t executable)
{
	int saved = errno;

	if (probe_tool_active()) {
		pthread_mutex_lock(&lock);
		for (struct loaded **at = &all; *at;) {
			struct loaded *loaded = *at;

			if (loaded->executable != executable.handle) {
				at = &loaded->next;
				continue;
			}
			*at = loaded->next;
			/*
			 * Samples could not be attributed after other code is loaded at this
			 * address.
			 */
			probe_sampling_flush(NULL);
			free_loaded(loaded);
		}
		pthread_mutex_unlock(&lock);
	}
	errno = saved;
	return probe_tool.hsa.executable_destroy(executable);
}
