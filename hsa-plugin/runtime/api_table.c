/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/runtime/api_table.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum {
	CORE_BYTES = 1016,   /* 125 entries, the same from ROCr 5.2 to 7.0 */
	AMD_BYTES_MIN = 400, /* 5.2 */
	AMD_BYTES_5_5 = 424, /* 5.5: three entries more, cu_get_mask moved */
	AMD_SAME_5_5 = 38,   /* entries before this one are where 5.2 has them */
	AMD_BYTES_5_6 = 456, /* 5.6: two copy functions inserted at 16 */
	ROOT_BYTES_MIN = 32,
	AMD_ENTRY_7_0 = 73, /* portable_export_dmabuf_v2, the last entry of 7.0 */
	ABSENT = -1,
};

#define MEMBER(name) offsetof(struct probe_hsa, name)
#define HOOK(name)   offsetof(struct probe_hsa_hooks, name)
#define NO_HOOK	     SIZE_MAX

struct core_row {
	size_t member, hook;
	int index;
};

static const struct core_row core_rows[] = {
	{MEMBER(shut_down), HOOK(shut_down), 1},
	{MEMBER(system_get_info), NO_HOOK, 2},
	{MEMBER(iterate_agents), NO_HOOK, 5},
	{MEMBER(agent_get_info), NO_HOOK, 6},
	{MEMBER(queue_create), HOOK(queue_create), 7},
	{MEMBER(soft_queue_create), NO_HOOK, 8},
	{MEMBER(queue_destroy), HOOK(queue_destroy), 9},
	{MEMBER(queue_inactivate), HOOK(queue_inactivate), 10},
	{MEMBER(queue_load_read_index_scacquire), NO_HOOK, 11},
	{MEMBER(queue_store_write_index_screlease), NO_HOOK, 16},
	{MEMBER(queue_store_read_index_screlease), NO_HOOK, 26},
	{MEMBER(agent_iterate_regions), NO_HOOK, 27},
	{MEMBER(region_get_info), NO_HOOK, 28},
	{MEMBER(memory_allocate), HOOK(memory_allocate), 33},
	{MEMBER(memory_free), HOOK(memory_free), 34},
	{MEMBER(signal_create), NO_HOOK, 37},
	{MEMBER(signal_destroy), NO_HOOK, 38},
	{MEMBER(signal_load_scacquire), NO_HOOK, 40},
	{MEMBER(signal_store_relaxed), HOOK(signal_store_relaxed), 41},
	{MEMBER(signal_store_screlease), HOOK(signal_store_screlease), 42},
	{MEMBER(signal_wait_scacquire), NO_HOOK, 44},
	{MEMBER(signal_subtract_screlease), NO_HOOK, 67},
	{MEMBER(executable_destroy), HOOK(executable_destroy), 84},
	{MEMBER(executable_freeze), HOOK(executable_freeze), 86},
	{MEMBER(executable_symbol_get_info), NO_HOOK, 93},
	{MEMBER(system_get_major_extension_table), NO_HOOK, 98},
	{MEMBER(signal_silent_store_relaxed), HOOK(signal_silent_store_relaxed), 102},
	{MEMBER(signal_silent_store_screlease), HOOK(signal_silent_store_screlease), 103},
	{MEMBER(isa_get_info_alt), NO_HOOK, 109},
	{MEMBER(executable_iterate_agent_symbols), NO_HOOK, 123},
};

struct amd_row {
	size_t member, hook;
	bool needed;
	int16_t index[3]; /* in ROCr 5.2 to 5.4; in 5.5; in 5.6 and later */
};

