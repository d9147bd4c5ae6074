/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/runtime/comgr.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const names[] = {"libamd_comgr.so.2", "libamd_comgr.so.3", "libamd_comgr.so"};

struct symbol {
	const char *name;
	size_t member;
	bool needed;
};

static const struct symbol symbols[] = {
	{"amd_comgr_create_data", offsetof(struct probe_comgr, create_data), true},
	{"amd_comgr_set_data", offsetof(struct probe_comgr, set_data), true},
	{"amd_comgr_get_data", offsetof(struct probe_comgr, get_data), true},
	{"amd_comgr_release_data", offsetof(struct probe_comgr, release_data), true},
	{"amd_comgr_get_data_metadata", offsetof(struct probe_comgr, get_data_metadata), true},
	{"amd_comgr_destroy_metadata", offsetof(struct probe_comgr, destroy_metadata), true},
	{"amd_comgr_get_metadata_string", offsetof(struct probe_comgr, get_metadata_string), true},
	{"amd_comgr_get_metadata_list_size", offsetof(struct probe_comgr, get_metadata_list_size),
	 true},
	{"amd_comgr_index_list_metadata", offsetof(struct probe_comgr, index_list_metadata), true},
	{"amd_comgr_metadata_lookup", offsetof(struct probe_comgr, metadata_lookup), true},
	{"amd_comgr_demangle_symbol_name", offsetof(struct probe_comgr, demangle_symbol_name),
	 false},
};

static struct probe_comgr comgr;
static bool usable;

/*
 * Prefers a library that is already mapped: a second copy would load a second LLVM into the
 * process.
 */
static void *open_library(void)
{
	void *library = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++)
		library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++)
		library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
	return library;
}

static void load(void)
{
	void *library = open_library();

	if (!library)
		return;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *address = dlsym(library, symbols[i].name);

		if (!address && symbols[i].needed)
			return;
		memcpy((char *)&comgr + symbols[i].member, &address, sizeof(address));
	}
	usable = true;
}

const struct probe_comgr *probe_comgr_get(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return usable ? &comgr : NULL;
}
