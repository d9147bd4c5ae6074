/* SPDX-License-Identifier: MIT */
/*
 * A C view of the function table that ROCr passes to a tool. AMD's hsa_api_trace.h is C++ only. The
 * AMD part of the table changed between releases without a new major number; only the byte size in
 * minor_id identifies its layout (ROCr 5.2 to 7.0 compared).
 */
#ifndef PROBE_HSA_PLUGIN_RUNTIME_API_TABLE_H
#define PROBE_HSA_PLUGIN_RUNTIME_API_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ven_amd_loader.h>

struct probe_table_version {
	uint32_t major_id;
	uint32_t minor_id; /* bytes of the table that begins here */
	uint32_t step_id;
	uint32_t reserved;
};

typedef void (*probe_entry)(void);

struct probe_api_table {
	struct probe_table_version version;
	probe_entry entry[];
};

/* HsaApiTable; later members (tools, PC sampling) are not used here. */
struct probe_api_root {
	struct probe_table_version version;
	struct probe_api_table *core;
	struct probe_api_table *amd_ext;
};

/* hsa_amd_memory_async_copy_on_engine, since ROCr 5.6. */
typedef hsa_status_t probe_copy_on_engine(void *to, hsa_agent_t to_agent, const void *from,
					  hsa_agent_t from_agent, size_t size, uint32_t dep_count,
					  const hsa_signal_t *deps, hsa_signal_t completion,
					  int engine, bool force_sdma);

/* hsa_amd_queue_create_desc_t of AMD's interface 1.26 (after ROCr 7.2). */
struct probe_queue_descriptor {
	uint16_t version; /* PROBE_QUEUE_DESCRIPTOR: otherwise the rest is unknown */
	uint16_t flags;	  /* where the ring and the queue are; 0 = in system memory */
	uint8_t engine;	  /* 0 = kernels */
	uint8_t reserved_header[3];
	uint32_t bytes; /* of the ring */
	hsa_amd_queue_priority_t priority;
	void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data);
	void *callback_data;
	hsa_queue_t *queue; /* written by the runtime */
	/* Of queues for kernels; other engines have other fields here. */
	const uint32_t *cu_mask;
	hsa_queue_type32_t type;
	uint32_t private_size;
	uint32_t cu_mask_count;
	uint32_t reserved_compute[3];
	uint32_t traffic_class;
	uint8_t reserved[20];
};

enum { PROBE_QUEUE_DESCRIPTOR = 1 };

_Static_assert(sizeof(struct probe_queue_descriptor) == 96, "AMD's layout");
_Static_assert(offsetof(struct probe_queue_descriptor, queue) == 32, "AMD's layout");
_Static_assert(offsetof(struct probe_queue_descriptor, traffic_class) == 72, "AMD's layout");

/* hsa_amd_queue_create and hsa_amd_counted_queue_acquire, after ROCr 7.2. */
typedef hsa_status_t probe_queue_create_amd(hsa_agent_t agent,
					    struct probe_queue_descriptor *descriptors,
					    uint32_t count);
typedef hsa_status_t
probe_counted_queue_acquire(hsa_agent_t agent, uint32_t type, uint32_t priority,
			    void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data),
			    void *data, uint64_t flags, hsa_queue_t **queue);

