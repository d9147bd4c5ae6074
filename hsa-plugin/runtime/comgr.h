/* SPDX-License-Identifier: MIT */
/* amd-comgr, loaded at run time (metadata.h says why). */
#ifndef PROBE_HSA_PLUGIN_RUNTIME_COMGR_H
#define PROBE_HSA_PLUGIN_RUNTIME_COMGR_H

#include <amd_comgr.h>

struct probe_comgr {
	__typeof__(amd_comgr_create_data) *create_data;
	__typeof__(amd_comgr_set_data) *set_data;
	__typeof__(amd_comgr_get_data) *get_data;
	__typeof__(amd_comgr_release_data) *release_data;
	__typeof__(amd_comgr_get_data_metadata) *get_data_metadata;
	__typeof__(amd_comgr_destroy_metadata) *destroy_metadata;
	__typeof__(amd_comgr_get_metadata_string) *get_metadata_string;
	__typeof__(amd_comgr_get_metadata_list_size) *get_metadata_list_size;
	__typeof__(amd_comgr_index_list_metadata) *index_list_metadata;
	__typeof__(amd_comgr_metadata_lookup) *metadata_lookup;
	__typeof__(amd_comgr_demangle_symbol_name) *demangle_symbol_name; /* may be NULL */
};

/* NULL if there is none. It stays loaded. Any thread. */
const struct probe_comgr *probe_comgr_get(void);

#endif
