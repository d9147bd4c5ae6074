/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/runtime/loaded_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct search {
	const char *name;
	char path[PATH_MAX];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
	struct search *search = user;
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *file = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	if (strncmp(file, search->name, strlen(search->name)))
		return 0;
	return snprintf(search->path, sizeof(search->path), "%s", info->dlpi_name) <
	       (int)sizeof(search->path);
}

void *probe_loaded_function(const char *name, const char *function)
{
	struct search search = {.name = name};
	void *library, *ret;

	if (!dl_iterate_phdr(look_at, &search))
		return NULL;
	library = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return NULL;
	ret = dlsym(library, function);
	dlclose(library);
	return ret;
}

struct import {
	const char *library;
	char name[128]; /* between two zeros, as in a string table */
	size_t size;
};

/* glibc puts addresses into the dynamic section where the file has offsets; others do not. */
static const char *address_in(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const char *)(uintptr_t)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

static int has_import(struct dl_phdr_info *info, size_t size, void *user)
{
	const struct import *import = user;
	const char *slash = strrchr(info->dlpi_name, '/'), *strings = NULL;
	const ElfW(Dyn) *entry = NULL;
	size_t bytes = 0;

	(void)size;
	if (slash && !strncmp(slash + 1, import->library, strlen(import->library)))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			strings = address_in(info, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRSZ)
			bytes = entry->d_un.d_val;
	}
	return strings && memmem(strings, bytes, import->name, import->size);
}

bool probe_loaded_import(const char *library, const char *function)
{
	struct import import = {.library = library};
	int length = snprintf(import.name + 1, sizeof(import.name) - 1, "%s", function);

	if (length < 0 || (size_t)length + 2 > sizeof(import.name))
		return false;
	import.size = (size_t)length + 2;
	return dl_iterate_phdr(has_import, &import) != 0;
}