/* The runtime's own functions, saved before any is replaced. NULL = this runtime lacks it. */
struct probe_hsa {
	/* core */
	__typeof__(hsa_shut_down) *shut_down;
	__typeof__(hsa_system_get_info) *system_get_info;
	__typeof__(hsa_iterate_agents) *iterate_agents;
	__typeof__(hsa_agent_get_info) *agent_get_info;
	__typeof__(hsa_queue_create) *queue_create;
	__typeof__(hsa_soft_queue_create) *soft_queue_create;
	__typeof__(hsa_queue_destroy) *queue_destroy;
	__typeof__(hsa_queue_inactivate) *queue_inactivate;
	__typeof__(hsa_queue_load_read_index_scacquire) *queue_load_read_index_scacquire;
	__typeof__(hsa_queue_store_write_index_screlease) *queue_store_write_index_screlease;
	__typeof__(hsa_queue_store_read_index_screlease) *queue_store_read_index_screlease;
	__typeof__(hsa_agent_iterate_regions) *agent_iterate_regions;
	__typeof__(hsa_region_get_info) *region_get_info;
	__typeof__(hsa_memory_allocate) *memory_allocate;
	__typeof__(hsa_memory_free) *memory_free;
	__typeof__(hsa_signal_create) *signal_create;
	__typeof__(hsa_signal_destroy) *signal_destroy;
	__typeof__(hsa_signal_load_scacquire) *signal_load_scacquire;
	__typeof__(hsa_signal_store_relaxed) *signal_store_relaxed;
	__typeof__(hsa_signal_store_screlease) *signal_store_screlease;
	__typeof__(hsa_signal_silent_store_relaxed) *signal_silent_store_relaxed;
	__typeof__(hsa_signal_silent_store_screlease) *signal_silent_store_screlease;
	__typeof__(hsa_signal_wait_scacquire) *signal_wait_scacquire;
	__typeof__(hsa_signal_subtract_screlease) *signal_subtract_screlease;
	__typeof__(hsa_executable_freeze) *executable_freeze;
	__typeof__(hsa_executable_destroy) *executable_destroy;
	__typeof__(hsa_executable_symbol_get_info) *executable_symbol_get_info;
	__typeof__(hsa_executable_iterate_agent_symbols) *executable_iterate_agent_symbols;
	__typeof__(hsa_system_get_major_extension_table) *system_get_major_extension_table;
	__typeof__(hsa_isa_get_info_alt) *isa_get_info_alt;
	/* AMD extension */
	__typeof__(hsa_amd_profiling_set_profiler_enabled) *profiling_set_profiler_enabled;
	__typeof__(hsa_amd_profiling_async_copy_enable) *profiling_async_copy_enable;
	__typeof__(hsa_amd_profiling_get_async_copy_time) *profiling_get_async_copy_time;
	__typeof__(hsa_amd_profiling_convert_tick_to_system_domain) *convert_tick;
	__typeof__(hsa_amd_queue_cu_set_mask) *queue_cu_set_mask;
	__typeof__(hsa_amd_queue_cu_get_mask) *queue_cu_get_mask;
	__typeof__(hsa_amd_queue_set_priority) *queue_set_priority;
	hsa_status_t (*queue_get_info)(hsa_queue_t *queue, int attribute, void *value);
	probe_queue_create_amd *queue_create_amd;
	probe_counted_queue_acquire *counted_queue_acquire;
	hsa_status_t (*counted_queue_release)(hsa_queue_t *queue);
	__typeof__(hsa_amd_memory_pool_get_info) *memory_pool_get_info;
	__typeof__(hsa_amd_agent_iterate_memory_pools) *agent_iterate_memory_pools;
	__typeof__(hsa_amd_memory_pool_allocate) *memory_pool_allocate;
	__typeof__(hsa_amd_memory_pool_free) *memory_pool_free;
	__typeof__(hsa_amd_memory_async_copy) *memory_async_copy;
	probe_copy_on_engine *memory_async_copy_on_engine;
	__typeof__(hsa_amd_memory_async_copy_rect) *memory_async_copy_rect;
	__typeof__(hsa_amd_agent_memory_pool_get_info) *agent_memory_pool_get_info;
	__typeof__(hsa_amd_agents_allow_access) *agents_allow_access;
	__typeof__(hsa_amd_memory_lock) *memory_lock;
	/* ROCr 7.0 and later: buffers of PC sampling may be larger than 64 KiB (sampler.h). */
	bool large_sample_buffers;
};

/* Replacements; NULL = the runtime's own function stays. */
struct probe_hsa_hooks {
	__typeof__(hsa_shut_down) *shut_down;
	__typeof__(hsa_queue_create) *queue_create;
	__typeof__(hsa_queue_destroy) *queue_destroy;
	__typeof__(hsa_queue_inactivate) *queue_inactivate;
	__typeof__(hsa_signal_store_relaxed) *signal_store_relaxed;
	__typeof__(hsa_signal_store_screlease) *signal_store_screlease;
	__typeof__(hsa_signal_silent_store_relaxed) *signal_silent_store_relaxed;
	__typeof__(hsa_signal_silent_store_screlease) *signal_silent_store_screlease;
	__typeof__(hsa_executable_freeze) *executable_freeze;
	__typeof__(hsa_executable_destroy) *executable_destroy;
	__typeof__(hsa_memory_allocate) *memory_allocate;
	__typeof__(hsa_memory_free) *memory_free;
	__typeof__(hsa_amd_memory_pool_allocate) *memory_pool_allocate;
	__typeof__(hsa_amd_memory_pool_free) *memory_pool_free;
	__typeof__(hsa_amd_memory_async_copy) *memory_async_copy;
	probe_copy_on_engine *memory_async_copy_on_engine;
	__typeof__(hsa_amd_memory_async_copy_rect) *memory_async_copy_rect;
	__typeof__(hsa_amd_profiling_set_profiler_enabled) *profiling_set_profiler_enabled;
	__typeof__(hsa_amd_profiling_async_copy_enable) *profiling_async_copy_enable;
	__typeof__(hsa_amd_profiling_get_async_copy_time) *profiling_get_async_copy_time;
	__typeof__(hsa_amd_queue_cu_set_mask) *queue_cu_set_mask;
	__typeof__(hsa_amd_queue_cu_get_mask) *queue_cu_get_mask;
	__typeof__(hsa_amd_queue_set_priority) *queue_set_priority;
	hsa_status_t (*queue_get_info)(hsa_queue_t *queue, int attribute, void *value);
	probe_queue_create_amd *queue_create_amd;
	probe_counted_queue_acquire *counted_queue_acquire;
	hsa_status_t (*counted_queue_release)(hsa_queue_t *queue);
};

/*
 * Saves the runtime's functions and replaces none. -ENOTSUP if the table is older than ROCr 5.2 or
 * smaller than its parts; -EINVAL if a required function is missing.
 */
int probe_hsa_read(const struct probe_api_root *root, struct probe_hsa *ret);

/* Installs the hooks in the table, except those whose entry the table lacks. */
void probe_hsa_install(struct probe_api_root *root, const struct probe_hsa_hooks *hooks);

/*
 * The entry of a function in the table, by the rows of hsa_functions.h; NULL if this runtime has
 * none, or one whose place is not known. `new_index`: that of ROCr 5.6 and later.
 */
probe_entry *probe_hsa_core_entry(struct probe_api_root *root, int index);
probe_entry *probe_hsa_amd_entry(struct probe_api_root *root, int old_index, int new_index);

#endif