static const struct amd_row amd_rows[] = {
	{MEMBER(profiling_set_profiler_enabled),
	 HOOK(profiling_set_profiler_enabled),
	 true,
	 {2, 2, 2}},
	{MEMBER(profiling_async_copy_enable), HOOK(profiling_async_copy_enable), true, {3, 3, 3}},
	{MEMBER(profiling_get_async_copy_time),
	 HOOK(profiling_get_async_copy_time),
	 true,
	 {5, 5, 5}},
	{MEMBER(convert_tick), NO_HOOK, true, {6, 6, 6}},
	{MEMBER(queue_cu_set_mask), HOOK(queue_cu_set_mask), false, {10, 10, 10}},
	{MEMBER(memory_pool_get_info), NO_HOOK, true, {11, 11, 11}},
	{MEMBER(agent_iterate_memory_pools), NO_HOOK, true, {12, 12, 12}},
	{MEMBER(memory_pool_allocate), HOOK(memory_pool_allocate), true, {13, 13, 13}},
	{MEMBER(memory_pool_free), HOOK(memory_pool_free), true, {14, 14, 14}},
	{MEMBER(memory_async_copy), HOOK(memory_async_copy), true, {15, 15, 15}},
	{MEMBER(memory_async_copy_on_engine),
	 HOOK(memory_async_copy_on_engine),
	 false,
	 {ABSENT, ABSENT, 16}},
	{MEMBER(agent_memory_pool_get_info), NO_HOOK, true, {16, 16, 18}},
	{MEMBER(agents_allow_access), NO_HOOK, true, {17, 17, 19}},
	{MEMBER(memory_lock), NO_HOOK, true, {20, 20, 22}},
	{MEMBER(queue_set_priority), HOOK(queue_set_priority), false, {37, 37, 39}},
	{MEMBER(memory_async_copy_rect), HOOK(memory_async_copy_rect), false, {38, 38, 40}},
	{MEMBER(queue_cu_get_mask), HOOK(queue_cu_get_mask), false, {47, 50, 52}},
	{MEMBER(queue_get_info), HOOK(queue_get_info), false, {ABSENT, ABSENT, 68}},
	{MEMBER(counted_queue_acquire), HOOK(counted_queue_acquire), false, {ABSENT, ABSENT, 76}},
	{MEMBER(counted_queue_release), HOOK(counted_queue_release), false, {ABSENT, ABSENT, 77}},
	{MEMBER(queue_create_amd), HOOK(queue_create_amd), false, {ABSENT, ABSENT, 86}},
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static int amd_layout(const struct probe_api_table *amd)
{
	if (amd->version.minor_id >= AMD_BYTES_5_6)
		return 2;
	return amd->version.minor_id >= AMD_BYTES_5_5;
}

/* Entries depend on the version. An entry beyond the table's own size does not exist. */
static bool has_entry(const struct probe_api_table *table, int index)
{
	return index >= 0 && sizeof(table->version) + ((size_t)index + 1) * sizeof(probe_entry) <=
				     table->version.minor_id;
}

static bool readable(const struct probe_api_root *root)
{
	return root && root->version.minor_id >= ROOT_BYTES_MIN && root->core && root->amd_ext &&
	       root->core->version.minor_id >= CORE_BYTES &&
	       root->amd_ext->version.minor_id >= AMD_BYTES_MIN;
}

int probe_hsa_read(const struct probe_api_root *root, struct probe_hsa *ret)
{
	struct probe_hsa hsa = {0};
	int layout;

	if (!readable(root))
		return -ENOTSUP;
	for (size_t i = 0; i < COUNT(core_rows); i++) {
		probe_entry entry = root->core->entry[core_rows[i].index];

		if (!entry)
			return -EINVAL;
		memcpy((char *)&hsa + core_rows[i].member, &entry, sizeof(entry));
	}
	layout = amd_layout(root->amd_ext);
	for (size_t i = 0; i < COUNT(amd_rows); i++) {
		int index = amd_rows[i].index[layout];
		probe_entry entry = NULL;

		if (has_entry(root->amd_ext, index))
			entry = root->amd_ext->entry[index];
		if (!entry && amd_rows[i].needed)
			return -EINVAL;
		memcpy((char *)&hsa + amd_rows[i].member, &entry, sizeof(entry));
	}
	hsa.large_sample_buffers = layout == 2 && has_entry(root->amd_ext, AMD_ENTRY_7_0);
	*ret = hsa;
	return 0;
}

static void replace(struct probe_api_table *table, int index, const struct probe_hsa_hooks *hooks,
		    size_t hook)
{
	probe_entry entry;

	if (hook == NO_HOOK || !has_entry(table, index) || !table->entry[index])
		return;
	memcpy(&entry, (const char *)hooks + hook, sizeof(entry));
	if (entry)
		table->entry[index] = entry;
}

void probe_hsa_install(struct probe_api_root *root, const struct probe_hsa_hooks *hooks)
{
	int layout;

	if (!readable(root))
		return;
	layout = amd_layout(root->amd_ext);
	for (size_t i = 0; i < COUNT(core_rows); i++)
		replace(root->core, core_rows[i].index, hooks, core_rows[i].hook);
	for (size_t i = 0; i < COUNT(amd_rows); i++)
		replace(root->amd_ext, amd_rows[i].index[layout], hooks, amd_rows[i].hook);
}

probe_entry *probe_hsa_core_entry(struct probe_api_root *root, int index)
{
	if (!readable(root) || !has_entry(root->core, index) || !root->core->entry[index])
		return NULL;
	return &root->core->entry[index];
}

probe_entry *probe_hsa_amd_entry(struct probe_api_root *root, int old_index, int new_index)
{
	int index = old_index;

	if (!readable(root))
		return NULL;
	if (amd_layout(root->amd_ext) == 2)
		index = new_index;
	/* 5.5 has three entries more somewhere behind these. */
	else if (amd_layout(root->amd_ext) == 1 && index >= AMD_SAME_5_5)
		index = ABSENT;
	if (!has_entry(root->amd_ext, index) || !root->amd_ext->entry[index])
		return NULL;
	return &root->amd_ext->entry[index];
}
