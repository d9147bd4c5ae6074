/* SPDX-License-Identifier: MIT */
#include "cmds/report/optional_library.h"

#include <dlfcn.h>
#include <string.h>

#include "common/err.h"

struct probe_err *optional_library_load(const char *library, const char *what, const char *package,
					const struct optional_function *functions)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return probe_err_create("%s needs %s: install Debian's package %s, or make the "
					"library known with LD_LIBRARY_PATH (%s)",
					what, library, package, dlerror());
	for (; functions->name; functions++) {
		void *found = dlsym(handle, functions->name);

		if (!found)
			return probe_err_create("%s: %s has no function %s: it is too old; install "
						"Debian's package %s",
						what, library, functions->name, package);
		memcpy(functions->to, &found, sizeof(found));
	}
	return NULL;
}
