/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/runtime/loaded_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
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
