/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "common/own_symbol.h"

#include <dlfcn.h>
#include <stddef.h>

void *probe_own_symbol(void *library, const char *mark, const char *name)
{
	void *marked = dlsym(library, mark), *found = dlsym(library, name);
	Dl_info of_mark, of_found;

	return marked && found && dladdr(marked, &of_mark) && dladdr(found, &of_found) &&
			       of_mark.dli_fbase == of_found.dli_fbase
		       ? found
		       : NULL;
}
